//! Episodes and evaluations: written in batches, taken back when a run goes on from further back.

use super::digest::{self, BELIEFS, Cells, Chain, EPISODES, EVALUATIONS, Part, TIMING, real, real_or_none};
use super::{Store, StoreError};
use crate::beliefs::Moment;
use crate::calibration::Calibration;
use crate::record::{Record, StartView};
use rusqlite::{Connection, Row, Transaction, params};

/// An episode as it is recorded.
pub type EpisodeRow = Record;

/// An evaluation on the policy of the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationRow {
    /// Finished episodes of the run at the time.
    pub episode: u64,
    /// Environment steps of the run at the time.
    pub steps: u64,
    /// The mean return.
    pub mean_return: f64,
    /// What was believed at the starts beside what was earned; evaluations of earlier versions have none.
    pub calibration: Option<Calibration>,
}

impl Store {
    /// Records episodes, evaluations and beliefs of a run, and the seconds it has taken so far: all of it or
    /// nothing.
    pub fn append(
        &self,
        number: i64,
        records: &[Record],
        evaluations: &[EvaluationRow],
        moments: &[Moment],
        steps: u64,
        seconds: f64,
    ) -> Result<(), StoreError> {
        self.change(number, |transaction| {
            add_episodes(transaction, number, records)?;
            add_evaluations(transaction, number, evaluations)?;
            super::beliefs::add(transaction, number, moments)?;
            add_timing(transaction, number, &[(steps, seconds)])?;
            transaction.execute("UPDATE runs SET starts = 0 WHERE number = ?1", [number])
        })
    }

    /// Records episodes, evaluations and beliefs of a run before their checkpoint is due, for those who look on. A loss
    /// of power may take it back, as going on from the checkpoint does.
    pub fn append_ahead(
        &self,
        number: i64,
        records: &[Record],
        evaluations: &[EvaluationRow],
        moments: &[Moment],
    ) -> Result<(), StoreError> {
        self.in_light_transaction(|transaction| {
            add_episodes(transaction, number, records)?;
            add_evaluations(transaction, number, evaluations)?;
            super::beliefs::add(transaction, number, moments)?;
            digest::seal(transaction, number)
        })
    }

    /// Gives the episodes of a run after episode `after` to `each`, in order, unchecked: for those who look on while they
    /// come.
    pub fn each_episode_after(
        &self,
        number: i64,
        after: u64,
        mut each: impl FnMut(&EpisodeRow),
    ) -> Result<(), StoreError> {
        let sql = "SELECT episode, return, length, steps, loss, value, sigma, spread, denoised FROM episodes \
                   WHERE run = ?1 AND episode > ?2 ORDER BY episode";
        let connection = self.connection();
        let mut read = || {
            let mut query = connection.prepare_cached(sql)?;
            let mut rows = query.query(params![number, after as i64])?;
            while let Some(row) = rows.next()? {
                each(&episode(row)?);
            }
            Ok(())
        };
        read().map_err(|error| self.sql(error))
    }

    /// How many episodes of a run are recorded.
    pub fn recorded(&self, number: i64) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(max(episode), 0) FROM episodes WHERE run = ?1";
        let count: i64 =
            self.connection().query_row(sql, [number], |row| row.get(0)).map_err(|error| self.sql(error))?;
        Ok(count.max(0) as u64)
    }

    /// The last recorded episode of a run, and the steps that the run had made when the one before it ended.
    pub fn last_episode(&self, number: i64) -> Result<Option<(EpisodeRow, u64)>, StoreError> {
        let sql = "SELECT episode, return, length, steps, loss, value, sigma, spread, denoised FROM episodes \
                   WHERE run = ?1 ORDER BY episode DESC LIMIT 2";
        let mut rows = self.list(sql, number, episode)?.into_iter();
        Ok(rows.next().map(|last| (last, rows.next().map_or(0, |before| before.steps))))
    }

    /// Whether an evaluation of a run after so many episodes is recorded.
    pub fn evaluated(&self, number: i64, episode: u64) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM evaluations WHERE run = ?1 AND episode = ?2", number, episode)
    }

    pub(super) fn exists(&self, sql: &str, number: i64, episode: u64) -> Result<bool, StoreError> {
        let connection = self.connection();
        let found = connection
            .prepare_cached(sql)
            .and_then(|mut query| query.exists(params![number, episode as i64]));
        found.map_err(|error| self.sql(error))
    }

    /// Takes back what is recorded of a run after episode `episode` and step `steps`. What is recorded must be as it
    /// was written.
    pub fn rewind(&self, number: i64, episode: u64, steps: u64) -> Result<(), StoreError> {
        let intact = self.in_transaction(|transaction| {
            for part in [&EPISODES, &EVALUATIONS, &BELIEFS, &TIMING] {
                if part.present(transaction, number)? != part.recorded(transaction, number)? {
                    return Ok(Err(altered(transaction, number, part)));
                }
            }
            let after = params![number, episode as i64];
            transaction.execute("DELETE FROM episodes WHERE run = ?1 AND episode > ?2", after)?;
            transaction.execute("DELETE FROM evaluations WHERE run = ?1 AND episode > ?2", after)?;
            transaction.execute("DELETE FROM beliefs WHERE run = ?1 AND episode > ?2", after)?;
            let sql = "DELETE FROM timing WHERE run = ?1 AND steps > ?2";
            transaction.execute(sql, params![number, steps as i64])?;
            for part in [&EPISODES, &EVALUATIONS, &BELIEFS, &TIMING] {
                part.record(transaction, number, &part.present(transaction, number)?)?;
            }
            digest::seal(transaction, number)?;
            Ok(Ok(()))
        })?;
        intact.map_err(|what| self.damaged(what))
    }

    /// Gives every episode of a run to `each`, in order.
    pub fn each_episode<E: From<StoreError>>(
        &self,
        number: i64,
        mut each: impl FnMut(&EpisodeRow) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_row(&EPISODES, number, |row| each(&episode(row).map_err(|error| E::from(self.sql(error)))?))
    }

    /// Gives the return of every episode of a run to `each`, in order, until that wants no more.
    pub fn each_return(&self, number: i64, mut each: impl FnMut(f64) -> bool) -> Result<(), StoreError> {
        let mut wanted = true;
        self.each_episode(number, |row| {
            wanted = wanted && each(row.ret);
            Ok(())
        })
    }

    /// The evaluations of a run, in order.
    pub fn evaluations(&self, number: i64) -> Result<Vec<EvaluationRow>, StoreError> {
        self.all(&EVALUATIONS, number, |row| {
            Ok(EvaluationRow {
                episode: row.get::<_, i64>(0)? as u64,
                steps: row.get::<_, i64>(1)? as u64,
                mean_return: real(row, 2)?,
                calibration: calibration(row)?,
            })
        })
    }

    /// The seconds that a run had taken at some of its steps: (steps, seconds).
    pub fn timing(&self, number: i64) -> Result<Vec<(u64, f64)>, StoreError> {
        self.all(&TIMING, number, |row| Ok((row.get::<_, i64>(0)? as u64, real(row, 1)?)))
    }

    /// The seconds that a run had taken when they were last recorded.
    pub fn last_seconds(&self, number: i64) -> Result<Option<f64>, StoreError> {
        let sql = "SELECT max(seconds) FROM timing WHERE run = ?1";
        let seconds = self.connection().query_row(sql, [number], |row| row.get(0));
        seconds.map_err(|error| self.sql(error))
    }

    /// Every row of a part of a run's records, which must be as they were written.
    pub(super) fn all<T>(
        &self,
        part: &Part,
        number: i64,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        self.each_row(part, number, |row| {
            rows.push(read(row).map_err(|error| self.sql(error))?);
            Ok::<_, StoreError>(())
        })?;
        Ok(rows)
    }

    /// Gives every row of a part of a run's records to `each`, in order. In the end they must prove to be as they were
    /// written.
    fn each_row<E: From<StoreError>>(
        &self,
        part: &Part,
        number: i64,
        mut each: impl FnMut(&Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = |error| E::from(self.sql(error));
        let mut chain = Chain::default();
        let connection = self.connection();
        // Rows and digest at one moment, whoever is writing.
        let moment = connection.unchecked_transaction().map_err(sql)?;
        let recorded = part.recorded(&moment, number).map_err(sql)?;
        let mut statement = moment.prepare_cached(part.select).map_err(sql)?;
        let mut rows = statement.query([number]).map_err(sql)?;
        while let Some(row) = rows.next().map_err(sql)? {
            chain.push(&part.cells(row).map_err(sql)?);
            each(row)?;
        }
        if chain != recorded {
            return Err(self.damaged(altered(&moment, number, part)).into());
        }
        Ok(())
    }

    pub(super) fn list<T>(
        &self,
        sql: &str,
        number: i64,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let connection = self.connection();
        let query = || {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([number], |row| read(row))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        query().map_err(|error| self.sql(error))
    }
}

fn episode(row: &Row<'_>) -> rusqlite::Result<EpisodeRow> {
    let whole = |column: usize| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)? as u64);
    let start = match real_or_none(row, 5)? {
        Some(value) => Some(StartView { value, sigma: real(row, 6)?, spread: real(row, 7)? }),
        None => None,
    };
    Ok(Record {
        episode: whole(0)?,
        ret: real(row, 1)?,
        denoised: real_or_none(row, 8)?,
        length: whole(2)?,
        steps: whole(3)?,
        // SQLite has no NaN: it keeps nothing instead.
        loss: real_or_none(row, 4)?.unwrap_or(f64::NAN),
        start,
    })
}

/// What an evaluation says about what was believed, if it was recorded.
fn calibration(row: &Row<'_>) -> rusqlite::Result<Option<Calibration>> {
    let cells: [Option<f64>; 3] = [real_or_none(row, 3)?, real_or_none(row, 4)?, real_or_none(row, 5)?];
    let [Some(believed), Some(sigma), Some(earned)] = cells else { return Ok(None) };
    Ok(Some(Calibration { believed, sigma, earned, covered: real_or_none(row, 6)? }))
}

/// That a part of the records of a run is not what was recorded.
pub(super) fn altered(connection: &Connection, number: i64, part: &Part) -> String {
    let id = connection.query_row("SELECT id FROM runs WHERE number = ?1", [number], |row| row.get(0));
    let id: String = id.unwrap_or_else(|_| number.to_string());
    format!("the {} of run {id} are not those that were recorded", part.what)
}

/// Adds episodes to a run and to their digest.
pub(super) fn add_episodes(
    transaction: &Transaction<'_>,
    number: i64,
    records: &[Record],
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO episodes (run, episode, return, length, steps, loss, value, sigma, spread, denoised) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let mut insert = transaction.prepare_cached(sql)?;
    let mut chain = EPISODES.recorded(transaction, number)?;
    for record in records {
        let Record { episode, ret, denoised, length, steps, loss, start } = *record;
        insert.execute(params![
            number,
            episode as i64,
            ret,
            length as i64,
            steps as i64,
            loss,
            start.map(|start| start.value),
            start.map(|start| start.sigma),
            start.map(|start| start.spread),
            denoised,
        ])?;
        chain.push(&Cells::episode(record));
    }
    EPISODES.record(transaction, number, &chain)
}

/// Adds evaluations to a run and to their digest.
pub(super) fn add_evaluations(
    transaction: &Transaction<'_>,
    number: i64,
    evaluations: &[EvaluationRow],
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO evaluations (run, episode, steps, mean_return, believed, sigma, earned, covered) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = transaction.prepare_cached(sql)?;
    let mut chain = EVALUATIONS.recorded(transaction, number)?;
    for row in evaluations {
        let EvaluationRow { episode, steps, mean_return, calibration } = *row;
        insert.execute(params![
            number,
            episode as i64,
            steps as i64,
            mean_return,
            calibration.map(|known| known.believed),
            calibration.map(|known| known.sigma),
            calibration.map(|known| known.earned),
            calibration.and_then(|known| known.covered),
        ])?;
        chain.push(&Cells::evaluation(row));
    }
    EVALUATIONS.record(transaction, number, &chain)
}

/// Adds the seconds that a run had taken at some steps. A time that is there already stays: what comes after it is
/// measured from it.
pub(super) fn add_timing(
    transaction: &Transaction<'_>,
    number: i64,
    timing: &[(u64, f64)],
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached("INSERT OR IGNORE INTO timing VALUES (?1, ?2, ?3)")?;
    let mut chain = TIMING.recorded(transaction, number)?;
    for &(steps, seconds) in timing {
        if insert.execute(params![number, steps as i64, seconds])? > 0 {
            chain.push(&Cells::default().whole(steps as i64).real(Some(seconds)));
        }
    }
    TIMING.record(transaction, number, &chain)
}
