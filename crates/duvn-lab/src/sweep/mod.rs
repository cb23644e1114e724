//! Sweeps: the runs of an experiment spread over threads, and over programs, each done once.
//!
//! A run belongs to whoever holds the lock on its folder. The operating system releases the lock when a
//! program ends, however it ends, so a run that was cut off can be taken up at once, and no clock decides
//! who is alive.

mod work;

use crate::experiment::Planned;
use crate::parallel;
use crate::run::{Outcome, Run};
use crate::store::{RunRow, Status, Store, StoreError};
use std::fs::{File, TryLockError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How a sweep goes about its work.
pub struct Options<'a> {
    /// Runs at a time.
    pub jobs: usize,
    /// The time between two checkpoints of a run.
    pub checkpoint_every: Duration,
    /// Whether runs that failed by their own fault are tried again.
    pub retry: bool,
    /// Raised to end the sweep: every run that is under way makes a checkpoint and stops.
    pub stop: &'a AtomicBool,
}

/// Who wants to know how a sweep goes. Called from many threads.
pub trait Watch: Sync {
    /// A run begins, or goes on.
    fn begun(&self, run: &RunRow, at: &Run);
    /// A run has finished an episode.
    fn moved(&self, run: &RunRow, at: &Run);
    /// A run has ended, for now or for good.
    fn ended(&self, run: &RunRow, end: &End);
    /// Something is not as it should be, but the run goes on.
    fn warned(&self, run: &RunRow, what: &str);
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// It is done.
    Done(Outcome),
    /// It was done before.
    DoneBefore(Outcome),
    /// It was stopped on the way and can go on.
    Stopped(Outcome),
    /// It was not begun, because the sweep was stopped.
    NotBegun,
    /// Another program is at it.
    Elsewhere,
    /// It failed.
    Failed(String),
    /// It failed before, by its own fault, and would again.
    FailedBefore(String),
}

/// Does the runs of `planned` that are not done; tells how each ended, in their order. The records must have
/// been opened for an experiment with these runs.
pub fn sweep(
    store: &Store,
    planned: &[Planned],
    options: &Options<'_>,
    watch: &dyn Watch,
) -> Result<Vec<End>, StoreError> {
    let ends = parallel::map(planned, options.jobs, |planned| {
        if options.stop.load(Ordering::Relaxed) {
            return Ok(End::NotBegun);
        }
        take(store, &planned.id, options, watch)
    });
    ends.into_iter().collect()
}

/// Does one run, if nobody else is at it and it is not done.
fn take(store: &Store, id: &str, options: &Options<'_>, watch: &dyn Watch) -> Result<End, StoreError> {
    let folder = store.run_folder(id);
    let lock = std::fs::create_dir_all(&folder)
        .and_then(|()| File::options().create(true).append(true).open(folder.join("lock")))
        .map_err(|error| StoreError::Folder { folder: folder.clone(), error })?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(End::Elsewhere),
        Err(TryLockError::Error(error)) => return Err(StoreError::Folder { folder, error }),
    }
    // Only now, with the lock in hand, is the status sure not to change.
    let run = store.run(id)?;
    let end = match (run.status, &run.outcome) {
        (Status::Done, Some(outcome)) => End::DoneBefore(outcome.clone()),
        (Status::Failed, _) if !run.open() && !options.retry => {
            End::FailedBefore(run.error.clone().unwrap_or_default())
        }
        _ => attempt(store, &run, options, watch),
    };
    watch.ended(&run, &end);
    drop(lock);
    Ok(end)
}

/// Does a run; a failure of any kind is recorded and goes no further.
fn attempt(store: &Store, run: &RunRow, options: &Options<'_>, watch: &dyn Watch) -> End {
    let worked = catch_unwind(AssertUnwindSafe(|| work::work(store, run, options, watch)));
    let (error, again) = match worked {
        Ok(Ok(end)) => return end,
        Ok(Err(error)) => (error.to_string(), error.may_pass()),
        Err(_) => ("the program has a fault: it panicked, see above".into(), false),
    };
    match store.fail(run.number, &error, again) {
        Ok(()) => End::Failed(error),
        Err(unrecorded) => End::Failed(format!("{error} (and this could not be recorded: {unrecorded})")),
    }
}
