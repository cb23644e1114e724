//! A page of figures and tables that come from no experiment's records.

use super::html::{STYLE, table};
use super::page::figures;
use super::pictures::Picture;
use super::table::Table;
use super::{ReportError, write};
use crate::escape::escape;
use crate::machine;
use std::path::{Path, PathBuf};

/// What is on the page.
pub struct Plain {
    /// The heading.
    pub title: String,
    /// What it is about.
    pub about: String,
    /// A remark, such as that this is a shortened version; may be empty.
    pub note: String,
    /// The figures.
    pub pictures: Vec<Picture>,
    /// The table of results.
    pub table: Table,
    /// The command that makes it again.
    pub rerun: String,
}

impl Plain {
    /// Writes `report.html`, whose path is given back, and `figures/` into `folder`.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, ReportError> {
        let drawings = folder.join("figures");
        std::fs::create_dir_all(&drawings)
            .map_err(|error| ReportError::Write { path: drawings.clone(), error })?;
        for picture in &self.pictures {
            picture.write(&drawings)?;
        }
        let page = folder.join("report.html");
        write(&page, self.page().as_bytes())?;
        Ok(page)
    }

    fn page(&self) -> String {
        let title = escape(&self.title);
        let note = match self.note.as_str() {
            "" => String::new(),
            note => format!("<p class=\"note\">{}</p>\n", escape(note)),
        };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{}</p>\n{note}{}\
             <h2>Results</h2>\n{}<h2>How to run it again</h2>\n<pre>{}</pre>\n\
             <p class=\"faint\">duvn {}; {}</p>\n</body>\n</html>\n",
            escape(&self.about),
            figures(&self.pictures),
            table(&self.table),
            escape(&self.rerun),
            escape(&machine::version()),
            escape(&machine::describe()),
        )
    }
}
