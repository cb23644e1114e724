//! Learning curves: the mean return in each of a few hundred equal parts of a run's budget.

use super::digest::{CURVES, real, real_or_none};
use super::{RunRow, Status, Store, StoreError};
use crate::spec::Budget;
use rusqlite::{Row, Transaction, params};

/// Parts into which a run's budget is divided.
pub const BINS: u64 = 200;

/// A point of a learning curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Which part of the budget, from 0.
    pub bin: u64,
    /// Episodes that ended in it.
    pub episodes: u64,
    /// The mean of their returns.
    pub mean_return: f64,
    /// The mean of their lengths.
    pub mean_length: f64,
    /// The mean of sigma at the start, where it was looked at.
    pub sigma: Option<f64>,
    /// The mean of the spread at the start, where it was looked at.
    pub spread: Option<f64>,
}

/// The query that makes a curve from episodes.
fn aggregate(budget: Budget) -> (String, i64) {
    let (counter, amount) = match budget {
        Budget::Episodes(episodes) => ("episode", episodes),
        Budget::Steps(steps) => ("steps", steps),
    };
    let sql = format!(
        "SELECT min(({counter} - 1) * {BINS} / ?2, {BINS} - 1) AS bin, count(*), avg(return), avg(length), \
         avg(sigma), avg(spread) FROM episodes WHERE run = ?1 GROUP BY bin ORDER BY bin"
    );
    (sql, amount.max(1) as i64)
}

/// Keeps the curve of a run whose episodes are all recorded.
pub(super) fn keep(transaction: &Transaction<'_>, run: &RunRow) -> rusqlite::Result<()> {
    let (sql, amount) = aggregate(run.spec.budget);
    transaction.execute("DELETE FROM curves WHERE run = ?1", [run.number])?;
    let columns = "INSERT INTO curves (bin, episodes, mean_return, mean_length, sigma, spread, run)";
    let insert = format!("{columns} SELECT *, ?1 FROM ({sql})");
    transaction.execute(&insert, params![run.number, amount])?;
    Ok(())
}

impl Store {
    /// The curve of a run: kept if it is done, else from the episodes so far.
    pub fn curve(&self, run: &RunRow) -> Result<Vec<CurvePoint>, StoreError> {
        if run.status == Status::Done {
            return self.all(&CURVES, run.number, point);
        }
        let (sql, amount) = aggregate(run.spec.budget);
        let connection = self.connection();
        let query = || {
            let mut statement = connection.prepare(&sql)?;
            let rows = statement.query_map(params![run.number, amount], point)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        query().map_err(|error| self.sql(error))
    }
}

fn point(row: &Row<'_>) -> rusqlite::Result<CurvePoint> {
    Ok(CurvePoint {
        bin: row.get::<_, i64>(0)? as u64,
        episodes: row.get::<_, i64>(1)? as u64,
        mean_return: real(row, 2)?,
        mean_length: real(row, 3)?,
        sigma: real_or_none(row, 4)?,
        spread: real_or_none(row, 5)?,
    })
}
