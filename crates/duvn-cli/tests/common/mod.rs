//! What the tests of the program share. Each test file uses a part of it.
#![allow(dead_code)]

#[path = "../../../duvn-lab/tests/common/folder.rs"]
mod folder;

use duvn_lab::beliefs::Moment;
use duvn_lab::record::Record;
use duvn_lab::store::{EvaluationRow, Status, Store};
pub use folder::Folder;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program, quiet.
pub fn duvn() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duvn"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `duvn sweep FILE --out OUT` with further arguments.
pub fn sweep(file: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command = duvn();
    command.arg("sweep").arg(file).arg("--out").arg(out).args(more);
    command
}

/// `duvn train ENV --out OUT` with further arguments.
pub fn train(env: &str, out: &Path, more: &[&str]) -> Command {
    let mut command = duvn();
    command.args(["train", env, "--out"]).arg(out).args(more);
    command
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs to the end, which must be a good one.
pub fn succeed(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", stderr(&output));
    output
}

/// How long a program has been at work, in time of the processor, where the system tells.
fn worked(child: &Child) -> Option<Duration> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
    let of = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    let times: Vec<u64> = threads.flatten().filter_map(of).collect();
    (!times.is_empty()).then(|| Duration::from_nanos(times.iter().sum()))
}

/// Lets a program work for so long, or until it ends. On a machine that others use, a time on the wall would pass before it
/// has begun. A little of that comes after it all the same: a program that waits for the disk does not work.
pub fn let_work(child: &mut Child, time: Duration) {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() && worked(child).unwrap_or_else(|| start.elapsed()) < time {
        std::thread::sleep(Duration::from_micros(500));
    }
    std::thread::sleep(time / 16);
}

/// Everything that is recorded of a run and must not depend on how it came about.
#[derive(Debug, PartialEq)]
pub struct Recorded {
    pub id: String,
    pub episodes: Vec<Record>,
    pub evaluations: Vec<EvaluationRow>,
    pub moments: Vec<Moment>,
    pub status: Status,
    pub weights: Option<String>,
}

pub fn recorded(out: &Path) -> Vec<Recorded> {
    let store = Store::open(out).unwrap();
    let read = |run: duvn_lab::store::RunRow| {
        let mut episodes = Vec::new();
        let add = |record: &Record| {
            episodes.push(*record);
            Ok::<_, duvn_lab::store::StoreError>(())
        };
        store.each_episode(run.number, add).unwrap();
        Recorded {
            moments: store.moments(run.number).unwrap(),
            evaluations: store.evaluations(run.number).unwrap(),
            weights: run.outcome.map(|outcome| outcome.weights_sha256),
            id: run.id,
            status: run.status,
            episodes,
        }
    };
    store.runs().unwrap().into_iter().map(read).collect()
}

/// Two agents on two small tasks, `episodes` long.
pub fn small(episodes: u64) -> String {
    format!(
        r#"name = "small"
seeds = "0..2"
episodes = {episodes}

[settings]
hidden = [16, 16]
replay = 2000

[[environments]]
id = "Chain-6"

[[environments]]
id = "Toy"

[[agents]]
preset = "egreedy"

[[agents]]
preset = "duvn"
settings = {{ parameter_scope = "episode" }}

[[watch]]
environment = "Chain-6"
agent = "duvn"
episodes = [0, 3, 100]
"#
    )
}

/// Every preset, traces, and several actors, on an environment with indices and one with vectors, `episodes` long.
pub fn everything(episodes: u64) -> String {
    let mut text = format!(
        r#"name = "everything"
seeds = "0"
episodes = {episodes}
evaluations = 4
evaluation_episodes = 1
environments = [{{ id = "FrozenLake-v1" }}, {{ id = "CartPole-v1" }}]

[settings]
hidden = [8]
replay = 500
batch = 8
learning_starts = 16

[[agents]]
name = "traces"
preset = "duvn"
settings = {{ lambda = 0.9 }}

[[agents]]
name = "actors"
preset = "duvn"
settings = {{ actors = 3 }}
"#
    );
    for preset in duvn::config::PRESETS {
        let settings = if preset.name == "bootdqn" { "settings = { members = 3 }" } else { "" };
        text += &format!("\n[[agents]]\npreset = \"{}\"\n{settings}\n", preset.name);
    }
    text
}
