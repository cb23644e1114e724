use serde::{Deserialize, Serialize};

/// How many outcomes the rest of the world counts for, where one knows little of a pair.
const BORROWED: f32 = 2.0;

/// How many pairs that varied are taken to have been seen before the first.
const SUSPECTED: f32 = 0.05;

/// What came of an action, as far as local uncertainty looks at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The reward.
    pub reward: f32,
    /// The next state; `None` where the task ended.
    pub next: Option<usize>,
}

/// How often each action was tried in each state, and how much what came of it varied.
///
/// In a deterministic world one try tells all that is local: uncertainty falls by a high power of n. In a
/// random one it falls as 1/sqrt(n), because a mean of n outcomes is off by their spread over sqrt(n). Which
/// of the two a pair (s,a) is shows in its outcomes; before it has many, in those of the other pairs. With r
/// = 1 / (1 + n):
///
/// u² = scale² [(1 - p) r^(2 power) + p r] + v r,
///
/// p: the share of its repeated tries that led to another next state than the try before, v: the
/// variance of its rewards. Both are mixed with two outcomes of an average pair: for p, the share of
/// repeated pairs that ever varied (with a twentieth of a pair that did and the rest of one that did not,
/// before there are any: where nothing speaks for chance, little is spent on it).
///
/// Looking ahead in a world with loops, behind what was never tried there is more to be found, and chance among known
/// states is no larger for it:
///
/// u² = scale² [ahead² r^(2 power) + p (r - r^(2 power))] + v r.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcomes {
    actions: usize,
    pairs: Vec<Pair>,
    /// Pairs that were tried more than once.
    repeated: u32,
    /// Those of them whose next state varied.
    varied: u32,
    /// Sum over all pairs of the squares of rewards around their pair's mean, and of tries after the first.
    squares: f64,
    tries: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    visits: u32,
    changes: u32,
    /// The last next state, counted from 1; 0 is the end.
    last: u32,
    mean: f32,
    squares: f32,
}

impl Outcomes {
    /// Nothing tried yet.
    pub fn new(states: usize, actions: usize) -> Self {
        let pair = Pair { visits: 0, changes: 0, last: 0, mean: 0.0, squares: 0.0 };
        let pairs = vec![pair; states * actions];
        Outcomes { actions, pairs, repeated: 0, varied: 0, squares: 0.0, tries: 0 }
    }

    /// Whether what was read can stand in the place of `self`.
    pub(super) fn takes(&self, other: &Outcomes) -> bool {
        (self.actions, self.pairs.len()) == (other.actions, other.pairs.len())
    }

    /// Takes down a try and what came of it.
    pub fn visit(&mut self, state: usize, action: usize, outcome: Outcome) {
        let pair = &mut self.pairs[state * self.actions + action];
        let next = outcome.next.map_or(0, |state| state as u32 + 1);
        if pair.visits > 0 {
            self.tries += 1;
            self.repeated += u32::from(pair.visits == 1);
            if pair.last != next {
                self.varied += u32::from(pair.changes == 0);
                pair.changes = pair.changes.saturating_add(1);
            }
        }
        pair.last = next;
        pair.visits = pair.visits.saturating_add(1);
        // Welford's running mean and sum of squares.
        let before = outcome.reward - pair.mean;
        pair.mean += before / pair.visits as f32;
        let square = before * (outcome.reward - pair.mean);
        pair.squares += square;
        self.squares += f64::from(square);
    }

    /// Whether a next state or a reward has ever differed from the one before.
    pub(super) fn vary(&self) -> bool {
        self.varied > 0 || self.squares > 0.0
    }

    /// How much of its mean is not observed, and the width u, of every action in a state. The first is r = 1 / (1 + n),
    /// or, looking `ahead`, (1 - p) r^(2 power) + p r.
    pub fn look(&self, state: usize, (scale, power): (f32, f32), ahead: Option<f32>, out: &mut [(f32, f32)]) {
        let share = (self.varied as f32 + SUSPECTED) / (self.repeated as f32 + 1.0);
        let variance = if self.tries > 0 { (self.squares / self.tries as f64) as f32 } else { 0.0 };
        let pairs = &self.pairs[state * self.actions..][..self.actions];
        for (out, pair) in out.iter_mut().zip(pairs) {
            let rarity = 1.0 / (1.0 + pair.visits as f32);
            let known = pair.visits.saturating_sub(1) as f32 + BORROWED;
            let p = ((pair.changes as f32 + BORROWED * share) / known).min(1.0);
            let v = (pair.squares + BORROWED * variance) / known;
            let unknown = rarity.powf(2.0 * power);
            let (left, share) = match ahead {
                None => (rarity, (1.0 - p) * unknown + p * rarity),
                Some(ahead) => {
                    let chance = p * (rarity - unknown);
                    (unknown + chance, ahead * ahead * unknown + chance)
                }
            };
            *out = (left, (scale * scale * share + v * rarity).sqrt());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(outcomes: &Outcomes, state: usize) -> f32 {
        let mut out = [(0.0, 0.0)];
        outcomes.look(state, (1.0, 3.0), None, &mut out);
        out[0].1
    }

    fn next(state: usize) -> Outcome {
        Outcome { reward: 0.0, next: Some(state) }
    }

    #[test]
    fn what_was_never_tried_is_as_wide_as_the_scale() {
        let mut outcomes = Outcomes::new(3, 1);
        assert_eq!(width(&outcomes, 0), 1.0);
        (0..5).for_each(|_| outcomes.visit(1, 0, next(2)));
        assert!((width(&outcomes, 0) - 1.0).abs() < 1e-6);
    }

    /// One pair tried four times with one outcome: of one repeated pair none varied, share 1/40;
    /// p = (2/40) / (3 + 2) = 1/100; u² = 99/100 5^-6 + 1/500.
    #[test]
    fn widths_are_those_worked_by_hand() {
        let mut outcomes = Outcomes::new(1, 1);
        (0..4).for_each(|_| outcomes.visit(0, 0, next(0)));
        let expected = (0.99 * 5f32.powi(-6) + 0.002).sqrt();
        assert!((width(&outcomes, 0) - expected).abs() < 1e-6);
        // A fifth try that ends the episode: share 21/40, p = (1 + 21/20) / 6.
        outcomes.visit(0, 0, Outcome { reward: 0.0, next: None });
        let p = 2.05 / 6.0;
        let expected = ((1.0 - p) * 6f32.powi(-6) + p / 6.0).sqrt();
        assert!((width(&outcomes, 0) - expected).abs() < 1e-6);
    }

    /// Of two repeated pairs one varied, however often it did: share (1 + 1/20) / 3 = 0.35. A pair that was tried once has
    /// p = 0.35 and u² = 0.65 / 2^6 + 0.35 / 2.
    #[test]
    fn a_pair_that_varies_again_and_again_is_one_that_varied() {
        let mut outcomes = Outcomes::new(3, 1);
        [0, 1, 0, 1].iter().for_each(|&state| outcomes.visit(0, 0, next(state)));
        [2, 2].iter().for_each(|&state| outcomes.visit(1, 0, next(state)));
        outcomes.visit(2, 0, next(2));
        let expected = (0.65 / 64.0 + 0.35 / 2.0f32).sqrt();
        assert!((width(&outcomes, 2) - expected).abs() < 1e-6, "{}", width(&outcomes, 2));
    }

    #[test]
    fn in_a_world_without_chance_one_try_comes_to_be_enough() {
        let mut outcomes = Outcomes::new(1001, 1);
        for state in 0..1000 {
            (0..2).for_each(|_| outcomes.visit(state, 0, next(state)));
        }
        outcomes.visit(1000, 0, next(0));
        let plain = 2f32.powi(-3);
        let found = width(&outcomes, 1000);
        assert!(found > plain && found < 1.02 * plain, "{found}");
    }

    #[test]
    fn where_outcomes_vary_the_width_falls_by_the_root() {
        let mut outcomes = Outcomes::new(1, 1);
        (0..10_000).for_each(|n| outcomes.visit(0, 0, next(n % 2)));
        let found = width(&outcomes, 0);
        assert!((found - 0.01).abs() < 1e-4, "{found}");
    }

    /// Nothing tried: as wide as there is to be found ahead, and nothing observed. After four tries with one outcome p = 1/100
    /// (above) and q = 5^-6: 25 q + (1/5 - q) / 100 of the square.
    #[test]
    fn looking_ahead_only_the_unknown_is_wider() {
        let mut outcomes = Outcomes::new(1, 1);
        let look = |outcomes: &Outcomes| {
            let mut out = [(0.0, 0.0)];
            outcomes.look(0, (2.0, 3.0), Some(5.0), &mut out);
            out[0]
        };
        assert_eq!(look(&outcomes), (1.0, 10.0));
        (0..4).for_each(|_| outcomes.visit(0, 0, next(0)));
        let (q, (left, width)) = (5f32.powi(-6), look(&outcomes));
        let chance = (0.2 - q) / 100.0;
        assert!((left - (q + chance)).abs() < 1e-7, "{left}");
        assert!((width - 2.0 * (25.0 * q + chance).sqrt()).abs() < 1e-6, "{width}");
    }

    /// Rewards 3 and -3 in turn: variance 9, whatever the scale of the states.
    #[test]
    fn the_variance_of_rewards_counts_in_their_own_units() {
        let mut outcomes = Outcomes::new(2, 1);
        for n in 0..10_000 {
            outcomes.visit(0, 0, Outcome { reward: if n % 2 == 0 { 3.0 } else { -3.0 }, next: Some(1) });
        }
        assert!((width(&outcomes, 0) - 0.03).abs() < 3e-4, "{}", width(&outcomes, 0));
    }
}
