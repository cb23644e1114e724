//! Runs that can be trusted: what is mixed, changed or borrowed is said or refused, and nothing is half.
#![cfg(unix)]

mod common;

use common::{Folder, duvn, recorded, small, stderr, stdout, succeed, sweep, train};
use duvn::net::Isa;
use duvn_lab::store::Store;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&str], path: &Path, more: &[&str]) -> Command {
    let mut command = duvn();
    command.args(arguments).arg(path).args(more);
    command
}

/// The words of a call that must end with `code`.
fn ends(mut command: Command, code: i32) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{command:?}: {}", stderr(&output));
    stderr(&output) + &stdout(&output)
}

/// `duvn train` of a small agent on Chain-5.
fn chain(out: &Path, more: &[&str]) -> Command {
    train("Chain-5", out, &[&["--agent", "duvn", "--set", "hidden=[16]", "--json"], more].concat())
}

/// The locks of runs.
fn locks(out: &Path) -> Vec<PathBuf> {
    let runs = std::fs::read_dir(out.join("runs")).into_iter().flatten().flatten();
    runs.map(|run| run.path().join("lock")).filter(|lock| lock.exists()).collect()
}

/// Starts a program that records into `out` and sends it a signal once it has begun a run: by then it listens.
fn signalled(mut command: Command, out: &Path, signal: &str) -> Output {
    for lock in locks(out) {
        std::fs::remove_file(lock).unwrap();
    }
    let mut child = command.spawn().unwrap();
    while locks(out).is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before the signal");
        std::thread::yield_now();
    }
    let mut kill = Command::new("kill");
    kill.arg(signal).arg(child.id().to_string());
    succeed(kill);
    child.wait_with_output().unwrap()
}

#[test]
fn a_run_goes_on_with_its_instruction_set_or_is_marked() {
    let isas: Vec<String> = Isa::available().map(|isa| isa.to_string()).collect();
    let [first, .., last] = &isas[..] else { return };
    let folder = Folder::new("isa");
    let out = folder.path("out");
    let long = |more: &[&str]| chain(&out, &[&["--steps", "1000000000"], more].concat());
    let output = signalled(long(&["--isa", first]), &out, "-USR2");
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    let isa = || Store::open(&out).unwrap().runs().unwrap().remove(0).isa.unwrap();
    assert_eq!(isa(), *first);
    let words = ends(long(&["--isa", last]), 2);
    for part in [first, last, "--any-isa", &format!("--isa {first}")] {
        assert!(words.contains(part), "{words} lacks {part}");
    }
    let output = signalled(long(&["--isa", last, "--any-isa"]), &out, "-USR1");
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    assert_eq!(isa(), format!("{first}+{last}"));
    // It may go on as it was, without being asked again.
    let output = signalled(long(&["--isa", last]), &out, "-TERM");
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    assert_eq!(isa(), format!("{first}+{last}"));
}

#[test]
fn a_checkpoint_of_another_run_is_refused_by_its_name() {
    let folder = Folder::new("borrowed");
    let out = folder.path("out");
    succeed(chain(&out, &["--seeds", "0..2", "--episodes", "20"]));
    let runs = recorded(&out);
    let file = |at: usize| out.join("runs").join(&runs[at].id).join("checkpoint.safetensors");
    std::fs::copy(file(0), file(1)).unwrap();
    for path in [file(1), file(1).parent().unwrap().to_path_buf()] {
        let words = ends(run(&["eval"], &path, &[]), 1);
        assert!(words.contains(&runs[0].id) && words.contains(&runs[1].id), "{words}");
    }
    let words = ends(run(&["check"], &out, &[]), 1);
    assert!(words.contains(&runs[1].id) && words.contains("--repair"), "{words}");
}

#[test]
fn an_extended_run_is_the_run_that_was_longer_from_the_start() {
    let folder = Folder::new("extend");
    for (unit, amounts) in [("--episodes", ["100", "200", "600"]), ("--steps", ["400", "800", "1600"])] {
        let (whole, out) = (folder.path(&format!("whole{unit}")), folder.path(&format!("out{unit}")));
        let seeds = ["--seeds", "0..2"];
        succeed(chain(&whole, &[&seeds[..], &[unit, amounts[2]]].concat()));
        succeed(chain(&out, &[&seeds[..], &[unit, amounts[0]]].concat()));
        let words = ends(chain(&out, &[&seeds[..], &[unit, amounts[1]]].concat()), 2);
        assert!(words.contains("--extend") && words.contains(amounts[0]), "{words}");
        for amount in &amounts[1..] {
            let output = succeed(chain(&out, &[&seeds[..], &[unit, amount, "--extend"]].concat()));
            // The same bits would come of a run that is done all over again.
            assert!(!stderr(&output).contains("from the beginning"), "{}", stderr(&output));
        }
        assert_eq!(recorded(&out), recorded(&whole));
        assert_eq!(std::fs::read_dir(out.join("runs")).unwrap().count(), 2, "former folders are gone");
        ends(run(&["check"], &out, &[]), 0);
        succeed(run(&["report"], &out, &[]));
        // Less is no extension, and neither is what cannot be told from a run with other evaluations.
        ends(chain(&out, &[&seeds[..], &[unit, amounts[0], "--extend"]].concat()), 2);
        let words = ends(chain(&out, &[&seeds[..], &[unit, "1700", "--extend"]].concat()), 2);
        assert!(words.contains("a multiple such as"), "{words}");
    }
}

#[test]
fn a_refused_extension_leaves_everything_as_it_was() {
    let folder = Folder::new("refused-extension");
    let out = folder.path("out");
    let (short, long) = (folder.file("short.toml", &small(20)), folder.file("long.toml", &small(40)));
    succeed(sweep(&short, &out, &[]));
    let expected = recorded(&out);
    // The first agents could be extended, the last one has other settings.
    let clash =
        small(40).replace("parameter_scope = \"episode\"", "parameter_scope = \"episode\", gamma = 0.5");
    let clash = folder.file("clash.toml", &clash);
    let words = ends(sweep(&clash, &out, &["--extend"]), 2);
    assert!(words.contains("other settings"), "{words}");
    assert_eq!(recorded(&out), expected);
    // The last run is damaged, or another program is at it.
    let store = Store::open(&out).unwrap();
    let last = expected.last().unwrap();
    let lock = store.try_lock(&last.id).unwrap().unwrap();
    ends(sweep(&long, &out, &["--extend"]), 2);
    drop((lock, store));
    assert_eq!(recorded(&out), expected);
    let connection = rusqlite::Connection::open(out.join(duvn_lab::store::FILE)).unwrap();
    let change = |sign: &str| {
        let sql = format!(
            "UPDATE episodes SET return = return {sign} 1 WHERE run = (SELECT max(number) FROM runs)"
        );
        connection.execute(&sql, []).unwrap();
    };
    change("+");
    let words = ends(sweep(&long, &out, &["--extend"]), 1);
    assert!(words.contains(&last.id), "{words}");
    change("-");
    assert_eq!(recorded(&out), expected);
    // What it was is still what is asked for.
    let output = succeed(sweep(&short, &out, &[]));
    assert!(stderr(&output).contains("8 of 8 runs are done (8 were before)"), "{}", stderr(&output));
}

#[test]
fn a_damaged_database_is_named_with_a_remedy() {
    let folder = Folder::new("corrupt");
    let out = folder.path("out");
    succeed(chain(&out, &["--seeds", "0..2", "--episodes", "400"]));
    let path = out.join(duvn_lab::store::FILE);
    let whole = std::fs::read(&path).unwrap();
    for damage in [0..100, 4096..whole.len()] {
        let mut bytes = whole.clone();
        bytes[damage.clone()].fill(0xa5);
        std::fs::write(&path, &bytes).unwrap();
        for command in ["report", "status", "check"] {
            let output = run(&[command], &out, &[]).output().unwrap();
            let words = stderr(&output) + &stdout(&output);
            assert_eq!(
                output.status.code(),
                Some(if damage.start == 0 { 2 } else { 1 }),
                "{command}: {words}"
            );
            assert!(words.contains(out.to_str().unwrap()) && words.contains("put back a copy"), "{words}");
        }
        let words = ends(run(&["check"], &out, &["--repair"]), if damage.start == 0 { 2 } else { 1 });
        assert!(words.contains("run the experiment again") && !words.contains("--repair"), "{words}");
    }
}

/// Where the row itself cannot be trusted, neither can the id in it.
#[test]
fn a_run_whose_row_was_changed_is_repaired_and_done_again() {
    let folder = Folder::new("changed-row");
    let out = folder.path("out");
    let go = || chain(&out, &["--seeds", "0..2", "--episodes", "30"]);
    succeed(go());
    let expected = recorded(&out);
    for change in ["config = replace(config, 'keep = 0.9', 'keep = 0.8')", "id = 'f' || substr(id, 2)"] {
        let connection = rusqlite::Connection::open(out.join(duvn_lab::store::FILE)).unwrap();
        assert_eq!(connection.execute(&format!("UPDATE runs SET {change} WHERE seed = 1"), []).unwrap(), 1);
        drop(connection);
        let words = ends(run(&["check"], &out, &[]), 1);
        assert!(words.contains("--repair"), "{words}");
        ends(go(), 1);
        let words = ends(run(&["check"], &out, &["--repair"]), 0);
        assert!(words.contains("the same sweep does it again"), "{words}");
        succeed(go());
        ends(run(&["check"], &out, &[]), 0);
        let mut found = recorded(&out);
        found.sort_by_key(|run| expected.iter().position(|known| known.id == run.id));
        assert_eq!(found, expected);
    }
}

/// Where nothing is left to do, what was done is looked at all the same.
#[test]
fn a_sweep_does_not_take_altered_records_for_done() {
    let folder = Folder::new("altered-done");
    let text = small(30).replacen("name", "evaluations = 2\nevaluation_episodes = 1\nname", 1);
    let (file, out) = (folder.file("small.toml", &text), folder.path("out"));
    succeed(sweep(&file, &out, &["--jobs", "1"]));
    let expected = recorded(&out);
    let altered = &expected[3].id;
    let changes = [
        ("episodes", "return = return + 1", "AND episode = 7"),
        ("evaluations", "mean_return = mean_return + 1", "AND episode = 30"),
        ("timing", "seconds = seconds + 1", ""),
        ("curves", "mean_return = mean_return + 1", "AND bin = 0"),
    ];
    for (table, change, rows) in changes {
        let connection = rusqlite::Connection::open(out.join(duvn_lab::store::FILE)).unwrap();
        let which = format!("run = (SELECT number FROM runs WHERE id = '{altered}') {rows}");
        assert!(
            connection.execute(&format!("UPDATE {table} SET {change} WHERE {which}"), []).unwrap() > 0,
            "{table}"
        );
        drop(connection);
        let words = ends(sweep(&file, &out, &[]), 1);
        assert!(words.contains(altered) && words.contains("--repair"), "{table}: {words}");
        assert!(words.contains("7 of 8 runs are done"), "{table}: {words}");
        ends(run(&["check"], &out, &["--repair"]), 0);
        succeed(sweep(&file, &out, &[]));
        let mut found = recorded(&out);
        found.sort_by_key(|run| expected.iter().position(|known| known.id == run.id));
        assert_eq!(found, expected, "{table}");
    }
}

#[test]
fn what_is_mixed_in_one_folder_is_said() {
    let folder = Folder::new("mixed");
    let out = folder.path("out");
    let said = |env: &str| stderr(&succeed(train(env, &out, &["--agent", "egreedy", "--episodes", "5"])));
    assert!(!said("Toy").contains("also holds"));
    assert!(!said("Toy").contains("also holds"));
    let words = said("Chain-3");
    assert!(words.contains("also holds egreedy on Toy") && words.contains("--out"), "{words}");
}

#[test]
fn a_sweep_takes_over_from_a_program_that_dies() {
    let folder = Folder::new("takes-over");
    let file = folder.file("small.toml", &small(20_000));
    let out = folder.path("out");
    let start =
        || sweep(&file, &out, &["--shard", "0/8", "--jobs", "1", "--checkpoint-every", "0.1"]).spawn();
    let mut one = start().unwrap();
    let shard = out.join("shard-0-of-8");
    let standing = || {
        let output = run(&["status"], &shard, &["--json"]).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap_or_default()
    };
    while standing()["running"] != 1 {
        std::thread::yield_now();
    }
    let mut two = start().unwrap();
    // The second has nothing to do but wait, and says so.
    let mut said = BufReader::new(two.stderr.take().unwrap()).lines().map(Result::unwrap);
    let waiting = said.find(|line| line.contains("waiting for 1 runs"));
    one.kill().unwrap();
    one.wait().unwrap();
    assert!(waiting.is_some(), "it ended without the run");
    let rest: Vec<String> = said.collect();
    assert!(two.wait().unwrap().success(), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("1 of 1 runs are done")), "{rest:?}");
    assert_eq!(
        standing(),
        serde_json::json!({"planned": 1, "done": 1, "running": 0, "failed": 0, "left": 0})
    );
}

#[test]
fn a_signal_is_heard_within_an_endless_evaluation_which_is_made_up_for() {
    let folder = Folder::new("endless");
    let text = small(3).replacen("name", "evaluations = 1\nevaluation_episodes = 1000000000000\nname", 1);
    let file = folder.file("endless.toml", &text);
    let out = folder.path("out");
    let go = || sweep(&file, &out, &["--jobs", "2"]);
    let output = signalled(go(), &out, "-TERM");
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    let output = signalled(go(), &out, "-TERM");
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    let runs = recorded(&out);
    assert!(runs.iter().all(|run| run.evaluations.is_empty() && run.weights.is_none()));
}

#[test]
fn planning_makes_no_networks() {
    let folder = Folder::new("planning");
    let text = "name = 'large'\nseeds = '0..20'\n[[environments]]\nid = 'DeepSea-1000'\n\
                [[agents]]\npreset = 'bootdqn'";
    let file = folder.file("large.toml", text);
    let mut shell = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_duvn");
    shell.arg("-c").arg(r#"ulimit -v 1000000; exec "$@""#).args(["sh", program, "sweep"]);
    let output = shell.arg(&file).args(["--dry-run", "--out"]).arg(folder.path("out")).output().unwrap();
    // A machine that is too small for it says so; none makes it to find out.
    match output.status.code() {
        Some(0) => assert!(stdout(&output).contains("20 of 20 runs to do")),
        code => assert!(code == Some(2) && stderr(&output).contains("memory"), "{}", stderr(&output)),
    }
}

/// Kills reports and exports while they write, and looks at what is there.
#[test]
fn files_for_readers_are_whole_or_not_there() {
    let folder = Folder::new("halves");
    let (file, out) = (folder.file("small.toml", &small(2000)), folder.path("out"));
    succeed(sweep(&file, &out, &[]));
    let kills: u64 = std::env::var("DUVN_KILLS").map_or(12, |kills| kills.parse().unwrap());
    for kill in 0..kills {
        for arguments in [&["report"][..], &["export", "--csv", "--tensorboard"]] {
            let mut child = run(arguments, &out, &[]).spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(kill * 7 % 90));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let whole = |name: &str, end: &str| {
            let text = std::fs::read(out.join(name)).unwrap_or_else(|_| end.into());
            assert!(text.ends_with(end.as_bytes()), "{name} is half after kill {kill}");
        };
        whole("report.html", "</html>\n");
        whole("figures/learning-curves.svg", "</svg>\n");
        for name in ["summary.csv", "csv/runs.csv", "csv/evaluations.csv"] {
            whole(name, "\n");
        }
        let rows = std::fs::read_to_string(out.join("csv/episodes.csv"));
        assert!(
            rows.is_ok_and(|rows| rows.lines().count() == 1 + 8 * 2000)
                || !out.join("csv/episodes.csv").exists()
        );
    }
}
