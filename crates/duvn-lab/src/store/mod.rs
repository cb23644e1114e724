//! The records of an experiment: one SQLite database in the experiment's folder.
//!
//! Several programs may use it at a time. It is in WAL mode with full synchronisation: what was committed
//! is on disk. Episodes are committed before the checkpoint that comes after them is written, so the
//! records are never behind a checkpoint; what is ahead of it, because the machine stopped in between, is
//! taken back when the run goes on ([`Store::rewind`]) and recorded again, the same to the bit.

mod beliefs;
mod curve;
mod digest;
mod episodes;
mod extend;
mod facts;
mod fault;
mod import;
mod open;
mod runs;
mod verify;

pub use curve::{BINS, CurvePoint};
pub use episodes::{EpisodeRow, EvaluationRow};
pub use fault::StoreError;
pub use import::Finished;
pub use open::Growth;
pub use runs::{RunRow, Status};
pub use verify::Verified;

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The version of the tables.
pub const SCHEMA: i64 = 6;

/// The database's file in the experiment's folder.
pub const FILE: &str = "records.sqlite";

/// An open database.
pub struct Store {
    connection: Mutex<Connection>,
    folder: PathBuf,
    mixed: Option<String>,
}

impl Store {
    /// The experiment's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of a run, with its checkpoints.
    pub fn run_folder(&self, id: &str) -> PathBuf {
        self.folder.join("runs").join(id)
    }

    /// What the folder holds beside the runs that it was opened for, if that is another environment or agent.
    pub fn mixed(&self) -> Option<&str> {
        self.mixed.as_deref()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic elsewhere leaves no transaction open: rusqlite rolls back when one is dropped.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sql(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of(&self.folder, error)
    }

    fn unreadable(&self, what: impl ToString) -> StoreError {
        StoreError::Unreadable { folder: self.folder.clone(), what: what.to_string() }
    }

    fn damaged(&self, what: impl ToString) -> StoreError {
        StoreError::Damaged { folder: self.folder.clone(), what: what.to_string() }
    }
}
