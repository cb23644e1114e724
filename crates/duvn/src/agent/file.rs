//! An agent in a file.

use super::{Agent, Snapshot};
use crate::archive::{Archive, ArchiveError};
use crate::config::{Config, ConfigError};
use crate::disk::{Disk, RealDisk, write_whole};
use crate::error::{AgentError, RestoreError};
use crate::learner::LearnerState;
use duvn_envs::{Space, StateError, freeze, thaw};
use std::path::{Path, PathBuf};

/// The format of the files, and the only one that is read.
const FORMAT: &str = "agent 1";

/// How much of an agent a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// All of it: it goes on as if it had never been interrupted, to the bit.
    Everything,
    /// What it has learnt, without what it remembers: a far smaller file, for an agent that is to act, or to start learning
    /// elsewhere.
    Knowledge,
}

/// Why an agent cannot be saved or loaded.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum FileError {
    /// The file system refused.
    #[error("cannot {doing} {}: {error}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The bytes are not those that were written.
    #[error("{} is damaged, or no agent: {error}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: ArchiveError,
    },
    /// It is a file of another kind or version.
    #[error("{} has format '{found}', not '{FORMAT}': use the version of duvn that wrote it", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: String,
    },
    /// The configuration in it is none.
    Config(#[from] ConfigError),
    /// No such agent can be made.
    Agent(#[from] AgentError),
    /// What it knows does not fit.
    Restore(#[from] RestoreError),
    /// Its state cannot be read.
    State(#[from] StateError),
}

/// What an agent is made of.
type Made = (Vec<(String, String)>, Space, usize, u64);

impl Agent {
    /// Writes the agent to a file: all of the file, or nothing is changed.
    pub fn save(&self, path: impl AsRef<Path>, keep: Keep) -> Result<(), FileError> {
        let archive = self.archive(keep)?;
        write(path.as_ref(), &archive)
    }

    /// What [`save`](Self::save) writes. More may be put beside it; [`load`](Self::load) does not look at that.
    pub fn archive(&self, keep: Keep) -> Result<Archive, FileError> {
        let Snapshot { tensors, state } = self.snapshot();
        let state = match keep {
            Keep::Everything => state,
            Keep::Knowledge => {
                let (mut learner, _): (LearnerState, Vec<super::Actor>) = thaw(&state)?;
                learner.forget();
                let actors: Vec<_> =
                    (0..self.actors.len()).map(|number| super::Actor::new(self.seed, number)).collect();
                freeze(&(learner, actors))
            }
        };
        let entries = self.config().entries().into_iter().map(|(key, value)| (key.to_string(), value));
        let made: Made = (entries.collect(), self.learner.space().clone(), self.learner.actions(), self.seed);
        Ok(Archive {
            metadata: [("format".to_string(), FORMAT.to_string())].into(),
            tensors,
            states: [("made".to_string(), freeze(&made)), ("state".to_string(), state)].into(),
        })
    }

    /// The agent in a file. An agent with axes of one's own is made anew first and then goes on with
    /// [`load_into`](Self::load_into).
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let archive = read(path.as_ref())?;
        Self::from_archive(path.as_ref(), archive)
    }

    /// The agent in an archive that was read from `path`.
    pub fn from_archive(path: &Path, archive: Archive) -> Result<Self, FileError> {
        let damaged = |error| FileError::Damaged { path: path.into(), error };
        let (entries, observations, actions, seed): Made = thaw(archive.state("made").map_err(damaged)?)?;
        let mut config = Config::default();
        entries.iter().try_for_each(|(key, value)| config.set(key, value))?;
        let mut agent = Agent::new(&config.check()?, &observations, &Space::Discrete(actions), seed)?;
        agent.take(path, archive)?;
        Ok(agent)
    }

    /// Goes on with what is in a file, which is of an agent made alike. On an error, make the agent anew.
    pub fn load_into(&mut self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let archive = read(path.as_ref())?;
        self.take(path.as_ref(), archive)
    }

    fn take(&mut self, path: &Path, mut archive: Archive) -> Result<(), FileError> {
        let damaged = |error| FileError::Damaged { path: path.into(), error };
        let state = archive.state("state").map_err(damaged)?.to_vec();
        Ok(self.restore(&Snapshot { tensors: std::mem::take(&mut archive.tensors), state })?)
    }
}

/// Writes an archive to a file: all of the file, or nothing is changed.
pub fn write(path: &Path, archive: &Archive) -> Result<(), FileError> {
    let bytes = archive.encode().map_err(|error| FileError::Damaged { path: path.into(), error })?;
    write_whole(path, &bytes).map_err(|error| FileError::Io { doing: "write", path: path.into(), error })
}

/// The archive of an agent in a file.
pub fn read(path: &Path) -> Result<Archive, FileError> {
    let bytes =
        RealDisk.read(path).map_err(|error| FileError::Io { doing: "read", path: path.into(), error })?;
    let damaged = |error| FileError::Damaged { path: path.into(), error };
    let archive = Archive::decode(&bytes).map_err(damaged)?;
    match archive.text("format").map_err(damaged)? {
        FORMAT => Ok(archive),
        found => Err(FileError::Format { path: path.into(), found: found.into() }),
    }
}
