//! Puts faults into a copy of the code, one at a time, and looks whether the tests notice.
//!
//! `cargo run --release --manifest-path mutants/Cargo.toml [-- WORDS…]` from the root of the repository; with words, only the
//! mutants whose names have one of them, or whose tests are in a package of that name. `--build` builds and goes no further.
//! Without words it goes on where an earlier call was ended: what was killed then (`scratch/killed.txt`) is counted and not run
//! again, what survived is. `--fresh` begins anew.
//!
//! All faults of `mutants/list.txt` are built into the copy at once, each behind a switch (`MUTANT` in the list becomes
//! `duvn_envs::mutant(N)`); the variable `DUVN_MUTANT` turns one of them on. So there is one build, and a mutant costs no more
//! than the tests that are named beside it. First, the same tests must pass with none turned on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Tests that take longer than this do not pass. With a mutant, they have a fifth of it, or ten times what they took without.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the code and its tests are made of.
const FOLDERS: [&str; 3] = ["crates", "experiments", "docs"];
const FILES: [&str; 6] =
    ["Cargo.toml", "Cargo.lock", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"];

struct Edit {
    file: String,
    find: String,
    replace: String,
}

/// A test program and which of its tests: package, `lib` or the name of the file, filters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Tests {
    package: String,
    target: String,
    filters: Vec<String>,
}

struct Mutant {
    name: String,
    tests: Vec<Tests>,
    edits: Vec<Edit>,
}

/// Reads the list. `## name`, then `tests: package target filters` (one or more), then for each change the line `file: path` and
/// the texts between `<<<`, `===` and `>>>`. `MUTANT[name]` is the switch of another one, where two share a place.
fn read(list: &str) -> Vec<Mutant> {
    let mut mutants: Vec<Mutant> = Vec::new();
    let mut lines = list.lines();
    let mut file = String::new();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("## ") {
            mutants.push(Mutant { name: name.into(), tests: vec![], edits: vec![] });
        }
        let Some(mutant) = mutants.last_mut() else { continue };
        if let Some(tests) = line.strip_prefix("tests: ") {
            let mut words = tests.split_whitespace().map(String::from);
            let (package, target) = (words.next().expect("a package"), words.next().expect("a target"));
            mutant.tests.push(Tests { package, target, filters: words.collect() });
        } else if let Some(path) = line.strip_prefix("file: ") {
            file = path.into();
        } else if line == "<<<" {
            let mut until = |end: &str| {
                let part: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
                part.join("\n")
            };
            let (find, replace) = (until("==="), until(">>>"));
            mutant.edits.push(Edit { file: file.clone(), find, replace });
        }
    }
    mutants
}

/// Makes `to` what `from` is.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(to).expect("a folder").flatten() {
        if !from.join(entry.file_name()).exists() {
            // It has been moved since the last call.
            let gone = entry.path();
            if gone.is_dir() { fs::remove_dir_all(gone) } else { fs::remove_file(gone) }
                .expect("a folder of ours");
        }
    }
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else if fs::read(&source).ok() != fs::read(&target).ok() {
            // Files that are as they were keep their times, so that they are not built again.
            fs::copy(&source, &target).expect("a copy");
        }
    }
}

/// The sources with every fault in them, switched off.
fn prepare(scratch: &Path, mutants: &[Mutant]) {
    let fresh = scratch.with_extension("fresh");
    let _ = fs::remove_dir_all(&fresh);
    for name in FOLDERS {
        copy(Path::new(name), &fresh.join(name));
    }
    for name in FILES {
        fs::copy(name, fresh.join(name)).expect("a copy");
    }
    let library = fresh.join("crates/duvn-envs/src/lib.rs");
    let switch = "\n/// Whether a mutant is turned on.\npub fn mutant(number: usize) -> bool {\n    \
                  static ON: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();\n    \
                  let read = || std::env::var(\"DUVN_MUTANT\").ok()?.parse().ok();\n    \
                  *ON.get_or_init(read) == Some(number)\n}\n";
    fs::write(&library, fs::read_to_string(&library).expect("a file") + switch).expect("room");
    for (number, mutant) in mutants.iter().enumerate() {
        for Edit { file, find, replace } in &mutant.edits {
            let path = fresh.join(file);
            let text = fs::read_to_string(&path).expect("a file");
            assert_eq!(text.matches(find).count(), 1, "{}: {file} must have this once:\n{find}", mutant.name);
            let mut replace = replace.clone();
            for (other, Mutant { name, .. }) in mutants.iter().enumerate() {
                replace = replace.replace(&format!("MUTANT[{name}]"), &format!("duvn_envs::mutant({other})"));
            }
            let replace = replace.replace("MUTANT", &format!("duvn_envs::mutant({number})"));
            fs::write(&path, text.replacen(find, &replace, 1)).expect("room");
        }
    }
    // Beside these are the build and the score.
    for name in FOLDERS {
        copy(&fresh.join(name), &scratch.join(name));
    }
    for name in FILES {
        fs::copy(fresh.join(name), scratch.join(name)).expect("a copy");
    }
    let _ = fs::remove_dir_all(&fresh);
}

/// The program of each package and target, built. One call for all packages: each alone would have its own set of features, and
/// so its own build of all that they depend on.
fn build(scratch: &Path, wanted: &BTreeSet<(String, String)>) -> Vec<((String, String), PathBuf)> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(scratch).args(["test", "--no-run", "--message-format=json"]);
    for package in wanted.iter().map(|(package, _)| package).collect::<BTreeSet<_>>() {
        cargo.args(["-p", package]);
    }
    for target in wanted.iter().map(|(_, target)| target.as_str()).collect::<BTreeSet<_>>() {
        match target {
            "lib" => cargo.arg("--lib"),
            name => cargo.args(["--test", name]),
        };
    }
    let output = cargo.stderr(Stdio::inherit()).output().expect("cargo");
    assert!(output.status.success(), "the mutants do not build");
    let text = String::from_utf8_lossy(&output.stdout);
    let after = |line: &str, key: &str| Some(line.split_once(key)?.1.split('"').next()?.to_string());
    let built = |line: &str| {
        let path = after(line, "\"executable\":\"")?;
        // path+file:///…/crates/duvn#duvn-core@0.2.0, and without a name where it is that of the folder.
        let (folder, rest) =
            after(line, "\"package_id\":\"")?.split_once('#').map(|(a, b)| (a.to_string(), b.to_string()))?;
        let package = match rest.split_once('@') {
            Some((name, _)) => name.to_string(),
            None => folder.rsplit('/').next()?.to_string(),
        };
        let target = match line.contains("\"kind\":[\"lib\"]") {
            true => "lib".to_string(),
            false => line.split_once("\"target\":").and_then(|(_, rest)| after(rest, "\"name\":\""))?,
        };
        Some(((package, target), PathBuf::from(path)))
    };
    text.lines().filter(|line| line.contains("\"test\":true")).filter_map(built).collect()
}

/// Where a package lies: folders are named for what is in them, packages for what users type.
fn folder(package: &str) -> &str {
    match package {
        "duvn" => "duvn-cli",
        "duvn-core" => "duvn",
        other => other,
    }
}

/// What a program's tests came to.
#[derive(Clone, Copy, PartialEq)]
enum Came {
    Pass,
    Fail,
    /// No end within the time that was given.
    Late,
}

/// Runs a program's tests with a mutant turned on. Filters that leave no test at all do not pass.
fn run(scratch: &Path, program: &Path, tests: &Tests, mutant: Option<usize>, patience: Duration) -> Came {
    let mut command = Command::new(program);
    command
        .current_dir(scratch.join("crates").join(folder(&tests.package)))
        .args(&tests.filters)
        .arg("--test-threads=2");
    let said = scratch.join("tests.txt");
    let output = fs::File::create(&said).expect("a file");
    command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null()).env_remove("DUVN_MUTANT");
    if let Some(mutant) = mutant {
        command.env("DUVN_MUTANT", mutant.to_string());
    }
    command.process_group(0);
    let (start, mut child) = (Instant::now(), command.spawn().expect("a program"));
    loop {
        if let Some(status) = child.try_wait().expect("a status") {
            let any = !fs::read_to_string(&said).unwrap_or_default().contains("running 0 tests");
            return if status.success() && any { Came::Pass } else { Came::Fail };
        }
        if start.elapsed() > patience {
            // With all that it has started: a program under test would go on for ever.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _ = child.wait();
            return Came::Late;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The names of the mutants that were killed in earlier calls, one a line.
struct Score(PathBuf);

impl Score {
    fn killed(&self) -> BTreeSet<String> {
        fs::read_to_string(&self.0).unwrap_or_default().lines().map(String::from).collect()
    }

    fn add(&self, name: &str) {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.0).expect("a file");
        writeln!(file, "{name}").expect("room");
    }
}

/// Round by round one mutant of each file, so that a call that is ended early has seen something of everything.
fn spread(mutants: &[Mutant]) -> Vec<usize> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order = Vec::new();
    for (number, mutant) in mutants.iter().enumerate() {
        let round = seen.entry(&mutant.edits[0].file).or_default();
        *round += 1;
        order.push((*round, number));
    }
    order.sort_unstable();
    order.into_iter().map(|(_, number)| number).collect()
}

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let (only_build, fresh) =
        (words.iter().any(|word| word == "--build"), words.iter().any(|word| word == "--fresh"));
    words.retain(|word| word != "--build" && word != "--fresh");
    if let Some(word) = words.iter().find(|word| word.starts_with('-')) {
        eprintln!(
            "there is no option '{word}': there are --build and --fresh, and words from names of mutants"
        );
        return ExitCode::from(2);
    }
    let mutants =
        read(&fs::read_to_string("mutants/list.txt").expect("start it from the root of the repository"));
    let scratch = fs::canonicalize("mutants").expect("a folder").join("scratch");
    prepare(&scratch, &mutants);
    let has = |mutant: &Mutant, word: &String| {
        mutant.name.contains(word) || mutant.tests.iter().any(|tests| &tests.package == word)
    };
    let chosen = |mutant: &Mutant| words.is_empty() || words.iter().any(|word| has(mutant, word));
    let all: Vec<usize> = spread(&mutants).into_iter().filter(|number| chosen(&mutants[*number])).collect();
    let tests: BTreeSet<&Tests> = all.iter().flat_map(|number| &mutants[*number].tests).collect();
    let wanted = tests.iter().map(|tests| (tests.package.clone(), tests.target.clone())).collect();
    let programs = build(&scratch, &wanted);
    if only_build {
        return ExitCode::SUCCESS;
    }
    let program = |tests: &Tests| {
        let named = |((package, target), _): &&((String, String), PathBuf)| {
            (package, target) == (&tests.package, &tests.target)
        };
        &programs.iter().find(named).expect("it was built").1
    };
    let score = Score(scratch.join("killed.txt"));
    if fresh {
        let _ = fs::remove_file(&score.0);
    }
    let before = if words.is_empty() { score.killed() } else { BTreeSet::new() };
    let mut alone: BTreeMap<&Tests, Option<Duration>> = BTreeMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for number in all {
        let mutant = &mutants[number];
        if before.contains(&mutant.name) {
            *counts.entry("killed").or_default() += 1;
            continue;
        }
        let start = Instant::now();
        let mut said = "SURVIVES";
        for tests in &mutant.tests {
            // With no mutant turned on, the same tests must pass. They then take as long as they take.
            let own = *alone.entry(tests).or_insert_with(|| {
                let start = Instant::now();
                (run(&scratch, program(tests), tests, None, PATIENCE) == Came::Pass).then(|| start.elapsed())
            });
            let Some(own) = own else {
                said = "NO TESTS";
                break;
            };
            match run(&scratch, program(tests), tests, Some(number), (own * 10).max(PATIENCE / 5)) {
                Came::Pass => continue,
                Came::Fail => said = "killed",
                Came::Late => said = "late",
            }
            score.add(&mutant.name);
            break;
        }
        println!("{said:8} {} ({:.1} s)", mutant.name, start.elapsed().as_secs_f64());
        *counts.entry(said).or_default() += 1;
    }
    let of = |said: &str| counts.get(said).copied().unwrap_or(0);
    let (noticed, count) = (of("killed") + of("late"), counts.values().sum::<usize>());
    println!(
        "{noticed} of {count} mutants were killed: {:.1} % ({} by tests that did not end, {} whose tests fail by themselves)",
        100.0 * noticed as f64 / count.max(1) as f64,
        of("late"),
        of("NO TESTS")
    );
    if noticed == count { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
