/// The regularised incomplete beta function `I_x(a, b)`: the probability that a Beta(a, b) variable is at most `x`.
/// By the continued fraction of Lentz, on the side where it converges fast.
pub(super) fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front =
        (libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(x, a, b) / a
    } else {
        1.0 - front * continued_fraction(1.0 - x, b, a) / b
    }
}

/// `1 / (1 + d_1 / (1 + d_2 / (1 + ...)))` with `d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m))` and
/// `d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1))`.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            change = c * d;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// The quantile `p` of a Beta(a, b) variable, by halving: it lies in [0, 1].
pub(super) fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if beta_cdf(middle, a, b) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beta_variables_that_can_be_worked_out_by_hand() {
        // Beta(1, 1) is uniform, Beta(a, 1) has x^a, Beta(2, 2) has 3x² - 2x³.
        for x in [0.01, 0.3, 0.5, 0.9, 0.999] {
            assert!((beta_cdf(x, 1.0, 1.0) - x).abs() < 1e-14, "{x}");
            assert!((beta_cdf(x, 5.0, 1.0) - x.powi(5)).abs() < 1e-14, "{x}");
            assert!((beta_cdf(x, 2.0, 2.0) - (3.0 * x * x - 2.0 * x * x * x)).abs() < 1e-14, "{x}");
        }
        assert_eq!((beta_cdf(-1.0, 2.0, 3.0), beta_cdf(2.0, 2.0, 3.0)), (0.0, 1.0));
    }

    #[test]
    fn a_quantile_is_where_the_probability_is() {
        assert!((beta_quantile(0.025, 5.0, 1.0) - 0.025f64.powf(0.2)).abs() < 1e-14);
        for (a, b) in [(0.5, 0.5), (3.0, 17.0), (200.0, 1.5)] {
            for p in [0.025, 0.5, 0.975] {
                assert!((beta_cdf(beta_quantile(p, a, b), a, b) - p).abs() < 1e-12, "{a} {b} {p}");
            }
        }
    }
}
