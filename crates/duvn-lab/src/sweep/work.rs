//! The work on one run: taking it up where it was left, going on, recording, making checkpoints.

use super::{End, Options, Watch};
use crate::checkpoint::{Checkpoint, CheckpointError, Found, Slot};
use crate::evaluate::{Arena, mean_return};
use crate::machine;
use crate::record::Record;
use crate::run::{Budget, Run, RunError};
use crate::store::{EvaluationRow, RunRow, Store, StoreError};
use crate::values::{self, Moment, ValuesError};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// It cannot be made, or training failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Its checkpoints cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Its states cannot be watched.
    #[error(transparent)]
    Watch(ValuesError),
    /// Its records cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WorkError {
    /// Whether another try may go better: the fault was the machine's, not the run's own.
    pub fn may_pass(&self) -> bool {
        !matches!(self, WorkError::Run(error) if error.is_usage() || matches!(error, RunError::Training { .. }))
    }
}

/// Draws of the parameters in a look at every state.
const LOOK_DRAWS: usize = 30;

/// Episodes after which a checkpoint is made however little time has passed, so that memory is bounded.
const MOST_UNSAVED: usize = 50_000;

/// Goes on with a run until it is done or is told to stop.
pub fn work(store: &Store, row: &RunRow, options: &Options<'_>, watch: &dyn Watch) -> Result<End, WorkError> {
    let mut work = Work::take_up(store, row, watch)?;
    watch.begun(row, &work.run);
    let mut saved = Instant::now();
    while !work.run.finished() {
        if options.stop.load(Ordering::Relaxed) {
            work.save()?;
            return Ok(End::Stopped(work.run.outcome()));
        }
        match work.step() {
            Ok(false) => {}
            Ok(true) => watch.moved(row, &work.run),
            Err(error) => {
                // The episodes before the failure are worth seeing.
                work.append()?;
                return Err(error);
            }
        }
        if saved.elapsed() >= options.checkpoint_every || work.records.len() >= MOST_UNSAVED {
            work.save()?;
            saved = Instant::now();
        }
    }
    work.save()?;
    let outcome = work.run.outcome();
    store.finish(row, &outcome)?;
    work.slot.tidy();
    Ok(End::Done(outcome))
}

struct Work<'a> {
    store: &'a Store,
    row: &'a RunRow,
    slot: Slot,
    run: Run,
    arena: Arena,
    /// What is not recorded yet.
    records: Vec<Record>,
    evaluations: Vec<EvaluationRow>,
    moments: Vec<Moment>,
}

impl<'a> Work<'a> {
    /// The run where its newest usable checkpoint is, and its records no further.
    fn take_up(store: &'a Store, row: &'a RunRow, watch: &dyn Watch) -> Result<Self, WorkError> {
        let slot = Slot::new(store.run_folder(&row.id));
        let recorded = store.recorded(row.number)?;
        let Found { checkpoint, warning } = slot.load(&row.id, recorded)?;
        if let Some(warning) = warning {
            watch.warned(row, &warning);
        }
        let mut run = Run::new(row.spec.clone())?;
        match checkpoint {
            Some(Checkpoint { version, snapshot, .. }) => {
                if version != env!("CARGO_PKG_VERSION") {
                    let what =
                        format!("begun with duvn {version}, goes on with {}", env!("CARGO_PKG_VERSION"));
                    watch.warned(row, &what);
                }
                run.restore(&snapshot).map_err(RunError::from)?;
                store.rewind(row.number, snapshot.episodes, snapshot.steps)?;
            }
            None => {
                if recorded > 0 {
                    let what = "it was cut off before its first checkpoint and starts from the beginning";
                    watch.warned(row, what);
                }
                store.rewind(row.number, 0, 0)?;
            }
        }
        store.begin(row.number, &machine::describe())?;
        let arena = Arena::new(&row.spec)?;
        let (records, evaluations, moments) = (Vec::new(), Vec::new(), Vec::new());
        let mut work = Work { store, row, slot, run, arena, records, evaluations, moments };
        if work.run.steps() == 0 {
            work.look()?;
        }
        Ok(work)
    }

    /// Records what the agent believes of every state, if this is a moment to do so.
    fn look(&mut self) -> Result<(), WorkError> {
        if self.row.watch.contains(&self.run.progress().episodes) {
            let states = values::states(&self.row.spec.env).map_err(|error| match error {
                ValuesError::Run(error) => WorkError::Run(error),
                error => WorkError::Watch(error),
            })?;
            self.moments.push(values::look(&mut self.run, states, LOOK_DRAWS)?);
        }
        Ok(())
    }

    /// One environment step; tells if it ended an episode.
    fn step(&mut self) -> Result<bool, WorkError> {
        let Some(record) = self.run.step()? else { return Ok(false) };
        self.records.push(record);
        if self.evaluation_due(&record) {
            let episodes = self.row.evaluation.episodes;
            let mean_return = mean_return(&mut self.arena, self.run.agent_mut(), episodes)?;
            let Record { episode, steps, .. } = record;
            self.evaluations.push(EvaluationRow { episode, steps, mean_return });
        }
        self.look()?;
        Ok(true)
    }

    /// Whether the episode is the first to end in a new part of the budget, or the last of the run.
    fn evaluation_due(&self, record: &Record) -> bool {
        let times = self.row.evaluation.times;
        let (budget, before, now) = match self.row.spec.budget {
            Budget::Episodes(budget) => (budget, record.episode - 1, record.episode),
            Budget::Steps(budget) => (budget, record.steps - record.length, record.steps),
        };
        let part = |at: u64| u128::from(at) * u128::from(times) / u128::from(budget.max(1));
        part(now) > part(before) || (times > 0 && self.run.finished())
    }

    /// Records what is not recorded yet, then makes a checkpoint. In this order the records are never
    /// behind the checkpoint, whenever the machine stops.
    fn save(&mut self) -> Result<(), WorkError> {
        self.append()?;
        let version = env!("CARGO_PKG_VERSION").into();
        let checkpoint = Checkpoint { run: self.row.id.clone(), version, snapshot: self.run.snapshot() };
        self.slot.save(&checkpoint)?;
        Ok(())
    }

    fn append(&mut self) -> Result<(), WorkError> {
        let (steps, seconds) = (self.run.steps(), self.run.seconds());
        self.store.append(
            self.row.number,
            &self.records,
            &self.evaluations,
            &self.moments,
            steps,
            seconds,
        )?;
        self.records.clear();
        self.moments.clear();
        self.evaluations.clear();
        Ok(())
    }
}
