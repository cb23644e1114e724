//! The standard normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// Its density: exp(-x²/2) / sqrt(2 pi).
pub fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// Phi(x): the probability of less than `x`.
pub fn below(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// The x with Phi(x) = `share`, for shares from 0 to 1: minus infinity for 0, infinity for 1.
///
/// Found by halving an interval: for where it is needed a few times, not in a loop.
pub fn quantile(share: f64) -> f64 {
    if share <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if share >= 1.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (-40.0, 40.0);
    // Each step halves the interval; after 60 it is at the precision of numbers near 1.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if below(middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_tables() {
        for (x, share) in [(0.0, 0.5), (1.0, 0.841_344_746_068_542_9), (-1.96, 0.024_997_895_148_220_43)] {
            assert!((below(x) - share).abs() < 1e-15);
            assert!((quantile(share) - x).abs() < 1e-14, "{x}: {}", quantile(share));
        }
        assert!((density(1.0) - 0.241_970_724_519_143_37).abs() < 1e-16);
        assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
