//! The records of an experiment: one SQLite database in the experiment's folder.
//!
//! Several programs may use it at a time. It is in WAL mode with full synchronisation: what was committed
//! is on disk. Episodes are committed before the checkpoint that comes after them is written, so the
//! records are never behind a checkpoint; what is ahead of it, because the machine stopped in between, is
//! taken back when the run goes on ([`Store::rewind`]) and recorded again, the same to the bit.

mod beliefs;
mod curve;
mod episodes;
mod open;
mod runs;

pub use curve::{BINS, CurvePoint};
pub use episodes::{EpisodeRow, EvaluationRow};
pub use runs::{RunRow, Status};

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The version of the tables.
pub const SCHEMA: i64 = 3;

/// The database's file in the experiment's folder.
pub const FILE: &str = "records.sqlite";

/// An open database.
pub struct Store {
    connection: Mutex<Connection>,
    folder: PathBuf,
}

/// Why records cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused.
    #[error("the records in {}: {error}", folder.display())]
    Sql {
        /// The experiment's folder.
        folder: PathBuf,
        /// What SQLite says.
        error: rusqlite::Error,
    },
    /// The folder cannot be made.
    #[error("cannot use the folder {}: {error}; name one that can be written with --out", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// There are no records in the folder.
    #[error("{} holds no experiment: name a folder that `duvn sweep` or `duvn train --out` has made", folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// The file is a database, but not ours, or no database.
    #[error("{} is not a database of duvn: name another folder", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The tables are of a newer version.
    #[error(
        "the records in {} have version {found}, this program knows versions up to {SCHEMA}: use a newer duvn, or another folder",
        folder.display()
    )]
    Newer {
        /// The folder.
        folder: PathBuf,
        /// The version of the tables.
        found: i64,
    },
    /// The folder belongs to another experiment.
    #[error(
        "{} belongs to the experiment '{found}', not to '{asked}': name another folder with --out",
        folder.display()
    )]
    OtherExperiment {
        /// The folder.
        folder: PathBuf,
        /// Whose it is.
        found: String,
        /// Whose it was taken for.
        asked: String,
    },
    /// The folder has the same run with other settings.
    #[error(
        "{} already has {agent} on {env} with seed {seed}, but with other settings or another budget: \
         name another folder with --out, or give the agent another name",
        folder.display()
    )]
    Clash {
        /// The folder.
        folder: PathBuf,
        /// The agent's name.
        agent: String,
        /// The environment.
        env: String,
        /// The seed.
        seed: u64,
    },
    /// What is recorded cannot be understood.
    #[error("the records in {} cannot be understood: {what}", folder.display())]
    Unreadable {
        /// The folder.
        folder: PathBuf,
        /// What.
        what: String,
    },
}

impl StoreError {
    /// Whether the fault lies in what was asked for, not in what happened.
    pub fn is_usage(&self) -> bool {
        !matches!(self, StoreError::Sql { .. } | StoreError::Unreadable { .. })
    }
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

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic elsewhere leaves no transaction open: rusqlite rolls back when one is dropped.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sql(&self, error: rusqlite::Error) -> StoreError {
        StoreError::Sql { folder: self.folder.clone(), error }
    }

    fn unreadable(&self, what: impl ToString) -> StoreError {
        StoreError::Unreadable { folder: self.folder.clone(), what: what.to_string() }
    }
}
