use crate::{Action, Environment, Step, StepError};

/// Multiplies every reward by a number.
pub struct RewardScale<E> {
    inner: E,
    factor: f64,
}

impl<E: Environment> RewardScale<E> {
    /// Wraps `inner`; its rewards become `factor` times as large.
    pub fn new(inner: E, factor: f64) -> Self {
        RewardScale { inner, factor }
    }
}

impl<E: Environment> Environment for RewardScale<E> {
    forward!(inner: observation_space action_space reset observation save restore pictures);

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let step = self.inner.step(action)?;
        Ok(Step { reward: step.reward * self.factor, ..step })
    }

    fn denoised_return(&self) -> Option<f64> {
        self.inner.denoised_return().map(|denoised| denoised * self.factor)
    }
}
