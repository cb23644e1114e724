//! What is written about experiment files is what they are.

use duvn_lab::experiment::{Experiment, TEMPLATE, Variant, reference};
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// `DUVN_WRITE=1 cargo test -p duvn-lab --test reference` writes the page anew.
#[test]
fn the_reference_in_the_guide_is_the_one_that_the_code_gives() {
    let path = repository().join("docs/guide/experiment-files.md");
    if std::env::var_os("DUVN_WRITE").is_some() {
        std::fs::write(&path, reference()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == reference(), "write it anew: DUVN_WRITE=1 cargo test -p duvn-lab --test reference");
}

/// Every key of the reference, with its example.
fn keys() -> Vec<(String, String)> {
    let text = reference();
    let tables = text.split("## Settings of agents").next().unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`']).into()).collect()
    };
    let rows = tables.lines().filter(|line| line.starts_with("| `")).map(cells);
    rows.map(|row| (row[0].clone(), row[4].clone())).collect()
}

#[test]
fn the_template_runs_and_shows_every_key() {
    let whole = Experiment::parse(TEMPLATE, &Variant::default()).unwrap();
    // Two Chains; duvn-deep and two values of epsilon; five seeds.
    assert_eq!(whole.runs.len(), 2 * 3 * 5);
    let quick = Experiment::parse(TEMPLATE, &Variant { quick: true, seeds: None }).unwrap();
    assert_eq!(quick.runs.len(), 2 * 3);
    for (key, _) in keys() {
        let written = [format!("{key} ="), format!("[{key}]")];
        assert!(
            written.iter().any(|key| TEMPLATE.contains(key.as_str())) || key == "steps",
            "{key} is not in the template"
        );
    }
    // What stands behind a remark works, too.
    for line in
        ["until_solved = true", "evaluations = 20", "facet = \"epsilon\"", "environments = [\"Chain-10\"]"]
    {
        let commented = format!("# {line}");
        assert!(TEMPLATE.contains(&commented), "{line}");
        Experiment::parse(&TEMPLATE.replacen(&commented, line, 1), &Variant::default()).unwrap();
    }
}

#[test]
fn every_example_of_the_reference_is_accepted() {
    let text = reference();
    for (heading, table) in text.split("\n## ").skip(1).take(6).map(|part| part.split_once('\n').unwrap()) {
        for line in table.lines().filter(|line| line.starts_with("| `")) {
            let example = line.split(" | ").nth(4).unwrap().trim_matches(['|', ' ', '`']);
            // A whole file around the example, without the key that it sets.
            let key = example.split(['=', ' ']).next().unwrap();
            let mut parts = [
                (
                    "The file",
                    vec!["name = 'x'", "seeds = [0]", "settings = { epsilon = { grid = [0.1, 0.2] } }"],
                ),
                ("`[[environments]]`", vec!["id = 'Chain-10'"]),
                ("`[[agents]]`", vec!["preset = 'egreedy'"]),
                ("`[[agents]]`", vec!["preset = 'duvn-deep'"]),
                ("`[[agents]]`", vec!["preset = 'duvn'", "name = 'third'"]),
                ("`[figure]`", vec![]),
                ("`[quick]`", vec![]),
                ("`[[watch]]`", vec!["environment = 'Chain-10'", "agent = 'duvn-deep'", "episodes = [0]"]),
            ];
            if example.starts_with('[') {
                continue;
            }
            // The last part of its kind, so that a preset that is given again stays the only one.
            let part = parts.iter_mut().rev().find(|(name, _)| *name == heading).unwrap();
            part.1.retain(|line| line.split(' ').next() != Some(key));
            part.1.push(example);
            let file: String = parts
                .iter()
                .map(|(name, lines)| {
                    let name = if *name == "The file" { "" } else { name.trim_matches('`') };
                    format!("{name}\n{}\n", lines.join("\n"))
                })
                .collect();
            let parsed = Experiment::parse(&file, &Variant::default());
            let fits = match &parsed {
                Ok(_) => true,
                // The same agent twice, or a facet without its grid: the example is understood all the same.
                Err(error) => {
                    error.to_string().contains("another name") || error.to_string().contains("no grid")
                }
            };
            assert!(fits, "{example}: {:?}\n{file}", parsed.err());
        }
    }
}

#[test]
fn the_experiments_inside_the_package_are_those_of_the_repository() {
    for name in ["chain.toml", "chain-ordered.toml", "gym.toml"] {
        let read = |folder: &str| std::fs::read_to_string(repository().join(folder).join(name)).unwrap();
        let same = read("experiments") == read("crates/duvn-lab/experiments");
        assert!(same, "copy it: cp experiments/{name} crates/duvn-lab/experiments/");
    }
}
