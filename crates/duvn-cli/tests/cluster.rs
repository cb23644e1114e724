//! Shards on machines that have nothing in common, and a scheduler that warns, kills and starts again.
#![cfg(unix)]

mod common;

use common::{Folder, duvn, let_work, recorded, small, stderr, stdout, succeed, sweep};
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::shard::Shard;
use duvn_lab::store::{FILE, Growth, Store};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

fn merge(out: &Path, shards: &[PathBuf]) -> Command {
    let mut command = duvn();
    command.arg("merge").arg(out).args(shards);
    command
}

fn shards(out: &Path, count: usize) -> Vec<PathBuf> {
    let width = (count - 1).to_string().len();
    (0..count).map(|index| out.join(format!("shard-{index:0width$}-of-{count}"))).collect()
}

/// Numbers that look random and are the same each time (a linear congruential generator).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn send(child: &Child, signal: &str) {
    // A program that has just ended hears nothing.
    let _ = Command::new("kill").args([signal, &child.id().to_string()]).output();
}

/// Plays Slurm: an array of shards, a few at a time, each warned or killed at some moment and queued again until it ends by
/// itself. `DUVN_KILLS` and `DUVN_SHARDS` make it a longer campaign.
#[test]
fn shards_that_are_warned_killed_and_requeued_merge_to_one_sweep() {
    let wanted: u64 = std::env::var("DUVN_KILLS").map_or(12, |kills| kills.parse().unwrap());
    let count: usize = std::env::var("DUVN_SHARDS").map_or(4, |shards| shards.parse().unwrap());
    let folder = Folder::new("slurm");
    // Long enough that no campaign runs out of work to disturb.
    let text = small(u64::max(1500, 200 * wanted)).replace("0..2", "0..4");
    let file = folder.file("small.toml", &text);
    let (whole, out, merged) = (folder.path("whole"), folder.path("out"), folder.path("merged"));
    succeed(sweep(&file, &whole, &["--jobs", "2"]));

    let mut dice = Dice(7);
    let mut queue: Vec<usize> = (0..count).collect();
    let (mut kills, mut warnings, mut requeued) = (0, 0, 0);
    while !queue.is_empty() {
        let index = queue.swap_remove(dice.roll(queue.len() as u64) as usize);
        let share = format!("{index}/{count}");
        let arguments = ["--shard", &share, "--jobs", "2", "--checkpoint-every", "0.01"];
        let mut child = sweep(&file, &out, &arguments).spawn().unwrap();
        if kills + warnings < wanted {
            let_work(&mut child, Duration::from_millis(5 + dice.roll(120)));
            let records = shards(&out, count)[index].join(format!("{FILE}-wal"));
            // Before its records are open it does not listen, and a warning would be a kill.
            if dice.roll(2) == 0 && records.exists() {
                send(&child, if dice.roll(2) == 0 { "-USR1" } else { "-USR2" });
                warnings += 1;
            } else {
                child.kill().unwrap();
                kills += 1;
            }
        }
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => {}
            Some(75) | None => {
                queue.push(index);
                requeued += 1;
            }
            // The signal came before the program listened.
            code => panic!("{code:?}: {}", stderr(&output)),
        }
        // A merge of what there is, on the way: it says that more is to come.
        if requeued % 5 == 1 {
            let there: Vec<_> =
                shards(&out, count).into_iter().filter(|shard| Store::open(shard).is_ok()).collect();
            if !there.is_empty() {
                let output = merge(&merged, &there).output().unwrap();
                assert!(matches!(output.status.code(), Some(0 | 75)), "{}", stderr(&output));
            }
        }
    }
    assert_eq!(kills + warnings, wanted, "the shards were done before all kills and warnings");
    for _ in 0..2 {
        succeed(merge(&merged, &shards(&out, count)));
        assert!(recorded(&merged) == recorded(&whole), "the merged experiment is not the one of one sweep");
    }
    for command in ["report", "check"] {
        let mut call = duvn();
        call.arg(command).arg(&merged);
        succeed(call);
    }
    println!("{count} shards, {kills} kills, {warnings} warnings, {requeued} requeued");
}

/// An experiment whose first shard of two is done, in `out`.
fn half_done(name: &str) -> (Folder, PathBuf) {
    let folder = Folder::new(name);
    let file = folder.file("small.toml", &small(30));
    succeed(sweep(&file, &folder.path("out"), &["--shard", "0/2"]));
    (folder, file)
}

#[test]
fn merging_is_by_run_and_refuses_what_differs() {
    let (folder, file) = half_done("merge");
    let (out, merged) = (folder.path("out"), folder.path("merged"));
    let output = merge(&merged, &shards(&out, 2)[..1]).output().unwrap();
    assert!(output.status.success() && stdout(&output).contains("4 runs were added"), "{output:?}");
    succeed(sweep(&file, &out, &["--shard", "1/2"]));
    let output = succeed(merge(&merged, &shards(&out, 2)));
    assert!(stdout(&output).contains("4 runs were added") && stdout(&output).contains("4 were there before"));
    let whole = folder.path("whole");
    succeed(sweep(&file, &whole, &[]));
    assert_eq!(recorded(&merged), recorded(&whole));
    // A sweep of the whole finds everything done.
    let output = succeed(sweep(&file, &merged, &[]));
    assert!(stderr(&output).contains("8 of 8 runs are done (8 were before)"), "{}", stderr(&output));

    let refused = |shard: PathBuf, code: i32, parts: &[&str]| {
        let output = merge(&merged, &[shard]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(parts.iter().all(|part| stderr(&output).contains(part)), "{}", stderr(&output));
    };
    let isas: Vec<String> = duvn::net::Isa::available().map(|isa| isa.to_string()).collect();
    if let [first, .., last] = &isas[..] {
        let other = folder.path("other");
        succeed(sweep(&file, &other, &["--isa", first, "--shard", "0/2"]));
        refused(shards(&other, 2).remove(0), 1, &[first, last, "differs"]);
    }
    refused(merged.clone(), 2, &["both a shard"]);
    refused(folder.path("none"), 2, &["holds no experiment"]);
    let foreign = folder.file("foreign.toml", &small(30).replace("\"small\"", "\"foreign\""));
    succeed(sweep(&foreign, &folder.path("foreign"), &["--shard", "0/8"]));
    refused(folder.path("foreign/shard-0-of-8"), 2, &["belongs to the experiment 'small'"]);
    for share in ["2/2", "x", "0/0", "-1/2"] {
        let output = sweep(&file, &out, &[&format!("--shard={share}")]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{share}");
    }
    assert_eq!(recorded(&merged), recorded(&whole), "what was refused has left no trace");
}

/// Shards whose budgets are extended one after the other, merged on the way and in any order.
#[test]
fn extended_shards_take_the_place_of_what_was_merged_before() {
    let folder = Folder::new("merge-extended");
    let (short, long) = (folder.file("short.toml", &small(30)), folder.file("long.toml", &small(60)));
    let (out, old, merged) = (folder.path("out"), folder.path("old"), folder.path("merged"));
    for out in [&out, &old] {
        for share in ["0/2", "1/2"] {
            succeed(sweep(&short, out, &["--shard", share]));
        }
    }
    let (now, before) = (shards(&out, 2), shards(&old, 2));
    succeed(merge(&merged, &now));
    succeed(sweep(&long, &out, &["--shard", "0/2", "--extend"]));
    let output = succeed(merge(&merged, &now));
    assert!(stdout(&output).contains("4 runs were added") && stdout(&output).contains("4 were there before"));
    // A copy of the shorter runs comes too late.
    let output = succeed(merge(&merged, &before));
    assert!(stdout(&output).contains("0 runs were added"), "{}", stdout(&output));
    succeed(sweep(&long, &out, &["--shard", "1/2", "--extend"]));
    for _ in 0..2 {
        succeed(merge(&merged, &now));
    }
    let whole = folder.path("whole");
    succeed(sweep(&long, &whole, &[]));
    assert_eq!(recorded(&merged), recorded(&whole));
    assert_eq!(std::fs::read_dir(merged.join("runs")).unwrap().count(), 8, "former folders are gone");
    let mut check = duvn();
    check.arg("check").arg(&merged);
    succeed(check);
}

/// What was merged stays until there is something better: a longer run that is finished, and whole.
#[test]
fn a_longer_run_takes_the_place_of_the_shorter_one_once_it_is_whole() {
    let folder = Folder::new("merge-longer");
    let (short, long) = (folder.file("short.toml", &small(30)), folder.file("long.toml", &small(60)));
    let (out, merged) = (folder.path("out"), folder.path("merged"));
    for share in ["0/2", "1/2"] {
        succeed(sweep(&short, &out, &["--shard", share]));
    }
    let before = shards(&folder.path("before"), 2);
    let now = shards(&out, 2);
    for (from, to) in now.iter().zip(&before) {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        assert!(Command::new("cp").arg("-r").args([from, to]).status().unwrap().success());
    }
    succeed(merge(&merged, &now));
    let expected = recorded(&merged);
    // Planned to be longer, and not done: as a shard is that was killed on the way.
    let text = std::fs::read_to_string(&long).unwrap();
    let mut experiment = Experiment::parse(&text, &Variant::default()).unwrap();
    "0/2".parse::<Shard>().unwrap().take(&mut experiment.runs);
    drop(Store::open_to_grow(&now[0], &experiment, Growth::Extend).unwrap());
    let output = merge(&merged, &now).output().unwrap();
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    assert!(stderr(&output).contains("4 runs are not finished"), "{}", stderr(&output));
    assert_eq!(recorded(&merged), expected, "an unfinished run has taken the place of a finished one");

    succeed(sweep(&long, &out, &["--shard", "0/2", "--extend"]));
    let checkpoint = now[0].join("runs").join(&recorded(&now[0])[3].id).join("checkpoint.safetensors");
    let whole = std::fs::read(&checkpoint).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    std::fs::write(&checkpoint, damaged).unwrap();
    assert_eq!(merge(&merged, &now).output().unwrap().status.code(), Some(1));
    let left = recorded(&merged);
    assert!(
        left.iter().all(|run| run.weights.is_some()),
        "a damaged run has taken the place of a finished one"
    );
    std::fs::write(&checkpoint, whole).unwrap();
    let output = succeed(merge(&merged, &now));
    assert!(stderr(&output).contains("has runs of 30 and of 60 episodes"), "{}", stderr(&output));

    succeed(sweep(&long, &out, &["--shard", "1/2", "--extend"]));
    succeed(merge(&merged, &now));
    // Both lengths at once, and the shorter ones again: in any order, the longer ones.
    let both = [folder.path("both"), folder.path("reversed")];
    let mut all = [&before[..], &now].concat();
    for out in &both {
        let output = succeed(merge(out, &all));
        assert!(stdout(&output).contains("8 runs were added"), "{}", stdout(&output));
        assert!(stderr(&output).is_empty(), "{}", stderr(&output));
        succeed(merge(out, &before));
        all.reverse();
    }
    let undisturbed = folder.path("undisturbed");
    succeed(sweep(&long, &undisturbed, &[]));
    for out in [&merged, &both[0], &both[1]] {
        assert_eq!(recorded(out), recorded(&undisturbed));
    }
    // One agent with two settings is no experiment.
    let other = folder.file("other.toml", &small(30).replace("replay = 2000", "replay = 1000"));
    succeed(sweep(&other, &folder.path("other"), &["--shard", "0/2"]));
    let mixed = [before[0].clone(), folder.path("other/shard-0-of-2")];
    let output = merge(&folder.path("mixed"), &mixed).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("has other settings in"), "{}", stderr(&output));
}

#[test]
fn a_damaged_shard_is_not_merged_and_can_be_done_over() {
    let (folder, file) = half_done("damaged-shard");
    let (out, merged) = (folder.path("out"), folder.path("merged"));
    let shard = shards(&out, 2).remove(0);
    let expected = recorded(&shard);
    let connection = rusqlite::Connection::open(shard.join(FILE)).unwrap();
    connection.execute("UPDATE episodes SET return = 7 WHERE run = 1 AND episode = 3", []).unwrap();
    drop(connection);
    let call = |command: &str, more: &[&str]| {
        let mut duvn = duvn();
        duvn.arg(command).arg(&shard).args(more).output().unwrap()
    };
    for output in [
        merge(&merged, std::slice::from_ref(&shard)).output().unwrap(),
        call("export", &["--csv"]),
        call("report", &[]),
        call("check", &[]),
    ] {
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let words = stderr(&output) + &stdout(&output);
        assert!(words.contains(&expected[0].id) && words.contains("--repair"), "{words}");
    }
    let output = call("check", &["--repair"]);
    assert!(output.status.success() && stdout(&output).contains(&expected[0].id), "{output:?}");
    succeed(sweep(&file, &out, &["--shard", "0/2"]));
    assert_eq!(recorded(&shard), expected);
    succeed(merge(&merged, std::slice::from_ref(&shard)));
}

/// The script in experiments/slurm, with stand-ins for Slurm's own programs.
#[test]
fn the_slurm_script_queues_a_stopped_shard_again() {
    let folder = Folder::new("script");
    let file = folder.file("small.toml", &small(3000));
    let (out, queued) = (folder.path("out"), folder.path("queued"));
    let step = folder.path("step");
    let srun = folder.file("srun.sh", &format!("echo $$ > {}\nexec \"$@\"\n", step.display()));
    let scontrol = folder.file("scontrol.sh", &format!("echo \"$@\" >> {}\n", queued.display()));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/slurm/array.sh");
    let start = || {
        let mut command = Command::new("bash");
        command.arg(&script).arg(&file).arg(&out);
        command.env("DUVN", env!("CARGO_BIN_EXE_duvn")).env("DUVN_ISA", "portable");
        command
            .env("SRUN", format!("sh {}", srun.display()))
            .env("SCONTROL", format!("sh {}", scontrol.display()));
        command
            .env("SLURM_ARRAY_TASK_COUNT", "4")
            .env("SLURM_ARRAY_TASK_ID", "2")
            .env("SLURM_ARRAY_JOB_ID", "77");
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped());
        command
    };
    let child = start().spawn().unwrap();
    let shard = out.join("shard-2-of-4");
    let begun = || std::fs::read_dir(shard.join("runs")).is_ok_and(|runs| runs.count() > 0);
    while !begun() {
        std::thread::yield_now();
    }
    // What Slurm does: the step is warned, the shell is not.
    let step = std::fs::read_to_string(step).unwrap();
    let _ = Command::new("kill").args(["-USR2", step.trim()]).output();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(&queued).unwrap(), "requeue 77_2\n");
    let output = start().output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(recorded(&shard).len(), 2);
}
