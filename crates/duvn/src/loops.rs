//! Worlds in which one can walk in circles, and what is done about them.
//!
//! A target looks at the larger of noisy numbers: the best mean, the largest sigma. Where every way leads forward that
//! noise is gone with the end of the episode. In a circle it comes back to where it began, and a contraction of gamma
//! forgets next to nothing of it: means and sigmas feed themselves. The cures (one network decides and the other
//! values, means within what was earned, a smaller discount of sigma) cost episodes where there is no circle. So the
//! agent looks: the first time that an episode comes back to a state, the world is known to have loops.
//!
//! In such a world the discount decides what is worth exploring. An income of 0.005 a step is worth 0.005 / (1 - gamma)
//! to whoever looks 1 / (1 - gamma) steps ahead: 1 for gamma = 0.995, as much as what is not known. Where episodes are
//! cut off after H steps, nobody can look further than that.

use duvn_envs::Observation;
use serde::{Deserialize, Serialize};

/// Whether the world is known to have loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Loops {
    /// Whether anyone wants to know.
    watched: bool,
    found: bool,
    /// Steps of the longest episode that was cut off; 0 where none was.
    horizon: u64,
}

impl Loops {
    pub(crate) fn new(watched: bool) -> Self {
        Loops { watched, found: false, horizon: 0 }
    }

    /// Takes down that an episode was cut off after so many steps.
    pub(crate) fn cut_off(&mut self, steps: u64) {
        self.horizon = self.horizon.max(steps);
    }

    /// The discount, at most `gamma`, that looks as far ahead as episodes last: 1 - 1/H.
    pub(crate) fn discount(self, gamma: f64) -> f64 {
        match self.horizon {
            0 => gamma,
            horizon => gamma.min(1.0 - 1.0 / horizon as f64),
        }
    }

    /// Whether the world has loops, as far as is known and wanted.
    pub(crate) fn found(self) -> bool {
        self.found
    }

    /// Takes down that `trail` of an episode comes to `observation`. Boxes are never the same twice and say nothing.
    pub(crate) fn arrive(
        &mut self,
        trail: &mut Trail,
        episode: u64,
        observation: Observation<'_>,
        states: usize,
    ) {
        if let (true, false, Observation::Index(state)) = (self.watched, self.found, observation) {
            self.found = trail.comes_back(state, episode, states);
            if self.found {
                *trail = Trail::default();
            }
        }
    }
}

/// The states that an actor has seen in its episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trail {
    /// By state: the last episode that came there, counted from 1.
    last: Vec<u64>,
}

impl Trail {
    /// Whether `state`, one of `states`, was seen in this episode before; from now on it was.
    fn comes_back(&mut self, state: usize, episode: u64, states: usize) -> bool {
        self.last.resize(states, 0);
        std::mem::replace(&mut self.last[state], episode + 1) == episode + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_after(watched: bool, steps: &[(u64, usize)]) -> bool {
        let (mut loops, mut trail) = (Loops::new(watched), Trail::default());
        for &(episode, state) in steps {
            loops.arrive(&mut trail, episode, Observation::Index(state), 3);
        }
        loops.found()
    }

    #[test]
    fn a_loop_is_a_state_that_one_episode_sees_twice() {
        assert!(!found_after(true, &[(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]), "each episode starts alike");
        assert!(found_after(true, &[(0, 0), (0, 1), (0, 0)]));
        assert!(found_after(true, &[(0, 0), (0, 0), (1, 2)]), "it stays known");
        assert!(!found_after(false, &[(0, 0), (0, 0)]), "nobody asked");
    }

    #[test]
    fn the_discount_looks_as_far_as_the_longest_episode_that_was_cut_off() {
        let mut loops = Loops::new(true);
        assert_eq!(loops.discount(0.995), 0.995, "as long as none was");
        [10, 20, 4].into_iter().for_each(|steps| loops.cut_off(steps));
        assert_eq!([loops.discount(0.995), loops.discount(0.9)], [0.95, 0.9]);
    }

    #[test]
    fn boxes_say_nothing() {
        let (mut loops, mut trail) = (Loops::new(true), Trail::default());
        (0..2).for_each(|_| loops.arrive(&mut trail, 0, Observation::Vector(&[0.5]), 0));
        assert!(!loops.found());
    }
}
