//! A run on disk, to look at what it has learnt.

use crate::checkpoint::{Checkpoint, CheckpointError, Slot, decode};
use crate::run::RunError;
use crate::spec::{RunSpec, run_name};
use crate::store::{RunRow, Store, StoreError};
use duvn::{Agent, AgentError};
use duvn_envs::{Environment, registry};
use std::path::{Path, PathBuf};

/// A run with its newest checkpoint.
pub struct Saved {
    /// The run.
    pub run: RunRow,
    /// Where it stood.
    pub checkpoint: Checkpoint,
    /// What is wrong with a newer checkpoint, if something is.
    pub warning: Option<String>,
}

/// Why there is no run to look at.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum SavedError {
    /// The path names none.
    #[error("{} is no run: {hint}", path.display())]
    NoRun {
        /// What was named.
        path: PathBuf,
        /// What to name instead.
        hint: String,
    },
    /// The records cannot be read.
    Store(#[from] StoreError),
    /// The checkpoint cannot be read.
    Checkpoint(#[from] CheckpointError),
    /// The agent cannot be made.
    Run(#[from] RunError),
}

impl SavedError {
    /// Whether the fault lies in what was asked for, not in what happened.
    pub fn is_usage(&self) -> bool {
        match self {
            SavedError::NoRun { .. } => true,
            SavedError::Store(error) => error.is_usage(),
            SavedError::Checkpoint(_) | SavedError::Run(_) => false,
        }
    }
}

impl Saved {
    /// The run that `path` names: its folder, a checkpoint in it, an experiment's folder that has only one run, or one
    /// followed by [`run_name`].
    pub fn open(path: &Path) -> Result<Self, SavedError> {
        let no_run = |hint: &str| SavedError::NoRun { path: path.into(), hint: hint.into() };
        let whole = match path.canonicalize() {
            Ok(whole) => whole,
            Err(_) => return by_name(path),
        };
        let file = whole.is_file().then(|| whole.clone());
        let folder = if whole.is_file() { whole.parent().unwrap_or(&whole).to_path_buf() } else { whole };
        let folder =
            if folder.join(crate::store::FILE).is_file() { only_run(path, &folder)? } else { folder };
        let usual = "name an experiment's folder and a run in it, such as results/chain/chain-10/duvn/seed-0";
        let (id, experiment) = match (folder.file_name(), folder.parent().and_then(Path::parent)) {
            (Some(id), Some(experiment)) => (id.to_string_lossy().into_owned(), experiment),
            _ => return Err(no_run(usual)),
        };
        if !experiment.join(crate::store::FILE).is_file() {
            return Err(no_run(usual));
        }
        let run = Store::open(experiment)?.run(&id)?;
        let (checkpoint, warning) = match file {
            Some(file) => {
                let read = |error| CheckpointError::Io { doing: "read", path: file.clone(), error };
                let checkpoint = decode(&std::fs::read(&file).map_err(read)?)?;
                if checkpoint.run != id {
                    return Err(CheckpointError::OtherRun { found: checkpoint.run, expected: id }.into());
                }
                (Some(checkpoint), None)
            }
            None => {
                let found = Slot::new(&folder).load(&id, u64::MAX)?;
                (found.checkpoint, found.warning)
            }
        };
        let checkpoint = checkpoint.ok_or_else(|| no_run("it has no checkpoint yet"))?;
        Ok(Saved { run, checkpoint, warning })
    }

    /// The agent as it was.
    pub fn agent(&self) -> Result<Agent, RunError> {
        agent(&self.run.spec, &self.checkpoint)
    }
}

/// The run that a path names as its experiment's folder and [`run_name`]: `results/chain/chain-10/duvn/seed-0`.
fn by_name(path: &Path) -> Result<Saved, SavedError> {
    let no_run = |hint: String| SavedError::NoRun { path: path.into(), hint };
    let has_records = |folder: &&Path| folder.join(crate::store::FILE).is_file();
    let experiment = path.ancestors().skip(1).find(has_records);
    let rest = experiment.and_then(|experiment| path.strip_prefix(experiment).ok());
    let (Some(experiment), Some(rest)) = (experiment, rest) else {
        return Err(no_run(
            "there is no such folder; name an experiment's folder (`duvn train … --out DIR` and `duvn sweep` make them)"
                .into(),
        ));
    };
    let wanted: Vec<_> = rest.iter().map(|part| part.to_string_lossy().to_lowercase()).collect();
    let wanted = wanted.join("/");
    let store = Store::open(experiment)?;
    let runs = store.runs()?;
    let mut named = runs.iter().filter(|run| run_name(&run.spec) == wanted);
    match (named.next(), named.next()) {
        (Some(run), None) => Saved::open(&store.run_folder(&run.id)),
        (None, _) => Err(no_run(format!("{} has {}", experiment.display(), list(experiment, &runs)))),
        (Some(_), Some(_)) => {
            let same: Vec<_> = runs.iter().filter(|run| run_name(&run.spec) == wanted).collect();
            let folders: Vec<_> =
                same.iter().map(|run| store.run_folder(&run.id).display().to_string()).collect();
            Err(no_run(format!(
                "several runs have this name; name one by its folder: {}",
                folders.join(", ")
            )))
        }
    }
}

/// The agent of a run as it was at a checkpoint.
pub fn agent(spec: &RunSpec, checkpoint: &Checkpoint) -> Result<Agent, RunError> {
    let config = spec.config.check().map_err(AgentError::from)?;
    let env = registry::make(&spec.env, spec.seed)?;
    let mut agent = Agent::new(&config, &env.observation_space(), &env.action_space(), spec.seed)?;
    agent.restore(&checkpoint.snapshot.training.agent)?;
    Ok(agent)
}

/// The folder of the only run of an experiment.
fn only_run(named: &Path, experiment: &Path) -> Result<PathBuf, SavedError> {
    let store = Store::open(experiment)?;
    let runs = store.runs()?;
    match &runs[..] {
        [run] => Ok(store.run_folder(&run.id)),
        runs => Err(SavedError::NoRun { path: named.into(), hint: format!("it has {}", list(named, runs)) }),
    }
}

/// How many runs an experiment has, and the paths of the first ones.
fn list(experiment: &Path, runs: &[RunRow]) -> String {
    let line = |run: &RunRow| format!("\n  {}", experiment.join(run_name(&run.spec)).display());
    let lines: String = runs.iter().take(20).map(line).collect();
    let more = if runs.len() > 20 { "\n  …" } else { "" };
    format!("{} runs, name one:{lines}{more}", runs.len())
}
