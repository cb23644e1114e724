//! The fingerprint of a network's weights, by which two runs are compared.

use duvn::net::{Backend, Part};
use sha2::{Digest, Sha256};

/// SHA-256 of the online weights, as little-endian f32 in canonical order.
pub fn weights_sha256(net: &dyn Backend) -> String {
    let mut hash = Sha256::new();
    for tensor in net.tensors(Part::Online) {
        for number in &tensor.data {
            hash.update(number.to_le_bytes());
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
