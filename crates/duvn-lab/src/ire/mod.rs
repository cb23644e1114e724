//! The initial return distribution (IRD) of a task and its entropy (IRE), paper App. B: what returns the
//! uniform random policy finds, as a measure of how hard the first steps of exploration are.

mod entropy;
mod figure;
mod kde;
mod trace;

pub use entropy::{Entropy, Estimator};
pub use figure::figure;
pub use kde::Kde;
pub use trace::{IreError, Options, run};

use crate::stats;

/// The returns of many traces of the uniform random policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Ird {
    /// The environment's id.
    pub env: String,
    /// The undiscounted return of each trace, in order of the traces.
    pub returns: Vec<f64>,
    /// The steps after which a trace was cut off.
    pub max_steps: u32,
}

/// An initial return distribution in a few numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The number of traces.
    pub traces: usize,
    /// The mean return.
    pub mean: f64,
    /// The standard deviation of the return.
    pub sd: f64,
    /// The initial return entropy.
    pub entropy: Entropy,
}

impl Ird {
    /// The distribution in a few numbers. `None` without traces, or where a return is not finite.
    pub fn summary(&self) -> Option<Summary> {
        Some(Summary {
            traces: self.returns.len(),
            mean: stats::mean(&self.returns)?,
            sd: stats::standard_deviation(&self.returns)?,
            entropy: Entropy::of(&self.returns)?,
        })
    }
}
