//! Tables of a document, made from files of runs: what the text says and what was measured cannot disagree.
//!
//! In a Markdown document, the lines between
//!
//! ```text
//! <!-- table results/chain-runs.csv: task, agent, solved, episodes to solve -->
//! <!-- /table -->
//! ```
//!
//! are the table of that file (its path is seen from the document) with these columns, or with all that say anything
//! where none is named. What stands in a block of code is an example and stays as it is.
//! `differences results/chain-runs.csv` compares every agent with the first one,
//! `differences results/chain-runs.csv to duvn` with `duvn`.

use super::ReportError;
use super::from_csv::from_csv;
use super::summary::{differences, differences_to, summary};
use super::table::Table;
use crate::results::Results;
use std::path::{Path, PathBuf};

const END: &str = "<!-- /table -->";

/// What begins and ends a block of code.
const FENCE: &str = "```";

/// The tables of a file of runs, in Markdown: the summary, and what it says of agents compared with the first.
pub fn tables(path: &Path) -> Result<String, ReportError> {
    let results = from_csv(path)?;
    let more = differences(&results).map_or_else(String::new, |table| format!("\n{}", table.to_markdown()));
    Ok(summary(&results).to_markdown() + &more)
}

/// The text of the document at `path` with all of its tables made again.
pub fn with_tables(path: &Path) -> Result<String, ReportError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| ReportError::Read { path: path.into(), error })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    fill(&text, |file| from_csv(&folder.join(file))).map_err(|what| match what {
        Fault::Text(what) => ReportError::Document { path: path.into(), what },
        Fault::File(error) => error,
    })
}

/// Makes the tables of the document at `path` again.
pub fn update_document(path: &Path) -> Result<(), ReportError> {
    super::write(path, with_tables(path)?.as_bytes())
}

enum Fault {
    Text(String),
    File(ReportError),
}

/// What a marker asks for.
struct Asked<'a> {
    compare: bool,
    file: &'a str,
    base: Option<&'a str>,
    columns: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let inside = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
        let (kind, rest) = inside.split_once(' ')?;
        let compare = match kind {
            "table" => false,
            "differences" => true,
            _ => return None,
        };
        let (file, columns) = rest.split_once(':').unwrap_or((rest, ""));
        let columns = columns.split(',').map(str::trim).filter(|column| !column.is_empty()).collect();
        let (file, base) = match file.split_once(" to ").filter(|_| compare) {
            Some((file, base)) => (file, Some(base.trim())),
            None => (file, None),
        };
        Some(Asked { compare, file: file.trim(), base, columns })
    }

    fn table(&self, results: &[Results]) -> Result<Table, String> {
        let compared = || match self.base {
            Some(base) => differences_to(results, base)
                .ok_or(format!("{} has no returns to compare with those of `{base}`", self.file)),
            None => differences(results).ok_or(format!("{} has no returns to compare", self.file)),
        };
        let table = if self.compare { compared()? } else { summary(results) };
        if self.columns.is_empty() { Ok(table) } else { table.only(&self.columns) }
    }
}

fn fill(text: &str, read: impl Fn(&str) -> Result<Vec<Results>, ReportError>) -> Result<String, Fault> {
    let mut filled = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n');
    let mut example = false;
    while let Some(line) = lines.next() {
        filled += line;
        example ^= line.starts_with(FENCE);
        let Some(asked) = Asked::parse(line).filter(|_| !example) else { continue };
        if !lines.by_ref().any(|line| line.trim() == END) {
            return Err(Fault::Text(format!("`{}` has no end: write {END} after its table", line.trim())));
        }
        let table = asked.table(&read(asked.file).map_err(Fault::File)?).map_err(Fault::Text)?;
        filled += &format!("{}{END}\n", table.to_markdown());
    }
    Ok(filled)
}

/// The files that the tables of a document are made from.
pub fn sources(text: &str) -> Vec<PathBuf> {
    let mut example = false;
    let outside = text.lines().filter(|line| {
        example ^= line.starts_with(FENCE);
        !example
    });
    outside.filter_map(Asked::parse).map(|asked| asked.file.into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Ended;

    fn results() -> Vec<Results> {
        let run = |last: f64| Ended { episodes: 100, last_return: Some(last), ..Ended::default() };
        let of = |agent: &str, last: f64| Results {
            env: "Toy".into(),
            agent: agent.into(),
            threshold: None,
            bounds: None,
            planned: 2,
            runs: vec![run(last), run(last + 1.0)],
        };
        vec![of("egreedy", 1.0), of("duvn", 3.0)]
    }

    #[test]
    fn what_lies_between_the_markers_is_made_again_and_nothing_else() {
        let text = "# Title\n<!-- table a.csv: agent, return, mean -->\nold\n<!-- /table -->\nafter\n\
                    <!-- differences a.csv -->\n<!-- /table -->\nend";
        let found = fill(text, |_| Ok(results())).ok().unwrap();
        let expected = "# Title\n<!-- table a.csv: agent, return, mean -->\n| agent | return, mean |\n| --- | --- |\n\
                        | ε-greedy | 1.500 |\n| DUVN | 3.500 |\n<!-- /table -->\nafter\n<!-- differences a.csv -->\n\
                        | task | agent | difference of mean return to ε-greedy | P(above ε-greedy) |\n\
                        | --- | --- | --- | --- |\n| Toy | DUVN | 2 | 1 |\n<!-- /table -->\nend";
        assert_eq!(found, expected);
        assert_eq!(fill(&found, |_| Ok(results())).ok().unwrap(), found, "a second time changes nothing");
        assert_eq!(sources(text).len(), 2);
    }

    #[test]
    fn a_block_of_code_is_an_example() {
        let text = "```\n<!-- table a.csv -->\n<!-- /table -->\n```\n";
        assert_eq!(fill(text, |_| Ok(results())).ok().unwrap(), text);
        assert!(sources(text).is_empty());
    }

    #[test]
    fn an_agent_to_compare_with_can_be_named() {
        let made = |marker: &str| fill(&format!("{marker}\n<!-- /table -->\n"), |_| Ok(results()));
        let found = made("<!-- differences a.csv to duvn: agent, difference of mean return to DUVN -->")
            .ok()
            .unwrap();
        assert!(found.contains("| ε-greedy | -2 |\n"), "{found}");
        assert!(matches!(made("<!-- differences a.csv to nobody -->"), Err(Fault::Text(_))));
    }

    #[test]
    fn a_marker_without_end_or_with_an_unknown_column_is_refused() {
        let refused = |text: &str| match fill(text, |_| Ok(results())) {
            Err(Fault::Text(what)) => what,
            _ => panic!("{text} was taken"),
        };
        assert!(refused("<!-- table a.csv -->\n| a |\n").contains(END));
        let what = refused("<!-- table a.csv: colour -->\n<!-- /table -->\n");
        assert!(what.contains("colour") && what.contains("return, mean"), "{what}");
    }
}
