use super::covariance::{Covariance, dot};
use crate::inputs::Scaling;
use crate::net::padded;
use crate::rng::Stream;
use serde::{Deserialize, Serialize};
use std::f32::consts::TAU;

/// The visits of continuous states: Bayesian linear regression on fixed random features.
///
/// phi(s) are random Fourier features of the state (Rahimi and Recht 2007), scaled to length one, whose
/// inner products fall off with the distance of two states. Each action has a covariance S of its own, and
///
/// 1 / (1 + n) = phi' S phi, with S = (I + sum of phi phi')^-1 over the visits.
///
/// After n visits to the same state this is what counts would give; states nearby share their visits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// How a component of the state is brought to [-1, 1]; an unbounded one is squashed.
    scalings: Vec<Option<Scaling>>,
    /// By component: the frequency of each feature, in turns.
    frequencies: Vec<f32>,
    /// By feature, in turns.
    phases: Vec<f32>,
    /// By action.
    covariances: Vec<Covariance>,
    /// phi of every state looked at last, in rows of [`padded`] length.
    #[serde(skip)]
    phis: Vec<f32>,
}

impl Features {
    /// `count` features whose inner products fall off over the distance `width`, the state's range being 2.
    pub fn new(
        low: &[f32],
        high: &[f32],
        actions: usize,
        count: usize,
        width: f64,
        stream: &mut Stream,
    ) -> Self {
        let turns = TAU * width as f32;
        Features {
            scalings: low.iter().zip(high).map(|(&low, &high)| Scaling::of_range(low, high)).collect(),
            frequencies: (0..count * low.len()).map(|_| stream.normal() / turns).collect(),
            phases: (0..count).map(|_| stream.uniform() as f32).collect(),
            covariances: vec![Covariance::new(count); actions],
            phis: Vec::new(),
        }
    }

    /// Whether `other` has as many features of the same states. Which ones they are depends on the seed, and may differ.
    pub(super) fn takes(&self, other: &Features) -> bool {
        let sizes = |of: &Features| (of.frequencies.len(), of.phases.len(), of.covariances.len());
        self.scalings == other.scalings
            && sizes(self) == sizes(other)
            && self.covariances.iter().zip(&other.covariances).all(|(mine, other)| mine.takes(other))
    }

    /// Counts a visit.
    pub fn visit(&mut self, state: &[f32], action: usize) {
        self.featurise(state);
        self.covariances[action].absorb(&self.phis);
    }

    /// 1 / (1 + n) of every action in each of `states`, which are given one after another.
    pub fn rarities(&mut self, states: &[f32], rarities: &mut [f32]) {
        self.featurise(states);
        let actions = self.covariances.len();
        for (action, covariance) in self.covariances.iter_mut().enumerate() {
            covariance.forms(&self.phis, &mut rarities[action..], actions);
        }
        // Rounding may leave one a hair below zero after very many visits.
        rarities.iter_mut().for_each(|rarity| *rarity = rarity.max(0.0));
    }

    /// phi of every state, of length one: phi_i = cos(2 pi (phase_i + sum of frequency_ic s_c)) up to a factor.
    fn featurise(&mut self, states: &[f32]) {
        let (count, components) = (self.phases.len(), self.scalings.len());
        self.phis.resize(states.len() / components.max(1) * padded(count), 0.0);
        for (phi, state) in
            self.phis.chunks_exact_mut(padded(count)).zip(states.chunks_exact(components.max(1)))
        {
            let phi = &mut phi[..count];
            phi.copy_from_slice(&self.phases);
            let frequencies = self.frequencies.chunks_exact(count);
            for ((&x, scaling), frequencies) in state.iter().zip(&self.scalings).zip(frequencies) {
                let x = scaling.map_or(x / (1.0 + x.abs()), |scaling| scaling.apply(x));
                for (phi, frequency) in phi.iter_mut().zip(frequencies) {
                    *phi += frequency * x;
                }
            }
            phi.iter_mut().for_each(|phi| *phi = cosine_of_turns(*phi));
            let length = dot(phi, phi).sqrt().max(f32::MIN_POSITIVE);
            phi.iter_mut().for_each(|phi| *phi /= length);
        }
    }
}

/// cos(2 pi t) to 2e-7, in steps that the compiler can take for several numbers at once and that, unlike those of
/// the system's own cosine, are the same everywhere: with r what t is away from a whole number,
/// cos(2 pi t) = sin(x), x = 2 pi (1/4 - |r|), by its series up to x^11.
fn cosine_of_turns(t: f32) -> f32 {
    /// Between 2^23 and 2^24 floats are whole numbers, so that adding this rounds.
    const ROUND: f32 = 1.5 * 8_388_608.0;
    let rest = (t - ((t + ROUND) - ROUND)).clamp(-0.5, 0.5);
    let x = TAU * (0.25 - rest.abs());
    let q = x * x;
    let series = 1.0 - q * (1.0 / 72.0) * (1.0 - q * (1.0 / 110.0));
    let series = 1.0 - q * (1.0 / 20.0) * (1.0 - q * (1.0 / 42.0) * series);
    x * (1.0 - q * (1.0 / 6.0) * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features() -> Features {
        Features::new(
            &[-1.2, f32::NEG_INFINITY],
            &[0.6, f32::INFINITY],
            2,
            // Not a whole number of vectors.
            67,
            0.3,
            &mut Stream::new(0, "test"),
        )
    }

    #[test]
    fn visits_to_one_state_count_as_in_a_table() {
        let mut features = features();
        let mut rarities = [0.0; 2];
        for visits in 0..50 {
            features.rarities(&[0.1, 2.0], &mut rarities);
            assert!((rarities[0] - 1.0 / (1.0 + visits as f32)).abs() < 1e-4, "{visits}: {rarities:?}");
            assert!((rarities[1] - 1.0).abs() < 1e-5, "the other action was never tried");
            features.visit(&[0.1, 2.0], 0);
        }
    }

    #[test]
    fn states_nearby_share_visits_and_states_far_away_do_not() {
        let mut features = features();
        (0..20).for_each(|_| features.visit(&[-1.0, 0.0], 0));
        let mut rarities = [0.0; 4];
        features.rarities(&[-0.99, 0.0, 0.5, 0.0], &mut rarities);
        assert!(rarities[0] < 0.1 && rarities[2] > 0.8, "{rarities:?}");
    }

    #[test]
    fn states_together_are_as_states_alone() {
        let mut features = features();
        let states: Vec<f32> = (0..14).map(|i| (i as f32 * 1.7).sin()).collect();
        states.chunks(2).enumerate().for_each(|(i, state)| features.visit(state, i % 2));
        let mut together = [0.0; 14];
        features.rarities(&states, &mut together);
        for (state, together) in states.chunks(2).zip(together.chunks(2)) {
            let mut alone = [0.0; 2];
            features.rarities(state, &mut alone);
            assert_eq!(alone, together);
        }
    }

    #[test]
    fn the_cosine_is_that_of_the_textbook() {
        for i in -4000..=4000 {
            let t = i as f32 / 640.0;
            let exact = (f64::from(t) * std::f64::consts::TAU).cos();
            assert!((f64::from(cosine_of_turns(t)) - exact).abs() < 4e-7, "{t}");
        }
        assert!(cosine_of_turns(1e30).abs() <= 1.0);
    }
}
