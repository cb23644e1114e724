use super::aggregate::quantile_of_sorted;
use super::{CONFIDENCE, finite};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// An estimate and the interval around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The statistic of the data as they are.
    pub estimate: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A statistic of runs and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The statistic.
    pub value: f64,
    /// Its standard error, as far as these runs can tell.
    pub error: f64,
}

/// How intervals are made by drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap {
    /// The number of draws.
    pub resamples: usize,
    /// The seed of the draws: the same seed gives the same interval.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Bootstrap { resamples: 9_999, seed: 0 }
    }
}

impl Bootstrap {
    /// The bootstrap-t interval of a statistic: runs are drawn again with replacement, each draw gives
    /// `t* = (value* - value) / error*`, and the interval is
    /// `[value - t*(97.5 %) error, value - t*(2.5 %) error]`. It knows the skewness of the data, which Student's t
    /// does not.
    ///
    /// A draw without spread has an infinite t. Where there are so many of them that an end would be infinite, the
    /// data cannot tell it: the end is infinite here, and must not be shown. `None` of no runs or of a run that is
    /// not finite.
    pub fn studentised(
        &self,
        runs: &[f64],
        statistic: impl Fn(&[f64]) -> Option<Measured>,
    ) -> Option<Interval> {
        let Measured { value, error } = statistic(finite(runs)?)?;
        let nothing = 1e-12 * runs.iter().fold(0f64, |most, run| most.max(run.abs()));
        if error <= nothing {
            return Some(Interval { estimate: value, low: f64::NEG_INFINITY, high: f64::INFINITY });
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut drawn = runs.to_vec();
        let mut ts = Vec::with_capacity(self.resamples);
        for _ in 0..self.resamples {
            drawn.fill_with(|| runs[index_below(&mut rng, runs.len())]);
            let again = statistic(&drawn)?;
            let apart = again.value - value;
            ts.push(match again.error <= nothing {
                true if apart.abs() <= nothing => 0.0,
                true => apart.signum() * f64::INFINITY,
                false => apart / again.error,
            });
        }
        ts.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - CONFIDENCE) / 2.0;
        Some(Interval {
            estimate: value,
            low: value - point(&ts, 1.0 - tail) * error,
            high: value - point(&ts, tail) * error,
        })
    }

    /// The exact interval of the mean of runs that cannot leave [`low`, `high`] (Gaffke): the lower end is the 2.5 %
    /// point of `Σ w_i x_i + w_0 low`, the upper the 97.5 % point of `Σ w_i x_i + w_0 high`, with weights drawn
    /// uniformly from all that are at least 0 and add up to 1. It reckons with failures that did not happen to be
    /// seen. Of successes and failures it is the interval of Clopper and Pearson.
    pub fn bounded(&self, runs: &[f64], low: f64, high: f64) -> Option<Interval> {
        let estimate = super::mean(runs)?.clamp(low, high);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        for _ in 0..self.resamples {
            let rest = exponential(&mut rng);
            let (mut sum, mut all) = (0.0, rest);
            for run in runs {
                let weight = exponential(&mut rng);
                sum += weight * run.clamp(low, high);
                all += weight;
            }
            lows.push((sum + rest * low) / all);
            highs.push((sum + rest * high) / all);
        }
        lows.sort_unstable_by(f64::total_cmp);
        highs.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - CONFIDENCE) / 2.0;
        let ends = (quantile_of_sorted(&lows, tail), quantile_of_sorted(&highs, 1.0 - tail));
        Some(Interval { estimate, low: ends.0.clamp(low, estimate), high: ends.1.clamp(estimate, high) })
    }
}

/// The quantile `q` of B sorted draws as the `q (B + 1)`-th of them: never between a number and infinity.
fn point(sorted: &[f64], q: f64) -> f64 {
    let place = (q * (sorted.len() + 1) as f64).round() as usize;
    sorted.get(place.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(f64::NAN)
}

/// A uniform index below `n`: the high half of a product of 64 bits, whose bias of `n / 2^64` is nothing.
fn index_below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

/// A draw of the exponential distribution, `-ln u` with u in (0, 1].
fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    let above_zero = ((rng.next_u64() >> 11) + 1) as f64;
    -(above_zero / (1u64 << 53) as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{mean_and_error, share_interval};

    #[test]
    fn an_end_that_the_data_cannot_tell_is_infinite() {
        // Of (0, 0, 0, 0, 1) a third of all draws have no 1 at all, and no spread: t* is -∞ at its lower end.
        let interval = Bootstrap::default().studentised(&[0.0, 0.0, 0.0, 0.0, 1.0], mean_and_error).unwrap();
        assert_eq!((interval.estimate, interval.high), (0.2, f64::INFINITY));
        assert!(interval.low.is_finite());
        let same = Bootstrap::default().studentised(&[3.0; 8], mean_and_error).unwrap();
        assert_eq!((same.low, same.high), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn the_interval_leans_to_the_side_of_the_long_tail() {
        let runs = [1.0, 1.2, 1.3, 1.5, 1.6, 1.9, 2.2, 3.0, 4.5, 9.0];
        let interval = Bootstrap::default().studentised(&runs, mean_and_error).unwrap();
        let (below, above) = (interval.estimate - interval.low, interval.high - interval.estimate);
        assert!(above > 1.5 * below, "{interval:?}");
        // Moving and stretching the data moves and stretches the interval.
        let moved: Vec<f64> = runs.iter().map(|x| 7.0 - 2.0 * x).collect();
        let moved = Bootstrap::default().studentised(&moved, mean_and_error).unwrap();
        assert!((moved.high - (7.0 - 2.0 * interval.low)).abs() < 1e-9, "{moved:?}");
        assert!((moved.low - (7.0 - 2.0 * interval.high)).abs() < 1e-9, "{moved:?}");
    }

    #[test]
    fn bounded_means_of_successes_and_failures_are_exact_shares() {
        for (successes, runs) in [(0, 5), (5, 5), (3, 10), (19, 20)] {
            let scores: Vec<f64> = (0..runs).map(|i| f64::from(u8::from(i < successes))).collect();
            let found = Bootstrap::default().bounded(&scores, 0.0, 1.0).unwrap();
            let exact = share_interval(successes, runs).unwrap();
            let close = |a: f64, b: f64| (a - b).abs() < 0.012;
            assert!(close(found.low, exact.low) && close(found.high, exact.high), "{found:?} {exact:?}");
        }
        // In other units it is the same interval.
        let found = Bootstrap::default().bounded(&[-100.0; 5], -100.0, 0.0).unwrap();
        assert_eq!((found.estimate, found.low), (-100.0, -100.0));
        assert!((found.high + 100.0 * 0.025f64.powf(0.2)).abs() < 1.2, "{found:?}");
    }

    #[test]
    fn the_seed_decides_the_draws() {
        let runs: Vec<f64> = (0..20).map(|i| f64::from(i).sqrt()).collect();
        let with = |seed| Bootstrap { seed, ..Bootstrap::default() }.studentised(&runs, mean_and_error);
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }

    #[test]
    fn nothing_is_said_of_nothing_or_of_a_diverged_run() {
        for runs in [&[][..], &[1.0, f64::NAN]] {
            assert_eq!(Bootstrap::default().studentised(runs, mean_and_error), None);
            assert_eq!(Bootstrap::default().bounded(runs, 0.0, 1.0), None);
        }
    }
}
