use crate::rng::{NumpyRng, RandomState};
use crate::{Action, Environment, Observation, Space, Step, StepError, text};
use serde::{Deserialize, Serialize};

/// Bandits: one state, one step, an arm for each action. What an arm pays is the same every time (bsuite's `bandit`),
/// normally distributed, or 1 or 0.
#[derive(Clone, Debug)]
pub struct Bandit {
    arms: Vec<Arm>,
    state: State,
}

/// What an arm pays.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arm {
    /// The same every time.
    Fixed(f64),
    /// A draw from N(mean, noise²).
    Gaussian {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        noise: f64,
    },
    /// 1 with this probability, else 0.
    Bernoulli(f64),
}

impl Arm {
    /// What it pays on average.
    pub fn mean(self) -> f64 {
        match self {
            Arm::Fixed(mean) | Arm::Gaussian { mean, .. } | Arm::Bernoulli(mean) => mean,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// The arm of the last step.
    last: Option<usize>,
    rng: NumpyRng,
}

impl Bandit {
    /// The arms of bsuite's bandit.
    const ARMS: u32 = 11;

    /// A bandit with these arms.
    pub fn new(arms: Vec<Arm>) -> Self {
        Bandit { arms, state: State { last: None, rng: NumpyRng::new(0) } }
    }

    /// bsuite's `bandit`: 0, 0.1, … 1, assigned to 11 arms by `mapping_seed`.
    pub fn bsuite(mapping_seed: u64) -> Self {
        let rewards = RandomState::new(mapping_seed).permutation(Self::ARMS).into_iter();
        // NumPy's `linspace` multiplies the step, and writes the last number as it is given.
        let reward = |number: u32| if number + 1 == Self::ARMS { 1.0 } else { f64::from(number) * 0.1 };
        Bandit::new(rewards.map(|number| Arm::Fixed(reward(number))).collect())
    }

    /// `n` normally distributed arms, whose means are drawn from N(0, 1) by `seed`.
    pub fn gaussian(n: usize, noise: f64, seed: u64) -> Self {
        let mut rng = NumpyRng::new(seed);
        Bandit::new((0..n).map(|_| Arm::Gaussian { mean: rng.gaussian(), noise }).collect())
    }

    /// `n` arms that pay 1 or 0, with probabilities that are drawn from [0, 1) by `seed`.
    pub fn bernoulli(n: usize, seed: u64) -> Self {
        let mut rng = NumpyRng::new(seed);
        Bandit::new((0..n).map(|_| Arm::Bernoulli(rng.random())).collect())
    }

    /// The arms.
    pub fn arms(&self) -> &[Arm] {
        &self.arms
    }

    /// What the best arm pays on average.
    pub fn optimal_return(&self) -> f64 {
        self.arms.iter().map(|arm| arm.mean()).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Environment for Bandit {
    fn observation_space(&self) -> Space {
        Space::Discrete(1)
    }

    fn action_space(&self) -> Space {
        Space::Discrete(self.arms.len())
    }

    fn reset(&mut self, seed: Option<u64>) {
        self.state.rng.restart(seed);
        self.state.last = None;
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Index(0)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let arm = match action {
            Action::Index(index) => self.arms.get(index).copied().map(|arm| (index, arm)),
            Action::Vector(_) => None,
        };
        let Some((index, arm)) = arm else { return Err(StepError::action(action, &self.action_space())) };
        self.state.last = Some(index);
        let rng = &mut self.state.rng;
        let reward = match arm {
            Arm::Fixed(reward) => reward,
            Arm::Gaussian { mean, noise } => mean + noise * rng.gaussian(),
            Arm::Bernoulli(chance) => f64::from(u8::from(rng.random() < chance)),
        };
        Ok(Step { reward, terminated: true, truncated: false })
    }

    saves_state!();

    fn render_text(&self) -> Option<String> {
        Some(text::grid(1, self.arms.len(), self.state.last.map(|arm| (0, arm)), |_, _| 'o'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_reward(bandit: &mut Bandit, arm: usize) -> f64 {
        bandit.reset(Some(1));
        (0..20_000).map(|_| bandit.step(arm.into()).unwrap().reward).sum::<f64>() / 20_000.0
    }

    #[test]
    fn arms_pay_their_means() {
        let mut gaussian = Bandit::new(vec![Arm::Fixed(0.25), Arm::Gaussian { mean: -1.5, noise: 0.5 }]);
        assert_eq!(mean_reward(&mut gaussian, 0), 0.25);
        assert!((mean_reward(&mut gaussian, 1) + 1.5).abs() < 0.02);
        let mut bernoulli = Bandit::bernoulli(3, 7);
        for arm in 0..3 {
            assert!((mean_reward(&mut bernoulli, arm) - bernoulli.arms()[arm].mean()).abs() < 0.02);
        }
        assert_eq!(gaussian.optimal_return(), 0.25);
        assert_ne!(Bandit::gaussian(5, 1.0, 0).arms(), Bandit::gaussian(5, 1.0, 1).arms());
    }

    /// `SimpleBandit(mapping_seed=3)._rewards` of bsuite 0.3.6.
    #[test]
    fn the_mapping_is_bsuites() {
        let rewards: Vec<f64> = Bandit::bsuite(3).arms().iter().map(|arm| arm.mean()).collect();
        assert_eq!(
            rewards,
            [
                0.5,
                0.4,
                0.1,
                0.2,
                0.9,
                0.6000000000000001,
                0.7000000000000001,
                0.0,
                0.30000000000000004,
                0.8,
                1.0
            ]
        );
    }
}
