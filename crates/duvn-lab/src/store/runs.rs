//! The runs: what they are, how far they are, what came of them.

use super::digest::{self, CURVES};
use super::{Store, StoreError};
use crate::experiment::{Evaluation, run_id};
use crate::judgement::Judgement;
use crate::run::Outcome;
use crate::settings;
use crate::spec::{Budget, RunSpec};
use rusqlite::{Row, Transaction, params};
use std::time::{SystemTime, UNIX_EPOCH};

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not begun.
    Pending,
    /// Begun: some program is at it, or was when it stopped.
    Running,
    /// Finished.
    Done,
    /// It ended with an error.
    Failed,
}

/// A run as it is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its number in the database.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// What decides it.
    pub spec: RunSpec,
    /// How it is evaluated.
    pub evaluation: Evaluation,
    /// The heading of its panel.
    pub panel: String,
    /// The figure that it is part of.
    pub group: String,
    /// The episodes after which its beliefs about every state are recorded.
    pub watch: Vec<u64>,
    /// How far it is.
    pub status: Status,
    /// The error it ended with.
    pub error: Option<String>,
    /// Whether a failed run is worth another try: the fault was the machine's, not its own.
    pub again: bool,
    /// The version of the program that ran it.
    pub version: Option<String>,
    /// The machine that ran it.
    pub machine: Option<String>,
    /// The instruction sets that computed it, with `+` between them: weights depend on them.
    pub isa: Option<String>,
    /// Its place in the plan, from 0.
    pub place: u64,
    /// How often it was begun since something was last recorded of it.
    pub starts: u64,
    /// The ids that it had before its budget was extended, the first one first.
    pub former: Vec<String>,
    /// When it was begun, in seconds since 1970.
    pub started: Option<i64>,
    /// When it ended, in seconds since 1970.
    pub finished: Option<i64>,
    /// What came of it, once it is done.
    pub outcome: Option<Outcome>,
    /// The SHA-256 of its episodes, evaluations and beliefs: what two programs that did the same run agree on.
    pub records_sha256: String,
}

impl RunRow {
    /// Whether it ended, before its budget was used up or just then, because it had solved its task.
    pub fn ended_solved(&self) -> bool {
        let solved = self.outcome.as_ref().is_some_and(|outcome| outcome.solved_episode.is_some());
        self.spec.until_solved && solved
    }

    /// Whether there is work left to do.
    pub fn open(&self) -> bool {
        match self.status {
            Status::Pending | Status::Running => true,
            Status::Failed => self.again,
            Status::Done => false,
        }
    }
}

/// Sets a run to done, with what came of it and when (in seconds since 1970), and keeps its curve.
pub(super) fn finish(
    transaction: &Transaction<'_>,
    run: &RunRow,
    outcome: &Outcome,
    finished: Option<i64>,
) -> rusqlite::Result<usize> {
    super::curve::keep(transaction, run)?;
    let curve = CURVES.present(transaction, run.number)?;
    CURVES.record(transaction, run.number, &curve)?;
    let sql = "UPDATE runs SET status = 'done', error = NULL, again = 0, starts = 0, finished = ?2, episodes = ?3, \
               steps = ?4, updates = ?5, first_reward_episode = ?6, solved_episode = ?7, \
               mean_return_last_100 = ?8, seconds = ?9, weights_sha256 = ?10, judgement = ?11 WHERE number = ?1";
    let values = params![
        run.number,
        finished,
        outcome.episodes as i64,
        outcome.steps as i64,
        outcome.updates as i64,
        outcome.first_reward_episode.map(|episode| episode as i64),
        outcome.solved_episode.map(|episode| episode as i64),
        outcome.mean_return_last_100,
        outcome.seconds,
        outcome.weights_sha256,
        serde_json::to_string(&outcome.judgement).ok(),
    ];
    transaction.execute(sql, values)
}

impl Store {
    /// Every run, in the order of the plan.
    pub fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        self.query_runs("ORDER BY place, number", [])
    }

    /// The run `id`.
    pub fn run(&self, id: &str) -> Result<RunRow, StoreError> {
        let found = self.query_runs("WHERE id = ?1", [id])?.pop().filter(|run| run.id == id);
        found.ok_or_else(|| self.unreadable(format!("there is no run {id}")))
    }

    /// The number and the seal of every run, in the order of the plan: a row whose seal is as before is as before.
    pub fn seals(&self) -> Result<Vec<(i64, String)>, StoreError> {
        let connection = self.connection();
        let query = || {
            let mut statement =
                connection.prepare_cached("SELECT number, seal FROM runs ORDER BY place, number")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        query().map_err(|error| self.sql(error))
    }

    /// The run with this number in the database.
    pub fn run_numbered(&self, number: i64) -> Result<RunRow, StoreError> {
        let found = self.query_runs("WHERE number = ?1", [number])?.pop();
        found.ok_or_else(|| self.unreadable(format!("there is no run number {number}")))
    }

    fn query_runs(&self, rest: &str, values: impl rusqlite::Params) -> Result<Vec<RunRow>, StoreError> {
        let connection = self.connection();
        let query = || {
            let mut statement = connection.prepare(&format!("SELECT * FROM runs {rest}"))?;
            let rows = statement.query_map(values, |row| Ok(read(row)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = query().map_err(|error| self.sql(error))?;
        let explain = |fault| match fault {
            Fault::Unreadable(what) => self.unreadable(what),
            Fault::Damaged(what) => self.damaged(what),
        };
        rows.into_iter().map(|row| row.map_err(explain)).collect()
    }

    /// Marks a run as begun by this program, computing with the instruction sets `isa`.
    pub fn begin(&self, number: i64, machine: &str, isa: &str) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET status = 'running', error = NULL, again = 0, starts = starts + 1, version = ?2, \
                   machine = ?3, isa = ?4, started = coalesce(started, ?5) WHERE number = ?1";
        self.change(number, |transaction| {
            transaction.execute(sql, params![number, crate::machine::version(), machine, isa, now()])
        })
    }

    /// Records what came of a run, with its curve.
    pub fn finish(&self, run: &RunRow, outcome: &Outcome) -> Result<(), StoreError> {
        self.change(run.number, |transaction| finish(transaction, run, outcome, Some(now())))
    }

    /// Records that a run ended with an error; `again` if another try may go better.
    pub fn fail(&self, number: i64, error: &str, again: bool) -> Result<(), StoreError> {
        let sql =
            "UPDATE runs SET status = 'failed', error = ?2, again = ?3, finished = ?4 WHERE number = ?1";
        self.change(number, |transaction| transaction.execute(sql, params![number, error, again, now()]))
    }

    /// Changes the records of a run, wholly or not at all, and seals its row.
    pub(super) fn change<T>(
        &self,
        number: i64,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<(), StoreError> {
        self.in_transaction(|transaction| {
            work(transaction)?;
            digest::seal(transaction, number)
        })
    }
}

pub(super) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}

/// What is wrong with a row.
pub(super) enum Fault {
    /// It is as it was written, but not understood.
    Unreadable(String),
    /// It is not as it was written.
    Damaged(String),
}

/// A row of the table; the fault in it, if it has one.
pub(super) fn read(row: &Row<'_>) -> Result<RunRow, Fault> {
    let sql = |error: rusqlite::Error| Fault::Damaged(format!("the row of a run cannot be read ({error})"));
    let text = |column: &str| row.get::<_, String>(column).map_err(sql);
    let id = text("id")?;
    if digest::sum(row).map_err(sql)? != text("seal")? {
        return Err(Fault::Damaged(format!("the row of run {id} is not as it was written")));
    }
    let run = understand(row, id).map_err(Fault::Unreadable)?;
    let expected = run_id(&run.spec, run.evaluation);
    if expected != run.id {
        let what = format!("what is written of run {} describes the run {expected}", run.id);
        return Err(Fault::Damaged(what));
    }
    Ok(run)
}

/// What a row that is as it was written says.
fn understand(row: &Row<'_>, id: String) -> Result<RunRow, String> {
    let sql = |error: rusqlite::Error| error.to_string();
    let text = |column: &str| row.get::<_, String>(column).map_err(sql);
    let count = |column: &str| {
        let number = row.get::<_, Option<i64>>(column).map_err(sql)?;
        Ok::<_, String>(number.map(|number| number.max(0) as u64))
    };
    let budget = count("budget")?.unwrap_or(0);
    let spec = RunSpec {
        env: text("env")?,
        agent: text("agent")?,
        config: settings::from_toml(&text("config")?).map_err(|error| {
            format!("the settings of run {id} do not fit this version of the program ({error})")
        })?,
        seed: text("seed")?.parse().map_err(|_| format!("run {id} has no seed"))?,
        budget: if text("unit")? == "steps" { Budget::Steps(budget) } else { Budget::Episodes(budget) },
        until_solved: row.get("until_solved").map_err(sql)?,
    };
    let status = match text("status")?.as_str() {
        "pending" => Status::Pending,
        "running" => Status::Running,
        "done" => Status::Done,
        _ => Status::Failed,
    };
    let evaluation = text("evaluation")?;
    let numbers = evaluation.split_once('x').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (times, episodes) = numbers.ok_or_else(|| format!("run {id} has the evaluation '{evaluation}'"))?;
    let outcome = if status == Status::Done {
        let seconds: f64 = row.get("seconds").map_err(sql)?;
        let steps = count("steps")?.unwrap_or(0);
        Some(Outcome {
            env: spec.env.clone(),
            agent: spec.agent.clone(),
            seed: spec.seed,
            episodes: count("episodes")?.unwrap_or(0),
            steps,
            updates: count("updates")?.unwrap_or(0),
            first_reward_episode: count("first_reward_episode")?,
            solved_episode: count("solved_episode")?,
            mean_return_last_100: row.get("mean_return_last_100").map_err(sql)?,
            seconds,
            steps_per_second: steps as f64 / seconds.max(1e-9),
            weights_sha256: text("weights_sha256")?,
            interrupted: false,
            // Records of earlier versions have none.
            judgement: match row.get::<_, Option<String>>("judgement").map_err(sql)? {
                Some(text) => serde_json::from_str(&text).map_err(|error| error.to_string())?,
                None => Judgement::default(),
            },
        })
    } else {
        None
    };
    Ok(RunRow {
        number: row.get("number").map_err(sql)?,
        id,
        spec,
        evaluation: Evaluation { times, episodes },
        panel: text("panel")?,
        group: text("grouping")?,
        watch: text("watch")?.split(',').filter_map(|episode| episode.parse().ok()).collect(),
        status,
        error: row.get("error").map_err(sql)?,
        again: row.get("again").map_err(sql)?,
        version: row.get("version").map_err(sql)?,
        machine: row.get("machine").map_err(sql)?,
        isa: row.get("isa").map_err(sql)?,
        place: count("place")?.unwrap_or(0),
        starts: count("starts")?.unwrap_or(0),
        former: text("former")?.split(',').filter(|id| !id.is_empty()).map(String::from).collect(),
        started: row.get("started").map_err(sql)?,
        finished: row.get("finished").map_err(sql)?,
        outcome,
        records_sha256: digest::of_texts(&[
            &text("episodes_sha256")?,
            &text("evaluations_sha256")?,
            &text("beliefs_sha256")?,
        ]),
    })
}
