use super::bootstrap::Measured;
use super::survival::half_of;
use super::{Bootstrap, FEWEST_RUNS, Interval, finite, iqm, mean, median, standard_deviation};

/// What the return of an episode cannot leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The worst return there is.
    pub low: f64,
    /// The best return there is.
    pub high: f64,
    /// Whether an episode has one of two returns, so that a mean says how often it succeeded. A few runs that all
    /// succeed say little of how often others fail.
    pub share: bool,
}

/// The mean with its standard error, `s / sqrt(n)`.
pub fn mean_and_error(runs: &[f64]) -> Option<Measured> {
    let error = standard_deviation(runs)? / (runs.len() as f64).sqrt();
    Some(Measured { value: mean(runs)?, error })
}

/// The interquartile mean with its standard error (Tukey and McLaughlin): that of a mean of the h runs that are
/// left, `s_w sqrt(n - 1) / sqrt(h (h - 1))`, with s_w the deviation once runs that were cut off have the value of
/// the nearest that was not.
pub fn iqm_and_error(runs: &[f64]) -> Option<Measured> {
    let mut sorted = finite(runs)?.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut = sorted.len() / 4;
    let (low, high) = (sorted[cut], sorted[sorted.len() - 1 - cut]);
    sorted.iter_mut().for_each(|run| *run = run.clamp(low, high));
    let (all, left) = (sorted.len() as f64, (sorted.len() - 2 * cut) as f64);
    let error = standard_deviation(&sorted)? * (all - 1.0).sqrt() / (left * (left - 1.0)).sqrt();
    Some(Measured { value: iqm(runs)?, error })
}

/// The mean with its interval. Means of successes are exact ([`Bootstrap::bounded`]); others are bootstrap-t
/// ([`Bootstrap::studentised`]), cut off where returns end, with the exact end in the place of one that the data
/// cannot tell.
///
/// `None` where no interval can be had: fewer than [`FEWEST_RUNS`] runs, or an end that nothing tells.
pub fn mean_interval(runs: &[f64], bounds: Option<Bounds>, bootstrap: &Bootstrap) -> Option<Interval> {
    if runs.len() < FEWEST_RUNS {
        return None;
    }
    let exact = |bounds: Bounds| bootstrap.bounded(runs, bounds.low, bounds.high);
    let Some(bounds) = bounds else {
        return bootstrap.studentised(runs, mean_and_error).filter(Interval::is_finite);
    };
    if bounds.share {
        return exact(bounds);
    }
    let mut interval = bootstrap.studentised(runs, mean_and_error)?;
    if !interval.is_finite() {
        let exact = exact(bounds)?;
        interval.low = if interval.low.is_finite() { interval.low } else { exact.low };
        interval.high = if interval.high.is_finite() { interval.high } else { exact.high };
    }
    Some(Interval { low: interval.low.max(bounds.low), high: interval.high.min(bounds.high), ..interval })
}

/// The interquartile mean with its bootstrap-t interval. `None` where no interval can be had.
pub fn iqm_interval(runs: &[f64], bootstrap: &Bootstrap) -> Option<Interval> {
    if runs.len() < FEWEST_RUNS {
        return None;
    }
    bootstrap.studentised(runs, iqm_and_error).filter(Interval::is_finite)
}

/// The median with the interval between two runs: as far apart as the sign test (mid-p) says. `None` with fewer
/// than [`FEWEST_RUNS`] runs.
pub fn median_interval(runs: &[f64]) -> Option<Interval> {
    let mut sorted = finite(runs)?.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at_risk: Vec<usize> = (1..=runs.len()).rev().collect();
    let (low, high) = half_of(&at_risk);
    let run = |event: Option<usize>| sorted.get(event?.checked_sub(1)?).copied();
    let interval = Interval { estimate: median(runs)?, low: run(low)?, high: run(high)? };
    (runs.len() >= FEWEST_RUNS).then_some(interval)
}

impl Interval {
    /// Whether both ends are known.
    pub fn is_finite(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIN: Bounds = Bounds { low: 0.0, high: 1.0, share: true };

    #[test]
    fn standard_errors_by_hand() {
        // Deviation 2 over four runs.
        let measured = mean_and_error(&[1.0, 1.0, 4.464_101_615_137_754, 4.464_101_615_137_754]).unwrap();
        assert!((measured.error - 1.0).abs() < 1e-12, "{measured:?}");
        // Of 9 1 2 3 100 the ends become 2 and 9: 2 2 3 9 9, mean 5, squares 9 + 9 + 4 + 16 + 16 = 54;
        // sqrt(54 / 4) sqrt(4) / sqrt(3 * 2) = 3.
        let measured = iqm_and_error(&[9.0, 1.0, 2.0, 3.0, 100.0]).unwrap();
        assert!((measured.value - 14.0 / 3.0).abs() < 1e-12 && (measured.error - 3.0).abs() < 1e-12);
    }

    #[test]
    fn four_runs_have_no_interval() {
        let runs = [1.0, 2.0, 4.0, 9.0];
        let bootstrap = Bootstrap::default();
        assert_eq!(mean_interval(&runs, None, &bootstrap), None);
        assert_eq!(mean_interval(&runs, Some(Bounds { low: 0.0, high: 9.0, share: true }), &bootstrap), None);
        assert_eq!((iqm_interval(&runs, &bootstrap), median_interval(&runs)), (None, None));
    }

    #[test]
    fn runs_that_all_agree_have_an_interval_only_where_bounds_are_known() {
        let bootstrap = Bootstrap::default();
        assert_eq!(mean_interval(&[-200.0; 10], None, &bootstrap), None);
        let bounds = Bounds { low: -200.0, high: 0.0, share: false };
        let found = mean_interval(&[-200.0; 10], Some(bounds), &bootstrap).unwrap();
        // 0.025 to the tenth is 0.6915: the mean may be as high as -138.3.
        assert!(found.low == -200.0 && (found.high + 138.3).abs() < 1.5, "{found:?}");
        let solved = mean_interval(&[1.0; 20], Some(CHAIN), &bootstrap).unwrap();
        assert!(solved.high == 1.0 && (solved.low - 0.8316).abs() < 0.01, "{solved:?}");
    }

    #[test]
    fn an_interval_ends_where_returns_end() {
        let bounds = Bounds { low: 0.0, high: 500.0, share: false };
        let runs = [500.0, 499.0, 480.0, 470.0, 120.0, 500.0, 495.0];
        let wide = mean_interval(&runs, None, &Bootstrap::default()).unwrap();
        let found = mean_interval(&runs, Some(bounds), &Bootstrap::default()).unwrap();
        assert!(wide.low < 0.0 && found.low == 0.0 && found.high <= 500.0, "{wide:?} {found:?}");
    }

    #[test]
    fn the_median_lies_between_the_runs_that_the_sign_test_names() {
        let runs = |n: i32| (1..=n).rev().map(f64::from).collect::<Vec<_>>();
        let ends = |n| median_interval(&runs(n)).map(|interval| (interval.low, interval.high)).unwrap();
        // Probabilities to lie outside: 2/32, 2*9/256, 2*11/1024 and 2*21700/2^20.
        assert_eq!((ends(5), ends(8), ends(10), ends(20)), ((1.0, 5.0), (2.0, 7.0), (2.0, 9.0), (6.0, 15.0)));
        assert_eq!(median_interval(&runs(6)).unwrap().estimate, 3.5);
    }
}
