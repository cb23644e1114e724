//! A program of one's own has the whole command line, with its environment in every command.

mod common;

use common::Folder;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The example, which Cargo builds for the tests beside the program.
fn own_lab(args: &[&str]) -> Output {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_duvn"));
    let example = program.parent().unwrap().join("examples").join("own_lab");
    let output = Command::new(&example).args(args).output().unwrap_or_else(|error| {
        panic!("{} cannot be run ({error}): write cargo test -p duvn, which builds it", example.display())
    });
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

#[test]
fn train_sweep_report_values_eval_and_play_know_ones_own_environment() {
    let folder = Folder::new("own-lab");
    let listed = own_lab(&["envs"]).stdout;
    assert!(String::from_utf8_lossy(&listed).contains("Corridor-v0"));

    let out = folder.path("train");
    let out = out.to_str().unwrap();
    let set = ["--set", "hidden=16"];
    let train =
        ["train", "Corridor-v0", "--agent", "duvn-deep", "--seeds", "0", "--episodes", "600", "--out", out];
    let line = own_lab(&[&train[..], &set[..], &["--json"][..]].concat()).stdout;
    let run: serde_json::Value = serde_json::from_slice(&line).unwrap();
    assert_eq!((run["env"].as_str(), run["episodes"].as_u64()), (Some("Corridor-v0"), Some(600)));
    assert!(run["mean_return_last_100"].as_f64().unwrap() > 0.9, "it takes the large reward: {run}");
    let played = own_lab(&["eval", out, "--episodes", "2", "--json"]).stdout;
    assert!(String::from_utf8_lossy(&played).contains("1.0"), "{}", String::from_utf8_lossy(&played));
    own_lab(&["play", out]);

    let file = folder.file(
        "corridor.toml",
        "name = 'corridor'\nseeds = '0..2'\nepisodes = 20\n[settings]\nhidden = [16]\n\
         [[environments]]\nid = 'Corridor-v0'\n[[agents]]\npreset = 'duvn-deep'\n[[agents]]\npreset = 'egreedy'\n",
    );
    let sweep = folder.path("sweep");
    own_lab(&["sweep", file.to_str().unwrap(), "--out", sweep.to_str().unwrap()]);
    own_lab(&["report", sweep.to_str().unwrap()]);
    let page = std::fs::read_to_string(sweep.join("report.html")).unwrap();
    assert!(page.contains("Corridor-v0"));
    let drawn = folder.path("values");
    let values =
        ["values", "Corridor-v0", "--agent", "duvn-deep", "--at", "0,5", "--out", drawn.to_str().unwrap()];
    own_lab(&[&values[..], &set[..]].concat());
}
