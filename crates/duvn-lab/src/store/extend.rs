//! Runs that are in the folder already, but with another budget or other settings.
//!
//! The budget decides only where a run ends. So a run with a larger budget goes on from the checkpoint of the shorter one
//! and gives what it would have given had it been longer from the start; its records stay, its id changes.

use super::digest::EVALUATIONS;
use super::{Growth, RunRow, Store, StoreError};
use crate::experiment::{Evaluation, Experiment, Planned};
use crate::record::Record;
use crate::spec::{Budget, RunSpec};
use rusqlite::{OptionalExtension, Transaction, params};
use std::fs::{File, TryLockError};

/// How a planned run and the one that is recorded under its names differ.
enum Difference {
    /// In more than the budget.
    Settings,
    /// In the budget alone, which is smaller.
    Smaller,
    /// In the budget alone, but the evaluations of the longer run do not lie where those of the shorter one do.
    Evaluations { amount: u64 },
    /// In the budget alone, and the run can go on.
    Budget,
}

impl Store {
    /// Sees to runs that are there with another id: they are extended, if that is allowed and possible, or refused. Nothing
    /// is changed before it is sure that none of them is refused.
    pub(super) fn grow(&self, experiment: &Experiment, growth: Growth) -> Result<(), StoreError> {
        let mut longer = Vec::new();
        for planned in &experiment.runs {
            let Some(known) = self.namesake(planned)? else { continue };
            self.allow(&known, planned, growth)?;
            longer.push((known, planned));
        }
        for (known, _) in &longer {
            drop(self.lock(&known.id)?);
            self.intact_run(known.number)?;
        }
        longer.into_iter().try_for_each(|(known, planned)| self.extend(&known, planned))
    }

    /// Whether the run with the environment, agent and seed of `planned` is here with a smaller budget. One that cannot be
    /// extended to `planned` is an error.
    pub fn grows_to(&self, planned: &Planned) -> Result<bool, StoreError> {
        let Some(known) = self.namesake(planned)? else { return Ok(false) };
        self.allow(&known, planned, Growth::Extend)?;
        Ok(true)
    }

    /// Extends the run that [`Store::grows_to`] has found.
    pub fn grow_to(&self, planned: &Planned) -> Result<(), StoreError> {
        self.namesake(planned)?.map_or(Ok(()), |known| self.extend(&known, planned))
    }

    /// Says so where runs of one agent in one environment have different budgets: a mean over them is one of runs that are not
    /// alike.
    pub fn uneven(&self) -> Result<Option<String>, StoreError> {
        let sql = "SELECT env, agent, unit, min(budget), max(budget) FROM runs GROUP BY env, agent, unit \
                   HAVING min(budget) <> max(budget) ORDER BY min(place)";
        let connection = self.connection();
        let found = connection.prepare(sql).and_then(|mut query| {
            let rows = query.query_map([], |row| {
                let (env, agent, unit) =
                    (row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?);
                let (least, most) = (row.get::<_, i64>(3)?, row.get::<_, i64>(4)?);
                Ok(format!("{agent} on {env} has runs of {least} and of {most} {unit}"))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        });
        let found = found.map_err(|error| self.sql(error))?;
        let more = match found.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" (and {more} more are like that)"),
        };
        Ok(found.first().map(|first| {
            format!(
                "{first}{more}: what is said of them together is not of one length; --extend makes them equal"
            )
        }))
    }

    /// Whether a run that is there may be extended to what is planned.
    fn allow(&self, known: &RunRow, planned: &Planned, growth: Growth) -> Result<(), StoreError> {
        let how = match difference(known, planned) {
            Difference::Budget if growth == Growth::Extend => return Ok(()),
            Difference::Budget => format!(
                "with a budget of {}: add --extend to go on with it to {}, or name another folder with --out",
                written(known.spec.budget),
                written(planned.spec.budget)
            ),
            Difference::Evaluations { amount } => format!(
                "with a budget of {}, and its evaluations do not lie where those of {} would: extend it to a \
                 multiple such as {}, or name another folder with --out",
                written(known.spec.budget),
                written(planned.spec.budget),
                written(same_unit(known.spec.budget, amount))
            ),
            Difference::Smaller => format!(
                "with a budget of {}, and runs are not cut down to {}: ask for more, with --extend, or name another \
                 folder with --out",
                written(known.spec.budget),
                written(planned.spec.budget)
            ),
            Difference::Settings => {
                "but with other settings or another kind of budget: name another folder with --out (in an experiment \
                 file, give the agent another name)"
                    .into()
            }
        };
        let RunSpec { env, agent, seed, .. } = &planned.spec;
        let run = format!("{agent} on {env} with seed {seed}");
        Err(StoreError::Clash { folder: self.folder().into(), run, how })
    }

    /// The lock on a run's folder, which nobody else may have.
    fn lock(&self, id: &str) -> Result<File, StoreError> {
        let at_work = || StoreError::AtWork { folder: self.folder().into(), id: id.into() };
        self.try_lock(id)?.ok_or_else(at_work)
    }

    /// The run with the environment, agent and seed of `planned`, if it has another id.
    fn namesake(&self, planned: &Planned) -> Result<Option<RunRow>, StoreError> {
        let sql = "SELECT id FROM runs WHERE env = ?1 AND agent = ?2 AND seed = ?3";
        let RunSpec { env, agent, seed, .. } = &planned.spec;
        let found: Option<String> = self
            .connection()
            .query_row(sql, params![env, agent, seed.to_string()], |row| row.get(0))
            .optional()
            .map_err(|error| self.sql(error))?;
        found.filter(|id| *id != planned.id).map(|id| self.run(&id)).transpose()
    }

    /// Gives a run the budget, and so the id, of `planned`. It is then to be done from where it was.
    fn extend(&self, known: &RunRow, planned: &Planned) -> Result<(), StoreError> {
        let _lock = self.lock(&known.id)?;
        // Only now, with the lock in hand, is it sure not to change.
        let known = self.run(&known.id)?;
        let (mut kept, mut steps_before) = (Vec::new(), 0);
        self.each_episode(known.number, |record: &Record| {
            if planned.evaluation.due(planned.spec.budget, record, steps_before) {
                kept.push(record.episode);
            }
            steps_before = record.steps;
            Ok::<_, StoreError>(())
        })?;
        self.evaluations(known.number)?;
        let (Budget::Episodes(budget) | Budget::Steps(budget)) = planned.spec.budget;
        let former = [&known.former[..], std::slice::from_ref(&known.id)].concat().join(",");
        let sql = "UPDATE runs SET id = ?2, budget = ?3, former = ?4, status = 'pending', error = NULL, again = 0, \
                   starts = 0, finished = NULL, episodes = NULL, steps = NULL, updates = NULL, \
                   first_reward_episode = NULL, solved_episode = NULL, mean_return_last_100 = NULL, seconds = NULL, \
                   weights_sha256 = NULL, judgement = NULL, curves_sha256 = '' WHERE number = ?1";
        self.change(known.number, |transaction| {
            keep_evaluations(transaction, known.number, &kept)?;
            transaction.execute("DELETE FROM curves WHERE run = ?1", [known.number])?;
            transaction.execute(sql, params![known.number, planned.id, budget as i64, former])
        })
    }

    /// The lock on a run's folder, if nobody has it: its holder alone may work on the run.
    pub fn try_lock(&self, id: &str) -> Result<Option<File>, StoreError> {
        let folder = self.run_folder(id);
        let unusable = |error| StoreError::Folder { folder: folder.clone(), error };
        let lock = std::fs::create_dir_all(&folder)
            .and_then(|()| File::options().create(true).append(true).open(folder.join("lock")))
            .map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }
}

fn difference(known: &RunRow, planned: &Planned) -> Difference {
    let same = RunSpec { budget: known.spec.budget, ..planned.spec.clone() };
    let (before, after) = match (known.spec.budget, planned.spec.budget) {
        (Budget::Episodes(before), Budget::Episodes(after))
        | (Budget::Steps(before), Budget::Steps(after)) => (before, after),
        _ => return Difference::Settings,
    };
    if same != known.spec || planned.evaluation != known.evaluation {
        return Difference::Settings;
    }
    if after <= before {
        Difference::Smaller
    } else if aligned(planned.evaluation, before, after) {
        Difference::Budget
    } else {
        Difference::Evaluations { amount: before.saturating_mul(after.div_ceil(before.max(1))) }
    }
}

/// Whether a run of `after` is evaluated, as long as it is in the first `before` of it, nowhere but where a run of
/// `before` is.
fn aligned(evaluation: Evaluation, before: u64, after: u64) -> bool {
    evaluation.times == 0 || after.is_multiple_of(before.max(1))
}

/// Leaves a run the evaluations after these episodes alone.
fn keep_evaluations(transaction: &Transaction<'_>, number: i64, kept: &[u64]) -> rusqlite::Result<()> {
    let mut query = transaction.prepare("SELECT episode FROM evaluations WHERE run = ?1")?;
    let there: Vec<i64> = query.query_map([number], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for episode in there.into_iter().filter(|&episode| kept.binary_search(&(episode as u64)).is_err()) {
        let sql = "DELETE FROM evaluations WHERE run = ?1 AND episode = ?2";
        transaction.execute(sql, params![number, episode])?;
    }
    EVALUATIONS.record(transaction, number, &EVALUATIONS.present(transaction, number)?)
}

fn same_unit(budget: Budget, amount: u64) -> Budget {
    match budget {
        Budget::Episodes(_) => Budget::Episodes(amount),
        Budget::Steps(_) => Budget::Steps(amount),
    }
}

fn written(budget: Budget) -> String {
    match budget {
        Budget::Episodes(amount) => format!("{amount} episodes"),
        Budget::Steps(amount) => format!("{amount} steps"),
    }
}
