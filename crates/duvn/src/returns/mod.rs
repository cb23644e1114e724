//! What the network says about the return Z(s,a): the second axis of an agent.
//!
//! A return model gives meaning to the numbers that the network puts out for one action. It turns them
//! into the *parameters* of a distribution, sends such distributions through the Bellman equation to make
//! *targets*, and measures how far the network is from a target.

mod divergence;
mod gaussian;
mod mean;
mod sampled;

pub use divergence::{Divergence, divergence};
pub use gaussian::Gaussian;
pub use mean::Mean;

use crate::config::{Config, ReturnKind};
use crate::rng::Stream;
use std::sync::Arc;

/// A weighted mixture of return distributions at the next state: over masks, over actions, or both.
#[derive(Clone, Copy)]
pub struct Mixture<'a> {
    /// The weights; they sum to one.
    pub weights: &'a [f32],
    /// The parameters of each part, one after the other.
    pub parameters: &'a [f32],
}

impl<'a> Mixture<'a> {
    fn parts(&self) -> impl Iterator<Item = (f64, &'a [f32])> + Clone + use<'a> {
        let width = self.parameters.len() / self.weights.len();
        self.weights.iter().map(|&weight| f64::from(weight)).zip(self.parameters.chunks_exact(width))
    }
}

/// One application of the Bellman equation Z(s,a) = r + gamma Z(s',a') (paper, Eq. 3).
#[derive(Clone, Copy)]
pub struct Backup<'a> {
    /// The reward r.
    pub reward: f64,
    /// The discount gamma.
    pub gamma: f64,
    /// What is believed of Z(s',a').
    pub next: Mixture<'a>,
    /// For SARSA(lambda): lambda, and the target that was made for (s',a') itself.
    pub trace: Option<(f64, &'a [f32])>,
}

/// How far a prediction is from its target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Discrepancy {
    /// The loss.
    pub loss: f64,
    /// The total temporal-difference error, which orders the prioritised queue.
    pub temporal_difference: f64,
}

/// The meaning of the network's outputs for one action.
///
/// `parameters` are those of one action, as many as [`outputs`](ReturnModel::outputs).
pub trait ReturnModel: Send + Sync {
    /// How many numbers the network puts out for an action; parameters are as many.
    fn outputs(&self) -> usize;

    /// How many numbers a target has.
    fn target_width(&self) -> usize;

    /// Turns the network's outputs for one action into the distribution's parameters, in place.
    fn decode(&self, outputs: &mut [f32]);

    /// Writes the parameters of the return after the end of an episode.
    fn terminal(&self, parameters: &mut [f32]);

    /// The mean of Z.
    fn mean(&self, parameters: &[f32]) -> f64;

    /// The standard deviation of Z; zero where the model has none.
    fn sd(&self, parameters: &[f32]) -> f64;

    /// The value of Z at the standard-normal index `z`: mu + z sigma. With z ~ N(0,1) it is a draw of Z.
    fn at(&self, parameters: &[f32], z: f64) -> f64 {
        self.mean(parameters) + z * self.sd(parameters)
    }

    /// Whether the distribution has a spread that can be [widened](Self::widen).
    fn has_spread(&self) -> bool;

    /// Adds uncertainty of the standard deviation `width`, independent of Z.
    ///
    /// # Panics
    /// If the model has [no spread](Self::has_spread).
    fn widen(&self, parameters: &mut [f32], width: f32);

    /// Leaves the `share` of the mean, from 0 to 1, and the spread as it is.
    fn shrink(&self, parameters: &mut [f32], share: f32);

    /// Moves the distribution to where `other` has its mean.
    fn recentre(&self, parameters: &mut [f32], other: &[f32]);

    /// Moves the distribution so that its mean is what Z was at the index `z`: mu + z sigma. Its spread stays.
    fn settle(&self, parameters: &mut [f32], z: f64);

    /// By output: how large a fixed random network is added to it.
    fn prior_scales(&self, config: &Config) -> Vec<f32>;

    /// Brings the mean of a target into (low, high), where it is not.
    fn bound(&self, target: &mut [f32], bounds: (f32, f32));

    /// Brings the spread of a target down to `most`, where it is above. A model without a sigma of its own has none.
    fn bound_spread(&self, _target: &mut [f32], _most: f32) {}

    /// Leaves the `share` of a target's spread, from 0 to 1. A model without a sigma of its own has nothing to leave.
    fn damp(&self, _target: &mut [f32], _share: f32) {}

    /// Makes the target of (s,a).
    fn propagate(&self, backup: &Backup<'_>, stream: &mut Stream, target: &mut [f32]);

    /// The loss of the network's raw `outputs` against a target; writes its gradient.
    fn loss(&self, outputs: &[f32], target: &[f32], gradient: &mut [f32]) -> Discrepancy;
}

/// The return model that `config` asks for.
pub fn return_model(config: &Config) -> Arc<dyn ReturnModel> {
    match config.returns {
        ReturnKind::Mean => Arc::new(Mean),
        ReturnKind::Gaussian => Arc::new(Gaussian::new(config)),
    }
}
