use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// Added to every error, so that what was predicted well is not lost for ever.
const LEAST: f64 = 1e-6;

/// Slots that are drawn in proportion to a power of their last error (Schaul et al. 2016): with p_i = (|error_i| + least)^alpha,
/// slot i comes with probability p_i / sum of p. What was not trained on yet counts as what surprised most so far.
///
/// The priorities are the leaves of a binary tree whose inner nodes are the sums of their children: a draw and a change take as
/// many steps as the tree is high. Sums are made anew from the children and never counted up, so that rounding does not pile up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proportions {
    alpha: f64,
    /// Node 1 is the root, the children of node i are 2 i and 2 i + 1, the leaves are the second half.
    nodes: Vec<f64>,
    greatest: f64,
}

impl Proportions {
    /// For the slots `0..capacity`, none of which is there yet.
    pub fn new(capacity: usize, alpha: f64) -> Self {
        Proportions { alpha, nodes: vec![0.0; 2 * capacity.next_power_of_two()], greatest: 1.0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes.fill(0.0);
        self.greatest = 1.0;
    }

    /// What was in the slot gives way to something new.
    pub fn come(&mut self, slot: u32) {
        self.put(slot, self.greatest);
    }

    /// Takes down the error with which a slot was last trained on.
    pub fn set(&mut self, slot: u32, error: f32) {
        let priority = (f64::from(error).abs() + LEAST).powf(self.alpha);
        self.greatest = self.greatest.max(priority);
        self.put(slot, priority);
    }

    fn put(&mut self, slot: u32, priority: f64) {
        let mut node = self.nodes.len() / 2 + slot as usize;
        self.nodes[node] = priority;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1];
        }
    }

    /// Draws a slot.
    pub fn draw(&self, stream: &mut Stream) -> u32 {
        let mut left = stream.uniform() * self.nodes[1];
        let mut node = 1;
        while node < self.nodes.len() / 2 {
            let (first, second) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
            // Rounding may leave a little more than there is; a side without priority is never taken.
            let on = left >= first && second > 0.0;
            node = 2 * node + usize::from(on);
            left -= if on { first } else { 0.0 };
        }
        (node - self.nodes.len() / 2) as u32
    }

    /// How probably a slot is drawn.
    pub fn probability(&self, slot: u32) -> f64 {
        self.nodes[self.nodes.len() / 2 + slot as usize] / self.nodes[1].max(f64::MIN_POSITIVE)
    }

    /// Whether what was read can stand in the place of `self`, for a ring that holds `count` slots.
    pub(crate) fn takes(&self, other: &Proportions, count: usize) -> bool {
        let leaves = other.nodes.len() / 2;
        let sums =
            (1..leaves).all(|node| other.nodes[node] == other.nodes[2 * node] + other.nodes[2 * node + 1]);
        let there = |(slot, priority): (usize, &f64)| {
            priority.is_finite() && if slot < count { *priority > 0.0 } else { *priority == 0.0 }
        };
        (self.alpha, self.nodes.len()) == (other.alpha, other.nodes.len())
            && (other.greatest.is_finite() && other.greatest >= 1.0)
            && other.nodes[leaves..].iter().enumerate().all(there)
            && sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors 1, 4 and 9 with the power 1/2 are priorities 1, 2 and 3.
    #[test]
    fn slots_come_in_proportion_to_a_power_of_their_errors() {
        let mut proportions = Proportions::new(5, 0.5);
        for (slot, error) in [(0, 1.0), (2, -4.0), (4, 9.0)] {
            proportions.set(slot, error);
        }
        let expected = [1.0 / 6.0, 0.0, 2.0 / 6.0, 0.0, 3.0 / 6.0];
        let mut counts = [0; 5];
        let mut stream = Stream::new(0, "test");
        (0..60_000).for_each(|_| counts[proportions.draw(&mut stream) as usize] += 1);
        for (slot, (&count, p)) in counts.iter().zip(expected).enumerate() {
            assert!((proportions.probability(slot as u32) - p).abs() < 1e-6);
            let error = (60_000.0 * p * (1.0 - p)).sqrt();
            assert!((f64::from(count) - 60_000.0 * p).abs() <= 4.0 * error, "{slot}: {count}");
        }
    }

    #[test]
    fn a_newcomer_counts_as_what_surprised_most() {
        let mut proportions = Proportions::new(2, 1.0);
        proportions.set(0, 3.0);
        proportions.come(1);
        assert!((proportions.probability(1) - 0.5).abs() < 1e-6);
        proportions.set(1, 1.0);
        assert!((proportions.probability(1) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn what_cannot_have_come_about_is_refused() {
        let mut sound = Proportions::new(3, 0.6);
        (0..2).for_each(|slot| sound.set(slot, 2.0));
        assert!(sound.takes(&sound, 2) && !sound.takes(&sound, 1) && !sound.takes(&sound, 3));
        for change in [
            (|broken| broken.nodes[1] = 7.0) as fn(&mut Proportions),
            |broken| broken.nodes[4] = f64::NAN,
            |broken| broken.greatest = 0.0,
            |broken| broken.alpha = 0.5,
            |broken| broken.nodes.truncate(4),
        ] {
            let mut broken = sound.clone();
            change(&mut broken);
            assert!(!sound.takes(&broken, 2), "{broken:?}");
        }
    }
}
