//! What the episodes of a run amount to: when the first reward came, when the task was solved.

use duvn::Episode;
use serde::{Deserialize, Serialize};

/// Episodes over which a run is judged.
pub const WINDOW: usize = 100;

/// The episodes of one run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    threshold: Option<f64>,
    /// The returns of the last [`WINDOW`] episodes; the place of the next is `episodes % WINDOW`.
    window: Vec<f64>,
    /// Finished episodes.
    pub episodes: u64,
    /// The first episode, counted from 1, in which a reward above zero came.
    pub first_reward_episode: Option<u64>,
    /// The first episode, counted from 1, after which the mean of the last 100 returns was at the
    /// environment's threshold.
    pub solved_episode: Option<u64>,
}

impl Progress {
    /// Nothing yet, in a task that counts as solved at `threshold`.
    pub fn new(threshold: Option<f64>) -> Self {
        Progress { threshold, ..Progress::default() }
    }

    /// Whether it can have come about: as many returns are kept as there were episodes, up to the window.
    pub fn is_sound(&self) -> bool {
        self.window.len() as u64 == self.episodes.min(WINDOW as u64) && self.episodes <= 1 << 62
    }

    /// Counts an episode.
    pub fn add(&mut self, episode: &Episode) {
        let place = self.episodes as usize % WINDOW;
        if place == self.window.len() {
            self.window.push(episode.ret);
        } else {
            self.window[place] = episode.ret;
        }
        self.episodes += 1;
        if episode.rewarded && self.first_reward_episode.is_none() {
            self.first_reward_episode = Some(self.episodes);
        }
        let solved = self.threshold.is_some_and(|threshold| {
            self.window.len() == WINDOW && self.recent_mean().is_some_and(|mean| mean >= threshold)
        });
        if solved && self.solved_episode.is_none() {
            self.solved_episode = Some(self.episodes);
        }
    }

    /// The mean return of the last 100 episodes, or of all where there are fewer.
    pub fn recent_mean(&self) -> Option<f64> {
        let count = self.window.len();
        (count > 0).then(|| self.window.iter().sum::<f64>() / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(ret: f64) -> Episode {
        Episode { ret, length: 1, rewarded: ret > 0.0, discounted: ret }
    }

    #[test]
    fn solved_means_a_full_window_at_the_threshold() {
        let mut progress = Progress::new(Some(0.95));
        for _ in 0..10 {
            progress.add(&episode(0.0));
        }
        for _ in 0..200 {
            progress.add(&episode(1.0));
        }
        assert_eq!(progress.first_reward_episode, Some(11));
        // After episode 105 the window holds episodes 6 to 105: five failures, ninety-five successes.
        assert_eq!(progress.solved_episode, Some(105));
        assert_eq!(progress.recent_mean(), Some(1.0));
    }

    #[test]
    fn ninety_nine_perfect_episodes_are_not_enough() {
        let mut progress = Progress::new(Some(0.95));
        (0..99).for_each(|_| progress.add(&episode(1.0)));
        assert_eq!(progress.solved_episode, None);
        progress.add(&episode(1.0));
        assert_eq!(progress.solved_episode, Some(100));
    }
}
