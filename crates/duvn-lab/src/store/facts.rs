//! What the records say of the experiment as a whole: its name, how it is shown, how many runs it has. A seal is over all of it.

use super::digest::{Cells, hexadecimal};
use rusqlite::{Connection, OptionalExtension, Transaction};
use sha2::{Digest, Sha256};

/// Counts the runs, and seals all facts. Rows have seals of their own; the number tells of a row that is gone.
pub(super) fn seal(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO experiment SELECT 'runs', CAST(count(*) AS TEXT) FROM runs";
    transaction.execute(sql, [])?;
    let sum = sum(transaction)?;
    transaction.execute("INSERT OR REPLACE INTO experiment VALUES ('seal', ?1)", [sum])?;
    Ok(())
}

/// Whether all facts are as they were sealed, and all runs there. Older versions did not count them.
pub(super) fn are_sealed(connection: &Connection) -> rusqlite::Result<bool> {
    // At one moment: another program may be adding runs. By the table, because an index may have what the table has lost.
    let moment = connection.unchecked_transaction()?;
    let count = moment.query_row("SELECT count(*) FROM runs NOT INDEXED", [], |row| row.get::<_, i64>(0))?;
    let counted = fact(&moment, "runs")?.is_none_or(|counted| counted == count.to_string());
    Ok(counted && fact(&moment, "seal")? == Some(sum(&moment)?))
}

/// One of the facts.
pub(super) fn fact(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT value FROM experiment WHERE key = ?1";
    connection.query_row(sql, [key], |row| row.get(0)).optional()
}

fn sum(connection: &Connection) -> rusqlite::Result<String> {
    let mut query =
        connection.prepare("SELECT key, value FROM experiment WHERE key <> 'seal' ORDER BY key")?;
    let mut rows = query.query([])?;
    let mut hash = Sha256::new();
    while let Some(row) = rows.next()? {
        hash.update(Cells::of(row, &[false, false])?.bytes());
    }
    Ok(hexadecimal(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By one changed byte a database can come to have no rows at all.
    #[test]
    fn a_run_that_is_gone_is_noticed() {
        for change in [
            "DELETE FROM runs WHERE number = 2",
            "DELETE FROM runs",
            "INSERT INTO runs VALUES (3)",
            "UPDATE experiment SET value = '1' WHERE key = 'runs'",
            "DELETE FROM experiment WHERE key = 'runs'",
            "UPDATE experiment SET value = 'b' WHERE key = 'name'",
        ] {
            let mut connection = Connection::open_in_memory().unwrap();
            let tables = "CREATE TABLE experiment (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
                CREATE TABLE runs (number INTEGER PRIMARY KEY);
                INSERT INTO experiment VALUES ('name', 'a'); INSERT INTO runs VALUES (1), (2);";
            connection.execute_batch(tables).unwrap();
            let transaction = connection.transaction().unwrap();
            seal(&transaction).unwrap();
            transaction.commit().unwrap();
            assert!(are_sealed(&connection).unwrap());
            connection.execute_batch(change).unwrap();
            assert!(!are_sealed(&connection).unwrap(), "{change}");
        }
    }
}
