//! Reports: what came of an experiment, as figures, tables and one page that needs nothing else.

mod believed;
mod data;
mod deep_sea;
mod documents;
mod from_csv;
mod html;
mod page;
mod pictures;
mod plain;
mod scaling;
mod summary;
mod table;
mod verdict;

pub use data::{AgentRuns, Data, TaskRuns};
pub use documents::{sources, tables, update_document, with_tables};
pub use from_csv::from_csv;
pub use pictures::{Picture, pictures};
pub use plain::Plain;
pub use summary::{differences, differences_to, improvement, summary};
pub use table::{Cell, Table};
pub use verdict::{Chapter, VERDICT, Verdict};

pub use crate::results::{Ended, Results, Task};

use crate::board;
use crate::figures::FigureError;
use crate::store::{Store, StoreError};
use std::path::{Path, PathBuf};

/// A report that has been written.
pub struct Report {
    /// The page.
    pub page: PathBuf,
    /// The table of results, for the terminal.
    pub summary: Table,
    /// bsuite's score, where there are tasks of deep_sea; the first two columns are agent and score.
    pub deep_sea: Option<Table>,
}

/// Why a report cannot be made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum ReportError {
    /// The records cannot be read.
    Store(#[from] StoreError),
    /// A figure cannot be painted.
    Figure(#[from] FigureError),
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file is no file of runs.
    #[error("{} is not a file of runs: {what}; name one that `duvn export --csv` has written", path.display())]
    Runs {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The tables of a document cannot be made.
    #[error("{}: {what}", path.display())]
    Document {
        /// The document.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

/// Writes the report of an experiment into its folder: `report.html` and `figures/`. Records that are not as they were
/// written are refused, those too that no figure is made from.
pub fn report(store: &Store) -> Result<Report, ReportError> {
    let data = Data::read(store)?;
    store.intact()?;
    let pictures = pictures(&data);
    let results = summary(&data.results());
    let deep_sea = deep_sea::score(store, &data)?;
    let text = board::frozen(store, &page::page(&data, &pictures, &results, deep_sea.as_ref()))?;
    let figures = store.folder().join("figures");
    std::fs::create_dir_all(&figures).map_err(|error| ReportError::Write { path: figures.clone(), error })?;
    for picture in &pictures {
        picture.write(&figures)?;
    }
    let page = store.folder().join("report.html");
    write(&page, text.as_bytes())?;
    write(&store.folder().join("summary.csv"), results.to_csv().as_bytes())?;
    Ok(Report { page, summary: results, deep_sea })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    crate::disk::write_whole(path, bytes).map_err(|error| ReportError::Write { path: path.into(), error })
}
