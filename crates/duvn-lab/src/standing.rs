//! How far an experiment is, for people and for schedulers.

use crate::store::{Status, Store, StoreError};
use serde::Serialize;
use std::fs::{File, TryLockError};

/// Counts of runs. The fields are the keys of `duvn status --json`; the first is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// All runs.
    pub planned: usize,
    /// Those that are finished.
    pub done: usize,
    /// Those that a program is at now.
    pub running: usize,
    /// Those that failed by their own fault, and would again.
    pub failed: usize,
    /// Those that nobody is at and that are to be begun or to go on.
    pub left: usize,
}

impl Standing {
    /// How far the runs in `store` are at this moment.
    pub fn of(store: &Store) -> Result<Self, StoreError> {
        let mut standing = Standing::default();
        for run in store.runs()? {
            standing.planned += 1;
            let count = match run.status {
                Status::Done => &mut standing.done,
                Status::Failed if !run.open() => &mut standing.failed,
                _ if at_work(store, &run.id) => &mut standing.running,
                _ => &mut standing.left,
            };
            *count += 1;
        }
        Ok(standing)
    }
}

/// Whether a program holds the lock of a run.
pub(crate) fn at_work(store: &Store, id: &str) -> bool {
    let lock = File::open(store.run_folder(id).join("lock"));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
