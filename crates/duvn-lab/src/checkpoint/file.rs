//! The bytes of a checkpoint: an [`Archive`] of the agent's networks, and of three states, `state/agent`,
//! `state/training` and `state/run`. The metadata have `format`, `duvn` (the version that wrote it), `run`, `isa`, `episodes`
//! and `steps`.

use super::CheckpointError;
use crate::run::RunSnapshot;
use duvn::archive::Archive;
use duvn::{Snapshot, TrainingSnapshot};

/// The format of the files that this program writes, and the only one that it reads.
pub const FORMAT: &str = "2";

/// A run at some moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The id of the run.
    pub run: String,
    /// The version of the program that wrote it.
    pub version: String,
    /// The instruction sets that computed it, with `+` between them; empty where it is not known.
    pub isa: String,
    /// Everything that decides how the run goes on.
    pub snapshot: RunSnapshot,
}

/// The bytes of a file.
pub fn encode(checkpoint: &Checkpoint) -> Result<Vec<u8>, CheckpointError> {
    let RunSnapshot { training, state, episodes, steps } = &checkpoint.snapshot;
    let metadata = [
        ("format", FORMAT.to_string()),
        ("duvn", checkpoint.version.clone()),
        ("run", checkpoint.run.clone()),
        ("isa", checkpoint.isa.clone()),
        ("episodes", episodes.to_string()),
        ("steps", steps.to_string()),
    ];
    let states =
        [("state/agent", &training.agent.state), ("state/training", &training.state), ("state/run", state)];
    let archive = Archive {
        metadata: metadata.into_iter().map(|(key, value)| (key.to_string(), value)).collect(),
        tensors: training.agent.tensors.clone(),
        states: states.into_iter().map(|(name, bytes)| (name.to_string(), bytes.clone())).collect(),
    };
    Ok(archive.encode()?)
}

/// Reads what [`encode`] wrote; a damaged file is found out.
pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let mut archive = Archive::decode(bytes)?;
    let (format, version) = (archive.text("format")?.to_string(), archive.text("duvn")?.to_string());
    if format != FORMAT {
        return Err(CheckpointError::Format { found: format, version });
    }
    let number = |key: &str| {
        let damaged = || CheckpointError::Damaged("its counters are not numbers".into());
        archive.text(key)?.parse().map_err(|_| damaged())
    };
    let (episodes, steps) = (number("episodes")?, number("steps")?);
    let state = |name: &str| archive.state(name).map(<[u8]>::to_vec);
    let (agent, training, run) = (state("state/agent")?, state("state/training")?, state("state/run")?);
    let (name, isa) = (archive.text("run")?.to_string(), archive.text("isa")?.to_string());
    let agent = Snapshot { tensors: std::mem::take(&mut archive.tensors), state: agent };
    let training = TrainingSnapshot { agent, state: training };
    Ok(Checkpoint {
        run: name,
        version,
        isa,
        snapshot: RunSnapshot { training, state: run, episodes, steps },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use duvn::net::Tensor;

    fn small() -> Checkpoint {
        let tensor = |name: &str, data: Vec<f32>| Tensor { name: name.into(), shape: vec![data.len()], data };
        let tensors = vec![tensor("online/a", vec![1.5, -0.0]), tensor("target/a", vec![f32::MIN_POSITIVE])];
        let agent = Snapshot { tensors, state: vec![1, 2, 3] };
        let training = TrainingSnapshot { agent, state: vec![] };
        let snapshot = RunSnapshot { training, state: vec![9; 5], episodes: 12, steps: 345 };
        Checkpoint { run: "0123456789abcdef".into(), version: "0.1.0".into(), isa: "avx2".into(), snapshot }
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        assert_eq!(decode(&encode(&small()).unwrap()).unwrap(), small());
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let good = encode(&small()).unwrap();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(decode(&bad).is_err(), "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn every_cut_and_every_addition_is_found() {
        let good = encode(&small()).unwrap();
        for length in 0..good.len() {
            assert!(decode(&good[..length]).is_err(), "cut at {length}");
        }
        assert!(decode(&[&good[..], &[0]].concat()).is_err());
    }

    #[test]
    fn another_format_is_named() {
        // A file of another format has a good checksum of its own.
        let mut archive = Archive::decode(&encode(&small()).unwrap()).unwrap();
        archive.metadata.insert("format".into(), "1".into());
        let other = archive.encode().unwrap();
        let error = decode(&other).unwrap_err();
        assert!(matches!(&error, CheckpointError::Format { found, .. } if found == "1"), "{error}");
    }
}
