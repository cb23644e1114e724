//! Finished runs from the records of another folder.

use super::digest::{CURVES, Part};
use super::episodes::{add_episodes, add_evaluations, add_timing};
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
        let sql = "UPDATE runs SET status = 'done', error = NULL, again = 0, starts = 0, version = ?2, machine = ?3, \
                   isa = ?4, started = ?5, finished = ?6, episodes = ?7, steps = ?8, updates = ?9, \
                   first_reward_episode = ?10, solved_episode = ?11, mean_return_last_100 = ?12, seconds = ?13, \
                   weights_sha256 = ?14, watch = ?15, judgement = ?16 WHERE number = ?1";
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
            super::curve::keep(transaction, &here)?;
            CURVES.record(transaction, number, &CURVES.present(transaction, number)?)?;
            transaction.execute(
                sql,
                params![
                    number,
                    row.version,
                    row.machine,
                    row.isa,
                    row.started,
                    row.finished,
                    outcome.episodes as i64,
                    outcome.steps as i64,
                    outcome.updates as i64,
                    outcome.first_reward_episode.map(|episode| episode as i64),
                    outcome.solved_episode.map(|episode| episode as i64),
                    outcome.mean_return_last_100,
                    outcome.seconds,
                    outcome.weights_sha256,
                    row.watch.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
                    serde_json::to_string(&outcome.judgement).ok(),
                ],
            )
        })
    }
}
