//! Shards of an experiment put together: by the ids of runs, as often as one likes.

use crate::checkpoint::{CheckpointError, Slot};
use crate::disk::write_whole;
use crate::experiment::{Experiment, Planned};
use crate::fingerprint::weights_sha256;
use crate::run::RunError;
use crate::saved::Saved;
use crate::spec::Budget;
use crate::store::{Finished, RunRow, Store, StoreError};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What a merge has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Runs that were added.
    pub added: usize,
    /// Runs that were there before, and are the same.
    pub before: usize,
    /// Runs that are not finished in any shard.
    pub unfinished: usize,
}

/// Why shards cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// Records cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A checkpoint cannot be read.
    #[error("{}: {error}", folder.display())]
    Checkpoint {
        /// The run's folder.
        folder: PathBuf,
        /// What is wrong.
        error: CheckpointError,
    },
    /// An agent cannot be made from a checkpoint.
    #[error("run {run} of {}: {error}", shard.display())]
    Agent {
        /// The shard.
        shard: PathBuf,
        /// The run.
        run: String,
        /// What is wrong.
        error: Box<RunError>,
    },
    /// The weights of a checkpoint are not those that were recorded.
    #[error(
        "the checkpoint of run {run} in {} has other weights than were recorded: `duvn check {}` tells more",
        shard.display(),
        shard.display()
    )]
    Weights {
        /// The shard.
        shard: PathBuf,
        /// The run.
        run: String,
    },
    /// A finished run has no checkpoint.
    #[error("run {run} of {} is finished but has no checkpoint: put back a copy of its folder", shard.display())]
    NoCheckpoint {
        /// The shard.
        shard: PathBuf,
        /// The run.
        run: String,
    },
    /// The shards are of different experiments.
    #[error("{} is a shard of '{found}', not of '{expected}': merge only shards of one experiment", shard.display())]
    OtherExperiment {
        /// The shard.
        shard: PathBuf,
        /// Its experiment.
        found: String,
        /// The experiment of the first shard.
        expected: String,
    },
    /// Two shards have other settings for one agent.
    #[error(
        "{run} has other settings in {} than in {}: merge only shards of one experiment", there.display(), here.display()
    )]
    OtherSettings {
        /// The agent, with its environment and seed.
        run: String,
        /// One shard.
        here: PathBuf,
        /// The other.
        there: PathBuf,
    },
    /// The merged folder is one of the shards.
    #[error("{} is both a shard and the folder to merge into: name another folder", folder.display())]
    IntoShard {
        /// The folder.
        folder: PathBuf,
    },
    /// The same run came out differently.
    #[error("run {run} differs: {here}, and {there}; leave one of the two out")]
    Differs {
        /// The run, with its environment, agent and seed.
        run: String,
        /// What the merged folder has.
        here: String,
        /// What the shard has.
        there: String,
    },
}

impl MergeError {
    /// Whether the fault lies in what was asked for, not in what happened.
    pub fn is_usage(&self) -> bool {
        match self {
            MergeError::Store(error) => error.is_usage(),
            MergeError::OtherExperiment { .. }
            | MergeError::OtherSettings { .. }
            | MergeError::IntoShard { .. } => true,
            _ => false,
        }
    }
}

/// Puts the finished runs of `shards` into `out`, which is made if it is not there. Runs that are there already must be
/// the same, to the bit. Runs that no shard has finished are planned in `out`. A run whose budget was extended takes the place
/// of the shorter one once it is finished, and a shorter one is not taken where there is a longer one.
pub fn merge(out: &Path, shards: &[PathBuf]) -> Result<Merged, MergeError> {
    let stores: Vec<Store> = shards.iter().map(|shard| Store::open(shard)).collect::<Result<_, _>>()?;
    let Plan { experiment, outgrown, waiting } = plan(out, &stores)?;
    let target = Store::open_for(out, &experiment)?;
    let mut merged = Merged::default();
    for store in &stores {
        for row in store.runs()? {
            if row.outcome.is_some() && outgrown.contains(&row.id) {
                merged.before += 1;
            } else if let Some(finished) = store.finished(&row)? {
                if add(&target, store, &finished)? {
                    merged.added += 1;
                } else {
                    merged.before += 1;
                }
            }
        }
    }
    merged.unfinished = waiting + target.runs()?.iter().filter(|run| run.outcome.is_none()).count();
    Ok(merged)
}

/// What is to be merged.
struct Plan {
    /// The runs that `out` has, or can have before anything of them is brought there.
    experiment: Experiment,
    /// The ids of runs of which there is a longer one.
    outgrown: HashSet<String>,
    /// Of how many runs that `out` has finished a longer one is not finished yet.
    waiting: usize,
}

/// The folder of a shard, and its runs.
type Rows = (PathBuf, Vec<RunRow>);

/// What one run is called: environment, agent, seed.
type Name = (String, String, u64);

fn name(row: &RunRow) -> Name {
    (row.spec.env.clone(), row.spec.agent.clone(), row.spec.seed)
}

fn amount(row: &RunRow) -> u64 {
    let (Budget::Episodes(amount) | Budget::Steps(amount)) = row.spec.budget;
    amount
}

/// Whether two runs differ in how long they are, and in nothing else.
fn alike(a: &RunRow, b: &RunRow) -> bool {
    let mut spec = a.spec.clone();
    spec.budget = b.spec.budget;
    spec == b.spec
        && a.evaluation == b.evaluation
        && matches!(a.spec.budget, Budget::Steps(_)) == matches!(b.spec.budget, Budget::Steps(_))
}

/// Looks at all that the shards have. What cannot be merged is refused here, before anything is changed.
fn plan(out: &Path, stores: &[Store]) -> Result<Plan, MergeError> {
    let mut experiment = whose(out, stores)?;
    let read = |store: &Store| Ok::<_, StoreError>((store.folder().to_path_buf(), store.runs()?));
    let shards: Vec<Rows> = stores.iter().map(read).collect::<Result<_, _>>()?;
    let chosen = longest(&shards)?;
    let target = match Store::open(out) {
        Ok(store) => Some(store),
        Err(StoreError::Missing { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let rows = target.as_ref().map_or(Ok(Vec::new()), Store::runs)?;
    let here: HashMap<Name, RunRow> = rows.into_iter().map(|row| (name(&row), row)).collect();
    let (mut outgrown, mut unfinished) = (HashSet::new(), HashSet::new());
    let mut lengths: HashMap<Name, (u64, bool)> = HashMap::new();
    for (name, row) in chosen {
        let known = here.get(&name);
        let (id, length, done) = (row.id.clone(), amount(&row), row.outcome.is_some());
        let length = match known {
            Some(known) if known.id == id => (length, done || known.outcome.is_some()),
            Some(known) if alike(known, &row) && length < amount(known) => {
                (amount(known), known.outcome.is_some())
            }
            Some(known) => {
                if let Some(target) = &target {
                    target.grows_to(&planned(row.clone()))?;
                }
                if done { (length, done) } else { (amount(known), known.outcome.is_some()) }
            }
            None => (length, done),
        };
        lengths.insert(name, length);
        if known.is_none_or(|known| known.id == id) {
            experiment.runs.push(planned(row));
        }
    }
    for row in shards.into_iter().flat_map(|(_, rows)| rows) {
        let name = name(&row);
        let Some(&(length, done)) = lengths.get(&name) else { continue };
        if amount(&row) < length {
            outgrown.insert(row.id);
        } else if amount(&row) > length && done {
            unfinished.insert(name);
        }
    }
    experiment.runs.sort_by_key(|run| run.place);
    Ok(Plan { experiment, outgrown, waiting: unfinished.len() })
}

/// Of each run the longest that is finished in a shard, or else the longest that is planned.
fn longest(shards: &[Rows]) -> Result<HashMap<Name, RunRow>, MergeError> {
    let mut chosen: HashMap<Name, (&RunRow, &PathBuf)> = HashMap::new();
    for (there, rows) in shards {
        for row in rows {
            if let Some(&(best, here)) = chosen.get(&name(row)) {
                if !alike(best, row) {
                    let run = format!("{} on {} with seed {}", row.spec.agent, row.spec.env, row.spec.seed);
                    return Err(MergeError::OtherSettings { run, here: here.clone(), there: there.clone() });
                }
                let rank = |row: &RunRow| (row.outcome.is_some(), amount(row));
                if rank(row) <= rank(best) {
                    continue;
                }
            }
            chosen.insert(name(row), (row, there));
        }
    }
    Ok(chosen.into_iter().map(|(name, (row, _))| (name, row.clone())).collect())
}

/// The experiment that all shards are of, without its runs. None of them is `out`.
fn whose(out: &Path, stores: &[Store]) -> Result<Experiment, MergeError> {
    let mut experiment: Option<Experiment> = None;
    for store in stores {
        let shard = store.folder().to_path_buf();
        let same =
            |a: &Path, b: &Path| a.canonicalize().ok().is_some_and(|a| Some(a) == b.canonicalize().ok());
        if same(out, &shard) {
            return Err(MergeError::IntoShard { folder: shard });
        }
        let (name, show) = (store.name()?, store.show()?);
        let whole =
            experiment.get_or_insert_with(|| Experiment { name: name.clone(), show, runs: Vec::new() });
        if whole.name != name {
            return Err(MergeError::OtherExperiment { shard, found: name, expected: whole.name.clone() });
        }
    }
    Ok(experiment.ok_or_else(|| StoreError::Missing { folder: out.into() })?)
}

fn planned(row: RunRow) -> Planned {
    let RunRow { id, spec, place, panel, group, evaluation, watch, .. } = row;
    Planned { id, spec, place, panel, group, evaluation, watch }
}

/// Adds a finished run of a shard; tells if it was not there before.
fn add(target: &Store, shard: &Store, finished: &Finished) -> Result<bool, MergeError> {
    let Finished { row, outcome, .. } = finished;
    let lock = target.try_lock(&row.id)?;
    if lock.is_none() {
        return Err(StoreError::AtWork { folder: target.folder().into(), id: row.id.clone() }.into());
    }
    let planned = planned(row.clone());
    if target.grows_to(&planned)? {
        // What is there stays as it is until the longer run is known to be whole.
        copy_checkpoint(target, shard, finished)?;
        target.grow_to(&planned)?;
        return import(target, finished, &target.run(&row.id)?);
    }
    let here = target.run(&row.id)?;
    if let Some(known) = &here.outcome {
        let of = |row: &RunRow, weights: &str| {
            let isa = row.isa.as_deref().unwrap_or("an unknown instruction set").to_string();
            (isa, weights.to_string(), row.records_sha256.clone())
        };
        let (here_is, there_is) = (of(&here, &known.weights_sha256), of(row, &outcome.weights_sha256));
        if here_is == there_is {
            return Ok(false);
        }
        let say = |store: &Store, (isa, weights, records): &(String, String, String)| {
            let short = |text: &str| text.get(..12).unwrap_or(text).to_string();
            let folder = store.folder().display();
            format!("{folder} has weights {} and records {} by {isa}", short(weights), short(records))
        };
        return Err(MergeError::Differs {
            run: format!("{} ({} {} seed {})", row.id, row.spec.env, row.spec.agent, row.spec.seed),
            here: say(target, &here_is),
            there: say(shard, &there_is),
        });
    }
    copy_checkpoint(target, shard, finished)?;
    import(target, finished, &here)
}

/// Records a run whose checkpoint has been copied, and which is planned as `here`.
fn import(target: &Store, finished: &Finished, here: &RunRow) -> Result<bool, MergeError> {
    target.import(finished)?;
    for former in &here.former {
        // The run has its checkpoint under its new id: a failure to delete the old one is not one of the merge.
        let _ = std::fs::remove_dir_all(target.run_folder(former));
    }
    Ok(true)
}

/// Copies the checkpoint of a run, which must be the one that was recorded.
fn copy_checkpoint(target: &Store, shard: &Store, finished: &Finished) -> Result<(), MergeError> {
    let Finished { row, outcome, .. } = finished;
    let folder = shard.run_folder(&row.id);
    let fault = |error| MergeError::Checkpoint { folder: folder.clone(), error };
    let slot = Slot::new(&folder);
    let found = slot.load(&row.id, outcome.episodes).map_err(fault)?;
    let (run, shard) = (row.id.clone(), shard.folder().to_path_buf());
    let Some(checkpoint) = found.checkpoint.filter(|_| found.warning.is_none()) else {
        return Err(MergeError::NoCheckpoint { shard, run });
    };
    let saved = Saved { run: row.clone(), checkpoint, warning: None };
    let unusable =
        |error| MergeError::Agent { shard: shard.clone(), run: run.clone(), error: Box::new(error) };
    let agent = saved.agent().map_err(unusable)?;
    if weights_sha256(&agent) != outcome.weights_sha256 {
        return Err(MergeError::Weights { shard, run });
    }
    let to = Slot::new(target.run_folder(&row.id)).newest();
    let copied = std::fs::read(slot.newest()).and_then(|bytes| write_whole(&to, &bytes));
    copied.map_err(|error| fault(CheckpointError::Io { doing: "copy", path: to, error }))
}
