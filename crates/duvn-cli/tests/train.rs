//! `duvn train`: its JSON contract, determinism, divergence, and Ctrl-C.

mod program;

use duvn::config::PRESETS;
use program::{Ran, command, duvn, keys};

/// Settings under which every preset is quick.
const SMALL: [&str; 10] = [
    "--set",
    "hidden=[16]",
    "--set",
    "trunk=[]",
    "--set",
    "batch=16",
    "--set",
    "replay=500",
    "--set",
    "learning_starts=16",
];

fn train(arguments: &[&str]) -> Ran {
    duvn(&[&["train"], arguments, &SMALL].concat())
}

#[test]
fn a_run_is_an_object_with_the_keys_of_the_contract() {
    let runs =
        train(&["Chain-4", "--agent", "duvn", "--seeds", "3..5", "--episodes", "20", "--json"]).objects();
    assert_eq!(runs.len(), 2);
    for (run, seed) in runs.iter().zip([3, 4]) {
        assert_eq!(
            keys(run),
            [
                "agent",
                "env",
                "episodes",
                "first_reward_episode",
                "interrupted",
                "mean_return_last_100",
                "seconds",
                "seed",
                "solved_episode",
                "steps",
                "steps_per_second",
                "updates",
                "weights_sha256",
            ]
        );
        assert_eq!((&run["env"], &run["agent"]), (&"Chain-4".into(), &"duvn".into()));
        assert_eq!((&run["seed"], &run["episodes"]), (&seed.into(), &20.into()));
        assert_eq!(run["interrupted"], false);
        assert_eq!(run["weights_sha256"].as_str().map(str::len), Some(64));
        assert_eq!(run["solved_episode"], serde_json::Value::Null, "20 episodes are no window of 100");
        let steps = run["steps"].as_u64().unwrap();
        // The first update comes with the sixteenth transition, then one with each.
        assert_eq!(run["updates"].as_u64(), Some(steps - 15));
    }
}

#[test]
fn a_budget_of_steps_is_kept_to_the_step() {
    let runs = train(&["Chain-4", "--agent", "return", "--steps", "123", "--json"]).objects();
    assert_eq!(runs[0]["steps"], 123);
}

/// Everything about the runs but how long they took.
fn results(arguments: &[&str]) -> Vec<serde_json::Value> {
    let mut runs = train(arguments).objects();
    for run in &mut runs {
        let run = run.as_object_mut().unwrap();
        assert!(run.remove("seconds").is_some() && run.remove("steps_per_second").is_some());
    }
    runs
}

#[test]
fn every_preset_gives_the_same_weights_with_one_thread_with_two_and_again() {
    for preset in PRESETS {
        let run = |jobs| {
            let seeds = ["Chain-4", "--agent", preset.name, "--seeds", "0..3", "--episodes", "40", "--json"];
            let members = if preset.name == "bootdqn" { &["--set", "members=3"][..] } else { &[] };
            results(&[&seeds[..], &["--jobs", jobs], members].concat())
        };
        let one = run("1");
        assert_eq!(one, run("1"), "{}, twice", preset.name);
        assert_eq!(one, run("2"), "{}, two threads", preset.name);
        assert_ne!(one[0]["weights_sha256"], one[1]["weights_sha256"], "{}, another seed", preset.name);
    }
}

#[test]
fn the_portable_path_is_chosen_by_option_or_variable_alike() {
    let arguments =
        [&["train", "Chain-4", "--agent", "duvn", "--episodes", "20", "--json"][..], &SMALL].concat();
    let weights = |output: std::process::Output| {
        assert!(output.status.success(), "{output:?}");
        let run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        run["weights_sha256"].as_str().unwrap().to_string()
    };
    let by_option = command(&arguments).args(["--isa", "portable"]).output().unwrap();
    let by_variable = command(&arguments).env("DUVN_ISA", "portable").output().unwrap();
    assert_eq!(weights(by_option), weights(by_variable));
}

#[test]
fn numbers_that_explode_end_the_run_with_the_step_and_what_to_try() {
    let ran = train(&["Chain-4", "--agent", "duvn", "--set", "learning_rate=1e30", "--json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    let fault = ran.stderr.lines().last().unwrap();
    assert!(fault.starts_with("duvn: "), "{fault}");
    assert!(fault.contains("at environment step ") && fault.contains("learning_rate"), "{fault}");
}

#[test]
fn help_names_every_preset_and_knob() {
    let help = duvn(&["train", "--help"]);
    assert_eq!(help.code, 0);
    for preset in PRESETS {
        assert!(help.stdout.contains(preset.name), "{}", preset.name);
    }
    for knob in duvn::Config::knobs() {
        assert!(help.stdout.contains(&format!("  {} ", knob.name)), "{}", knob.name);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_reports_what_was_learnt_so_far() {
    let long = ["train", "Chain-4", "--agent", "duvn", "--steps", "1000000000", "--seeds", "0..2", "--json"];
    let ran = program::interrupted(&[&long[..], &SMALL].concat());
    assert!(ran.stderr.lines().last().is_some_and(|line| line.starts_with("duvn: stopped")), "{ran:?}");
    assert_eq!(ran.code, 75, "{ran:?}");
    for run in ran.lines() {
        assert_eq!(run["interrupted"], true);
        assert!(run["steps"].as_u64().unwrap() < 1_000_000_000);
        assert_eq!(run["weights_sha256"].as_str().map(str::len), Some(64));
    }
}
