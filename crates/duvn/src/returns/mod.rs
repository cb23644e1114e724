//! What the network says about the return Z(s,a): the second axis of an agent.
//!
//! A return model gives meaning to the numbers that the network puts out for one action. It turns them
//! into the *parameters* of a distribution, sends such distributions through the Bellman equation to make
//! *targets*, and measures how far the network is from a target.

/// Writes what moves a return whose first parameter is its mean, inside its `impl ReturnModel`.
macro_rules! mean_first {
    () => {
        fn shrink(&self, parameters: &mut [f32], share: f32) {
            parameters[0] *= share;
        }

        fn shift(&self, parameters: &mut [f32], by: f32) {
            parameters[0] += by;
        }

        fn recentre(&self, parameters: &mut [f32], other: &[f32]) {
            parameters[0] = other[0];
        }
    };
}

mod apart;
mod atoms;
mod categorical;
mod divergence;
mod gaussian;
mod mean;
mod mixture;
mod quantile;
mod sampled;

pub use apart::Apart;
pub use atoms::project;
pub use categorical::{Categorical, cross_entropy};
pub use divergence::{Divergence, divergence};
pub use gaussian::Gaussian;
pub use mean::Mean;
pub use mixture::GaussianMixture;
pub use quantile::{Quantile, quantile_loss};

use crate::config::{Config, ReturnKind};
use crate::normal;
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

    /// The parameters of a part, drawn by its weight.
    fn draw(&self, stream: &mut Stream) -> &'a [f32] {
        let mut parts = self.parts();
        let mut drawn: &[f32] = parts.next().map_or(&[], |(_, parameters)| parameters);
        if self.weights.len() > 1 {
            let mut left = stream.uniform() - f64::from(self.weights[0]);
            for (weight, parameters) in parts {
                if left < 0.0 {
                    break;
                }
                left -= weight;
                drawn = parameters;
            }
        }
        drawn
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

    /// How much of the spread more data would remove; zero where the model does not keep it apart.
    fn epistemic(&self, _parameters: &[f32]) -> f64 {
        0.0
    }

    /// How much of the spread is the return's own and would stay.
    fn aleatoric(&self, parameters: &[f32]) -> f64 {
        self.sd(parameters)
    }

    /// How many of the parameters are quantiles that draws of the network are to be compared by, each with itself; 0: draws
    /// are compared by their means.
    fn levels(&self) -> usize {
        0
    }

    /// The value that the return is below with the probability `share`; by default that of a Gaussian.
    fn quantile(&self, parameters: &[f32], share: f64) -> f64 {
        match self.sd(parameters) {
            0.0 => self.mean(parameters),
            sd => self.mean(parameters) + sd * normal::quantile(share.clamp(1e-12, 1.0 - 1e-12)),
        }
    }

    /// The mean of the worst `share` of all returns, from above 0 to 1 (conditional value at risk); by
    /// default that of a Gaussian, mu - sigma phi(z) / share with z its quantile.
    fn tail_mean(&self, parameters: &[f32], share: f64) -> f64 {
        match self.sd(parameters) {
            0.0 => self.mean(parameters),
            sd => self.mean(parameters) - sd * normal::density(normal::quantile(share)) / share,
        }
    }

    /// The value of Z at the standard-normal index `z`: the quantile at Phi(z), which for a Gaussian is mu +
    /// z sigma. With z ~ N(0,1) it is a draw of Z.
    fn at(&self, parameters: &[f32], z: f64) -> f64 {
        self.mean(parameters) + z * self.sd(parameters)
    }

    /// The value of the return itself at the index `z`, without what is only not known of it.
    fn own_at(&self, parameters: &[f32], z: f64) -> f64 {
        self.at(parameters, z)
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

    /// Moves the distribution by `by`.
    fn shift(&self, parameters: &mut [f32], by: f32);

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

    /// Takes down between which bounds all discounted returns have been so far, where the model
    /// [asks for that](Self::learns_from_returns).
    fn see_returns(&self, _bounds: (f32, f32)) {}

    /// Whether it wants to be told of returns.
    fn learns_from_returns(&self) -> bool {
        false
    }
}

/// The return model that `config` asks for.
pub fn return_model(config: &Config) -> Arc<dyn ReturnModel> {
    let model: Arc<dyn ReturnModel> = match config.returns {
        ReturnKind::Mean => Arc::new(Mean),
        ReturnKind::Gaussian => Arc::new(Gaussian::new(config)),
        ReturnKind::Categorical => Arc::new(Categorical::new(config)),
        ReturnKind::Quantile => Arc::new(Quantile::new(config)),
        ReturnKind::Mixture => Arc::new(GaussianMixture::new(config)),
    };
    match config.apart {
        true => Arc::new(Apart::new(model, config)),
        false => model,
    }
}

/// The means of two lists, whose sums run side by side as far as both go.
fn means(one: &[f32], other: &[f32]) -> (f64, f64) {
    // The sum of nothing is -0.
    let (mut a, mut b) = (-0.0, -0.0);
    for (&one, &other) in one.iter().zip(other) {
        a += f64::from(one);
        b += f64::from(other);
    }
    let both = one.len().min(other.len());
    one[both..].iter().for_each(|&one| a += f64::from(one));
    other[both..].iter().for_each(|&other| b += f64::from(other));
    (a / one.len() as f64, b / other.len() as f64)
}
