//! What `duvn sweep` promises besides surviving kills.
#![cfg(unix)]

mod common;

use common::{Folder, Recorded, duvn, recorded, small, stderr, stdout, succeed, sweep};
use duvn_lab::store::{FILE, SCHEMA, Status};
use std::path::PathBuf;
use std::process::Command;

fn refused(mut command: Command, parts: &[&str]) {
    let output = command.output().unwrap();
    let words = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(parts.iter().all(|part| words.contains(part)), "{words} lacks one of {parts:?}");
}

/// An experiment, and what is recorded of it where nothing disturbs it.
struct Swept {
    folder: Folder,
    file: PathBuf,
    expected: Vec<Recorded>,
}

fn swept(name: &str, episodes: u64) -> Swept {
    let folder = Folder::new(name);
    let file = folder.file("small.toml", &small(episodes));
    let whole = folder.path("whole");
    succeed(sweep(&file, &whole, &[]));
    Swept { expected: recorded(&whole), folder, file }
}

#[test]
fn a_dry_run_lists_the_runs_and_makes_nothing() {
    let folder = Folder::new("dry");
    let file = folder.file("small.toml", &small(5));
    let output = succeed(sweep(&file, &folder.path("out"), &["--dry-run"]));
    assert_eq!(stdout(&output).lines().count(), 8 + 1);
    assert!(stdout(&output).contains("chain-6/duvn/seed-1  5 episodes"));
    assert!(!folder.path("out").exists());
    succeed(sweep(&file, &folder.path("out"), &[]));
    let output = succeed(sweep(&file, &folder.path("out"), &["--dry-run"]));
    assert!(stdout(&output).contains("0 of 8 runs to do"), "{}", stdout(&output));
}

#[test]
fn bad_files_and_folders_are_refused_with_what_to_write() {
    let folder = Folder::new("bad");
    let out = folder.path("out");
    for (from, to, parts) in [
        ("seeds =", "seed =", &["line 2", "seeds"][..]),
        ("\"0..2\"", "\"\"", &["line 2", "0..5"]),
        ("preset = \"duvn\"", "preset = \"egreedy\"", &["line 19", "another name"]),
        ("\"Toy\"", "\"Toi\"", &["line 13", "Toy"]),
        ("\"small\"", "\"..\"", &["line 1", "names a folder", "chain"]),
        ("\"small\"", "\"../x/y\"", &["line 1", "names a folder", "chain"]),
        ("\"small\"", "\"\"", &["line 1", "empty"]),
    ] {
        let file = folder.file("bad.toml", &small(5).replacen(from, to, 1));
        refused(sweep(&file, &out, &[]), parts);
    }
    refused(sweep(&folder.path("none.toml"), &out, &[]), &["cannot read"]);
    let file = folder.file("small.toml", &small(5));
    refused(sweep(&file, &out, &["--jobs", "0"]), &["1 or more"]);
    refused(sweep(&file, &out, &["--checkpoint-every=-1"]), &["seconds"]);

    succeed(sweep(&file, &out, &[]));
    let other = folder.file("other.toml", &small(5).replace("\"small\"", "\"other\""));
    refused(sweep(&other, &out, &[]), &["belongs to the experiment 'small'", "--out"]);
    let changed = folder.file("changed.toml", &small(6));
    refused(
        sweep(&changed, &out, &[]),
        &["a budget of 5 episodes", "a multiple such as 10 episodes", "--out"],
    );
    let smaller = folder.file("smaller.toml", &small(4));
    refused(
        sweep(&smaller, &out, &["--extend"]),
        &["a budget of 5 episodes", "not cut down to 4 episodes", "more, with --extend", "--out"],
    );
    let settings = folder.file("settings.toml", &small(5).replace("replay = 2000", "replay = 3000"));
    refused(sweep(&settings, &out, &["--extend"]), &["with other settings", "--out", "another name"]);
    // More seeds are no other experiment.
    let longer = folder.file("longer.toml", &small(5).replace("0..2", "0..3"));
    succeed(sweep(&longer, &out, &[]));
    assert_eq!(recorded(&out).len(), 12);

    let connection = rusqlite::Connection::open(out.join(FILE)).unwrap();
    connection.pragma_update(None, "user_version", SCHEMA + 1).unwrap();
    drop(connection);
    refused(sweep(&file, &out, &[]), &["newer duvn"]);

    let foreign = folder.path("foreign");
    std::fs::create_dir_all(&foreign).unwrap();
    std::fs::write(foreign.join(FILE), "certainly not a database, and longer than a header of one hundred bytes, which SQLite would want to see before it says so").unwrap();
    refused(sweep(&file, &foreign, &[]), &["not a database of duvn"]);
    let mut report = duvn();
    report.arg("report").arg(folder.path("nowhere"));
    refused(report, &["holds no experiment"]);
}

#[test]
fn two_programs_share_the_work() {
    let folder = Folder::new("share");
    let file = folder.file("small.toml", &small(800));
    let out = folder.path("out");
    let start = || sweep(&file, &out, &["--jobs", "1"]).spawn().unwrap();
    let (one, two) = (start(), start());
    let outputs = [one.wait_with_output().unwrap(), two.wait_with_output().unwrap()];
    assert!(outputs.iter().all(|output| output.status.success()));
    let lines: Vec<String> = outputs
        .iter()
        .flat_map(|output| {
            stderr(output).lines().filter(|line| line.starts_with('[')).map(String::from).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(lines.len(), 8, "each run is done by one program, once: {lines:#?}");
    assert!(recorded(&out).iter().all(|run| run.status == Status::Done && run.episodes.len() == 800));
}

#[test]
fn a_failing_run_is_recorded_and_the_others_go_on() {
    let folder = Folder::new("failing");
    let mut text = small(100);
    text += "\n[[environments]]\nid = \"Toy?reward_scale=1e25\"\n";
    let file = folder.file("wild.toml", &text);
    let out = folder.path("out");
    for lines in [12, 4] {
        let output = sweep(&file, &out, &[]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("learning_rate"), "{}", stderr(&output));
        let said = stderr(&output).lines().filter(|line| line.starts_with('[')).count();
        assert_eq!(said, lines, "{}", stderr(&output));
    }
    let failed = recorded(&out).iter().filter(|run| run.status == Status::Failed).count();
    assert_eq!(failed, 4);
    // The fault was their own: nobody tries them again without being told to.
    let mut status = duvn();
    status.arg("status").arg(&out).arg("--json");
    let said = stdout(&succeed(status));
    assert!(said.contains("\"done\":8,\"running\":0,\"failed\":4,\"left\":0"), "{said}");
}

#[test]
fn a_stopped_sweep_goes_on_to_the_same_end() {
    let Swept { folder, file, expected } = swept("stopped", 1500);
    let out = folder.path("out");
    for signal in ["-INT", "-TERM", "-USR1", "-USR2"] {
        let child = sweep(&file, &out, &["--jobs", "2", "--checkpoint-every", "1000"]).spawn().unwrap();
        // Its records are open: by then it listens for signals.
        while !out.join(format!("{FILE}-wal")).exists() {
            std::thread::yield_now();
        }
        succeed({
            let mut kill = Command::new("kill");
            kill.arg(signal).arg(child.id().to_string());
            kill
        });
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
        assert!(stderr(&output).contains("the same command goes on"), "{}", stderr(&output));
    }
    succeed(sweep(&file, &out, &[]));
    assert_eq!(recorded(&out), expected);
}

#[test]
fn damaged_checkpoints_are_named_and_never_started_over_silently() {
    let Swept { folder, file, expected } = swept("damaged", 3000);
    let first = expected[0].id.clone();
    // A run that was too quick to be caught on the way has nothing to damage: catch another.
    let caught = (0..20).find_map(|attempt| {
        let out = folder.path(&format!("out-{attempt}"));
        let mut child = sweep(&file, &out, &["--jobs", "1", "--checkpoint-every", "0.001"]).spawn().unwrap();
        let run = out.join("runs").join(&first);
        while !run.join("previous.safetensors").exists() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        (recorded(&out)[0].status != Status::Done).then_some((out, run))
    });
    let (out, run) = caught.expect("one of twenty runs is caught on the way");
    // The kill may have fallen between the two moves of a save.
    let newest = run.join("checkpoint.safetensors");
    if !newest.exists() {
        std::fs::copy(run.join("previous.safetensors"), &newest).unwrap();
    }
    let mut bytes = std::fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&newest, &bytes).unwrap();
    let good = std::fs::read(run.join("previous.safetensors")).unwrap();
    std::fs::write(run.join("previous.safetensors"), &good[..good.len() - 1]).unwrap();
    let output = sweep(&file, &out, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("delete the folder to start the run over"), "{}", stderr(&output));

    std::fs::write(run.join("previous.safetensors"), &good).unwrap();
    let output = succeed(sweep(&file, &out, &[]));
    assert!(stderr(&output).contains("checksum does not match"), "{}", stderr(&output));
    assert!(stderr(&output).contains("going on from the checkpoint before"), "{}", stderr(&output));
    assert_eq!(recorded(&out), expected);
}

#[test]
fn a_full_disk_is_named_and_costs_nothing_that_was_saved() {
    let Swept { folder, file, expected } = swept("full", 1500);
    let out = folder.path("out");
    // A limit on the size of files stands for the end of the disk: writes beyond it fail.
    for blocks in ["250", "60"] {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(r#"trap "" XFSZ; ulimit -f "$1"; shift; exec "$@""#)
            .args(["sh", blocks, env!("CARGO_BIN_EXE_duvn"), "sweep"])
            .arg(&file)
            .arg("--out")
            .arg(&out)
            .args(["--checkpoint-every", "0.01"]);
        let output = shell.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    }
    succeed(sweep(&file, &out, &[]));
    assert_eq!(recorded(&out), expected);
}
