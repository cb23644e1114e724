//! Digests of records, so that no byte of them changes unnoticed.
//!
//! The rows of each table of a run are a chain: each link is the SHA-256 of the link before and of the row. The last
//! link stands in the run's row; it grows with every row that is recorded and costs well under a microsecond. The run's
//! row itself has a seal: the SHA-256 of all its other columns.

use super::EvaluationRow;
use crate::calibration::Calibration;
use crate::record::Record;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};
use sha2::{Digest, Sha256};

/// The digest of rows, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chain {
    /// Empty before the first row.
    last: Vec<u8>,
}

impl Chain {
    /// The chain whose last link is written so.
    pub fn written(text: &str) -> Self {
        let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2).unwrap_or(""), 16).unwrap_or(0);
        Chain { last: (0..text.len()).step_by(2).map(byte).collect() }
    }

    /// The last link, in hexadecimal digits.
    pub fn text(&self) -> String {
        hexadecimal(&self.last)
    }

    /// Adds a row.
    pub fn push(&mut self, row: &Cells) {
        let mut hash = Sha256::new();
        hash.update(&self.last);
        hash.update(&row.0);
        self.last = hash.finalize().to_vec();
    }
}

/// The cells of a row as bytes: what the database keeps of them, which is no NaN and no negative zero.
#[derive(Default)]
pub(super) struct Cells(Vec<u8>);

impl Cells {
    /// A whole number.
    pub fn whole(mut self, number: i64) -> Self {
        self.0.push(1);
        self.0.extend(number.to_le_bytes());
        self
    }

    /// A number, or nothing.
    pub fn real(mut self, number: Option<f64>) -> Self {
        match number.filter(|number| !number.is_nan()) {
            Some(number) => {
                self.0.push(2);
                self.0.extend((number + 0.0).to_bits().to_le_bytes());
            }
            None => self.0.push(0),
        }
        self
    }

    /// Text.
    pub fn text(mut self, text: &[u8]) -> Self {
        self.0.push(3);
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text);
        self
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The cells of an episode.
    pub fn episode(record: &Record) -> Self {
        let Record { episode, ret, denoised, length, steps, loss, start } = *record;
        let cells = Cells::default()
            .whole(episode as i64)
            .real(Some(ret))
            .whole(length as i64)
            .whole(steps as i64)
            .real(Some(loss))
            .real(start.map(|start| start.value))
            .real(start.map(|start| start.sigma))
            .real(start.map(|start| start.spread));
        match denoised.filter(|number| !number.is_nan()) {
            Some(denoised) => cells.real(Some(denoised)),
            None => cells,
        }
    }

    /// The cells of an evaluation.
    pub fn evaluation(row: &EvaluationRow) -> Self {
        let EvaluationRow { episode, steps, mean_return, calibration } = *row;
        let cells = Cells::default().whole(episode as i64).whole(steps as i64).real(Some(mean_return));
        match calibration {
            Some(Calibration { believed, sigma, earned, covered }) => {
                cells.real(Some(believed)).real(Some(sigma)).real(Some(earned)).real(covered)
            }
            None => cells,
        }
    }

    /// The cells of a row of the database. Columns of real numbers are where `real` says.
    pub fn of(row: &Row<'_>, real: &[bool]) -> rusqlite::Result<Self> {
        let mut cells = Cells::default();
        for (column, real) in real.iter().enumerate() {
            cells = match row.get_ref(column)? {
                ValueRef::Null => cells.real(None),
                ValueRef::Integer(number) if *real => cells.real(Some(number as f64)),
                ValueRef::Integer(number) => cells.whole(number),
                ValueRef::Real(number) => cells.real(Some(number)),
                ValueRef::Text(text) | ValueRef::Blob(text) => cells.text(text),
            };
        }
        Ok(cells)
    }
}

/// A number of a row as its digest has it, where no zero is negative: the sign of a zero is the one bit of a record that no
/// digest covers, so nobody reads it.
pub(super) fn real(row: &Row<'_>, column: usize) -> rusqlite::Result<f64> {
    Ok(row.get::<_, f64>(column)? + 0.0)
}

/// The same, or nothing.
pub(super) fn real_or_none(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<f64>> {
    Ok(row.get::<_, Option<f64>>(column)?.map(|number| number + 0.0))
}

/// A table with the records of runs.
pub(super) struct Part {
    /// What its rows are.
    pub what: &'static str,
    /// Its rows of run `?1`, in order.
    pub select: &'static str,
    /// Which columns of these are real numbers.
    pub real: &'static [bool],
    /// How many of these there were at first. Later ones count only where one of them holds something, so that rows of
    /// earlier versions keep their digest.
    pub first: usize,
    /// The column of `runs` with its digest.
    pub column: &'static str,
}

pub(super) const EPISODES: Part = Part {
    what: "episodes",
    select: "SELECT episode, return, length, steps, loss, value, sigma, spread, denoised FROM episodes \
             WHERE run = ?1 ORDER BY episode",
    real: &[false, true, false, false, true, true, true, true, true],
    first: 8,
    column: "episodes_sha256",
};
pub(super) const EVALUATIONS: Part = Part {
    what: "evaluations",
    select: "SELECT episode, steps, mean_return, believed, sigma, earned, covered FROM evaluations WHERE run = ?1 \
             ORDER BY episode",
    real: &[false, false, true, true, true, true, true],
    first: 3,
    column: "evaluations_sha256",
};
pub(super) const BELIEFS: Part = Part {
    what: "beliefs",
    select: "SELECT episode, state, mean, sigma, spread, probability, action, epistemic, aleatoric FROM beliefs \
             WHERE run = ?1 ORDER BY episode, state, action",
    real: &[false, false, true, true, true, true, false, true, true],
    first: 7,
    column: "beliefs_sha256",
};
pub(super) const TIMING: Part = Part {
    what: "times",
    select: "SELECT steps, seconds FROM timing WHERE run = ?1 ORDER BY steps",
    real: &[false, true],
    first: 2,
    column: "timing_sha256",
};
pub(super) const CURVES: Part = Part {
    what: "curve",
    select: "SELECT bin, episodes, mean_return, mean_length, sigma, spread FROM curves WHERE run = ?1 ORDER BY bin",
    real: &[false, false, true, true, true, true],
    first: 6,
    column: "curves_sha256",
};

impl Part {
    /// Every table.
    pub const ALL: [&'static Part; 5] = [&EPISODES, &EVALUATIONS, &BELIEFS, &TIMING, &CURVES];

    /// The digest that is recorded for run `number`.
    pub fn recorded(&self, connection: &Connection, number: i64) -> rusqlite::Result<Chain> {
        let sql = format!("SELECT {} FROM runs WHERE number = ?1", self.column);
        let text: String = connection.prepare_cached(&sql)?.query_row([number], |row| row.get(0))?;
        Ok(Chain::written(&text))
    }

    /// Records a digest for run `number`. [`seal`] must come after it.
    pub fn record(&self, connection: &Connection, number: i64, chain: &Chain) -> rusqlite::Result<()> {
        let sql = format!("UPDATE runs SET {} = ?2 WHERE number = ?1", self.column);
        connection.prepare_cached(&sql)?.execute(params![number, chain.text()])?;
        Ok(())
    }

    /// The digest of the rows that are there.
    pub fn present(&self, connection: &Connection, number: i64) -> rusqlite::Result<Chain> {
        let mut chain = Chain::default();
        let mut statement = connection.prepare_cached(self.select)?;
        let mut rows = statement.query([number])?;
        while let Some(row) = rows.next()? {
            chain.push(&self.cells(row)?);
        }
        Ok(chain)
    }

    /// The cells of one of its rows.
    pub fn cells(&self, row: &Row<'_>) -> rusqlite::Result<Cells> {
        let mut count = self.first;
        for column in self.first..self.real.len() {
            if row.get_ref(column)? != ValueRef::Null {
                count = self.real.len();
            }
        }
        Cells::of(row, &self.real[..count])
    }
}

/// Seals the row of run `number` as it is.
pub(super) fn seal(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    let select = "SELECT * FROM runs WHERE number = ?1";
    let sum = connection.prepare_cached(select)?.query_row([number], sum)?;
    connection
        .prepare_cached("UPDATE runs SET seal = ?2 WHERE number = ?1")?
        .execute(params![number, sum])?;
    Ok(())
}

/// The digest of all columns of a row of `runs` but its seal.
pub(super) fn sum(row: &Row<'_>) -> rusqlite::Result<String> {
    let mut hash = Sha256::new();
    for (column, name) in row.as_ref().column_names().enumerate() {
        if name != "seal" {
            let cells = match row.get_ref(column)? {
                ValueRef::Null => Cells::default().real(None),
                ValueRef::Integer(number) => Cells::default().whole(number),
                ValueRef::Real(number) => Cells::default().real(Some(number)),
                ValueRef::Text(text) | ValueRef::Blob(text) => Cells::default().text(text),
            };
            hash.update(Cells::default().text(name.as_bytes()).0);
            hash.update(cells.0);
        }
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// The digest of several texts.
pub(super) fn of_texts(texts: &[&str]) -> String {
    let cells = texts.iter().fold(Cells::default(), |cells, text| cells.text(text.as_bytes()));
    hexadecimal(&Sha256::digest(&cells.0))
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_the_same_in_one_go_and_in_parts_and_knows_the_order() {
        let rows = || [1, 2, 3].map(|number| Cells::default().whole(number));
        let mut whole = Chain::default();
        rows().iter().for_each(|row| whole.push(row));
        let mut parts = Chain::default();
        for row in &rows() {
            parts = Chain::written(&parts.text());
            parts.push(row);
        }
        assert_eq!((whole.text(), whole.text().len()), (parts.text(), 64));
        let mut turned = Chain::default();
        rows().iter().rev().for_each(|row| turned.push(row));
        assert_ne!(turned, whole);
        assert_eq!(Chain::default().text(), "");
    }

    #[test]
    fn what_the_database_cannot_tell_apart_has_one_digest() {
        let cells = |number| Cells::default().real(number).0;
        assert_eq!(cells(Some(-0.0)), cells(Some(0.0)));
        assert_eq!(cells(Some(f64::NAN)), cells(None));
        assert_ne!(cells(Some(0.0)), cells(None));
        assert_ne!(cells(Some(1.0)), Cells::default().whole(1).0);
    }
}
