//! Nonsense, and the exact sentences that answer it: `data/nonsense.txt` has one case a paragraph. A line with `$` is what is
//! written after `duvn`, lines with `|` are what stands in the file FILE, and lines with `>` are the answer. Beside FILE there
//! are an empty folder FOLDER, a file BYTES that is no text, and an experiment TRAINED with one run.
//!
//! `DUVN_WRITE=1 cargo test -p duvn --test nonsense` writes the answers anew; then read them.

// Some answers hold the words of the system, which other systems word differently.
#![cfg(target_os = "linux")]

mod program;

use program::{command, folder};
use std::path::Path;

struct Case {
    words: Vec<String>,
    file: String,
    answer: String,
}

fn cases(text: &str) -> Vec<Case> {
    let case = |paragraph: &str| {
        let lines = |mark: &str| -> Vec<&str> {
            let of_mark = paragraph.lines().filter_map(|line| line.strip_prefix(mark));
            of_mark.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect()
        };
        let words = lines("$").concat();
        let words = words.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
            0 => part.split(' ').filter(|word| !word.is_empty()).map(str::to_string).collect::<Vec<_>>(),
            _ => vec![part.to_string()],
        });
        Case { words: words.collect(), file: lines("|").join("\n"), answer: lines(">").join("\n") }
    };
    text.split("\n\n").filter(|paragraph| paragraph.contains("$ ")).map(case).collect()
}

/// Words of parsers, which say nothing to a user.
const JARGON: [&str; 12] = [
    "expected",
    " struct ",
    "invalid digit",
    "missing field",
    "found in string",
    "error:",
    "Usage:",
    "unexpected argument",
    "untagged",
    "variant",
    "invalid type",
    "unrecognized",
];

/// Words with which a sentence says what to do.
const ADVICE: [&str; 8] =
    ["write ", "did you mean", "name ", "leave ", "lists them", "choose ", "make ", "says what"];

#[test]
fn nonsense_is_answered_with_what_to_write_instead() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/nonsense.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    let here = folder("nonsense");
    std::fs::create_dir(here.join("FOLDER")).unwrap();
    std::fs::write(here.join("BYTES"), [0xff, 0xfe, 0x00, 0x9f]).unwrap();
    let train = ["train", "Chain-3", "--agent", "duvn", "--episodes", "2", "--out", "TRAINED"];
    assert!(command(&train).current_dir(&here).output().unwrap().status.success());
    let mut anew = String::from(text.split("\n\n").next().unwrap());
    let cases = cases(&text);
    assert!(cases.len() >= 130, "there are only {}", cases.len());
    let write = std::env::var_os("DUVN_WRITE").is_some();
    let mut wrong = Vec::new();
    for case in &cases {
        std::fs::write(here.join("FILE"), &case.file).unwrap();
        let words: Vec<_> = case.words.iter().map(String::as_str).collect();
        let output = command(&words).current_dir(&here).output().unwrap();
        let (said, printed) =
            (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap());
        let said = said.trim_end().strip_prefix("duvn: ").unwrap_or(&said).to_string();
        assert_eq!((output.status.code(), printed.as_str()), (Some(2), ""), "{words:?}: {said}");
        let quoted: Vec<_> = words
            .iter()
            .map(|word| {
                if word.contains([' ', '&']) || word.is_empty() {
                    format!("\"{word}\"")
                } else {
                    word.to_string()
                }
            })
            .collect();
        anew += &format!("\n\n$ {}\n", quoted.join(" "));
        anew.extend(case.file.lines().map(|line| format!("| {line}\n")));
        anew += &said.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n");
        if !write && said != case.answer {
            wrong.push(format!("{words:?}\n  said:     {said}\n  expected: {}", case.answer));
        }
        for word in JARGON {
            assert!(!said.contains(word), "{words:?}: '{word}' in: {said}");
        }
        assert!(ADVICE.iter().any(|word| said.contains(word)), "{words:?}: no advice in: {said}");
    }
    if write {
        std::fs::write(&path, anew + "\n").unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
