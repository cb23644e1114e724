//! The order of the house: modules use each other in one direction, and a file is one idea.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The Python package is built apart, from a tree that may not be here.
const CRATES: [&str; 5] = ["duvn-envs", "duvn", "duvn-lab", "duvn-serve", "duvn-cli"];

const MOST_LINES: usize = 400;

fn sources(krate: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate)
}

fn rust_files(under: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(under).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The code of a file, without its tests and its comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let own = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    own.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The names that follow `crate::`, also within braces: `crate::{a::B, c}` has a and c.
fn used(code: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        if !rest.starts_with('{') {
            names.push(name(rest));
            continue;
        }
        let (mut depth, mut start) = (0, 1);
        for (at, letter) in rest.char_indices() {
            match letter {
                '{' => depth += 1,
                ',' if depth == 1 => {
                    names.push(name(&rest[start..]));
                    start = at + 1;
                }
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        names.push(name(&rest[start..]));
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    names
}

/// Where the items come from that the root of a crate passes on: `pub use agent::{Agent, Keep}`.
fn passed_on(root: &str) -> BTreeMap<String, String> {
    let mut origins = BTreeMap::new();
    for statement in root.split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap_or_default();
        let Some((module, items)) = statement.split_once("::") else { continue };
        for item in items.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|item| !item.is_empty()) {
            origins.insert(item.into(), module.trim().into());
        }
    }
    origins
}

/// By module of a crate, the others that it uses.
fn uses(krate: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = sources(krate).join("src");
    let passed_on = passed_on(&code(&root.join("lib.rs")));
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in rust_files(&root) {
        let inside = path.strip_prefix(&root).unwrap();
        if inside.components().any(|part| part.as_os_str().to_string_lossy().starts_with("tests")) {
            continue;
        }
        let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_string();
        if ["lib", "main", "prelude"].contains(&module.as_str()) {
            continue;
        }
        let others = used(&code(&path)).into_iter().filter_map(|name| {
            let there = root.join(format!("{name}.rs")).exists() || root.join(&name).is_dir();
            if there { Some(name) } else { passed_on.get(&name).cloned() }
        });
        let of_module = modules.entry(module.clone()).or_default();
        of_module.extend(others.filter(|other| *other != module));
    }
    modules
}

/// Takes away, again and again, what uses nothing that is left. What then remains goes in circles, or leads there.
#[test]
fn modules_use_each_other_in_one_direction() {
    for krate in CRATES {
        let mut left = uses(krate);
        assert!(left.len() > 5, "{krate}: the modules were not found");
        loop {
            let names: BTreeSet<_> = left.keys().cloned().collect();
            let before = left.len();
            left.retain(|_, others| others.iter().any(|other| names.contains(other)));
            if left.len() == before {
                break;
            }
        }
        assert!(left.is_empty(), "{krate}: among these modules there is a cycle: {left:#?}");
    }
}

#[test]
fn a_cycle_would_be_found() {
    let text = "use crate::one::A;\nuse crate::{two::{B, C}, three};\nlet x = crate::four::f();";
    assert_eq!(used(text), ["one", "two", "three", "four"]);
    let origins = passed_on("pub use agent::{Agent, Keep};\npub use evaluate::evaluate;");
    assert_eq!((&origins["Keep"][..], &origins["evaluate"][..]), ("agent", "evaluate"));
    assert!(uses("duvn")["learner"].contains("posterior"));
}

/// A longer one says why within its first lines, with the words "over 400 lines".
#[test]
fn a_file_is_short_or_says_why_it_is_not() {
    for krate in CRATES {
        for path in rust_files(&sources(krate)) {
            let text = std::fs::read_to_string(&path).unwrap();
            let lines = text.lines().count();
            let reason = text.lines().take(8).any(|line| line.to_lowercase().contains("over 400 lines"));
            assert!(
                lines <= MOST_LINES || reason,
                "{} has {lines} lines: split it by subject, or say at its top why it is over 400 lines",
                path.display()
            );
        }
    }
}

/// Every fault of `mutants/list.txt` finds the text that it takes the place of, once: a list that nobody can build is no list.
#[test]
fn every_mutant_has_its_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = std::fs::read_to_string(root.join("mutants/list.txt")).unwrap();
    let (mut name, mut file, mut places) = ("", "", 0);
    let mut lines = list.lines();
    while let Some(line) = lines.next() {
        name = line.strip_prefix("## ").unwrap_or(name);
        file = line.strip_prefix("file: ").unwrap_or(file);
        if line == "<<<" {
            let find: Vec<&str> = lines.by_ref().take_while(|line| *line != "===").collect();
            let text = std::fs::read_to_string(root.join(file)).unwrap();
            let count = text.matches(&find.join("\n")).count();
            assert_eq!(
                count, 1,
                "{file} has changed: write the mutant '{name}' of mutants/list.txt for it anew"
            );
            places += 1;
        }
    }
    assert!(places >= 60, "{places}");
}
