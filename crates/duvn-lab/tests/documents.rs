//! The tables of the documentation are those of the files of runs beside it.

use duvn_lab::report::{VERDICT, sources, with_tables};
use std::path::Path;

#[test]
fn tables_in_the_documentation_say_what_was_measured() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let entries = std::fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().path());
    for path in entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for source in sources(&text) {
            assert!(docs.join(&source).exists(), "{} names {}", path.display(), source.display());
        }
        let made = with_tables(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(
            made == text,
            "a table of docs/{name} is not that of its file: duvn report --document docs/{name}"
        );
    }
}

/// `DUVN_WRITE=1 cargo test -p duvn-lab --test documents` copies the table.
#[test]
fn the_claims_inside_the_package_are_those_of_the_documentation() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(package.join("../../docs/RESULTS.md")).unwrap();
    let begins = text.find("| # | the paper says |").unwrap();
    let claims: String =
        text[begins..].split_inclusive('\n').take_while(|line| line.starts_with('|')).collect();
    if std::env::var_os("DUVN_WRITE").is_some() {
        std::fs::write(package.join("assets/verdict.txt"), &claims).unwrap();
    } else {
        assert!(claims == VERDICT, "copy them: DUVN_WRITE=1 cargo test -p duvn-lab --test documents");
    }
}
