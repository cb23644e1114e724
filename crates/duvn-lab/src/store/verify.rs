//! Everything that can be found out about the state of the records.

use super::digest::Part;
use super::episodes::altered;
use super::runs::{Fault, read};
use super::{RunRow, Store, StoreError, facts};
use rusqlite::Connection;

/// A run as it was found.
pub struct Verified {
    /// Its number in the database.
    pub number: i64,
    /// The run, if its row can be read.
    pub run: Option<RunRow>,
    /// What is wrong with its row or its records.
    pub faults: Vec<String>,
}

impl Store {
    /// What SQLite finds wrong with its file.
    pub fn integrity(&self) -> Result<Vec<String>, StoreError> {
        let connection = self.connection();
        let query = || {
            let mut query = connection.prepare("PRAGMA integrity_check")?;
            query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
        };
        let mut found = query().map_err(|error| self.sql(error))?;
        found.retain(|line| line != "ok");
        Ok(found)
    }

    /// Looks at every record of every run.
    pub fn verify(&self) -> Result<Vec<Verified>, StoreError> {
        let connection = self.connection();
        let query = || {
            let moment = connection.unchecked_transaction()?;
            let mut query = moment.prepare("SELECT * FROM runs ORDER BY place, number")?;
            let rows = query.query_map([], |row| Ok((row.get::<_, i64>("number")?, read(row))))?;
            let mut verified = Vec::new();
            for row in rows {
                let (number, run) = row?;
                let mut faults = altered_parts(&moment, number)?;
                let run = match run {
                    Ok(run) => Some(run),
                    Err(Fault::Damaged(what) | Fault::Unreadable(what)) => {
                        faults.push(what);
                        None
                    }
                };
                verified.push(Verified { number, run, faults });
            }
            Ok(verified)
        };
        query().map_err(|error| self.sql(error))
    }

    /// Whether every record of every run is as it was written: the first that is not is the error.
    pub fn intact(&self) -> Result<(), StoreError> {
        match self.verify()?.into_iter().flat_map(|found| found.faults).next() {
            Some(fault) => Err(self.damaged(fault)),
            None => Ok(()),
        }
    }

    /// Whether every record of one run is as it was written: about a microsecond a record.
    pub fn intact_run(&self, number: i64) -> Result<(), StoreError> {
        let connection = self.connection();
        let query = || {
            let moment = connection.unchecked_transaction()?;
            altered_parts(&moment, number)
        };
        match query().map_err(|error| self.sql(error))?.into_iter().next() {
            Some(fault) => Err(self.damaged(fault)),
            None => Ok(()),
        }
    }

    /// Takes a run out of the records, with all that is recorded of it: whoever plans it again does it again.
    pub fn forget(&self, number: i64) -> Result<(), StoreError> {
        self.in_transaction(|transaction| {
            for table in ["episodes", "evaluations", "beliefs", "timing", "curves"] {
                transaction.execute(&format!("DELETE FROM {table} WHERE run = ?1"), [number])?;
            }
            transaction.execute("DELETE FROM runs WHERE number = ?1", [number])?;
            facts::seal(transaction)
        })
    }
}

/// Which parts of the records of a run are not what was recorded, a sentence each.
fn altered_parts(connection: &Connection, number: i64) -> rusqlite::Result<Vec<String>> {
    let mut faults = Vec::new();
    for part in Part::ALL {
        if part.present(connection, number)? != part.recorded(connection, number)? {
            faults.push(altered(connection, number, part));
        }
    }
    Ok(faults)
}
