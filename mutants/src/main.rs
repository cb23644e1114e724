//! Puts faults into a copy of the code, one at a time, and looks whether the tests notice.
//!
//! `cargo run --release --manifest-path mutants/Cargo.toml [-- WORDS…]` from the root of the repository; with words, only the
//! mutants whose names have one of them, or whose tests are in a package of that name; with `--build`, it builds and goes no further.
//!
//! All faults of `mutants/list.txt` are built into the copy at once, each behind a switch (`MUTANT` in the list becomes
//! `duvn_envs::mutant(N)`); the variable `DUVN_MUTANT` turns one of them on. So there is one build, and a mutant costs no more
//! than the tests that are named beside it. First, the same tests must pass with none turned on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A test that takes longer than this has noticed something.
const PATIENCE: Duration = Duration::from_secs(300);

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

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
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
    for name in ["crates", "experiments", "docs"] {
        copy(Path::new(name), &fresh.join(name));
    }
    for name in
        ["Cargo.toml", "Cargo.lock", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"]
    {
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
    copy(&fresh, scratch);
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

/// Whether a program's tests pass with a mutant turned on.
fn passes(scratch: &Path, program: &Path, tests: &Tests, mutant: Option<usize>) -> bool {
    let mut command = Command::new(program);
    command
        .current_dir(scratch.join("crates").join(folder(&tests.package)))
        .args(&tests.filters)
        .arg("--test-threads=2");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).env_remove("DUVN_MUTANT");
    if let Some(mutant) = mutant {
        command.env("DUVN_MUTANT", mutant.to_string());
    }
    let (start, mut child) = (Instant::now(), command.spawn().expect("a program"));
    loop {
        if let Some(status) = child.try_wait().expect("a status") {
            return status.success();
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let only_build = words.iter().any(|word| word == "--build");
    words.retain(|word| word != "--build");
    let mutants =
        read(&fs::read_to_string("mutants/list.txt").expect("start it from the root of the repository"));
    let scratch = fs::canonicalize("mutants").expect("a folder").join("scratch");
    prepare(&scratch, &mutants);
    let has = |mutant: &Mutant, word: &String| {
        mutant.name.contains(word) || mutant.tests.iter().any(|tests| &tests.package == word)
    };
    let chosen = |mutant: &Mutant| words.is_empty() || words.iter().any(|word| has(mutant, word));
    let all = || mutants.iter().enumerate().filter(|(_, mutant)| chosen(mutant));
    let tests: BTreeSet<&Tests> = all().flat_map(|(_, mutant)| &mutant.tests).collect();
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
    for tests in &tests {
        let Tests { package, target, filters } = tests;
        assert!(
            passes(&scratch, program(tests), tests, None),
            "{package} {target} {filters:?} fails by itself"
        );
    }
    let (mut killed, mut survivors) = (0, Vec::new());
    for (number, mutant) in all() {
        let start = Instant::now();
        let noticed = mutant.tests.iter().any(|tests| !passes(&scratch, program(tests), tests, Some(number)));
        let said = if noticed { "killed  " } else { "SURVIVES" };
        println!("{said} {} ({:.1} s)", mutant.name, start.elapsed().as_secs_f64());
        if noticed { killed += 1 } else { survivors.push(&mutant.name) }
    }
    let count = killed + survivors.len();
    println!("{killed} of {count} mutants were killed: {:.1} %", 100.0 * killed as f64 / count.max(1) as f64);
    if survivors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
