//! What a hidden unit makes of its sum. ReLU is part of the kernels; the others are applied here, after the product.
//!
//! The exponential is written out so that every machine gives the same bits: a library's may not.

use super::kernels::{ActsMut, Bits};
use serde::{Deserialize, Serialize};

/// What a hidden unit makes of its sum x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Activation {
    /// max(x, 0).
    #[default]
    Relu,
    /// x above 0, exp(x) - 1 below (Clevert et al. 2016).
    Elu,
    /// tanh(x).
    Tanh,
}

impl Activation {
    /// The unit's value at `x`, and its slope there.
    #[inline(always)]
    fn at(self, x: f32) -> (f32, f32) {
        match self {
            Activation::Relu => (if x < 0.0 { 0.0 } else { x }, if x > 0.0 { 1.0 } else { 0.0 }),
            Activation::Elu => {
                // Not `x.min(0.0)`, which would make 0 of what is not a number.
                let below = exp(if x > 0.0 { 0.0 } else { x });
                if x > 0.0 { (x, 1.0) } else { (below - 1.0, below) }
            }
            Activation::Tanh => {
                // tanh |x| = (1 - e) / (1 + e), e = exp(-2 |x|).
                let e = exp(-2.0 * x.abs());
                let size = (1.0 - e) / (1.0 + e);
                (size.copysign(x), 1.0 - size * size)
            }
        }
    }

    /// Turns sums into units with dropout, and takes down what each is multiplied by on the way back: its slope, or 0 where it
    /// was dropped. `sum(row, unit, y)` is the sum, where `y` is what stands in `out`. Padding becomes 0.
    pub(super) fn apply(
        self,
        (rows, units, width): (usize, usize, usize),
        bits: Option<Bits<'_>>,
        sum: impl Fn(usize, usize, f32) -> f32,
        out: &mut ActsMut<'_>,
        slopes: &mut ActsMut<'_>,
    ) {
        let both = out.data.chunks_mut(out.stride).zip(slopes.data.chunks_mut(slopes.stride));
        for (row, (out, slopes)) in both.take(rows).enumerate() {
            for (unit, (y, slope)) in out[..units].iter_mut().zip(&mut slopes[..units]).enumerate() {
                let kept = bits.map_or(1.0, |bits| bits.factor(row, unit));
                let (value, by_sum) = self.at(sum(row, unit, *y));
                (*y, *slope) = (kept * value, kept * by_sum);
            }
            out[units..width].fill(0.0);
            slopes[units..width].fill(0.0);
        }
    }
}

/// exp(x) for x up to 0, to about one unit in the last place: 2^n times the series of exp(r), |r| at most ln 2 / 2. What is not
/// a number stays none.
fn exp(x: f32) -> f32 {
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -0.000_212_194_44;
    // Below -87 the result would be subnormal: it is 0 for what it is used for.
    let x = if x < -87.0 { -87.0 } else { x };
    let n = (x * std::f32::consts::LOG2_E).round();
    let r = (x - n * HIGH) - n * LOW;
    let series = 1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0));
    let series = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * series))));
    series * f32::from_bits(((n as i32 + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_a_few_units_in_the_last_place() {
        for step in 0..870_000 {
            let x = -(step as f32) * 1e-4;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) - exact).abs() < 2.5e-7 * exact, "{x}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(f32::NAN).is_nan());
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn values_and_slopes_are_those_of_the_functions() {
        for x in [-30.0f32, -2.0, -0.5, -1e-3, 0.5, 3.0, 40.0] {
            let of = |activation: Activation| activation.at(x);
            let wide = f64::from(x);
            let close = |(y, slope): (f32, f32), (value, by_x): (f64, f64)| {
                let error = (f64::from(y) - value).abs().max((f64::from(slope) - by_x).abs());
                assert!(error < 3e-7 * value.abs().max(1.0), "{x}: {y} {slope}");
            };
            let positive = if x > 0.0 { 1.0 } else { 0.0 };
            close(of(Activation::Relu), (wide.max(0.0), positive));
            close(of(Activation::Elu), if x > 0.0 { (wide, 1.0) } else { (wide.exp() - 1.0, wide.exp()) });
            close(of(Activation::Tanh), (wide.tanh(), 1.0 - wide.tanh().powi(2)));
        }
        for activation in [Activation::Relu, Activation::Elu, Activation::Tanh] {
            assert!(activation.at(f32::NAN).0.is_nan(), "{activation:?} hides what is not a number");
        }
    }
}
