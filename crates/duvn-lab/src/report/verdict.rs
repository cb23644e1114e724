//! The page of all of the paper's figures together: first what came of every claim, then the figures.

use super::html::{STYLE, table};
use super::table::Table;
use super::{ReportError, write};
use crate::escape::escape;
use crate::machine;
use std::path::{Path, PathBuf};

/// The table of claims in docs/RESULTS.md.
pub const VERDICT: &str = include_str!("../../assets/verdict.txt");

/// Where the sections of docs/RESULTS.md that the claims name have their figure.
const PLACES: [(&str, &str); 6] = [
    ("#two-readings", "chain"),
    ("#unordered-chain-paper-fig-2", "chain"),
    ("#ordered-chain-paper-app-d1", "chain-ordered"),
    ("#gym-tasks-paper-fig-3", "gym"),
    ("#initial-return-distributions-paper-app-b", "ire"),
    ("#illustration-paper-app-c", "illustration"),
];

/// The pictures of a figure's folder that stand on the page, if they are there.
const PICTURES: [&str; 4] = ["learning-curves", "evaluations", "ird", "illustration"];

/// One of the paper's figures, as it was made.
pub struct Chapter {
    /// Its name, which names a claim's figure.
    pub name: &'static str,
    /// The folder of its own report, beside that of this page.
    pub folder: String,
    /// Its table of results.
    pub table: Table,
}

/// The page over all figures.
pub struct Verdict {
    /// The figures, in order.
    pub chapters: Vec<Chapter>,
    /// A remark, such as that this is a shortened version; may be empty.
    pub note: String,
    /// The command that makes it again.
    pub rerun: String,
}

impl Verdict {
    /// Writes `report.html`, whose path is given back, into `folder`.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, ReportError> {
        std::fs::create_dir_all(folder).map_err(|error| ReportError::Write { path: folder.into(), error })?;
        let page = folder.join("report.html");
        write(&page, self.page(folder).as_bytes())?;
        Ok(page)
    }

    fn page(&self, folder: &Path) -> String {
        let note = match self.note.as_str() {
            "" => String::new(),
            note => format!("<p class=\"note\">{}</p>\n", escape(note)),
        };
        let chapters: String = self.chapters.iter().map(|chapter| chapter.html(folder)).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>The paper, claim by claim</title>\n<style>{STYLE}\nimg {{ max-width: 100%; }}</style>\n</head>\n\
             <body>\n<h1>The paper, claim by claim</h1>\n<p>What the paper says and what came out in the runs that \
             docs/RESULTS.md reports: their seeds and budgets stand there. Links lead to the figures that this \
             command made; its own results are below.</p>\n{note}{}{chapters}<h2>How to run it again</h2>\n\
             <pre>{}</pre>\n<p class=\"faint\">duvn {}; {}</p>\n</body>\n</html>\n",
            self.claims(),
            escape(&self.rerun),
            escape(&machine::version()),
            escape(&machine::describe()),
        )
    }

    /// The claims as a table.
    fn claims(&self) -> String {
        let cells = |line: &str| -> Vec<String> {
            line.trim().trim_matches('|').split(" | ").map(|cell| self.inline(cell.trim())).collect()
        };
        let mut lines = VERDICT.lines();
        let head = cells(lines.next().unwrap_or_default());
        let columns: String = head.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
        let row = |line: &str| {
            let cells = cells(line);
            let cells =
                cells.iter().zip(&head).map(|(cell, head)| format!("<td data-head=\"{head}\">{cell}</td>"));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let rows: String = lines.skip(1).map(row).collect();
        format!(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Claims\"><table class=\"stacked\"><thead>\
             <tr>{columns}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
        )
    }

    /// A cell of the table: links to figures, code and bold words.
    fn inline(&self, text: &str) -> String {
        let mut html = String::new();
        let mut rest = text;
        while let Some((before, name, target, after)) = link(rest) {
            html += &marked(before);
            let place = PLACES.iter().find(|(section, _)| *section == target);
            let chapter = place.and_then(|(_, name)| self.chapters.iter().find(|known| known.name == *name));
            html += &match chapter {
                Some(chapter) => format!("<a href=\"#{}\">{}</a>", chapter.name, escape(name)),
                None => escape(name),
            };
            rest = after;
        }
        html + &marked(rest)
    }
}

/// The first link of a text: what stands before it, its name, its target, what comes after.
fn link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let middle = text.find("](")?;
    let (start, end) = (text[..middle].rfind('[')?, middle + text[middle..].find(')')?);
    Some((&text[..start], &text[start + 1..middle], &text[middle + 2..end], &text[end + 1..]))
}

/// Text with its bold words and its code.
fn marked(text: &str) -> String {
    let pairs = |text: &str, mark: &str, tag: &str| {
        let wrap = |(at, part): (usize, &str)| match at % 2 {
            0 => part.to_string(),
            _ => format!("<{tag}>{part}</{tag}>"),
        };
        text.split(mark).enumerate().map(wrap).collect::<String>()
    };
    pairs(&pairs(&escape(text), "**", "strong"), "`", "code")
}

impl Chapter {
    /// The figure with its picture and its table; `beside` is the folder of the page.
    fn html(&self, beside: &Path) -> String {
        let from = format!("../{}", escape(&self.folder));
        let there = |name: &&&str| {
            beside.join("..").join(&self.folder).join("figures").join(format!("{name}.svg")).exists()
        };
        let picture = |name: &&str| {
            format!(
                "<figure><img src=\"{from}/figures/{name}.svg\" alt=\"{}: {name}\"></figure>\n",
                self.name
            )
        };
        let pictures: String = PICTURES.iter().filter(there).map(picture).collect();
        format!(
            "<h2 id=\"{0}\"><a href=\"{from}/report.html\">{0}</a></h2>\n{pictures}{1}",
            self.name,
            table(&self.table)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict() -> Verdict {
        let table = Table { head: vec!["task".into()], rows: Vec::new() };
        let chapter = Chapter { name: "gym", folder: "gym-quick".into(), table };
        Verdict { chapters: vec![chapter], note: "short".into(), rerun: "duvn reproduce all --quick".into() }
    }

    #[test]
    fn every_claim_is_on_the_page() {
        let page = verdict().page(Path::new("nowhere"));
        let claims = VERDICT.lines().count() - 2;
        assert!(claims >= 15);
        assert_eq!(page.matches("<td data-head=\"#\">").count(), claims);
        assert!(page.contains("href=\"#gym\"") && page.contains("href=\"../gym-quick/report.html\""));
        assert!(!page.contains("](") && !page.contains("**"), "no marks of the document are left");
    }

    #[test]
    fn links_lead_to_figures_that_are_there_and_other_words_stay() {
        let html = verdict()
            .inline("**no**: `a<b`, [Fig. 3](#gym-tasks-paper-fig-3), [x](#two-readings), [T](T.md)");
        let expected = "<strong>no</strong>: <code>a&lt;b</code>, <a href=\"#gym\">Fig. 3</a>, x, T";
        assert_eq!(html, expected);
    }
}
