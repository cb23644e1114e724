//! Checkpoints: a run on disk, so that it can go on after anything that may happen to the machine.
//!
//! A checkpoint is a safetensors file that other programs can read. [`Slot`] writes it so that at every
//! moment a good one is on disk, and finds the newest good one when a run goes on.

mod file;
mod slot;

pub use file::{Checkpoint, decode, encode};
pub use slot::{Found, Slot};

use std::path::PathBuf;

impl From<duvn::archive::ArchiveError> for CheckpointError {
    fn from(error: duvn::archive::ArchiveError) -> Self {
        CheckpointError::Damaged(error.to_string())
    }
}

/// Why a checkpoint cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file system refused.
    #[error("cannot {doing} {}: {error}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The bytes are not those that were written.
    #[error("the checkpoint is damaged: {0}")]
    Damaged(String),
    /// It was written by a version of the program that this one does not understand.
    #[error(
        "the checkpoint has format {found}, this program reads format {}: use the version that wrote it ({version})",
        file::FORMAT
    )]
    Format {
        /// The format of the file.
        found: String,
        /// The version of the program that wrote it.
        version: String,
    },
    /// It belongs to another run.
    #[error("the checkpoint is of run {found}, not of {expected}: put back the one that was there")]
    OtherRun {
        /// The run it is of.
        found: String,
        /// The run it was looked for.
        expected: String,
    },
    /// Neither the newest checkpoint nor the one before can be used.
    #[error(
        "no checkpoint in {} can be used ({why}): put back a copy, or delete the folder to start the run over",
        folder.display()
    )]
    NoneUsable {
        /// Where they are.
        folder: PathBuf,
        /// What is wrong with them.
        why: String,
    },
}
