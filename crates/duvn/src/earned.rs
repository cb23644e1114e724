//! The discounted returns that were really earned, from any step on: what values can be held against.

use serde::{Deserialize, Serialize};

/// After so many steps an episode is looked at as if it ended: what is further on hardly counts.
const LONGEST: usize = 10_000;

/// The rewards of an episode that is going on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rewards(Vec<f32>);

/// The least and the greatest discounted return from any step on, and 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Earned {
    low: f32,
    high: f32,
}

impl Earned {
    /// Takes down a reward; at the end of its episode, what came of every step: G = r + gamma G'.
    pub(crate) fn add(&mut self, rewards: &mut Rewards, reward: f32, over: bool, gamma: f64) {
        let Rewards(list) = rewards;
        list.reserve(LONGEST - list.len());
        list.push(reward);
        if over || list.len() == LONGEST {
            let mut earned = 0.0;
            for &reward in list.iter().rev() {
                earned = f64::from(reward) + gamma * earned;
                self.low = self.low.min(earned as f32);
                self.high = self.high.max(earned as f32);
            }
            list.clear();
        }
    }

    /// Whether it can have come about: it holds 0 between its bounds.
    pub(crate) fn is_sound(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// The bounds.
    pub(crate) fn bounds(&self) -> (f32, f32) {
        (self.low, self.high)
    }
}

impl Rewards {
    /// Whether they can have come about.
    pub(crate) fn is_sound(&self) -> bool {
        self.0.len() < LONGEST
    }

    /// An episode begins.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rewards -2, 1, 4 with gamma 1/2: returns from the end are 4, 3, -0.5; nothing counts before the end.
    #[test]
    fn bounds_are_returns_from_any_step_on() {
        let (mut earned, mut rewards) = (Earned::default(), Rewards::default());
        earned.add(&mut rewards, -2.0, false, 0.5);
        earned.add(&mut rewards, 1.0, false, 0.5);
        assert_eq!(earned.bounds(), (0.0, 0.0));
        earned.add(&mut rewards, 4.0, true, 0.5);
        assert_eq!(earned.bounds(), (-0.5, 4.0));
        earned.add(&mut rewards, -3.0, true, 0.5);
        assert_eq!(earned.bounds(), (-3.0, 4.0), "the next episode stands by itself");
    }

    #[test]
    fn an_endless_episode_counts_all_the_same() {
        let (mut earned, mut rewards) = (Earned::default(), Rewards::default());
        (0..LONGEST).for_each(|_| earned.add(&mut rewards, 1.0, false, 0.5));
        assert_eq!(earned.bounds(), (0.0, 2.0));
    }
}
