use crate::rng::RandomState;
use crate::{Action, Environment, StateError, Step, StepError, freeze, thaw};

/// Adds a draw from N(0, scale²) to every reward, as bsuite's wrapper does: from a legacy generator of its own, which is
/// seeded like the environment's.
pub struct RewardNoise<E> {
    inner: E,
    scale: f64,
    rng: RandomState,
    /// The sum of the environment's own rewards in this episode.
    earned: f64,
}

impl<E: Environment> RewardNoise<E> {
    /// Wraps `inner`; `scale` is the standard deviation of the noise.
    pub fn new(inner: E, scale: f64) -> Self {
        RewardNoise { inner, scale, rng: RandomState::new(0), earned: 0.0 }
    }
}

impl<E: Environment> Environment for RewardNoise<E> {
    forward!(inner: observation_space action_space observation pictures);

    fn reset(&mut self, seed: Option<u64>) {
        self.rng.restart(seed);
        self.inner.reset(seed);
        self.earned = 0.0;
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let step = self.inner.step(action)?;
        self.earned += step.reward;
        Ok(Step { reward: step.reward + self.scale * self.rng.randn(), ..step })
    }

    fn denoised_return(&self) -> Option<f64> {
        self.inner.denoised_return().or(Some(self.earned))
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(&self.rng, self.earned, self.inner.save()?)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (rng, earned, inner): (_, _, Vec<u8>) = thaw(state)?;
        self.inner.restore(&inner)?;
        (self.rng, self.earned) = (rng, earned);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Environment, registry};

    #[test]
    fn what_an_episode_earns_without_its_noise_is_known() {
        let mut bandit = registry::make("Bandit?mapping_seed=3&reward_noise=10&reward_scale=2", 0).unwrap();
        for _ in 0..2 {
            bandit.reset(None);
            let noisy = bandit.step(1.into()).unwrap().reward;
            assert_eq!(bandit.denoised_return(), Some(0.8));
            assert_ne!(noisy, 0.8);
        }
        let mut chain = registry::make("Chain-3", 0).unwrap();
        chain.reset(None);
        assert_eq!(chain.denoised_return(), None);
    }
}
