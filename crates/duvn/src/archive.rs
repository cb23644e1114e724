//! The bytes of a file that holds an agent: safetensors, with a header that says what it is and a checksum of all of it.
//!
//! Tensors of type F32 are networks, by name; those of type U8 hold what is no tensor. Among the metadata is `sha256`: the SHA-256
//! of the whole file with the 64 digits of that field itself read as zeros.

use crate::net::Tensor;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;

const DIGITS: usize = 64;
const SUM: &str = "sha256";
const SUM_KEY: &[u8] = b"\"sha256\":\"";

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive {
    /// Short texts that say what it is.
    pub metadata: BTreeMap<String, String>,
    /// Networks, ordered by name once they were read.
    pub tensors: Vec<Tensor>,
    /// All else, by name.
    pub states: BTreeMap<String, Vec<u8>>,
}

/// Why bytes are no archive.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// They are not those that were written.
    #[error("{0}")]
    Damaged(String),
}

fn damaged(what: impl Into<String>) -> ArchiveError {
    ArchiveError::Damaged(what.into())
}

/// A tensor on its way into a file.
struct Entry<'a> {
    name: &'a str,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

impl Archive {
    /// A text of the metadata.
    pub fn text(&self, key: &str) -> Result<&str, ArchiveError> {
        let text = self.metadata.get(key).map(String::as_str);
        text.ok_or_else(|| damaged(format!("its header has no '{key}'")))
    }

    /// A state.
    pub fn state(&self, name: &str) -> Result<&[u8], ArchiveError> {
        let state = self.states.get(name).map(Vec::as_slice);
        state.ok_or_else(|| damaged("a part of its state is missing"))
    }

    /// The bytes of a file.
    pub fn encode(&self) -> Result<Vec<u8>, ArchiveError> {
        let mut entries = Vec::new();
        for Tensor { name, shape, data } in &self.tensors {
            let bytes = data.iter().flat_map(|number| number.to_le_bytes()).collect();
            entries.push(Entry { name, dtype: Dtype::F32, shape: shape.clone(), bytes: Cow::Owned(bytes) });
        }
        for (name, bytes) in &self.states {
            let (shape, bytes) = (vec![bytes.len()], Cow::Borrowed(bytes.as_slice()));
            entries.push(Entry { name, dtype: Dtype::U8, shape, bytes });
        }
        let views = entries.iter().map(|entry| {
            let view = TensorView::new(entry.dtype, entry.shape.clone(), &entry.bytes)?;
            Ok((entry.name, view))
        });
        let views = views.collect::<Result<Vec<_>, safetensors::SafeTensorError>>();
        let sum = (SUM.to_string(), "0".repeat(DIGITS));
        let metadata = self.metadata.clone().into_iter().chain([sum]).collect();
        let mut bytes = views
            .and_then(|views| serialize(views, Some(metadata)))
            .map_err(|error| damaged(format!("it cannot be written as safetensors: {error}")))?;
        let place = sum_place(&bytes)?;
        let sum = hexadecimal(&Sha256::digest(&bytes));
        bytes[place].copy_from_slice(sum.as_bytes());
        Ok(bytes)
    }

    /// Reads what [`encode`](Self::encode) wrote. Whatever byte is not as it was written, and wherever the file was cut, the
    /// checksum tells.
    pub fn decode(bytes: &[u8]) -> Result<Self, ArchiveError> {
        let place = sum_place(bytes)?;
        let mut hash = Sha256::new();
        hash.update(&bytes[..place.start]);
        hash.update([b'0'; DIGITS]);
        hash.update(&bytes[place.end..]);
        if hexadecimal(&hash.finalize()).as_bytes() != &bytes[place] {
            return Err(damaged("its checksum does not match"));
        }
        let unreadable = |error| damaged(format!("it is not safetensors: {error}"));
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(unreadable)?;
        let file = SafeTensors::deserialize(bytes).map_err(unreadable)?;
        let mut archive = Archive::default();
        let fields = header.metadata().clone().unwrap_or_default();
        archive.metadata = fields.into_iter().filter(|(key, _)| key != SUM).collect();
        for (name, view) in file.tensors() {
            if view.dtype() == Dtype::F32 {
                let number = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
                let data = view.data().chunks_exact(4).map(number).collect();
                archive.tensors.push(Tensor { name, shape: view.shape().to_vec(), data });
            } else {
                archive.states.insert(name, view.data().to_vec());
            }
        }
        archive.tensors.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(archive)
    }
}

/// Where the digits of the checksum stand.
fn sum_place(bytes: &[u8]) -> Result<std::ops::Range<usize>, ArchiveError> {
    let missing = || damaged("it has no checksum: it is cut short or no file of duvn");
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
