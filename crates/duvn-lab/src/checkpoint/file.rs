//! The bytes of a checkpoint: safetensors, with a header that says what it is and a checksum of all of it.
//!
//! Tensors are the agent's, by name; two more of type U8, `state/training` and `state/run`, and
//! `state/agent`, hold what is no tensor. The metadata have `format`, `duvn` (the version that wrote it),
//! `run`, `isa`, `episodes`, `steps` and `sha256`: the SHA-256 of the whole file with the 64 digits of that field
//! itself read as zeros.

use super::CheckpointError;
use crate::run::RunSnapshot;
use duvn::net::Tensor;
use duvn::{Snapshot, TrainingSnapshot};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// The format of the files that this program writes, and the only one that it reads.
pub const FORMAT: &str = "1";

const DIGITS: usize = 64;
const SUM_KEY: &[u8] = b"\"sha256\":\"";

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

/// A tensor on its way into a file.
struct Entry<'a> {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

/// The bytes of a file.
pub fn encode(checkpoint: &Checkpoint) -> Result<Vec<u8>, CheckpointError> {
    let RunSnapshot { training, state, episodes, steps } = &checkpoint.snapshot;
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for tensor in &training.agent.tensors {
        let bytes = tensor.data.iter().flat_map(|number| number.to_le_bytes()).collect();
        let (name, shape) = (tensor.name.clone(), tensor.shape.clone());
        entries.push(Entry { name, dtype: Dtype::F32, shape, bytes: Cow::Owned(bytes) });
    }
    for (name, bytes) in
        [("state/agent", &training.agent.state), ("state/training", &training.state), ("state/run", state)]
    {
        let (shape, bytes) = (vec![bytes.len()], Cow::Borrowed(bytes.as_slice()));
        entries.push(Entry { name: name.into(), dtype: Dtype::U8, shape, bytes });
    }
    let views = entries
        .iter()
        .map(|entry| {
            let view = TensorView::new(entry.dtype, entry.shape.clone(), &entry.bytes)?;
            Ok((&entry.name, view))
        })
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>();
    let metadata = [
        ("format", FORMAT.to_string()),
        ("duvn", checkpoint.version.clone()),
        ("run", checkpoint.run.clone()),
        ("isa", checkpoint.isa.clone()),
        ("episodes", episodes.to_string()),
        ("steps", steps.to_string()),
        ("sha256", "0".repeat(DIGITS)),
    ];
    let metadata = metadata.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    let mut bytes = views
        .and_then(|views| serialize(views, Some(metadata)))
        .map_err(|error| CheckpointError::Damaged(format!("it cannot be written as safetensors: {error}")))?;
    let place = sum_place(&bytes)?;
    let sum = hexadecimal(&Sha256::digest(&bytes));
    bytes[place].copy_from_slice(sum.as_bytes());
    Ok(bytes)
}

/// Reads what [`encode`] wrote. Whatever byte is not as it was written, and wherever the file was cut, the
/// checksum tells.
pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let damaged = |what: &str| CheckpointError::Damaged(what.into());
    let place = sum_place(bytes)?;
    let mut hash = Sha256::new();
    hash.update(&bytes[..place.start]);
    hash.update([b'0'; DIGITS]);
    hash.update(&bytes[place.end..]);
    if hexadecimal(&hash.finalize()).as_bytes() != &bytes[place] {
        return Err(damaged("its checksum does not match"));
    }
    let unreadable = |error| CheckpointError::Damaged(format!("it is not safetensors: {error}"));
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(unreadable)?;
    let file = SafeTensors::deserialize(bytes).map_err(unreadable)?;
    let metadata = header.metadata().as_ref();
    let field = |key: &str| {
        let value = metadata.and_then(|fields| fields.get(key)).cloned();
        value.ok_or_else(|| CheckpointError::Damaged(format!("its header has no '{key}'")))
    };
    let number = |key: &str| field(key)?.parse().map_err(|_| damaged("its counters are not numbers"));
    let (format, version) = (field("format")?, field("duvn")?);
    if format != FORMAT {
        return Err(CheckpointError::Format { found: format, version });
    }
    let state = |name: &str| {
        let tensor = file.tensor(name).map_err(|_| damaged("a part of its state is missing"))?;
        Ok(tensor.data().to_vec())
    };
    let mut tensors = Vec::new();
    for (name, view) in file.tensors() {
        if view.dtype() == Dtype::F32 {
            let number = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            let data = view.data().chunks_exact(4).map(number).collect();
            tensors.push(Tensor { name, shape: view.shape().to_vec(), data });
        }
    }
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    let agent = Snapshot { tensors, state: state("state/agent")? };
    let training = TrainingSnapshot { agent, state: state("state/training")? };
    let snapshot = RunSnapshot {
        training,
        state: state("state/run")?,
        episodes: number("episodes")?,
        steps: number("steps")?,
    };
    // Files of earlier versions do not say it.
    let isa = field("isa").unwrap_or_default();
    Ok(Checkpoint { run: field("run")?, version, isa, snapshot })
}

/// Where the digits of the checksum stand.
fn sum_place(bytes: &[u8]) -> Result<std::ops::Range<usize>, CheckpointError> {
    let missing = || CheckpointError::Damaged("it has no checksum: it is cut short or no checkpoint".into());
    let length = bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length)).ok_or_else(missing)?;
    let end = usize::try_from(length).ok().and_then(|length| length.checked_add(8));
    let header = end.and_then(|end| bytes.get(8..end)).ok_or_else(missing)?;
    let key = header.windows(SUM_KEY.len()).position(|window| window == SUM_KEY).ok_or_else(missing)?;
    let start = 8 + key + SUM_KEY.len();
    let place = start..start + DIGITS;
    if bytes.get(place.clone()).is_none() { Err(missing()) } else { Ok(place) }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let text = encode(&small()).unwrap();
        let from = text.windows(12).position(|w| w == b"\"format\":\"1\"").unwrap();
        let mut other = text.clone();
        other[from + 10] = b'2';
        // A file of another format has a good checksum of its own.
        let place = sum_place(&other).unwrap();
        other[place.clone()].fill(b'0');
        let sum = hexadecimal(&Sha256::digest(&other));
        other[place].copy_from_slice(sum.as_bytes());
        let error = decode(&other).unwrap_err();
        assert!(matches!(&error, CheckpointError::Format { found, .. } if found == "2"), "{error}");
    }
}
