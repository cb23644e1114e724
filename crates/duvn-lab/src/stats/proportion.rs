use super::{Interval, Z_95};

/// The share `k / n` of runs that succeeded with Wilson's 95 % interval,
/// `(k + z²/2 ± z sqrt(k (n - k) / n + z²/4)) / (n + z²)`: never empty and never outside [0, 1], also when
/// all or none succeeded.
///
/// `None` without runs, or with more successes than runs.
pub fn wilson(successes: usize, runs: usize) -> Option<Interval> {
    if runs == 0 || successes > runs {
        return None;
    }
    let (k, n, z2) = (successes as f64, runs as f64, Z_95 * Z_95);
    let centre = k + z2 / 2.0;
    let half = Z_95 * (k * (n - k) / n + z2 / 4.0).sqrt();
    // At the ends the formula is exactly 0 or 1; rounding must not carry it past them.
    let low = if successes == 0 { 0.0 } else { (centre - half) / (n + z2) };
    let high = if successes == runs { 1.0 } else { (centre + half) / (n + z2) };
    Some(Interval { estimate: k / n, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_seeds_say_little() {
        // All of five: the lower end is n / (n + z²) = 5 / 8.8415.
        let all = wilson(5, 5).unwrap();
        assert!((all.low - 0.565_518).abs() < 1e-6 && all.high == 1.0, "{all:?}");
        let none = wilson(0, 5).unwrap();
        assert!(none.low == 0.0 && (none.high - 0.434_482).abs() < 1e-6, "{none:?}");
        let half = wilson(5, 10).unwrap();
        assert!((half.low + half.high - 1.0).abs() < 1e-12 && half.estimate == 0.5);
        assert_eq!((wilson(0, 0), wilson(2, 1)), (None, None));
    }
}
