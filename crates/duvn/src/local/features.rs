use crate::inputs::Scaling;
use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// The visits of continuous states: Bayesian linear regression on fixed random features.
///
/// phi(s) are random Fourier features of the state (Rahimi and Recht 2007), scaled to length one, whose
/// inner products fall off with the distance of two states. Each action has a covariance
/// S = (I + sum of phi phi')^-1, kept up to date by rank-one steps (Sherman and Morrison):
///
/// S <- S - (S phi)(S phi)' / (1 + phi' S phi), and 1 / (1 + n) = phi' S phi.
///
/// After n visits to the same state u = 1 / (1 + n), as with counts; states nearby share their visits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// How a component of the state is brought to [-1, 1]; an unbounded one is squashed.
    scalings: Vec<Option<Scaling>>,
    /// By feature: the frequency of each component.
    frequencies: Vec<f32>,
    phases: Vec<f32>,
    /// By action: S, row by row.
    covariances: Vec<Vec<f32>>,
    #[serde(skip)]
    scaled: Vec<f32>,
    #[serde(skip)]
    phi: Vec<f32>,
    #[serde(skip)]
    product: Vec<f32>,
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
        let identity = |row: usize| (0..count).map(move |column| f32::from(u8::from(row == column)));
        Features {
            scalings: low.iter().zip(high).map(|(&low, &high)| Scaling::of_range(low, high)).collect(),
            frequencies: (0..count * low.len()).map(|_| stream.normal() / width as f32).collect(),
            phases: (0..count).map(|_| (stream.uniform() * std::f64::consts::TAU) as f32).collect(),
            covariances: vec![(0..count).flat_map(identity).collect(); actions],
            scaled: Vec::new(),
            phi: Vec::new(),
            product: Vec::new(),
        }
    }

    /// Counts a visit.
    pub fn visit(&mut self, x: &[f32], action: usize) {
        self.featurise(x);
        self.absorb(action);
    }

    /// The rank-one step of phi.
    fn absorb(&mut self, action: usize) {
        let width = self.multiply(action);
        for (row, &left) in self.covariances[action].chunks_exact_mut(self.phi.len()).zip(&self.product) {
            let factor = left / (1.0 + width);
            for (entry, &right) in row.iter_mut().zip(&self.product) {
                *entry -= factor * right;
            }
        }
    }

    /// 1 / (1 + n) of every action.
    pub fn rarities(&mut self, x: &[f32], rarities: &mut [f32]) {
        self.featurise(x);
        for (action, rarity) in rarities.iter_mut().enumerate() {
            // Rounding may leave it a hair below zero after very many visits.
            *rarity = self.multiply(action).max(0.0);
        }
    }

    /// phi(s), of length one.
    fn featurise(&mut self, x: &[f32]) {
        self.scaled.resize(self.scalings.len(), 0.0);
        self.phi.resize(self.phases.len(), 0.0);
        self.product.resize(self.phases.len(), 0.0);
        for ((scaled, scaling), &x) in self.scaled.iter_mut().zip(&self.scalings).zip(x) {
            *scaled = scaling.map_or(x / (1.0 + x.abs()), |scaling| scaling.apply(x));
        }
        let frequencies = self.frequencies.chunks_exact(self.scaled.len().max(1));
        for ((phi, frequencies), phase) in self.phi.iter_mut().zip(frequencies).zip(&self.phases) {
            *phi = (dot(frequencies, &self.scaled) + phase).cos();
        }
        let length = dot(&self.phi, &self.phi).sqrt().max(f32::MIN_POSITIVE);
        self.phi.iter_mut().for_each(|phi| *phi /= length);
    }

    /// S phi into `product`; gives phi' S phi.
    fn multiply(&mut self, action: usize) -> f32 {
        let rows = self.covariances[action].chunks_exact(self.phi.len());
        for (product, row) in self.product.iter_mut().zip(rows) {
            *product = dot(row, &self.phi);
        }
        dot(&self.phi, &self.product)
    }
}

/// The inner product, summed in eight lanes so that the compiler can use vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    let (a_blocks, b_blocks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_blocks.zip(b_blocks) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features() -> Features {
        Features::new(
            &[-1.2, f32::NEG_INFINITY],
            &[0.6, f32::INFINITY],
            2,
            64,
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
        let mut width = |x: f32| {
            let mut rarities = [0.0; 2];
            features.rarities(&[x, 0.0], &mut rarities);
            rarities[0]
        };
        assert!(width(-0.99) < 0.1);
        assert!(width(0.5) > 0.8);
    }

    /// S = (I + phi phi' + psi psi')^-1 against a direct inverse in two dimensions, worked by hand:
    /// phi = (1, 0), psi = (0.6, 0.8): I + ... = [[2.36, 0.48], [0.48, 1.64]], determinant 3.64.
    #[test]
    fn rank_one_steps_invert_the_precision() {
        let mut features = Features {
            scalings: vec![],
            frequencies: vec![],
            phases: vec![],
            covariances: vec![vec![1.0, 0.0, 0.0, 1.0]],
            scaled: vec![],
            phi: vec![1.0, 0.0],
            product: vec![0.0; 2],
        };
        for phi in [[1.0, 0.0], [0.6, 0.8]] {
            features.phi = phi.to_vec();
            features.absorb(0);
        }
        let expected = [1.64 / 3.64, -0.48 / 3.64, -0.48 / 3.64, 2.36 / 3.64];
        let close = |(a, b): (&f32, f32)| (a - b).abs() < 1e-6;
        assert!(features.covariances[0].iter().zip(expected).all(close), "{:?}", features.covariances[0]);
    }
}
