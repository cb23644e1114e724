//! `duvn values`: the figure and the film of what an agent believes.

mod program;

use program::{duvn, folder};

#[test]
fn a_figure_and_a_film_are_drawn_for_curves_and_for_grids() {
    for (env, wanted) in [("Chain-4", "correct action"), ("DeepSea-3", "depth")] {
        let out = folder(&format!("values-{env}"));
        let small = ["--set", "hidden=[8]", "--draws", "2"];
        let mut arguments = vec!["values", env, "--agent", "duvn-deep", "--at", "0,2,6", "--gif", "3"];
        arguments.extend(small);
        arguments.extend(["--out", out.to_str().unwrap()]);
        let ran = duvn(&arguments);
        assert_eq!((ran.code, ran.stdout.lines().count()), (0, 3), "{ran:?}");
        let svg = std::fs::read_to_string(out.join("values.svg")).unwrap();
        assert!(svg.contains(wanted) && svg.contains("after episode 6"), "{env}");
        assert!(std::fs::read(out.join("values.png")).unwrap().starts_with(b"\x89PNG"));
        assert!(std::fs::read(out.join("values.gif")).unwrap().starts_with(b"GIF89a"));
    }
}

#[test]
fn the_distribution_of_the_return_is_drawn_by_state_and_action() {
    let out = folder("values-densities");
    let mut arguments = vec!["values", "Toy", "--agent", "qrdqn", "--at", "0,3", "--densities", "0,1"];
    arguments.extend(["--out", out.to_str().unwrap()]);
    let ran = duvn(&arguments);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2), "{ran:?}");
    let svg = std::fs::read_to_string(out.join("values.svg")).unwrap();
    assert!(svg.contains("state 1, after episode 3") && svg.contains("density"));
}

#[test]
fn what_cannot_be_shown_is_refused_with_what_to_write() {
    let out = folder("values-refused");
    let out = out.to_str().unwrap();
    for (arguments, part) in [
        (&["values", "CartPole-v1", "--agent", "duvn", "--out", out][..], "Chain-25"),
        (&["values", "Toy", "--agent", "duvn", "--at", "5,2", "--out", out], "rising order"),
        (&["values", "Toy", "--agent", "duvm", "--out", out], "duvn"),
        (&["values", "Toy", "--agent", "c51", "--densities", "9", "--out", out], "numbers from 0 to 3"),
        (&["values", "Toy", "--agent", "duvn", "--gif", "0", "--out", out], "--gif cannot be 0"),
        (&["values", "Toy", "--agent", "duvn", "--out", "/proc/nowhere"], "--out"),
    ] {
        let ran = duvn(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
}
