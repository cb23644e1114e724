//! The place of a run's checkpoints: the newest, and the one before.

use super::{Checkpoint, CheckpointError, decode, encode};
use crate::disk::{Disk, RealDisk};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder with the checkpoints of one run.
///
/// A new checkpoint is written beside the others, synchronised, and only then takes the newest one's
/// place, which becomes the one before; the folder is synchronised last. Whenever the machine stops, one of
/// the two is whole.
#[derive(Clone, Debug)]
pub struct Slot {
    folder: PathBuf,
    disk: Arc<dyn Disk>,
}

/// What [`Slot::load`] found.
#[derive(Debug, Default)]
pub struct Found {
    /// The newest checkpoint that can be used; none if none was ever written.
    pub checkpoint: Option<Checkpoint>,
    /// What is wrong with a newer one, if something is.
    pub warning: Option<String>,
}

const NEWEST: &str = "checkpoint.safetensors";
const BEFORE: &str = "previous.safetensors";
const UNFINISHED: &str = "unfinished.tmp";

impl Slot {
    /// The checkpoints in `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Slot::on(Arc::new(RealDisk), folder)
    }

    /// The checkpoints in `folder` of another disk.
    pub fn on(disk: Arc<dyn Disk>, folder: impl Into<PathBuf>) -> Self {
        Slot { folder: folder.into(), disk }
    }

    /// The file of the newest one.
    pub fn newest(&self) -> PathBuf {
        self.folder.join(NEWEST)
    }

    /// Puts a new checkpoint in the place of the newest one. If this fails, a good one is there all the same.
    pub fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let bytes = encode(checkpoint)?;
        let (unfinished, newest, before) =
            (self.folder.join(UNFINISHED), self.newest(), self.folder.join(BEFORE));
        let failed = |doing, path: &Path| {
            let path = path.to_path_buf();
            move |error| CheckpointError::Io { doing, path, error }
        };
        let written = self.disk.write(&unfinished, &bytes).and_then(|()| self.disk.sync(&unfinished));
        if written.is_err() {
            // A full disk has more use for the room than anyone has for half a checkpoint.
            let _ = self.disk.remove(&unfinished);
        }
        written.map_err(failed("write", &unfinished))?;
        let moving = "move a checkpoint to";
        if self.disk.exists(&newest) {
            self.disk.rename(&newest, &before).map_err(failed(moving, &before))?;
        }
        self.disk.rename(&unfinished, &newest).map_err(failed(moving, &newest))?;
        self.disk.sync_folder(&self.folder).map_err(failed("synchronise", &self.folder))
    }

    /// The newest checkpoint of the run `run` that is whole and not ahead of its `recorded` episodes.
    pub fn load(&self, run: &str, recorded: u64) -> Result<Found, CheckpointError> {
        let mut faults = Vec::new();
        for name in [NEWEST, BEFORE] {
            match self.read(name, run, recorded) {
                Ok(None) => {}
                Ok(Some(checkpoint)) => {
                    let warning = (!faults.is_empty()).then(|| {
                        let at = checkpoint.snapshot.episodes;
                        format!("{}; going on from the checkpoint before, at episode {at}", faults.join("; "))
                    });
                    return Ok(Found { checkpoint: Some(checkpoint), warning });
                }
                Err(error) => faults.push(format!("{name}: {error}")),
            }
        }
        if faults.is_empty() {
            return Ok(Found::default());
        }
        Err(CheckpointError::NoneUsable { folder: self.folder.clone(), why: faults.join("; ") })
    }

    fn read(&self, name: &str, run: &str, recorded: u64) -> Result<Option<Checkpoint>, CheckpointError> {
        let path = self.folder.join(name);
        let bytes = match self.disk.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CheckpointError::Io { doing: "read", path, error }),
        };
        let checkpoint = decode(&bytes)?;
        if checkpoint.run != run {
            return Err(CheckpointError::OtherRun { found: checkpoint.run, expected: run.into() });
        }
        let at = checkpoint.snapshot.episodes;
        if at > recorded {
            let what = format!("it is at episode {at}, and only {recorded} episodes are recorded");
            return Err(CheckpointError::Damaged(what));
        }
        Ok(Some(checkpoint))
    }

    /// Leaves the newest one alone, once a run is done.
    pub fn tidy(&self) {
        for name in [BEFORE, UNFINISHED] {
            // They are only in the way: a failure to delete them is not one of the run.
            let _ = self.disk.remove(&self.folder.join(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunSnapshot;
    use duvn::{Snapshot, TrainingSnapshot};

    fn at(episodes: u64) -> Checkpoint {
        let agent = Snapshot { tensors: vec![], state: vec![7; 100] };
        let snapshot = RunSnapshot {
            training: TrainingSnapshot { agent, state: vec![] },
            state: vec![],
            episodes,
            steps: episodes,
        };
        Checkpoint { run: "r".into(), version: "0".into(), isa: String::new(), snapshot }
    }

    fn slot(name: &str) -> Slot {
        let folder = std::env::temp_dir().join(format!("duvn-slot-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Slot::new(folder)
    }

    fn episode(slot: &Slot, recorded: u64) -> (Option<u64>, bool) {
        let found = slot.load("r", recorded).unwrap();
        (found.checkpoint.map(|found| found.snapshot.episodes), found.warning.is_some())
    }

    #[test]
    fn a_damaged_checkpoint_gives_way_to_the_one_before() {
        let slot = slot("damaged");
        assert_eq!(episode(&slot, 99), (None, false));
        slot.save(&at(10)).unwrap();
        slot.save(&at(20)).unwrap();
        assert_eq!(episode(&slot, 99), (Some(20), false));
        std::fs::write(slot.newest(), b"rubbish").unwrap();
        assert_eq!(episode(&slot, 99), (Some(10), true));
        std::fs::write(slot.folder.join(BEFORE), b"").unwrap();
        let error = slot.load("r", 99).unwrap_err();
        assert!(matches!(error, CheckpointError::NoneUsable { .. }), "{error}");
        std::fs::remove_dir_all(&slot.folder).unwrap();
    }

    #[test]
    fn a_stop_between_the_two_moves_loses_nothing() {
        let slot = slot("between");
        slot.save(&at(10)).unwrap();
        std::fs::rename(slot.newest(), slot.folder.join(BEFORE)).unwrap();
        assert_eq!(episode(&slot, 99), (Some(10), false));
        std::fs::remove_dir_all(&slot.folder).unwrap();
    }

    #[test]
    fn a_checkpoint_ahead_of_the_records_or_of_another_run_is_not_used() {
        let slot = slot("ahead");
        slot.save(&at(10)).unwrap();
        slot.save(&at(20)).unwrap();
        assert_eq!(episode(&slot, 15), (Some(10), true));
        assert!(slot.load("r", 5).is_err());
        assert!(slot.load("another", 99).is_err());
        std::fs::remove_dir_all(&slot.folder).unwrap();
    }
}
