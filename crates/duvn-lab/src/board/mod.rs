//! What the dashboard and the interactive report show of an experiment, as JSON, and the page that shows it.
//!
//! A [`Board`] looks at the records of one folder through a connection of its own that never writes. It keeps the curves
//! of all runs in a few hundred bins and takes in only what is new, so that looking on costs a running sweep next to
//! nothing. The same JSON is served live, and embedded in a report that needs no server.

pub mod assets;
mod beliefs;
mod compare;
mod curves;
mod frozen;
mod names;
mod number;
mod overview;
mod play;
mod settings;
mod track;

pub use beliefs::{Beliefs, LookError, Looking};
pub use compare::Comparison;
pub use curves::{Axis, Centre, CurveQuery, Metric};
pub(crate) use frozen::frozen;
pub use names::{actions as action_names, dimensions as dimension_names};
pub use play::{Frames, Playing};

use crate::experiment::Show;
use crate::results::Task;
use crate::store::{RunRow, Status, Store, StoreError};
use curves::Memo;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};
use track::Track;

/// How long the lock of a run is believed to be as it was when it was last looked at.
const LOCKS_FOR: Duration = Duration::from_secs(3);

/// One experiment, looked at.
pub struct Board {
    store: Store,
    /// The experiment's name.
    pub name: String,
    /// How it is shown.
    pub show: Show,
    version: u64,
    seen: Option<i64>,
    runs: Vec<Looked>,
    tasks: Vec<Task>,
    memo: Memo,
    locks_looked: Option<Instant>,
}

/// A run and what is known of its course.
struct Looked {
    row: RunRow,
    seal: String,
    track: Track,
    /// When its row last changed under our eyes.
    changed: Option<Instant>,
    /// Whether a program is at it.
    at_work: bool,
    /// Its place in the list of tasks.
    task: usize,
    /// Seconds of work that are recorded of it.
    seconds: f64,
    /// Every knob with its value, as JSON.
    settings: Value,
}

impl Board {
    /// Looks at the records in `folder`.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let store = Store::open_to_read(folder)?;
        let mut board = Board {
            name: store.name()?,
            show: store.show()?,
            store,
            version: 0,
            seen: None,
            runs: Vec::new(),
            tasks: Vec::new(),
            memo: Memo::default(),
            locks_looked: None,
        };
        board.refresh()?;
        Ok(board)
    }

    /// A number that grows whenever there is something new to see.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The experiment's folder.
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }

    /// The records.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The run `id`, if there is one.
    pub fn run(&self, id: &str) -> Option<&RunRow> {
        self.runs.iter().map(|run| &run.row).find(|row| row.id == id)
    }

    /// Every run, in the order of the plan.
    pub fn rows(&self) -> impl Iterator<Item = &RunRow> {
        self.runs.iter().map(|run| &run.row)
    }

    /// Whether a program is at one of the runs.
    pub fn at_work(&self) -> bool {
        self.runs.iter().any(|run| run.at_work)
    }

    /// Whether runs are left to be done.
    pub fn open_runs(&self) -> usize {
        self.runs.iter().filter(|run| run.row.open()).count()
    }

    /// Takes in what is new; tells whether there was anything.
    pub fn refresh(&mut self) -> Result<bool, StoreError> {
        let seen = self.store.data_version()?;
        let mut news = false;
        if self.seen != Some(seen) {
            news |= self.take_in()?;
            self.seen = Some(seen);
        }
        news |= self.look_at_locks();
        self.version += u64::from(news);
        Ok(news)
    }

    fn take_in(&mut self) -> Result<bool, StoreError> {
        let first = self.seen.is_none();
        let seals = self.store.seals()?;
        let mut known: HashMap<i64, Looked> = self.runs.drain(..).map(|run| (run.row.number, run)).collect();
        let mut news = false;
        let mut fault = None;
        for (number, seal) in seals {
            let old = known.remove(&number);
            match old {
                Some(run) if run.seal == seal => self.runs.push(run),
                old => match self.renewed(number, seal, old, first) {
                    Ok(run) => {
                        news = true;
                        self.runs.push(run);
                    }
                    Err(error) => fault = fault.or(Some(error)),
                },
            }
        }
        news |= !known.is_empty();
        fault.map_or(Ok(news), Err)
    }

    /// A run whose row has changed, or that is new.
    fn renewed(
        &mut self,
        number: i64,
        seal: String,
        old: Option<Looked>,
        first: bool,
    ) -> Result<Looked, StoreError> {
        let row = self.store.run_numbered(number)?;
        let task = match self.tasks.iter().position(|task| task.env == row.spec.env) {
            Some(task) => task,
            None => {
                self.tasks.push(Task::new(&row.spec.env, &row.panel, &row.group));
                self.tasks.len() - 1
            }
        };
        let (mut track, seconds) = match old {
            // An extended budget changes the bins.
            Some(old) if old.row.spec.budget == row.spec.budget => (old.track, old.seconds),
            _ => (Track::new(row.spec.budget), 0.0),
        };
        if row.status == Status::Done && track.is_empty() {
            track.take_curve(&self.store.curve(&row)?);
        } else if row.status != Status::Pending {
            track.take_new(&self.store, number)?;
        }
        let seconds = match &row.outcome {
            Some(outcome) => outcome.seconds,
            None if row.status == Status::Pending => 0.0,
            None => self.store.last_seconds(number)?.unwrap_or(seconds),
        };
        let changed = (!first && row.status == Status::Running).then(Instant::now);
        let at_work = changed.is_some();
        let settings = settings::settings(&row);
        Ok(Looked { row, seal, track, changed, at_work, task, seconds, settings })
    }

    /// Finds out which runs a program is at. One whose records have just grown is; the lock of the others tells.
    fn look_at_locks(&mut self) -> bool {
        if self.locks_looked.is_some_and(|at| at.elapsed() < LOCKS_FOR) {
            return false;
        }
        self.locks_looked = Some(Instant::now());
        let mut news = false;
        for run in &mut self.runs {
            let fresh = run.changed.is_some_and(|at| at.elapsed() < LOCKS_FOR);
            let at_work = run.row.open() && (fresh || crate::standing::at_work(&self.store, &run.row.id));
            news |= at_work != run.at_work;
            run.at_work = at_work;
        }
        news
    }
}
