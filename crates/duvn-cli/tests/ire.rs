//! `duvn ire`: its JSON contract, its independence of threads, and its figure.

mod program;

use program::{duvn, folder};

#[test]
fn the_measure_is_an_object_with_the_keys_of_the_contract() {
    let object = &duvn(&["ire", "Toy", "--traces", "4000", "--json"]).objects()[0];
    assert_eq!((&object["env"], &object["traces"]), (&"Toy".into(), &4000.into()));
    // Returns 0, 1, 2, 3 in equal shares.
    let near = |key: &str, expected: f64| (object[key].as_f64().unwrap() - expected).abs() < 0.1;
    assert!(near("mean", 1.5) && near("sd", 1.25f64.sqrt()) && near("entropy_nats", 4f64.ln()), "{object}");
    assert_eq!((&object["estimator"], &object["estimator_count"]), (&"values".into(), &4.into()));
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    for env in ["Chain-3", "CartPole-v1"] {
        let run = |seed, jobs| {
            duvn(&["ire", env, "--traces", "1500", "--seed", seed, "--jobs", jobs, "--json"]).stdout
        };
        let one = run("5", "1");
        assert!(!one.is_empty());
        assert_eq!(one, run("5", "2"), "{env}");
        assert_ne!(one.split("\"seed\"").next(), run("6", "1").split("\"seed\"").next(), "{env}");
    }
}

#[test]
fn the_figure_is_drawn_where_it_is_asked_for() {
    let out = folder("ire-figure").join("new");
    let env = "FrozenLake-v1?map=4x4&slippery=false";
    let ran = duvn(&["ire", env, "--traces", "300", "--max-steps", "20", "--out", out.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("nats"), "{ran:?}");
    let mut files: Vec<_> = std::fs::read_dir(&out).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(std::fs::read(&files[0]).unwrap().starts_with(b"\x89PNG"), "{files:?}");
    assert!(std::fs::read_to_string(&files[1]).unwrap().contains("<svg"), "{files:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_it_without_a_result() {
    let ran = program::interrupted(&["ire", "CartPole-v1", "--traces", "100000000", "--json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (75, ""), "{ran:?}");
    assert!(ran.stderr.starts_with("duvn: stopped after ") && ran.stderr.lines().count() == 1, "{ran:?}");
}
