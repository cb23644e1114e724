use super::entropy::groups;
use crate::stats::{normal_density, quantile, standard_deviation};

/// A Gaussian kernel density estimate, `f(x) = Σ N(x | x_i, h) / n`, with Silverman's bandwidth
/// `h = 0.9 min(sd, IQR / 1.34) n^(-1/5)`. The interquartile range is left out where it is 0 (more than
/// half of the sample in one place), so that only a sample without any spread has no density.
#[derive(Clone, Debug, PartialEq)]
pub struct Kde {
    /// Places and the share of the sample at each.
    weights: Vec<(f64, f64)>,
    /// The bandwidth h.
    pub bandwidth: f64,
}

impl Kde {
    /// At most this many places: more are merged with their neighbours, far closer than the bandwidth.
    const PLACES: usize = 4096;

    /// The estimate from a sample. `None` without values, where one is not finite, or where all are equal.
    pub fn new(values: &[f64]) -> Option<Self> {
        let groups = groups(values)?;
        let n = values.len() as f64;
        let sd = standard_deviation(values)?;
        let range = quantile(values, 0.75)? - quantile(values, 0.25)?;
        let spread = if range > 0.0 { sd.min(range / 1.34) } else { sd };
        let bandwidth = 0.9 * spread * n.powf(-0.2);
        if groups.len() < 2 || !(bandwidth.is_normal() && bandwidth > 0.0) {
            return None;
        }
        let mut weights: Vec<(f64, f64)> = Vec::new();
        let grain = (groups[groups.len() - 1].0 - groups[0].0) / Self::PLACES as f64;
        for (value, count) in groups {
            let share = count as f64 / n;
            match weights.last_mut() {
                Some((place, weight)) if value - *place < grain => {
                    let moved = (*place * *weight + value * share) / (*weight + share);
                    (*place, *weight) = (moved, *weight + share);
                }
                _ => weights.push((value, share)),
            }
        }
        Some(Kde { weights, bandwidth })
    }

    /// The same estimate with a bandwidth of at least `least`, for pictures too small to show less.
    pub fn no_narrower_than(self, least: f64) -> Self {
        Kde { bandwidth: self.bandwidth.max(least), ..self }
    }

    /// The density at `x`.
    pub fn density(&self, x: f64) -> f64 {
        // Beyond nine bandwidths a kernel adds less than rounding does.
        let reach = 9.0 * self.bandwidth;
        let first = self.weights.partition_point(|(place, _)| *place < x - reach);
        let near = self.weights[first..].iter().take_while(|(place, _)| *place <= x + reach);
        near.map(|(place, weight)| weight * normal_density(x, *place, self.bandwidth)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_have_two_bells() {
        // sd = sqrt 2, IQR = 1: h = 0.9 * (1 / 1.34) * 2^-0.2.
        let kde = Kde::new(&[0.0, 2.0]).unwrap();
        let h = 0.9 / 1.34 * 2f64.powf(-0.2);
        assert!((kde.bandwidth - h).abs() < 1e-12);
        let by_hand = (normal_density(0.5, 0.0, h) + normal_density(0.5, 2.0, h)) / 2.0;
        assert!((kde.density(0.5) - by_hand).abs() < 1e-12);
    }

    #[test]
    fn the_density_integrates_to_one() {
        let values: Vec<f64> = (0..20_000).map(|i| (f64::from(i) * 0.618).fract().powi(3) * 50.0).collect();
        let kde = Kde::new(&values).unwrap();
        let total: f64 = (0..8000).map(|i| kde.density(-10.0 + f64::from(i) * 0.01) * 0.01).sum();
        assert!((total - 1.0).abs() < 1e-3, "{total}");
    }

    #[test]
    fn spikes_have_a_density_as_long_as_there_is_any_spread() {
        let mut values = vec![0.0; 999];
        assert_eq!(Kde::new(&values), None);
        values.push(1.0);
        let kde = Kde::new(&values).unwrap();
        assert!(kde.density(0.0) > 100.0 * kde.density(1.0) && kde.density(1.0) > 0.0);
        assert_eq!((Kde::new(&[]), Kde::new(&[1.0]), Kde::new(&[f64::NAN, 1.0])), (None, None, None));
    }
}
