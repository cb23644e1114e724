//! Records for other programs: comma-separated values, and TensorBoard's event files.

mod csv;
mod event;
mod tensorboard;

pub use csv::csv;
pub use tensorboard::tensorboard;

use crate::store::StoreError;
use std::path::{Path, PathBuf};

/// Why records cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The records cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

/// Makes an I/O error one of writing `path`.
fn at(path: &Path) -> impl Fn(std::io::Error) -> ExportError + Copy + '_ {
    move |error| ExportError::Write { path: path.into(), error }
}
