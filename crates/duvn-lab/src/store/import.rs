//! Finished runs from the records of another folder.

use super::digest::Part;
use super::episodes::{add_episodes, add_evaluations, add_timing};
use super::runs::finish;
use super::{EvaluationRow, RunRow, Store, StoreError};
use crate::beliefs::Moment;
use crate::record::Record;
use crate::run::Outcome;
use rusqlite::params;

/// Everything that is recorded of a finished run.
pub struct Finished {
    /// The run.
    pub row: RunRow,
    /// What came of it.
    pub outcome: Outcome,
    episodes: Vec<Record>,
    evaluations: Vec<EvaluationRow>,
    moments: Vec<Moment>,
    timing: Vec<(u64, f64)>,
}

impl Store {
    /// Everything that is recorded of a run, if it is finished. All of it must be as it was written.
    pub fn finished(&self, row: &RunRow) -> Result<Option<Finished>, StoreError> {
        let Some(outcome) = row.outcome.clone() else { return Ok(None) };
        let mut episodes = Vec::new();
        self.each_episode(row.number, |record| {
            episodes.push(*record);
            Ok::<_, StoreError>(())
        })?;
        Ok(Some(Finished {
            row: row.clone(),
            outcome,
            episodes,
            evaluations: self.evaluations(row.number)?,
            moments: self.moments(row.number)?,
            timing: self.timing(row.number)?,
        }))
    }

    /// Records a run as finished with what came of it elsewhere. The run must be planned here, and whoever calls this
    /// must have its lock ([`Store::try_lock`]).
    pub fn import(&self, finished: &Finished) -> Result<(), StoreError> {
        let here = self.run(&finished.row.id)?;
        let (number, row, outcome) = (here.number, &finished.row, &finished.outcome);
        self.change(number, |transaction| {
            for table in ["episodes", "evaluations", "beliefs", "timing", "curves"] {
                transaction.execute(&format!("DELETE FROM {table} WHERE run = ?1"), [number])?;
            }
            for part in Part::ALL {
                part.record(transaction, number, &Default::default())?;
            }
            add_episodes(transaction, number, &finished.episodes)?;
            add_evaluations(transaction, number, &finished.evaluations)?;
            super::beliefs::add(transaction, number, &finished.moments)?;
            add_timing(transaction, number, &finished.timing)?;
            let watch = row.watch.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
            transaction.execute(
                "UPDATE runs SET version = ?2, machine = ?3, isa = ?4, started = ?5, watch = ?6 WHERE number = ?1",
                params![number, row.version, row.machine, row.isa, row.started, watch],
            )?;
            finish(transaction, &here, outcome, row.finished)
        })
    }
}
