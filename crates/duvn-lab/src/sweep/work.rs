//! The work on one run: taking it up where it was left, going on, recording, making checkpoints.

use super::{End, Options, Watch};
use crate::beliefs::{self, Moment, ValuesError};
use crate::checkpoint::{Checkpoint, CheckpointError, Found, Slot};
use crate::evaluate::{Arena, Evaluated, evaluate};
use crate::machine;
use crate::record::Record;
use crate::run::{Run, RunError};
use crate::store::{EvaluationRow, RunRow, Store, StoreError};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum WorkError {
    /// It was computed with another instruction set so far.
    #[error(
        "its weights so far were computed with {begun}, and this program computes with {now}, which gives other bits: \
         go on with --isa {last}, or allow it with --any-isa (the run is then marked)",
        last = last(begun)
    )]
    OtherIsa {
        /// The instruction sets so far.
        begun: String,
        /// The one in use.
        now: String,
    },
    /// It cannot be made, or training failed.
    Run(#[from] RunError),
    /// Its checkpoints cannot be read or written.
    Checkpoint(#[from] CheckpointError),
    /// Its states cannot be watched.
    Watch(ValuesError),
    /// Its records cannot be written.
    Store(#[from] StoreError),
}

/// The last of several instruction sets.
fn last(isa: &str) -> &str {
    isa.rsplit('+').next().unwrap_or(isa)
}

/// The instruction sets of a run that was computed with `begun` and goes on with `now`.
fn joined(begun: &str, now: &str, any: bool) -> Result<String, WorkError> {
    match begun {
        "" => Ok(now.into()),
        begun if last(begun) == now => Ok(begun.into()),
        begun if any => Ok(format!("{begun}+{now}")),
        begun => Err(WorkError::OtherIsa { begun: begun.into(), now: now.into() }),
    }
}

impl WorkError {
    /// Whether another try may go better: the fault was the machine's, not the run's own.
    pub fn may_pass(&self) -> bool {
        !matches!(self, WorkError::Run(error) if error.is_usage() || matches!(error, RunError::Training { .. }))
    }
}

/// Draws of the parameters in a look at every state.
const LOOK_DRAWS: usize = 30;

/// The time after which a finished episode is in the records at the latest, so that it can be looked at.
const SHOW_EVERY: Duration = Duration::from_millis(800);

/// Episodes after which a checkpoint is made however little time has passed, so that memory is bounded.
const MOST_UNSAVED: usize = 50_000;

/// Goes on with a run until it is done or is told to stop.
pub fn work(store: &Store, row: &RunRow, options: &Options<'_>, watch: &dyn Watch) -> Result<End, WorkError> {
    let (mut run, mut keeper) = take_up(store, row, options, watch)?;
    watch.begun(&row.spec, &run);
    keeper.catch_up(&mut run)?;
    let (mut saved, mut shown) = (Instant::now(), Instant::now());
    let driven = run.drive(options.stop, |run, record| {
        if let Some(record) = record {
            keeper.records.push(record);
            keeper.beside(run, &record)?;
            keeper.steps_before = record.steps;
            watch.moved(&row.spec, run);
            run.warnings().iter().for_each(|warning| watch.warned(&row.spec, warning));
        }
        if saved.elapsed() >= options.checkpoint_every || keeper.records.len() >= MOST_UNSAVED {
            keeper.save(run)?;
            (saved, shown) = (Instant::now(), Instant::now());
        } else if shown.elapsed() >= SHOW_EVERY && !keeper.records.is_empty() {
            keeper.show()?;
            shown = Instant::now();
        }
        Ok::<_, WorkError>(())
    });
    if driven.is_err() {
        // The episodes before the failure are worth seeing.
        keeper.append(&run)?;
    }
    let at_its_end = driven?;
    run.warnings().iter().for_each(|warning| watch.warned(&row.spec, warning));
    keeper.save(&run)?;
    let outcome = run.outcome();
    if !at_its_end || keeper.cut_short {
        return Ok(End::Stopped(outcome));
    }
    store.finish(row, &outcome)?;
    keeper.slot.tidy();
    for former in &row.former {
        // The run has a checkpoint under its new id: a failure to delete the old one is not one of the run.
        let _ = std::fs::remove_dir_all(store.run_folder(former));
    }
    Ok(End::Done(outcome))
}

/// The run where its newest usable checkpoint is, and its records no further.
fn take_up<'a>(
    store: &'a Store,
    row: &'a RunRow,
    options: &Options<'a>,
    watch: &dyn Watch,
) -> Result<(Run, Keeper<'a>), WorkError> {
    let slot = Slot::new(store.run_folder(&row.id));
    let recorded = store.recorded(row.number)?;
    let Found { checkpoint, warning } = find(store, row, &slot, recorded)?;
    if let Some(warning) = warning {
        watch.warned(&row.spec, &warning);
    }
    let now = duvn::net::isa().to_string();
    let mut isa = now.clone();
    if let Some(checkpoint) = &checkpoint {
        let begun =
            if checkpoint.isa.is_empty() { row.isa.as_deref().unwrap_or("") } else { &checkpoint.isa };
        isa = joined(begun, &now, options.any_isa)?;
    }
    let mut run = Run::new(row.spec.clone())?;
    match checkpoint {
        Some(Checkpoint { version, snapshot, .. }) => {
            if version != env!("CARGO_PKG_VERSION") {
                let what = format!("begun with duvn {version}, goes on with {}", env!("CARGO_PKG_VERSION"));
                watch.warned(&row.spec, &what);
            }
            run.restore(&snapshot).map_err(RunError::from)?;
            store.rewind(row.number, snapshot.episodes, snapshot.steps)?;
        }
        None => {
            if recorded > 0 {
                let what = "it was cut off before its first checkpoint and starts from the beginning";
                watch.warned(&row.spec, what);
            }
            store.rewind(row.number, 0, 0)?;
        }
    }
    store.begin(row.number, &machine::describe(), &isa)?;
    let (arena, stop) = (Arena::new(&row.spec)?, options.stop);
    let (records, evaluations, moments) = (Vec::new(), Vec::new(), Vec::new());
    let (steps_before, cut_short) = (0, false);
    let keeper =
        Keeper { store, row, stop, isa, slot, arena, records, evaluations, moments, steps_before, cut_short };
    Ok((run, keeper))
}

/// The newest checkpoint of a run; of one whose budget was extended, that under its last id.
fn find(store: &Store, row: &RunRow, slot: &Slot, recorded: u64) -> Result<Found, CheckpointError> {
    let mut found = slot.load(&row.id, recorded)?;
    for id in row.former.iter().rev() {
        if found.checkpoint.is_none() {
            found = Slot::new(store.run_folder(id)).load(id, recorded)?;
        }
    }
    Ok(found)
}

/// Keeps what is to be kept of a run.
struct Keeper<'a> {
    store: &'a Store,
    row: &'a RunRow,
    stop: &'a AtomicBool,
    /// The instruction sets that computed it.
    isa: String,
    slot: Slot,
    arena: Arena,
    /// What is not recorded yet.
    records: Vec<Record>,
    evaluations: Vec<EvaluationRow>,
    moments: Vec<Moment>,
    /// The steps of the run when its last episode but this one ended.
    steps_before: u64,
    /// Whether an evaluation or a look at every state was given up because of `stop`: it is made up for when the run
    /// goes on from the checkpoint that is made now.
    cut_short: bool,
}

impl Keeper<'_> {
    /// Makes up for an evaluation or a look that was given up: the checkpoint then lies right after the episode, and
    /// the agent is the one that was to be looked at.
    fn catch_up(&mut self, run: &mut Run) -> Result<(), WorkError> {
        if run.steps() == 0 {
            return self.look(run);
        }
        let Some((record, steps_before)) = self.store.last_episode(self.row.number)? else { return Ok(()) };
        self.steps_before = steps_before;
        if record.steps == run.steps() {
            self.beside(run, &record)?;
        }
        self.steps_before = record.steps;
        Ok(())
    }

    /// What is done beside the run after an episode, if it is due and not recorded.
    fn beside(&mut self, run: &mut Run, record: &Record) -> Result<(), WorkError> {
        let Record { episode, steps, .. } = *record;
        if self.evaluation_due(run, record) && !self.store.evaluated(self.row.number, episode)? {
            let episodes = self.row.evaluation.episodes;
            match evaluate(&mut self.arena, run.agent_mut(), episodes, self.stop)? {
                Some(Evaluated { mean_return, calibration }) => {
                    self.evaluations.push(EvaluationRow { episode, steps, mean_return, calibration });
                }
                None => self.cut_short = true,
            }
        }
        self.look(run)
    }

    /// Records what the agent believes of every state, if this is a moment to do so and it is not recorded.
    fn look(&mut self, run: &mut Run) -> Result<(), WorkError> {
        let episode = run.progress().episodes;
        if !self.row.watch.contains(&episode) || self.store.has_moment(self.row.number, episode)? {
            return Ok(());
        }
        let states = beliefs::states(&self.row.spec.env).map_err(|error| match error {
            ValuesError::Run(error) => WorkError::Run(error),
            error => WorkError::Watch(error),
        })?;
        match beliefs::look(run, states, LOOK_DRAWS, self.stop)? {
            Some(moment) => self.moments.push(moment),
            None => self.cut_short = true,
        }
        Ok(())
    }

    /// Whether the episode is the first to end in a new part of the budget, or the last of the run.
    fn evaluation_due(&self, run: &Run, record: &Record) -> bool {
        self.row.evaluation.due(self.row.spec.budget, record, self.steps_before)
            || (self.row.evaluation.times > 0 && run.finished())
    }

    /// Records what is not recorded yet, then makes a checkpoint. In this order the records are never
    /// behind the checkpoint, whenever the machine stops.
    fn save(&mut self, run: &Run) -> Result<(), WorkError> {
        self.append(run)?;
        let version = env!("CARGO_PKG_VERSION").into();
        let (id, isa) = (self.row.id.clone(), self.isa.clone());
        let checkpoint = Checkpoint { run: id, version, isa, snapshot: run.snapshot() };
        self.slot.save(&checkpoint)?;
        Ok(())
    }

    /// Records what is not recorded yet for those who look on, ahead of the checkpoint.
    fn show(&mut self) -> Result<(), WorkError> {
        let Keeper { store, row, records, evaluations, moments, .. } = self;
        store.append_ahead(row.number, records, evaluations, moments)?;
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        self.records.clear();
        self.moments.clear();
        self.evaluations.clear();
    }

    fn append(&mut self, run: &Run) -> Result<(), WorkError> {
        let (steps, seconds) = (run.steps(), run.seconds());
        self.store.append(
            self.row.number,
            &self.records,
            &self.evaluations,
            &self.moments,
            steps,
            seconds,
        )?;
        self.forget();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_with_the_instruction_set_that_it_was_begun_with() {
        assert_eq!(joined("", "avx2", false).unwrap(), "avx2");
        assert_eq!(joined("avx2", "avx2", false).unwrap(), "avx2");
        assert_eq!(joined("avx2", "portable", true).unwrap(), "avx2+portable");
        assert_eq!(joined("avx2+portable", "portable", false).unwrap(), "avx2+portable");
        let refused = joined("avx2+portable", "avx512", false).unwrap_err().to_string();
        for part in ["avx2+portable", "avx512", "--isa portable", "--any-isa"] {
            assert!(refused.contains(part), "{refused}");
        }
    }
}
