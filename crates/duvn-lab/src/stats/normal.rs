/// The density of the normal distribution, `exp(-((x - mu) / sigma)² / 2) / (sigma sqrt(2 π))`.
pub fn normal_density(x: f64, mu: f64, sigma: f64) -> f64 {
    let z = (x - mu) / sigma;
    (-z * z / 2.0).exp() / (sigma * std::f64::consts::TAU.sqrt())
}

/// The probability that a normal variable lies below `x`, `erfc(-(x - mu) / (sigma sqrt 2)) / 2`.
pub fn normal_cdf(x: f64, mu: f64, sigma: f64) -> f64 {
    libm::erfc(-(x - mu) / (sigma * std::f64::consts::SQRT_2)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_points_of_the_standard_normal() {
        for (x, below) in [(0.0, 0.5), (1.0, 0.841_344_746_068_543), (super::super::Z_95, 0.975)] {
            assert!((normal_cdf(x, 0.0, 1.0) - below).abs() < 1e-15, "{x}");
            assert!((normal_cdf(3.0 - 2.0 * x, 3.0, 2.0) - (1.0 - below)).abs() < 1e-15, "{x}");
        }
        // Far in the tail nothing is lost to cancellation.
        let tail = normal_cdf(-10.0, 0.0, 1.0);
        assert!((tail / 7.619_853_024_160_527e-24 - 1.0).abs() < 1e-12, "{tail}");
    }

    #[test]
    fn the_density_is_the_slope_of_the_cdf() {
        let h = 1e-5;
        for x in [-2.0, 0.3, 4.0] {
            let slope = (normal_cdf(x + h, 1.0, 1.5) - normal_cdf(x - h, 1.0, 1.5)) / (2.0 * h);
            assert!((slope - normal_density(x, 1.0, 1.5)).abs() < 1e-9, "{x}");
        }
    }
}
