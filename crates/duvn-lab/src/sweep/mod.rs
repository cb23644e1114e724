//! Sweeps: the runs of an experiment spread over threads, and over programs, each done once.
//!
//! A run belongs to whoever holds the lock on its folder. The operating system releases the lock when a
//! program ends, however it ends, so a run that was cut off can be taken up at once, and no clock decides
//! who is alive.

mod request;
mod work;

pub use request::{ask_to_stop, heed_requests, planned};

use crate::experiment::Planned;
use crate::parallel;
use crate::run::{Outcome, Run};
use crate::spec::RunSpec;
use crate::store::{RunRow, Status, Store, StoreError};
use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use work::WorkError;

/// How a sweep goes about its work.
pub struct Options<'a> {
    /// Runs at a time.
    pub jobs: usize,
    /// The time between two checkpoints of a run.
    pub checkpoint_every: Duration,
    /// Whether runs that failed by their own fault are tried again.
    pub retry: bool,
    /// Whether runs that were begun with another instruction set go on all the same. They are marked.
    pub any_isa: bool,
    /// Raised to end the sweep: every run that is under way makes a checkpoint and stops.
    pub stop: &'a AtomicBool,
}

/// Who wants to know how a sweep goes. Called from many threads.
pub trait Watch: Sync {
    /// A run begins, or goes on.
    fn begun(&self, _run: &RunSpec, _at: &Run) {}
    /// A run has finished an episode.
    fn moved(&self, _run: &RunSpec, _at: &Run) {}
    /// A run has ended, for now or for good.
    fn ended(&self, _run: &RunSpec, _end: &End) {}
    /// Something is not as it should be, but the run goes on.
    fn warned(&self, _run: &RunSpec, _what: &str) {}
    /// All that is left are so many runs of another program: they are waited for.
    fn waiting(&self, _runs: usize) {}
}

/// Nobody watches: the records tell all.
pub struct Unwatched;

impl Watch for Unwatched {}

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
    /// It is left as it was: this program must not go on with it as it was asked to.
    Refused(String),
    /// It failed before, by its own fault, and would again.
    FailedBefore(String),
}

/// How long to wait before looking again whether another program is still at its run.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Does the runs of `planned` that are not done; tells how each ended, in their order. The records must have
/// been opened for an experiment with these runs. It ends when every run has: those of another program are waited for,
/// and taken over if that program ends before them.
pub fn sweep(
    store: &Store,
    planned: &[Planned],
    options: &Options<'_>,
    watch: &dyn Watch,
) -> Result<Vec<End>, StoreError> {
    let mut ends: Vec<End> = planned.iter().map(|_| End::NotBegun).collect();
    let mut open = order(store, planned)?;
    let mut said = false;
    loop {
        let round = parallel::map(&open, options.jobs, |&at| {
            if options.stop.load(Ordering::Relaxed) {
                return End::NotBegun;
            }
            take(store, &planned[at], options, watch)
        });
        for (&at, end) in open.iter().zip(round) {
            ends[at] = end;
        }
        open.retain(|&at| ends[at] == End::Elsewhere);
        if open.is_empty() || options.stop.load(Ordering::Relaxed) {
            return Ok(ends);
        }
        if !said {
            watch.waiting(open.len());
            said = true;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// The places of the runs in the order in which they are begun: as planned, but those last that were begun before and
/// came to nothing. A run that ends the whole program, whatever the reason, then keeps none of the others from being done.
fn order(store: &Store, planned: &[Planned]) -> Result<Vec<usize>, StoreError> {
    let starts: HashMap<String, u64> = store.runs()?.into_iter().map(|run| (run.id, run.starts)).collect();
    let mut places: Vec<usize> = (0..planned.len()).collect();
    places.sort_by_key(|&at| starts.get(&planned[at].id).copied().unwrap_or(0));
    Ok(places)
}

/// Does one run, if nobody else is at it and it is not done.
fn take(store: &Store, planned: &Planned, options: &Options<'_>, watch: &dyn Watch) -> End {
    let tried = store.try_lock(&planned.id).and_then(|lock| match lock {
        None => Ok(End::Elsewhere),
        Some(lock) => {
            // Only now, with the lock in hand, is the status sure not to change.
            let run = store.run(&planned.id)?;
            let end = match (run.status, &run.outcome) {
                (Status::Done, Some(outcome)) => {
                    // It is counted as done only if what was done is still there.
                    store.intact_run(run.number)?;
                    End::DoneBefore(outcome.clone())
                }
                (Status::Failed, _) if !run.open() && !options.retry => {
                    End::FailedBefore(run.error.clone().unwrap_or_default())
                }
                _ => attempt(store, &run, options, watch),
            };
            drop(lock);
            Ok(end)
        }
    });
    let end = tried.unwrap_or_else(|error| End::Failed(error.to_string()));
    if end != End::Elsewhere {
        watch.ended(&planned.spec, &end);
    }
    end
}

/// Does a run; a failure of any kind is recorded and goes no further.
fn attempt(store: &Store, run: &RunRow, options: &Options<'_>, watch: &dyn Watch) -> End {
    let worked = catch_unwind(AssertUnwindSafe(|| work::work(store, run, options, watch)));
    let (error, again) = match worked {
        Ok(Ok(end)) => return end,
        Ok(Err(error @ WorkError::OtherIsa { .. })) => return End::Refused(error.to_string()),
        Ok(Err(error)) => (error.to_string(), error.may_pass()),
        Err(panic) => (format!("the program has a fault: {}", words(&*panic)), false),
    };
    match store.fail(run.number, &error, again) {
        Ok(()) => End::Failed(error),
        Err(unrecorded) => End::Failed(format!("{error} (and this could not be recorded: {unrecorded})")),
    }
}

/// What a panic says.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    text.unwrap_or_else(|| "it panicked".into())
}
