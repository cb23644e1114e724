use crate::net::{Acts, ActsMut, Kernels, isa, padded, panels};
use serde::{Deserialize, Serialize};

/// The covariance S = (I + sum of phi phi')^-1 of a Bayesian linear regression on the features phi, kept up to
/// date by rank-one steps (Sherman and Morrison):
///
/// S <- S - (S phi)(S phi)' / (1 + phi' S phi).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Covariance {
    size: usize,
    /// `size` rows of [`padded`] length in panels, as the kernels have them; the padding is 0.
    entries: Vec<f32>,
    /// S phi of every phi looked at last, in rows of [`padded`] length.
    #[serde(skip)]
    products: Vec<f32>,
}

impl Covariance {
    /// The identity: nothing seen yet.
    pub(super) fn new(size: usize) -> Self {
        let mut entries = vec![0.0; size * padded(size)];
        for panel in panels(size, padded(size)) {
            // The diagonal enters the panel in row `column`, and goes on by a column a row.
            let diagonal = entries[panel.numbers].iter_mut().skip(panel.column * panel.width);
            diagonal.step_by(panel.width + 1).take(panel.width).for_each(|entry| *entry = 1.0);
        }
        Covariance { size, entries, products: Vec::new() }
    }

    /// Whether `other` is of as many features.
    pub(super) fn takes(&self, other: &Covariance) -> bool {
        (self.size, self.entries.len()) == (other.size, other.entries.len())
    }

    /// phi' S phi of every phi, given one after another in rows of [`padded`] length: out[row * apart].
    pub(super) fn forms(&mut self, phis: &[f32], out: &mut [f32], apart: usize) {
        self.multiply(phis);
        let width = padded(self.size);
        let rows = phis.chunks_exact(width).zip(self.products.chunks_exact(width));
        for (out, (phi, product)) in out.iter_mut().step_by(apart).zip(rows) {
            *out = dot(phi, product);
        }
    }

    /// Takes in one phi.
    pub(super) fn absorb(&mut self, phi: &[f32]) {
        self.multiply(phi);
        let form = dot(phi, &self.products);
        for panel in panels(self.size, padded(self.size)) {
            let right = &self.products[panel.column..][..panel.width];
            let rows = self.entries[panel.numbers].chunks_exact_mut(panel.width);
            for (row, &left) in rows.zip(&self.products) {
                let factor = left / (1.0 + form);
                row.iter_mut().zip(right).for_each(|(entry, right)| *entry -= factor * right);
            }
        }
    }

    /// S phi of every phi, into `products`; S is symmetric, so that it does not matter from which side.
    fn multiply(&mut self, phis: &[f32]) {
        let stride = padded(self.size);
        let rows = phis.len() / stride;
        self.products.resize(phis.len(), 0.0);
        let mut out = ActsMut { data: &mut self.products, stride };
        let phis = Acts { data: phis, stride };
        Kernels::best(isa()).product(phis, rows, &self.entries, self.size, stride, &mut out);
    }
}

/// The inner product, summed in eight lanes so that the compiler can use vector instructions.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
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

    /// A row of padded length.
    fn row(numbers: &[f32]) -> Vec<f32> {
        let mut row = numbers.to_vec();
        row.resize(padded(numbers.len()), 0.0);
        row
    }

    /// Against a direct inverse in two dimensions, worked by hand: phi = (1, 0), psi = (0.6, 0.8):
    /// I + phi phi' + psi psi' = [[2.36, 0.48], [0.48, 1.64]], determinant 3.64.
    #[test]
    fn rank_one_steps_invert_the_precision() {
        let mut covariance = Covariance::new(2);
        for phi in [[1.0, 0.0], [0.6, 0.8]] {
            covariance.absorb(&row(&phi));
        }
        let close = |a: f32, b: f32| (a - b).abs() < 1e-6;
        let expected = [[1.64 / 3.64, -0.48 / 3.64], [-0.48 / 3.64, 2.36 / 3.64]];
        for (entries, expected) in covariance.entries.chunks_exact(padded(2)).zip(expected) {
            assert!(close(entries[0], expected[0]) && close(entries[1], expected[1]), "{entries:?}");
            assert!(entries[2..].iter().all(|&entry| entry == 0.0), "padding: {entries:?}");
        }
        let mut forms = [0.0; 3];
        covariance.forms(&[row(&[1.0, 0.0]), row(&[1.0, 1.0])].concat(), &mut forms, 2);
        assert!(close(forms[0], 1.64 / 3.64) && close(forms[2], (1.64 + 2.36 - 0.96) / 3.64), "{forms:?}");
        assert_eq!(forms[1], 0.0, "not asked for");
    }

    /// (I + sum of phi phi') S = I after random steps: 67 features are a whole panel
    /// and a part of one.
    #[test]
    fn the_precision_times_the_covariance_is_the_identity() {
        let size = 67;
        let mut stream = crate::rng::Stream::new(1, "test");
        let mut covariance = Covariance::new(size);
        let mut precision = vec![0.0; size * size];
        (0..size).for_each(|i| precision[i * size + i] = 1.0);
        for _ in 0..20 {
            let phi: Vec<f32> = (0..size).map(|_| 0.2 * stream.normal()).collect();
            for (i, a) in phi.iter().enumerate() {
                for (j, b) in phi.iter().enumerate() {
                    precision[i * size + j] += a * b;
                }
            }
            covariance.absorb(&row(&phi));
        }
        for (column, precision) in precision.chunks_exact(size).enumerate() {
            covariance.multiply(&row(precision));
            for (at, &entry) in covariance.products[..size].iter().enumerate() {
                let expected = f32::from(u8::from(at == column));
                assert!((entry - expected).abs() < 1e-5, "({column}, {at}): {entry}");
            }
        }
    }
}
