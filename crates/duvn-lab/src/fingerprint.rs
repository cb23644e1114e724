//! The fingerprint of a network's weights, by which two runs are compared.

use duvn::Agent;
use sha2::{Digest, Sha256};

/// SHA-256 of the online weights of an agent's networks, as little-endian f32 in canonical order.
pub fn weights_sha256(agent: &Agent) -> String {
    let mut hash = Sha256::new();
    for tensor in agent.weights() {
        for number in &tensor.data {
            hash.update(number.to_le_bytes());
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
