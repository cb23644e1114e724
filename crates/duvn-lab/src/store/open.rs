//! Opening records: making them, knowing whose they are, and adding runs to them.

use super::digest::{self, Part};
use super::{FILE, SCHEMA, Store, StoreError, facts};
use crate::experiment::{Experiment, Planned, Show};
use crate::settings;
use crate::spec::Budget;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, params};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// "duvn" in ASCII: marks our databases among others.
const APPLICATION: i64 = 0x6475_766e;

/// How long to wait for another program that is writing.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one who only looks waits.
const GLANCE: Duration = Duration::from_secs(5);

/// The file whose lock is held by whoever opens the records, so that one makes them and the others find them made:
/// SQLite does not wait where a fresh file is brought into WAL mode.
const LOCK: &str = "records.lock";

/// Whether runs that are in the folder with a smaller budget may be extended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// They are refused.
    #[default]
    Refused,
    /// They go on from their checkpoints to the larger budget.
    Extend,
}

impl Store {
    /// Opens the records of `experiment` in `folder`, which are made if there are none, and adds the runs
    /// that are not there yet.
    pub fn open_for(folder: &Path, experiment: &Experiment) -> Result<Self, StoreError> {
        Store::open_to_grow(folder, experiment, Growth::Refused)
    }

    /// The same, for runs that may be there with smaller budgets.
    pub fn open_to_grow(folder: &Path, experiment: &Experiment, growth: Growth) -> Result<Self, StoreError> {
        let make = |error| StoreError::Folder { folder: folder.into(), error };
        std::fs::create_dir_all(folder.join("runs")).map_err(make)?;
        let opening = lock(folder)?;
        let mut store = Store::connect(folder)?;
        store.in_transaction(|transaction| {
            let fresh = version(transaction)? == 0;
            if fresh {
                transaction.execute_batch(include_str!("schema.sql"))?;
                transaction.pragma_update(None, "application_id", APPLICATION)?;
                transaction.pragma_update(None, "user_version", 1)?;
                let sql = "INSERT INTO experiment VALUES ('name', ?1)";
                transaction.execute(sql, [&experiment.name])?;
            }
            migrate(transaction)?;
            // Whenever the machine stops, there is nothing yet, or an experiment with all its runs.
            if fresh { add(transaction, experiment) } else { Ok(()) }
        })?;
        store.check_owner(Some(&experiment.name))?;
        store.grow(experiment, growth)?;
        store.mixed = store.mixture(experiment)?;
        store.in_transaction(|transaction| add(transaction, experiment))?;
        drop(opening);
        Ok(store)
    }

    /// Opens the records in `folder`, whosever they are.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        if !folder.join(FILE).is_file() {
            return Err(StoreError::Missing { folder: folder.into() });
        }
        let opening = lock(folder)?;
        let store = Store::connect(folder)?;
        if (1..SCHEMA).contains(&store.connection_version()?) {
            store.in_transaction(migrate)?;
        }
        store.check_owner(None)?;
        drop(opening);
        Ok(store)
    }

    /// Opens the records in `folder` to look at them and never to write, while another program may be writing. Records
    /// of an older version are brought to the present one first.
    pub fn open_to_read(folder: &Path) -> Result<Self, StoreError> {
        if !folder.join(FILE).is_file() {
            return Err(StoreError::Missing { folder: folder.into() });
        }
        let read = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(folder.join(FILE), flags)?;
            connection.busy_timeout(GLANCE)?;
            Ok(connection)
        };
        let explain = |error: rusqlite::Error| match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::Foreign { path: folder.join(FILE) },
            _ => StoreError::of(folder, error),
        };
        let mut connection = read().map_err(explain)?;
        let mut known = identity(&connection).map_err(explain)?;
        if known.application != APPLICATION && known.tables == 0 && folder.join(LOCK).is_file() {
            // Another program has made the file and is about to make the tables.
            drop(lock(folder)?);
            connection = read().map_err(explain)?;
            known = identity(&connection).map_err(explain)?;
        }
        let Identity { application, found, .. } = known;
        if application != APPLICATION {
            return Err(StoreError::Foreign { path: folder.join(FILE) });
        }
        if found > SCHEMA {
            return Err(StoreError::Newer { folder: folder.into(), found });
        }
        if found < SCHEMA {
            drop(Store::open(folder)?);
        }
        let store = Store { connection: Mutex::new(connection), folder: folder.into(), mixed: None };
        store.check_owner(None)?;
        Ok(store)
    }

    /// A number that changes whenever another connection has written something.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        let read = self.connection().pragma_query_value(None, "data_version", |row| row.get(0));
        read.map_err(|error| self.sql(error))
    }

    fn connect(folder: &Path) -> Result<Self, StoreError> {
        let path: PathBuf = folder.join(FILE);
        let explain = |error: rusqlite::Error| match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::Foreign { path: path.clone() },
            _ => StoreError::of(folder, error),
        };
        let connection = Connection::open(&path).map_err(explain)?;
        connection.busy_timeout(PATIENCE).map_err(explain)?;
        let Identity { application, found, tables } = patiently(|| identity(&connection)).map_err(explain)?;
        if found > SCHEMA && application == APPLICATION {
            return Err(StoreError::Newer { folder: folder.into(), found });
        }
        if tables > 0 && application != APPLICATION {
            return Err(StoreError::Foreign { path });
        }
        let tune = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;";
        patiently(|| connection.execute_batch(tune)).map_err(explain)?;
        Ok(Store { connection: Mutex::new(connection), folder: folder.into(), mixed: None })
    }

    /// Does `work` wholly or not at all. No other program writes meanwhile.
    pub(super) fn in_transaction<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        transact(&mut self.connection(), work).map_err(|error| self.sql(error))
    }

    /// The same, without waiting for the disk: others see it at once, but a loss of power may take it back. The next
    /// transaction of the other kind brings it to the disk with its own.
    pub(super) fn in_light_transaction<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection();
        let run = |connection: &mut Connection| {
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            let result = transact(connection, work);
            connection.pragma_update(None, "synchronous", "FULL")?;
            result
        };
        run(&mut connection).map_err(|error| self.sql(error))
    }

    fn check_owner(&self, asked: Option<&str>) -> Result<(), StoreError> {
        if self.connection_version()? == 0 {
            return Err(StoreError::Missing { folder: self.folder.clone() });
        }
        if !names_are_text(&self.connection()).map_err(|error| self.sql(error))? {
            return Err(self.damaged("its tables have names that are no text"));
        }
        if !facts::are_sealed(&self.connection()).map_err(|error| self.sql(error))? {
            return Err(
                self.damaged("the name of the experiment, or how many runs it has, is not as it was written")
            );
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

    /// What the folder holds beside `experiment`, if that is another environment or agent.
    fn mixture(&self, experiment: &Experiment) -> Result<Option<String>, StoreError> {
        let pair = |env: &str, agent: &str| format!("{agent} on {env}");
        let planned: Vec<_> =
            experiment.runs.iter().map(|run| pair(&run.spec.env, &run.spec.agent)).collect();
        let connection = self.connection();
        let query = || {
            let mut query = connection.prepare("SELECT DISTINCT env, agent FROM runs ORDER BY number")?;
            let rows =
                query.query_map([], |row| Ok(pair(&row.get::<_, String>(0)?, &row.get::<_, String>(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let mut others = query().map_err(|error| self.sql(error))?;
        others.retain(|known| !planned.contains(known));
        if others.is_empty() {
            return Ok(None);
        }
        let (first, more) = (others[..others.len().min(3)].join(", "), others.len().saturating_sub(3));
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Ok(Some(format!(
            "{} also holds {first}{more}: one report will show all of them; name another folder with --out to keep \
             them apart",
            self.folder.display()
        )))
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
        facts::fact(&self.connection(), key).map_err(|error| self.sql(error))
    }
}

fn transact<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = work(&transaction)?;
    transaction.commit()?;
    Ok(result)
}

/// The right to open the records in `folder`, which one program has at a time; the others wait.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let locked = File::options().create(true).append(true).open(folder.join(LOCK)).and_then(|file| {
        file.lock()?;
        Ok(file)
    });
    locked.map_err(|error| StoreError::folder(folder, error))
}

/// Tries again while another program that is about to close the database keeps it locked.
fn patiently<T>(mut work: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let start = Instant::now();
    loop {
        match work() {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
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
    let unsealed = version(transaction)? == 3;
    if unsealed {
        transaction.execute_batch(include_str!("migrate_3_to_4.sql"))?;
        transaction.pragma_update(None, "user_version", 4)?;
    }
    // From here on digests stay as they are: they leave out later columns where these hold nothing.
    for (from, sql) in [(4, include_str!("migrate_4_to_5.sql")), (5, include_str!("migrate_5_to_6.sql"))] {
        if version(transaction)? == from {
            transaction.execute_batch(sql)?;
            transaction.pragma_update(None, "user_version", from + 1)?;
        }
    }
    if unsealed {
        // Digests are over the columns of the present version, so they are made when all of these are there.
        seal_all(transaction)?;
    }
    Ok(())
}

/// Gives the digests of what is there to records that have none yet.
fn seal_all(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut query = transaction.prepare("SELECT number FROM runs")?;
    let numbers: Vec<i64> = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for number in numbers {
        for part in Part::ALL {
            part.record(transaction, number, &part.present(transaction, number)?)?;
        }
        digest::seal(transaction, number)?;
    }
    facts::seal(transaction)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// What a file says that it is.
struct Identity {
    application: i64,
    found: i64,
    tables: i64,
}

/// All of it at one moment: a program that makes the tables meanwhile must not be seen half.
fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    let moment = connection.unchecked_transaction()?;
    let application = moment.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables = moment.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(Identity { application, found: version(&moment)?, tables })
}

/// Whether all tables and columns have names that can be read. The library that we ask for them panics where not.
fn names_are_text(connection: &Connection) -> rusqlite::Result<bool> {
    let mut query =
        connection.prepare("SELECT CAST(sql AS BLOB) FROM sqlite_master WHERE sql IS NOT NULL")?;
    let mut rows = query.query_map([], |row| Ok(std::str::from_utf8(row.get_ref(0)?.as_blob()?).is_ok()))?;
    rows.try_fold(true, |all, one| Ok(all && one?))
}

fn add(transaction: &Transaction<'_>, experiment: &Experiment) -> rusqlite::Result<()> {
    let show = serde_json::to_string(&experiment.show).unwrap_or_default();
    transaction.execute("INSERT OR REPLACE INTO experiment VALUES ('show', ?1)", [show])?;
    let sql = "INSERT INTO runs (id, env, agent, seed, config, unit, budget, evaluation, panel, grouping, watch, \
               until_solved, place) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
               ON CONFLICT (id) DO UPDATE SET panel = excluded.panel, grouping = excluded.grouping, \
               place = excluded.place RETURNING number";
    let mut insert = transaction.prepare(sql)?;
    for Planned { id, spec, place, panel, group, evaluation, watch } in &experiment.runs {
        let (unit, budget) = match spec.budget {
            Budget::Episodes(episodes) => ("episodes", episodes),
            Budget::Steps(steps) => ("steps", steps),
        };
        let values = params![
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
            *place as i64,
        ];
        let number: i64 = insert.query_row(values, |row| row.get(0))?;
        digest::seal(transaction, number)?;
    }
    facts::seal(transaction)
}
