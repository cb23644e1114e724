use super::Chain;
use crate::rng::NumpyRng;
use crate::wrappers::forward;
use crate::{Action, Environment, StateError, Step, StepError, freeze, thaw};

/// The unordered [`Chain`] in which an action slips with a fixed probability: the other one is done in its place.
///
/// Always choosing the correct action earns (1 - slip)^n on average.
#[derive(Clone, Debug)]
pub struct ChainStochastic {
    chain: Chain,
    slip: f64,
    rng: NumpyRng,
}

impl ChainStochastic {
    /// A chain whose correct actions are drawn from `seed`.
    pub fn new(n: usize, slip: f64, seed: u64) -> Self {
        ChainStochastic { chain: Chain::unordered(n, seed), slip, rng: NumpyRng::new(0) }
    }

    /// The mean return of the best policy.
    pub fn optimal_return(&self) -> f64 {
        (1.0 - self.slip).powi(self.chain.correct().len() as i32)
    }
}

impl Environment for ChainStochastic {
    forward!(chain: observation_space action_space observation pictures);

    fn reset(&mut self, seed: Option<u64>) {
        self.rng.restart(seed);
        self.chain.reset(None);
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let slips = self.rng.random() < self.slip;
        let chosen = usize::from(action == Action::Index(1));
        self.chain.step(Action::Index(if slips { 1 - chosen } else { chosen }))
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(self.chain.save()?, &self.rng)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (chain, rng): (Vec<u8>, NumpyRng) = thaw(state)?;
        self.chain.restore(&chain)?;
        self.rng = rng;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;

    #[test]
    fn the_best_policy_earns_what_the_slips_leave() {
        let mut chain = ChainStochastic::new(5, 0.1, 3);
        assert!((chain.optimal_return() - 0.59049).abs() < 1e-12);
        let mut total = 0.0;
        for seed in 0..4000 {
            chain.reset(Some(seed));
            loop {
                let Observation::Index(at) = chain.observation() else { panic!("an index") };
                let step = chain.step(usize::from(chain.chain.correct()[at]).into()).unwrap();
                total += step.reward;
                if step.done() {
                    break;
                }
            }
        }
        assert!((total / 4000.0 - 0.59049).abs() < 0.025, "{}", total / 4000.0);
    }
}
