/// The entropy of a sample of returns.
///
/// The paper's `H(Z) = -∫ p(Z) log p(Z) dZ` (with the minus sign that its text lacks) is minus infinity for
/// every distribution with a point mass, and almost all tasks have some: MountainCar's traces all return
/// -200. It also changes with the unit of the reward. So what is reported is the Shannon entropy
/// `-Σ p_i ln p_i` over the values that returns take, which is 0 when all traces return the same, at most
/// `ln` of the number of values, and the same in any unit.
///
/// Where there are more than [`BINS`](Self::BINS) different values, they are first sorted into that many
/// bins of equal width from the least to the greatest; returns of a continuous kind would otherwise all be
/// different, and their entropy only tell the number of traces. Either way it is the plug-in estimate,
/// which is too low by about `(values - 1) / (2 traces)`: 0.005 at 512 values and 50,000 traces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entropy {
    /// The Shannon entropy of values or bins, in nats.
    pub nats: f64,
    /// What it was taken over.
    pub estimator: Estimator,
    /// The differential entropy, `-Σ p_i ln(p_i / width)`, in nats: the paper's integral, in the unit of
    /// the return. Only for bins, as it is minus infinity for a countable number of values.
    pub differential: Option<f64>,
}

/// What an [`Entropy`] was taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// The different values themselves, this many.
    Values(usize),
    /// This many bins between the least and the greatest value.
    Bins(usize),
}

impl Entropy {
    /// The number of bins, and the greatest number of values that are taken as they are.
    pub const BINS: usize = 512;

    /// The entropy of a sample. `None` without values, or where one is not finite.
    pub fn of(values: &[f64]) -> Option<Self> {
        let groups = groups(values)?;
        let total = values.len() as f64;
        let shannon = |counts: &mut dyn Iterator<Item = usize>| {
            let shares = counts.filter(|&count| count > 0).map(|count| count as f64 / total);
            // At a share of 1 the logarithm is 0; adding 0 turns -0 into 0.
            shares.map(|share| -share * share.ln()).sum::<f64>() + 0.0
        };
        if groups.len() <= Self::BINS {
            let nats = shannon(&mut groups.iter().map(|group| group.1));
            return Some(Entropy { nats, estimator: Estimator::Values(groups.len()), differential: None });
        }
        let (low, high) = (groups[0].0, groups[groups.len() - 1].0);
        let mut counts = vec![0; Self::BINS];
        for (value, count) in groups {
            // Halved, so that the greatest range there is does not overflow.
            let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
            counts[((share * Self::BINS as f64) as usize).min(Self::BINS - 1)] += count;
        }
        let nats = shannon(&mut counts.into_iter());
        let width = (high / 2.0 - low / 2.0) / (Self::BINS / 2) as f64;
        Some(Entropy { nats, estimator: Estimator::Bins(Self::BINS), differential: Some(nats + width.ln()) })
    }
}

/// The different values of a sample in order, each with how often it occurs. Values closer than a
/// billionth of the largest are one: sums of the same rewards in another order differ by rounding.
pub(super) fn groups(values: &[f64]) -> Option<Vec<(f64, usize)>> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let grain = 1e-9 * sorted[0].abs().max(sorted[sorted.len() - 1].abs());
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for value in sorted {
        match groups.last_mut() {
            Some((first, count)) if value - *first <= grain => *count += 1,
            _ => groups.push((value, 1)),
        }
    }
    Some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values at the middles of `n` equal shares of a distribution with this quantile function.
    fn spread(n: usize, quantile: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..n).map(|i| quantile((i as f64 + 0.5) / n as f64)).collect()
    }

    #[test]
    fn a_point_mass_has_no_entropy() {
        for value in [0.0, -200.0, 1e300, 5e-324] {
            let entropy = Entropy::of(&[value; 1000]).unwrap();
            assert_eq!((entropy.nats, entropy.estimator), (0.0, Estimator::Values(1)));
            assert!(entropy.nats.is_sign_positive());
        }
    }

    #[test]
    fn a_few_values_have_the_entropy_of_their_shares() {
        // Four equal shares: ln 4. One in four: -(1/4) ln(1/4) - (3/4) ln(3/4).
        let four = Entropy::of(&[3.0, 0.0, 2.0, 1.0].repeat(25)).unwrap();
        assert!((four.nats - 4f64.ln()).abs() < 1e-12);
        let quarter = Entropy::of(&[0.0, 0.0, 0.0, 1.0]).unwrap();
        assert!((quarter.nats - 0.562_335_144_618_808_3).abs() < 1e-12);
        assert_eq!(quarter.estimator, Estimator::Values(2));
    }

    #[test]
    fn unit_and_offset_do_not_matter() {
        let values = spread(4000, |u| (7.0 * u).floor() * u);
        let nats = |f: &dyn Fn(f64) -> f64| {
            let changed: Vec<f64> = values.iter().map(|&value| f(value)).collect();
            Entropy::of(&changed).unwrap().nats
        };
        let plain = nats(&|value| value);
        assert!((nats(&|value| 1024.0 * value) - plain).abs() < 1e-12);
        assert!((nats(&|value| 3.0 - value / 250.0) - plain).abs() < 0.01);
    }

    #[test]
    fn sums_that_differ_by_rounding_are_one_value() {
        let entropy = Entropy::of(&[0.1 + 0.2, 0.3, 0.3, 0.2 + 0.1]).unwrap();
        assert_eq!(entropy.estimator, Estimator::Values(1));
    }

    #[test]
    fn continuous_distributions_have_their_differential_entropy() {
        let uniform = Entropy::of(&spread(51_200, |u| 5.0 + 4.0 * u)).unwrap();
        assert_eq!(uniform.estimator, Estimator::Bins(512));
        assert!((uniform.nats - 512f64.ln()).abs() < 1e-3);
        assert!((uniform.differential.unwrap() - 4f64.ln()).abs() < 1e-3);
        // The exponential distribution with mean m has 1 + ln m.
        let exponential = Entropy::of(&spread(200_000, |u| -2.0 * (1.0 - u).ln())).unwrap();
        assert!((exponential.differential.unwrap() - (1.0 + 2f64.ln())).abs() < 5e-3, "{exponential:?}");
        // The logistic distribution with scale s has 2 + ln s.
        let logistic = Entropy::of(&spread(200_000, |u| 3.0 * (u / (1.0 - u)).ln())).unwrap();
        assert!((logistic.differential.unwrap() - (2.0 + 3f64.ln())).abs() < 5e-3, "{logistic:?}");
    }

    #[test]
    fn extremes_never_give_nonsense() {
        assert_eq!(Entropy::of(&[]), None);
        assert_eq!(Entropy::of(&[1.0, f64::NAN]), None);
        let huge = Entropy::of(&spread(2000, |u| f64::MAX * (2.0 * u - 1.0))).unwrap();
        assert!(huge.nats.is_finite() && huge.differential.unwrap().is_finite(), "{huge:?}");
    }
}
