//! A run on disk, to look at what it has learnt.

use crate::checkpoint::{Checkpoint, CheckpointError, Slot, decode};
use crate::run::RunError;
use crate::spec::RunSpec;
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
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The agent cannot be made.
    #[error(transparent)]
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
    /// The run that `path` names: its folder, a checkpoint in it, or an experiment's folder that has only
    /// one run.
    pub fn open(path: &Path) -> Result<Self, SavedError> {
        let no_run = |hint: &str| SavedError::NoRun { path: path.into(), hint: hint.into() };
        let whole = path.canonicalize().map_err(|error| no_run(&error.to_string()))?;
        let file = whole.is_file().then(|| whole.clone());
        let folder = if whole.is_file() { whole.parent().unwrap_or(&whole).to_path_buf() } else { whole };
        let folder =
            if folder.join(crate::store::FILE).is_file() { only_run(path, &folder)? } else { folder };
        let usual = "name a folder such as results/chain/runs/0123456789abcdef";
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
        runs => {
            let line = |run: &RunRow| {
                let spec = &run.spec;
                let folder = named.join("runs").join(&run.id);
                format!("\n  {}  {} {} seed {}", folder.display(), spec.env, spec.agent, spec.seed)
            };
            let list: String = runs.iter().take(20).map(line).collect();
            let hint = format!("it has {} of them, name one:{list}", runs.len());
            Err(SavedError::NoRun { path: named.into(), hint })
        }
    }
}
