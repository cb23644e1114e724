//! Runs that end once they have solved their task, from the file to the report.
#![cfg(unix)]

mod common;

use common::{Folder, duvn, recorded, stderr, stdout, succeed, sweep};
use duvn_lab::store::{Status, Store};
use std::process::{Command, Output};

const FILE: &str = r#"name = "solved"
seeds = "0..2"
episodes = 2000
until_solved = true
settings = { hidden = [16] }
environments = [{ id = "Chain-3" }, { id = "Chain-4" }]
agents = [{ preset = "parametric" }]
"#;

fn refused(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    stderr(&output)
}

#[test]
fn a_sweep_until_solved_is_the_same_however_often_it_is_stopped() {
    let folder = Folder::new("until-solved");
    let file = folder.file("solved.toml", FILE);
    let (whole, out) = (folder.path("whole"), folder.path("out"));
    succeed(sweep(&file, &whole, &[]));
    // Killed as soon as the first run can be taken up again, and later.
    let previous = out.join("runs").join(&recorded(&whole)[0].id).join("previous.safetensors");
    for _ in 0..3 {
        let mut child = sweep(&file, &out, &["--jobs", "1", "--checkpoint-every", "0.001"]).spawn().unwrap();
        while !previous.exists() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    succeed(sweep(&file, &out, &[]));
    assert_eq!(recorded(&out), recorded(&whole));
    let again: Output = succeed(sweep(&file, &out, &[]));
    assert!(stderr(&again).contains("4 of 4 runs are done (4 were before)"), "{}", stderr(&again));

    let runs = Store::open(&out).unwrap().runs().unwrap();
    for (run, records) in runs.iter().zip(recorded(&out)) {
        let outcome = run.outcome.as_ref().unwrap();
        assert!(run.spec.until_solved && run.status == Status::Done, "{run:?}");
        assert_eq!((Some(outcome.episodes), outcome.interrupted), (outcome.solved_episode, false));
        assert_eq!(records.episodes.len() as u64, outcome.episodes);
        let last = records.evaluations.last().unwrap();
        assert_eq!(last.episode, outcome.episodes, "the agent that solved it is evaluated");
    }

    succeed({
        let mut report = duvn();
        report.arg("report").arg(&out);
        report
    });
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("A run ends with the episode that solves its task"));
    let listed = succeed(sweep(&file, &out, &["--dry-run"]));
    assert!(stdout(&listed).contains("2000 episodes, or until solved  done"), "{}", stdout(&listed));
    // The same runs to the end of their budget are others.
    let budget = folder.file("budget.toml", &FILE.replace("until_solved = true\n", ""));
    assert!(refused(sweep(&budget, &out, &[])).contains("other settings"));
}

#[test]
fn training_ends_once_solved() {
    let train = |more: &[&str]| {
        let mut command = duvn();
        command.args(["train", "Chain-3", "--agent", "parametric", "--set", "hidden=[16]"]);
        command.args(["--episodes", "400", "--json"]).args(more);
        serde_json::from_slice::<serde_json::Value>(&succeed(command).stdout).unwrap()
    };
    let (whole, ended) = (train(&[]), train(&["--until-solved"]));
    assert_eq!(whole["episodes"], 400);
    assert_eq!((&ended["episodes"], &ended["interrupted"]), (&whole["solved_episode"], &false.into()));
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let folder = Folder::new("unsolvable");
    let file = folder.file("bad.toml", &FILE.replace("Chain-4", "CliffWalking-v1"));
    let words = refused(sweep(&file, &folder.path("out"), &[]));
    assert!(words.contains("line 6: CliffWalking-v1 has no threshold"), "{words}");
    let mut train = duvn();
    train.args(["train", "CliffWalking-v1", "--agent", "duvn", "--until-solved"]);
    let words = refused(train);
    assert!(words.contains("--until-solved") && words.lines().count() == 1, "{words}");
}
