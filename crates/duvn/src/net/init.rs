//! How weights begin.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

/// How weights begin: uniform on (-limit, limit), which needs no function whose last bit differs between machines.
/// Biases begin at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Init {
    /// limit = √(6 / inputs) before a ReLU, √(3 / inputs) for outputs: the variance of a unit is that of its inputs.
    #[default]
    He,
    /// limit = √(6 / (inputs + units)), a compromise between the variances of units and of gradients.
    Xavier,
}

impl Init {
    /// The limit for a layer of `units` units on `inputs` inputs; `linear` for an output layer.
    pub(super) fn limit(self, inputs: usize, units: usize, linear: bool) -> f32 {
        let variance = match self {
            Init::He if linear => 3.0 / inputs as f64,
            Init::He => 6.0 / inputs as f64,
            Init::Xavier => 6.0 / (inputs + units) as f64,
        };
        variance.sqrt() as f32
    }
}

/// A number from the uniform distribution on (-1, 1), symmetric and never 0.
pub(super) fn symmetric(rng: &mut impl Rng) -> f32 {
    let bits = (rng.next_u32() >> 8) as f32;
    (bits + 0.5) / 8_388_608.0 - 1.0
}
