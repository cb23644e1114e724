use super::beta::beta_quantile;
use super::{CONFIDENCE, FEWEST_RUNS, Interval};

/// The share `k / n` of runs that succeeded with its exact interval (Clopper and Pearson): from the 2.5 % point of
/// Beta(k, n - k + 1) to the 97.5 % point of Beta(k + 1, n - k). Whatever the true share is, at least 95 % of such
/// intervals hold it.
///
/// `None` with fewer than [`FEWEST_RUNS`] runs, or with more successes than runs.
pub fn share_interval(successes: usize, runs: usize) -> Option<Interval> {
    (runs >= FEWEST_RUNS && successes <= runs).then(|| exact(successes as f64 / runs as f64, runs as f64))
}

/// The exact interval of a share `estimate` of `runs` runs, of which there may be a fraction.
pub(super) fn exact(estimate: f64, runs: f64) -> Interval {
    let (tail, successes) = ((1.0 - CONFIDENCE) / 2.0, estimate * runs);
    let failures = runs - successes;
    let low = if successes <= 0.0 { 0.0 } else { beta_quantile(tail, successes, failures + 1.0) };
    let high = if failures <= 0.0 { 1.0 } else { beta_quantile(1.0 - tail, successes + 1.0, failures) };
    Interval { estimate, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_seeds_say_little() {
        // All of five: the lower end is the fifth root of 0.025.
        let all = share_interval(5, 5).unwrap();
        assert!((all.low - 0.025f64.powf(0.2)).abs() < 1e-12 && all.high == 1.0, "{all:?}");
        let none = share_interval(0, 5).unwrap();
        assert!(none.low == 0.0 && (none.high + all.low - 1.0).abs() < 1e-12, "{none:?}");
        let half = share_interval(5, 10).unwrap();
        assert!((half.low + half.high - 1.0).abs() < 1e-12 && half.estimate == 0.5);
    }

    #[test]
    fn fewer_than_five_say_nothing() {
        assert_eq!((share_interval(4, 4), share_interval(0, 0), share_interval(6, 5)), (None, None, None));
    }

    #[test]
    fn it_covers_every_share_with_19_of_20() {
        // Over all outcomes of n runs, weighed by their probability: no simulation.
        for n in [5usize, 10, 20] {
            for percent in 1..100 {
                let p = f64::from(percent) / 100.0;
                let chance = |k: usize| {
                    let ways = (0..k).fold(1.0, |ways, i| ways * (n - i) as f64 / (i + 1) as f64);
                    ways * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
                };
                let holds = |k: &usize| share_interval(*k, n).is_some_and(|i| i.low <= p && p <= i.high);
                let covered: f64 = (0..=n).filter(holds).map(chance).sum();
                assert!(covered >= 0.95, "{n} runs, {p}: {covered}");
            }
        }
    }
}
