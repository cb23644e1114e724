//! What is written for users works: every command of the guide is run, every experiment file in it is read, its Rust
//! and Python are those of examples which the tests run, and every link leads somewhere.

mod program;

use duvn_lab::experiment::{Experiment, Variant};
use program::{command, folder};
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A fenced block of a page.
struct Block {
    language: String,
    text: String,
    line: usize,
    /// What is run instead, where the block itself would take too long for a test.
    tested_as: Option<String>,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    let mut tested_as = None;
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                let (language, tested_as) = (language.trim().to_string(), tested_as.take());
                open = Some(Block { language, text: String::new(), line: number + 1, tested_as });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text += &format!("{line}\n"),
            (None, None) => {
                let command =
                    line.strip_prefix("<!-- tested as: ").and_then(|rest| rest.strip_suffix(" -->"));
                tested_as = command.map(str::to_string);
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn markdown(under: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(under).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !["target", "results", "seeds"].contains(&name.as_str())
        {
            found.extend(markdown(&path));
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn pages() -> Vec<PathBuf> {
    markdown(&repository().join("docs/guide"))
}

/// The words of a command line; quotes hold several together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted && words.last().is_some_and(String::is_empty) => break,
            ' ' if !quoted => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_of_the_guide_runs() {
    let stranger = std::fs::read_to_string(repository().join(".ci/stranger")).unwrap();
    let mut commands = 0;
    for page in pages() {
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        let here = folder(&format!("guide-{name}"));
        let text = std::fs::read_to_string(&page).unwrap();
        for block in blocks(&text).into_iter().filter(|block| block.language == "sh") {
            let text = block.tested_as.unwrap_or(block.text);
            for line in text.lines().filter(|line| !line.is_empty()) {
                if line.starts_with("cargo ") {
                    // Building takes minutes: a script does these from a clean clone.
                    assert!(stranger.contains(line), "{name}: .ci/stranger does not run '{line}'");
                    continue;
                }
                let mut words = words(line);
                assert_eq!(words[0], "duvn", "{name}, line {}: {line}", block.line);
                if let Some(at) = words.iter().position(|word| word == ">") {
                    words.truncate(at);
                }
                let arguments: Vec<_> = words[1..].iter().map(String::as_str).collect();
                let output = command(&arguments).current_dir(&here).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{name}, line {}: {line}\n{said}", block.line);
                commands += 1;
            }
        }
    }
    assert!(commands > 30, "only {commands} commands were found");
}

#[test]
fn every_experiment_of_the_guide_is_read() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for block in blocks(&text).into_iter().filter(|block| block.language == "toml") {
            let mut file = String::new();
            if !block.text.contains("name = \"") || block.text.starts_with('[') {
                file += "name = \"part\"\nseeds = [0]\n";
            }
            file += &block.text;
            for (heading, line) in
                [("[[environments]]", "id = \"Chain-5\""), ("[[agents]]", "preset = \"egreedy\"")]
            {
                if !block.text.contains(heading) {
                    file += &format!("{heading}\n{line}\n");
                }
            }
            let parsed = Experiment::parse(&file, &Variant::default());
            assert!(parsed.is_ok(), "{}, line {}: {:?}", page.display(), block.line, parsed.err());
        }
    }
}

#[test]
fn the_code_of_the_guide_is_that_of_the_examples() {
    let mut examples = String::new();
    for krate in ["duvn", "duvn-envs", "duvn-python"] {
        for entry in std::fs::read_dir(repository().join("crates").join(krate).join("examples")).unwrap() {
            examples += &std::fs::read_to_string(entry.unwrap().path()).unwrap();
        }
    }
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for block in
            blocks(&text).into_iter().filter(|block| ["rust", "python"].contains(&block.language.as_str()))
        {
            assert!(
                examples.contains(&block.text),
                "{}, line {}:\n{}",
                page.display(),
                block.line,
                block.text
            );
        }
        let known = ["sh", "toml", "rust", "text", "json", "python"];
        for block in blocks(&text) {
            assert!(known.contains(&block.language.as_str()), "{}, line {}", page.display(), block.line);
        }
    }
}

#[test]
fn the_summary_has_every_page() {
    let summary = std::fs::read_to_string(repository().join("docs/guide/SUMMARY.md")).unwrap();
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name}");
    }
}

/// The targets of the links and pictures of a page, outside blocks and code.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut in_block = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for part in outside.split("](").skip(1) {
            links.extend(part.split(')').next().map(str::to_string));
        }
    }
    links
}

/// The anchors that a page offers, made from its headings as web sites make them.
fn anchors(page: &str) -> Vec<String> {
    let heading =
        |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_lowercase());
    let anchor = |text: String| {
        let kept: String =
            text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c)).collect();
        kept.replace(' ', "-")
    };
    page.lines().filter_map(heading).map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut count = 0;
    for page in markdown(&repository()) {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in
            links(&text).into_iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link}", page.display());
            if !anchor.is_empty() {
                let there = std::fs::read_to_string(&target).unwrap();
                assert!(anchors(&there).iter().any(|known| known == anchor), "{}: {link}", page.display());
            }
        }
    }
    assert!(count > 50, "only {count} links were found");
}

/// Tables, pictures and addresses cannot be broken.
#[test]
fn no_line_of_the_documentation_is_too_long() {
    for page in markdown(&repository()) {
        let text = std::fs::read_to_string(&page).unwrap();
        let in_guide = page.starts_with(repository().join("docs/guide"));
        let most = if in_guide { 120 } else { 160 };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('|')) {
            let generated = line.starts_with("<!--");
            assert!(generated || line.chars().count() <= most, "{}:{}: {line}", page.display(), number + 1);
        }
    }
}
