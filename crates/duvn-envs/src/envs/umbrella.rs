use crate::rng::RandomState;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};

/// bsuite's umbrella chain: at the first step one takes an umbrella (1) or not (0); at the end of the chain it
/// pays 1 to have one if it rains, or none if it does not, and -1 otherwise. Every step between pays 1 or -1 at
/// random, whatever one does.
///
/// The observation is whether an umbrella is needed, whether one has one, the share of the time that is left, and so
/// many distractors that are 0 or 1 at random.
#[derive(Clone, Debug)]
pub struct Umbrella {
    length: u32,
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    steps: u32,
    needed: bool,
    taken: bool,
    observation: Vec<f32>,
    rng: RandomState,
}

impl Umbrella {
    /// A chain of `length` steps, at least 1, with so many distractors.
    pub fn new(length: u32, distractors: usize) -> Self {
        let (observation, rng) = (vec![0.0; 3 + distractors], RandomState::new(0));
        let state = State { steps: 0, needed: false, taken: false, observation, rng };
        Umbrella { length: length.max(1), state }
    }

    fn observe(&mut self) {
        let State { steps, needed, taken, observation, rng } = &mut self.state;
        let bit = |set: bool| if set { 1.0 } else { 0.0 };
        let left = 1.0 - f64::from(*steps) / f64::from(self.length);
        observation[..3].copy_from_slice(&[bit(*needed), bit(*taken), left as f32]);
        observation[3..].fill_with(|| bit(rng.coin()));
    }
}

impl Environment for Umbrella {
    fn observation_space(&self) -> Space {
        let width = self.state.observation.len();
        Space::Box { low: vec![0.0; width], high: vec![1.0; width] }
    }

    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }

    fn reset(&mut self, seed: Option<u64>) {
        let state = &mut self.state;
        state.rng.restart(seed);
        if seed.is_some() {
            // bsuite draws the weather when the environment is made, and again for the first episode.
            state.rng.coin();
        }
        state.steps = 0;
        state.needed = state.rng.coin();
        state.taken = state.rng.coin();
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let state = &mut self.state;
        if state.steps == 0 {
            state.taken = action == Action::Index(1);
        }
        state.steps = state.steps.saturating_add(1);
        let terminated = state.steps >= self.length;
        let good = if terminated { state.taken == state.needed } else { state.rng.coin() };
        self.observe();
        Ok(Step { reward: if good { 1.0 } else { -1.0 }, terminated, truncated: false })
    }

    /// What the umbrella was good for: 1 or -1, and 0 before the end.
    fn denoised_return(&self) -> Option<f64> {
        let State { steps, needed, taken, .. } = self.state;
        Some(match (steps == self.length, taken == needed) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => -1.0,
        })
    }

    saves_state!(unless |env, state| {
        state.observation.len() != env.state.observation.len() || state.steps > env.length
    } => "it is of another chain");

    fn render_text(&self) -> Option<String> {
        let State { steps, needed, taken, .. } = self.state;
        let weather = if needed { "rain" } else { "no rain" };
        let umbrella = if taken { "an umbrella" } else { "no umbrella" };
        Some(format!("{weather}, {umbrella}, step {steps} of {}\n", self.length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_umbrella_counts_without_the_noise() {
        let mut chain = Umbrella::new(3, 2);
        for seed in 0..20 {
            chain.reset(Some(seed));
            let Observation::Vector(&[needed, ..]) = chain.observation() else { panic!("numbers") };
            let wrong = seed % 2 == 0;
            let first = if (needed == 1.0) != wrong { 1 } else { 0 };
            chain.step(first.into()).unwrap();
            chain.step(0.into()).unwrap();
            assert_eq!(chain.denoised_return(), Some(0.0));
            let last = chain.step(1.into()).unwrap();
            assert!(last.terminated);
            assert_eq!(last.reward, if wrong { -1.0 } else { 1.0 });
            assert_eq!(chain.denoised_return(), Some(last.reward));
        }
    }
}
