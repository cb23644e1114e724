//! What can be wrong with records.

use super::SCHEMA;
use rusqlite::ErrorCode;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Why records cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database refused.
    #[error("the records in {}: {error}", folder.display())]
    Sql {
        /// The experiment's folder.
        folder: PathBuf,
        /// What SQLite says.
        error: rusqlite::Error,
    },
    /// The database is locked for longer than anyone should write.
    #[error("the records in {} have been locked by another program for a minute: end it, or try again", folder.display())]
    Busy {
        /// The experiment's folder.
        folder: PathBuf,
    },
    /// There is no room.
    #[error(
        "the disk with {} is full: make room and run the same command again; nothing that was recorded is lost",
        folder.display()
    )]
    Full {
        /// The experiment's folder.
        folder: PathBuf,
    },
    /// What is there is not what was recorded.
    #[error(
        "the records in {0} are damaged: {what}; `duvn check {0}` tells how far, `duvn check {0} --repair` starts \
         damaged runs over, or put back a copy of {0}",
        folder.display()
    )]
    Damaged {
        /// The experiment's folder.
        folder: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The folder cannot be made.
    #[error("cannot use the folder {}: {error}; name one that can be written", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The folder may be looked at and not written.
    #[error(
        "{} may not be written, and even to read an experiment duvn keeps locks beside it: name a folder of your own; to \
         read this one, make a copy of it",
        folder.display()
    )]
    ReadOnly {
        /// The folder.
        folder: PathBuf,
    },
    /// There are no records in the folder.
    #[error("{} holds no experiment: name a folder that `duvn sweep` or `duvn train --out` has made", folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// The file is a database, but not ours, or no database.
    #[error(
        "{} is not a database of duvn: name another folder; if it was one, its first bytes are damaged: put back a copy, \
         or delete the folder and run the experiment again",
        path.display()
    )]
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
    #[error("{} already has {run}, {how}", folder.display())]
    Clash {
        /// The folder.
        folder: PathBuf,
        /// The run.
        run: String,
        /// How they differ, and what to write.
        how: String,
    },
    /// Another program is at a run that is to be changed.
    #[error("another program is at the run {id} in {}: end it first, or wait for it", folder.display())]
    AtWork {
        /// The folder.
        folder: PathBuf,
        /// The run.
        id: String,
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
        use StoreError::{Busy, Damaged, Full, Sql, Unreadable};
        !matches!(self, Sql { .. } | Busy { .. } | Full { .. } | Damaged { .. } | Unreadable { .. })
    }

    /// The folder is of no use, as the system says.
    pub(super) fn folder(folder: &Path, error: std::io::Error) -> Self {
        let folder = folder.to_path_buf();
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { folder },
            _ => StoreError::Folder { folder, error },
        }
    }

    /// The error of the database in `folder`, in words that say what to do.
    pub(super) fn of(folder: &Path, error: rusqlite::Error) -> Self {
        let folder_path = folder.to_path_buf();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { folder: folder_path }
            }
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { folder: folder_path },
            Some(ErrorCode::DiskFull) => StoreError::Full { folder: folder_path },
            // SQLite gives this for a disk that fills up under its shared memory, too.
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) if is_full(folder) => {
                StoreError::Full { folder: folder_path }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Damaged { folder: folder_path, what: error.to_string() }
            }
            _ if is_damage(&error) => StoreError::Damaged { folder: folder_path, what: error.to_string() },
            _ => StoreError::Sql { folder: folder_path, error },
        }
    }
}

/// Whether the tables or their columns are not those that were made: every statement is written for the version of the
/// tables that was found, so that nothing but damage can make one that does not fit.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, InvalidColumnName, InvalidColumnType, SqlInputError, SqliteFailure,
    };
    match error {
        FromSqlConversionFailure(..) | InvalidColumnName(_) | InvalidColumnType(..) => true,
        SqlInputError { msg, .. } | SqliteFailure(_, Some(msg)) => msg.starts_with("no such "),
        _ => false,
    }
}

/// More than SQLite asks for at a time.
const ROOM: usize = 1 << 20;

/// Whether there is no room for a new file in `folder`.
fn is_full(folder: &Path) -> bool {
    let path = folder.join(format!(".room-{}", std::process::id()));
    let tried = std::fs::File::create(&path)
        .and_then(|mut file| file.write_all(&[0; ROOM]).and_then(|()| file.sync_all()));
    let _ = std::fs::remove_file(&path);
    let full = |error: std::io::Error| {
        matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
    };
    tried.is_err_and(full)
}
