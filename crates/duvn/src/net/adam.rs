//! Adam (Kingma & Ba 2015): its settings, what may go with it, and the constants of one step.

use serde::{Deserialize, Serialize};

/// The settings of one step. The caller passes them at every step, so that a learning rate that changes is the caller's.
///
/// Adam alone is the fast path: it runs on gradients while they are in registers. What needs the whole gradient first (clipping,
/// an anchor, Langevin noise) has it written down and takes a pass over the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdamConfig {
    /// The size of this step.
    pub learning_rate: f32,
    /// How much of the mean gradient a step keeps.
    pub beta1: f32,
    /// How much of the mean squared gradient a step keeps.
    pub beta2: f32,
    /// Added to the root of the mean squared gradient.
    pub epsilon: f32,
    /// Gradients whose Euclidean norm over all parameters is larger are scaled down to it.
    pub max_gradient_norm: Option<f32>,
    /// λ of w -= α λ w after each step, on weights, not on biases and gains (Loshchilov & Hutter 2019). 0: none.
    pub weight_decay: f32,
    /// a of a ‖w - w₀‖², which is added to the loss: w₀ are the first parameters of a network that
    /// [keeps them](super::Network::anchored). 0: none.
    pub anchor: f32,
    /// Noise that makes the parameters samples of a posterior.
    pub langevin: Option<Langevin>,
}

/// Langevin dynamics with Adam's direction (Ishfaq et al. 2024):
/// w -= α (g + a m̂ / (√v̂ + ε)) - s √(2 α) N(0, 1), with the learning rate α and the gradient g.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Langevin {
    /// a: how much of Adam's direction is added to the gradient.
    pub bias: f32,
    /// s: the root of the temperature.
    pub noise: f32,
    /// The noise of a step depends on this and on the number of the step only.
    pub seed: u64,
}

/// Whether a step left numbers to go on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// All parameters and moments are finite.
    Finite,
    /// A parameter or a moment is infinite or not a number: from here on nothing can be learnt.
    NonFinite,
}

impl Default for AdamConfig {
    fn default() -> Self {
        AdamConfig {
            learning_rate: 1e-3,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            max_gradient_norm: None,
            weight_decay: 0.0,
            anchor: 0.0,
            langevin: None,
        }
    }
}

/// Moments smaller than this are set to 0 now and then; see [`AdamConfig::flushes`].
pub(super) const NEGLIGIBLE: f32 = 1e-27;

impl AdamConfig {
    /// The constants of step t = 1, 2, …
    ///
    /// With m̂ = m / (1 - β₁ᵗ) and v̂ = v / (1 - β₂ᵗ) the step is w -= α m̂ / (√v̂ + ε), which is
    /// w -= rate · m / (√v + epsilon) with rate = α √(1 - β₂ᵗ) / (1 - β₁ᵗ) and epsilon = ε √(1 - β₂ᵗ).
    pub(super) fn step(&self, t: u64) -> AdamStep {
        let (beta1, beta2) = (f64::from(self.beta1), f64::from(self.beta2));
        let root = (1.0 - beta2.powf(t as f64)).sqrt();
        AdamStep {
            one_minus_beta1: (1.0 - beta1) as f32,
            beta2: self.beta2,
            root_one_minus_beta2: (1.0 - beta2).sqrt() as f32,
            rate: (f64::from(self.learning_rate) * root / (1.0 - beta1.powf(t as f64))) as f32,
            epsilon: (f64::from(self.epsilon) * root) as f32,
        }
    }

    /// Whether negligible moments are to be set to 0 after step `t`.
    ///
    /// The moments of a parameter without gradient (a dead unit, an observation not seen) shrink by a factor each
    /// step until they are subnormal, where arithmetic is a hundred times slower. Between two flushes they
    /// shrink by no more than 1e-10, so those above [`NEGLIGIBLE`] stay normal until the next.
    pub(super) fn flushes(&self, t: u64) -> bool {
        let beta = f64::from(self.beta1.min(self.beta2)).max(f64::MIN_POSITIVE);
        let steps = ((1e-10f64).ln() / beta.ln()).clamp(1.0, 1024.0) as u64;
        t.is_multiple_of(steps)
    }
}

/// The constants of one step of Adam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AdamStep {
    /// 1 - β₁.
    pub one_minus_beta1: f32,
    /// β₂.
    pub beta2: f32,
    /// √(1 - β₂).
    pub root_one_minus_beta2: f32,
    /// α √(1 - β₂ᵗ) / (1 - β₁ᵗ).
    pub rate: f32,
    /// ε √(1 - β₂ᵗ).
    pub epsilon: f32,
}

/// Sets moments that no longer matter to 0.
pub(super) fn flush(moments: &mut [f32]) {
    for moment in moments {
        if moment.abs() < NEGLIGIBLE {
            *moment = 0.0;
        }
    }
}
