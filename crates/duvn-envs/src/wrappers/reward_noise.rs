use crate::rng::RandomState;
use crate::{Action, Environment, StateError, Step, StepError, freeze, thaw};

/// Adds a draw from N(0, scale²) to every reward, as bsuite's wrapper does: from a legacy generator of its own, which is
/// seeded like the environment's.
pub struct RewardNoise<E> {
    inner: E,
    scale: f64,
    rng: RandomState,
}

impl<E: Environment> RewardNoise<E> {
    /// Wraps `inner`; `scale` is the standard deviation of the noise.
    pub fn new(inner: E, scale: f64) -> Self {
        RewardNoise { inner, scale, rng: RandomState::new(0) }
    }
}

impl<E: Environment> Environment for RewardNoise<E> {
    forward!(inner: observation_space action_space observation pictures);

    fn reset(&mut self, seed: Option<u64>) {
        self.rng.restart(seed);
        self.inner.reset(seed);
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let step = self.inner.step(action)?;
        Ok(Step { reward: step.reward + self.scale * self.rng.randn(), ..step })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(&self.rng, self.inner.save()?)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (rng, inner): (RandomState, Vec<u8>) = thaw(state)?;
        self.inner.restore(&inner)?;
        self.rng = rng;
        Ok(())
    }
}
