//! Episodes and evaluations: written in batches, taken back when a run goes on from further back.

use super::{Store, StoreError};
use crate::record::{Record, StartView};
use crate::values::Moment;
use rusqlite::{Row, params};

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
        self.in_transaction(|transaction| {
            let sql = "INSERT INTO episodes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
            let mut insert = transaction.prepare_cached(sql)?;
            for record in records {
                let Record { episode, ret, length, steps, loss, start } = *record;
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
                ])?;
            }
            let mut insert = transaction.prepare_cached("INSERT INTO evaluations VALUES (?1, ?2, ?3, ?4)")?;
            for EvaluationRow { episode, steps, mean_return } in evaluations {
                insert.execute(params![number, *episode as i64, *steps as i64, mean_return])?;
            }
            super::beliefs::add(transaction, number, moments)?;
            let sql = "INSERT OR REPLACE INTO timing VALUES (?1, ?2, ?3)";
            transaction.execute(sql, params![number, steps as i64, seconds])
        })?;
        Ok(())
    }

    /// How many episodes of a run are recorded.
    pub fn recorded(&self, number: i64) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(max(episode), 0) FROM episodes WHERE run = ?1";
        let count: i64 =
            self.connection().query_row(sql, [number], |row| row.get(0)).map_err(|error| self.sql(error))?;
        Ok(count.max(0) as u64)
    }

    /// Takes back what is recorded of a run after episode `episode` and step `steps`.
    pub fn rewind(&self, number: i64, episode: u64, steps: u64) -> Result<(), StoreError> {
        self.in_transaction(|transaction| {
            let after = params![number, episode as i64];
            transaction.execute("DELETE FROM episodes WHERE run = ?1 AND episode > ?2", after)?;
            transaction.execute("DELETE FROM evaluations WHERE run = ?1 AND episode > ?2", after)?;
            transaction.execute("DELETE FROM beliefs WHERE run = ?1 AND episode > ?2", after)?;
            let sql = "DELETE FROM timing WHERE run = ?1 AND steps > ?2";
            transaction.execute(sql, params![number, steps as i64])
        })?;
        Ok(())
    }

    /// Gives every episode of a run to `each`, in order.
    pub fn each_episode<E: From<StoreError>>(
        &self,
        number: i64,
        mut each: impl FnMut(&EpisodeRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let connection = self.connection();
        let sql = |error| E::from(self.sql(error));
        let text = "SELECT episode, return, length, steps, loss, value, sigma, spread FROM episodes \
                    WHERE run = ?1 ORDER BY episode";
        let mut statement = connection.prepare_cached(text).map_err(sql)?;
        let mut rows = statement.query([number]).map_err(sql)?;
        while let Some(row) = rows.next().map_err(sql)? {
            each(&episode(row).map_err(sql)?)?;
        }
        Ok(())
    }

    /// Gives the return of every episode of a run to `each`, in order, until that wants no more.
    pub fn each_return(&self, number: i64, mut each: impl FnMut(f64) -> bool) -> Result<(), StoreError> {
        let connection = self.connection();
        let mut query = || {
            let text = "SELECT return FROM episodes WHERE run = ?1 ORDER BY episode";
            let mut statement = connection.prepare_cached(text)?;
            let mut rows = statement.query([number])?;
            while let Some(row) = rows.next()? {
                if !each(row.get(0)?) {
                    break;
                }
            }
            Ok(())
        };
        query().map_err(|error| self.sql(error))
    }

    /// The evaluations of a run, in order.
    pub fn evaluations(&self, number: i64) -> Result<Vec<EvaluationRow>, StoreError> {
        let sql = "SELECT episode, steps, mean_return FROM evaluations WHERE run = ?1 ORDER BY episode";
        self.list(sql, number, |row| {
            Ok(EvaluationRow {
                episode: row.get::<_, i64>(0)? as u64,
                steps: row.get::<_, i64>(1)? as u64,
                mean_return: row.get(2)?,
            })
        })
    }

    /// The seconds that a run had taken at some of its steps: (steps, seconds).
    pub fn timing(&self, number: i64) -> Result<Vec<(u64, f64)>, StoreError> {
        let sql = "SELECT steps, seconds FROM timing WHERE run = ?1 ORDER BY steps";
        self.list(sql, number, |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?)))
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
    let start = match row.get::<_, Option<f64>>(5)? {
        Some(value) => Some(StartView { value, sigma: row.get(6)?, spread: row.get(7)? }),
        None => None,
    };
    Ok(Record {
        episode: whole(0)?,
        ret: row.get(1)?,
        length: whole(2)?,
        steps: whole(3)?,
        // SQLite has no NaN: it keeps nothing instead.
        loss: row.get::<_, Option<f64>>(4)?.unwrap_or(f64::NAN),
        start,
    })
}
