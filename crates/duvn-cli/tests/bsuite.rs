//! `duvn bsuite`: scores, the figure, going on, and what is refused.

mod program;

use program::{duvn, folder};
use serde_json::Value;

#[test]
fn scores_are_printed_written_and_drawn_and_the_same_command_goes_on() {
    let out = folder("bsuite");
    let out = out.to_str().unwrap();
    let agents = ["bsuite", "--agent", "egreedy", "--agent", "qrdqn", "--jobs", "2", "--out", out];
    let few = ["--only", "bandit,bandit_noise,bandit_scale,deep_sea,umbrella_length", "--episodes", "15"];
    let arguments: Vec<&str> = agents.into_iter().chain(few).collect();
    let first = duvn(&arguments);
    assert_eq!(first.code, 0, "{first:?}");
    assert!(first.stdout.contains("umbrella_length  credit assignment, noise  6"), "{first:?}");
    let read = |name: &str| std::fs::read(std::path::Path::new(out).join(name)).unwrap();
    let text = |name: &str| String::from_utf8(read(name)).unwrap();
    assert!(
        text("figures/radar.svg").contains("exploration") && text("report.html").contains("bandit_noise")
    );
    assert!(read("figures/radar.png").starts_with(b"\x89PNG"));
    let scores = text("scores.csv");
    assert_eq!(scores.lines().count(), 1 + 2 * 5);
    assert!(scores.contains("\negreedy,deep_sea,exploration,3,3,"), "{scores}");
    let others = std::path::Path::new(out).join("others.csv");
    std::fs::write(&others, "agent,experiment,score,runs,episodes\ntheir agent,bandit,0.625,1,15\n").unwrap();
    let beside = ["--json", "--reference", others.to_str().unwrap()];
    let beside = duvn(&arguments.iter().copied().chain(beside).collect::<Vec<_>>());
    let last: Value = serde_json::from_str(beside.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["agent"], &last["scores"]["bandit"]), (&"their agent".into(), &0.625.into()));
    assert!(text("figures/radar.svg").contains("their agent") && text("report.html").contains("0.625"));
    let again = duvn(&arguments.iter().copied().chain(["--json"]).collect::<Vec<_>>());
    assert!(again.code == 0 && again.stderr.contains("26 were before"), "{again:?}");
    let objects: Vec<Value> = again.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (objects.len(), &objects[1]["agent"], &objects[0]["finished"]),
        (2, &"qrdqn".into(), &true.into())
    );
    let score = objects[0]["scores"]["bandit"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&score));
    assert_eq!(objects[0]["tags"]["basic"].as_f64(), Some(score), "bandit alone is basic here");
    assert_eq!(objects[0]["tags"]["generalization"], Value::Null);
}

#[test]
fn what_cannot_be_run_is_refused_with_what_to_write() {
    let out = folder("bsuite-refused");
    let out = out.to_str().unwrap();
    for (arguments, part) in [
        (&["bsuite", "--out", out][..], "duvn bsuite --agent duvn-deep"),
        (&["bsuite", "--agent", "dqm", "--out", out], "there is no agent 'dqm'"),
        (&["bsuite", "--agent", "dqn", "--only", "memory_len", "--out", out], "write one of bandit, "),
        (&["bsuite", "--agent", "dqn", "--agent", "dqn", "--out", out], "leave one out"),
        (&["bsuite", "--agent", "dqn", "--episodes", "0", "--out", out], "1 or more"),
        (&["bsuite", "--agent", "dqn", "--reference", "none.csv", "--out", out], "--reference none.csv: "),
        (
            &["bsuite", "--agent", "dqn", "--reference", "Cargo.toml", "--out", out],
            "line 1 should be 'agent,",
        ),
        (&["bsuite", "--agent", "dqn", "--only", "bandit", "--out", "/proc/nowhere"], "/proc/nowhere"),
    ] {
        let ran = duvn(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
}
