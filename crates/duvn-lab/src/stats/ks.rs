use super::finite;
use std::f64::consts::PI;

/// The outcome of a two-sample Kolmogorov-Smirnov test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KsTest {
    /// The greatest distance between the two empirical distribution functions.
    pub statistic: f64,
    /// How likely a distance at least this great is between two samples of one distribution. Of the
    /// asymptotic kind: on the safe side for distributions with ties.
    pub p_value: f64,
}

/// Tests whether two samples come from one distribution: `D = sup |F_x - F_y|`, with the p-value
/// `Q(D sqrt(n m / (n + m)))` of Kolmogorov's limit distribution.
pub fn ks_two_sample(x: &[f64], y: &[f64]) -> Option<KsTest> {
    let sorted = |values: &[f64]| {
        let mut sorted = finite(values)?.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Some(sorted)
    };
    let (x, y) = (sorted(x)?, sorted(y)?);
    let (n, m) = (x.len() as f64, y.len() as f64);
    let (mut i, mut j, mut statistic) = (0, 0, 0f64);
    while i < x.len() && j < y.len() {
        let at = x[i].min(y[j]);
        i += x[i..].iter().take_while(|&&value| value <= at).count();
        j += y[j..].iter().take_while(|&&value| value <= at).count();
        statistic = statistic.max((i as f64 / n - j as f64 / m).abs());
    }
    Some(KsTest { statistic, p_value: kolmogorov_tail(statistic * (n * m / (n + m)).sqrt()) })
}

/// `Q(λ) = 2 Σ_{k≥1} (-1)^(k-1) exp(-2 k² λ²)`, for small λ by its theta-function twin
/// `1 - sqrt(2 π)/λ Σ_{k≥1} exp(-(2k-1)² π² / (8 λ²))`, so that either series ends after a few terms.
fn kolmogorov_tail(lambda: f64) -> f64 {
    if lambda < 0.04 {
        // Every term of the second series is below the smallest number there is.
        return 1.0;
    }
    if lambda < 1.0 {
        let term = |k: i32| (-f64::from(2 * k - 1).powi(2) * PI * PI / (8.0 * lambda * lambda)).exp();
        return 1.0 - (2.0 * PI).sqrt() / lambda * (1..=6).map(term).sum::<f64>();
    }
    let term = |k: i32| {
        let size = (-2.0 * f64::from(k * k) * lambda * lambda).exp();
        if k % 2 == 1 { size } else { -size }
    };
    2.0 * (1..=6).map(term).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_that_of_the_staircases() {
        // After 2 the first has climbed 2/3, the second nothing.
        let test = ks_two_sample(&[1.0, 2.0, 4.0], &[3.0, 5.0]).unwrap();
        assert!((test.statistic - 2.0 / 3.0).abs() < 1e-15);
        // Ties climb together.
        let same = ks_two_sample(&[0.0, 0.0, 1.0, 1.0], &[1.0, 0.0]).unwrap();
        assert_eq!(same, KsTest { statistic: 0.0, p_value: 1.0 });
        let apart = ks_two_sample(&[0.0; 500], &[1.0; 500]).unwrap();
        assert!(apart.statistic == 1.0 && apart.p_value < 1e-200);
        assert_eq!(ks_two_sample(&[], &[1.0]), None);
        assert_eq!(ks_two_sample(&[f64::NAN], &[1.0]), None);
    }

    #[test]
    fn the_limit_distribution_is_smooth_where_the_series_meet() {
        // The well-known 5 % point.
        assert!((kolmogorov_tail(1.358_098_7) - 0.05).abs() < 1e-7);
        assert!((kolmogorov_tail(1.0 - 1e-9) - kolmogorov_tail(1.0)).abs() < 1e-8);
        assert!((kolmogorov_tail(0.0399) - kolmogorov_tail(0.0401)).abs() < 1e-12);
    }
}
