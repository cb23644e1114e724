//! Opening records: making them, knowing whose they are, and adding runs to them.

use super::{FILE, SCHEMA, Store, StoreError};
use crate::experiment::{Experiment, Planned, Show};
use crate::run::Budget;
use crate::settings;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// "duvn" in ASCII: marks our databases among others.
const APPLICATION: i64 = 0x6475_766e;

/// How long to wait for another program that is writing.
const PATIENCE: Duration = Duration::from_secs(60);

impl Store {
    /// Opens the records of `experiment` in `folder`, which are made if there are none, and adds the runs
    /// that are not there yet.
    pub fn open_for(folder: &Path, experiment: &Experiment) -> Result<Self, StoreError> {
        let make = |error| StoreError::Folder { folder: folder.into(), error };
        std::fs::create_dir_all(folder.join("runs")).map_err(make)?;
        let store = Store::connect(folder)?;
        store.in_transaction(|transaction| {
            if version(transaction)? == 0 {
                transaction.execute_batch(include_str!("schema.sql"))?;
                transaction.pragma_update(None, "application_id", APPLICATION)?;
                transaction.pragma_update(None, "user_version", 1)?;
                let sql = "INSERT INTO experiment VALUES ('name', ?1)";
                transaction.execute(sql, [&experiment.name])?;
            }
            migrate(transaction)
        })?;
        store.check_owner(Some(&experiment.name))?;
        store.check_clashes(experiment)?;
        store.in_transaction(|transaction| add(transaction, experiment))?;
        Ok(store)
    }

    /// Opens the records in `folder`, whosever they are.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        if !folder.join(FILE).is_file() {
            return Err(StoreError::Missing { folder: folder.into() });
        }
        let store = Store::connect(folder)?;
        store.check_owner(None)?;
        if store.connection_version()? < SCHEMA {
            store.in_transaction(migrate)?;
        }
        Ok(store)
    }

    fn connect(folder: &Path) -> Result<Self, StoreError> {
        let path: PathBuf = folder.join(FILE);
        let sql = |error: rusqlite::Error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => StoreError::Foreign { path: path.clone() },
            _ => StoreError::Sql { folder: folder.into(), error },
        };
        let connection = Connection::open(&path).map_err(sql)?;
        connection.busy_timeout(PATIENCE).map_err(sql)?;
        let (application, found) = identity(&connection).map_err(sql)?;
        if found > SCHEMA && application == APPLICATION {
            return Err(StoreError::Newer { folder: folder.into(), found });
        }
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(sql)?;
        if tables > 0 && application != APPLICATION {
            return Err(StoreError::Foreign { path });
        }
        let tune = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;";
        connection.execute_batch(tune).map_err(sql)?;
        Ok(Store { connection: Mutex::new(connection), folder: folder.into() })
    }

    /// Does `work` wholly or not at all. No other program writes meanwhile.
    pub(super) fn in_transaction<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection();
        let run = || {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(|error| self.sql(error))
    }

    fn check_owner(&self, asked: Option<&str>) -> Result<(), StoreError> {
        if self.connection_version()? == 0 {
            return Err(StoreError::Missing { folder: self.folder.clone() });
        }
        let found = self.name()?;
        match asked {
            Some(asked) if asked != found => {
                Err(StoreError::OtherExperiment { folder: self.folder.clone(), found, asked: asked.into() })
            }
            _ => Ok(()),
        }
    }

    fn connection_version(&self) -> Result<i64, StoreError> {
        version(&self.connection()).map_err(|error| self.sql(error))
    }

    fn check_clashes(&self, experiment: &Experiment) -> Result<(), StoreError> {
        let connection = self.connection();
        let sql = "SELECT id FROM runs WHERE env = ?1 AND agent = ?2 AND seed = ?3";
        let mut known = connection.prepare(sql).map_err(|error| self.sql(error))?;
        for Planned { id, spec, .. } in &experiment.runs {
            let found: Option<String> = known
                .query_row(params![spec.env, spec.agent, spec.seed.to_string()], |row| row.get(0))
                .optional()
                .map_err(|error| self.sql(error))?;
            if found.is_some_and(|found| found != *id) {
                return Err(StoreError::Clash {
                    folder: self.folder.clone(),
                    agent: spec.agent.clone(),
                    env: spec.env.clone(),
                    seed: spec.seed,
                });
            }
        }
        Ok(())
    }

    /// The experiment's name.
    pub fn name(&self) -> Result<String, StoreError> {
        Ok(self.fact("name")?.unwrap_or_default())
    }

    /// How the experiment is shown.
    pub fn show(&self) -> Result<Show, StoreError> {
        let text = self.fact("show")?.unwrap_or_default();
        serde_json::from_str(&text).map_err(|error| self.unreadable(error))
    }

    fn fact(&self, key: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT value FROM experiment WHERE key = ?1";
        self.connection().query_row(sql, [key], |row| row.get(0)).optional().map_err(|error| self.sql(error))
    }
}

/// Brings tables of an older version to the present one, step by step.
fn migrate(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if version(transaction)? == 1 {
        transaction.execute_batch(include_str!("migrate_1_to_2.sql"))?;
        transaction.pragma_update(None, "user_version", 2)?;
    }
    if version(transaction)? == 2 {
        transaction.execute_batch(include_str!("migrate_2_to_3.sql"))?;
        transaction.pragma_update(None, "user_version", 3)?;
    }
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn identity(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok((application, version(connection)?))
}

fn add(transaction: &Transaction<'_>, experiment: &Experiment) -> rusqlite::Result<()> {
    let show = serde_json::to_string(&experiment.show).unwrap_or_default();
    transaction.execute("INSERT OR REPLACE INTO experiment VALUES ('show', ?1)", [show])?;
    let sql = "INSERT INTO runs (id, env, agent, seed, config, unit, budget, evaluation, panel, grouping, watch, \
               until_solved) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) \
               ON CONFLICT (id) DO UPDATE SET panel = excluded.panel, grouping = excluded.grouping";
    let mut insert = transaction.prepare(sql)?;
    for Planned { id, spec, panel, group, evaluation, watch } in &experiment.runs {
        let (unit, budget) = match spec.budget {
            Budget::Episodes(episodes) => ("episodes", episodes),
            Budget::Steps(steps) => ("steps", steps),
        };
        insert.execute(params![
            id,
            spec.env,
            spec.agent,
            spec.seed.to_string(),
            settings::to_toml(&spec.config),
            unit,
            budget as i64,
            format!("{}x{}", evaluation.times, evaluation.episodes),
            panel,
            group,
            watch.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
            spec.until_solved,
        ])?;
    }
    Ok(())
}
