use super::aggregate::quantile_of_sorted;
use super::finite;
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

/// How bootstrap intervals are made: runs are drawn with replacement within each task (stratified), and
/// the interval lies between percentiles of the resampled statistic.
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap {
    /// The number of resamples.
    pub resamples: usize,
    /// The coverage of the interval.
    pub confidence: f64,
    /// The seed of the draws: the same seed gives the same interval.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Bootstrap { resamples: 10_000, confidence: 0.95, seed: 0 }
    }
}

impl Bootstrap {
    /// The interval of a statistic of one task's runs, such as [`iqm`](super::iqm).
    pub fn of_runs(&self, runs: &[f64], statistic: impl Fn(&[f64]) -> Option<f64>) -> Option<Interval> {
        self.of_tasks(&[runs.to_vec()], |tasks| statistic(&tasks[0]))
    }

    /// The interval of a statistic of several tasks' runs, such as [`iqm_of_tasks`](super::iqm_of_tasks).
    pub fn of_tasks(
        &self,
        tasks: &[Vec<f64>],
        statistic: impl Fn(&[Vec<f64>]) -> Option<f64>,
    ) -> Option<Interval> {
        self.of_many(tasks, |tasks| Some(vec![statistic(tasks)?]))?.pop()
    }

    /// The intervals of several statistics of the same resamples.
    pub fn of_many(
        &self,
        tasks: &[Vec<f64>],
        statistics: impl Fn(&[Vec<f64>]) -> Option<Vec<f64>>,
    ) -> Option<Vec<Interval>> {
        if tasks.is_empty() || tasks.iter().any(|runs| finite(runs).is_none()) {
            return None;
        }
        let estimates = statistics(tasks)?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut resampled = tasks.to_vec();
        let mut values = vec![Vec::with_capacity(self.resamples); estimates.len()];
        for _ in 0..self.resamples {
            for (runs, drawn) in tasks.iter().zip(&mut resampled) {
                drawn.fill_with(|| runs[index_below(&mut rng, runs.len())]);
            }
            for (values, value) in values.iter_mut().zip(statistics(&resampled)?) {
                values.push(value);
            }
        }
        let tail = (1.0 - self.confidence) / 2.0;
        let interval = |(estimate, mut values): (f64, Vec<f64>)| {
            if values.is_empty() {
                values.push(estimate);
            }
            values.sort_unstable_by(f64::total_cmp);
            let (low, high) = (quantile_of_sorted(&values, tail), quantile_of_sorted(&values, 1.0 - tail));
            Interval { estimate, low, high }
        };
        Some(estimates.into_iter().zip(values).map(interval).collect())
    }

    /// The interval of a statistic at each point of a learning curve: `points[i]` holds what every run
    /// has there. `None` at the points where the statistic has nothing to say. Points with equally many
    /// runs draw the same ones, so that the band is as smooth as the curves.
    pub fn of_curve(
        &self,
        points: &[Vec<f64>],
        statistic: impl Fn(&[f64]) -> Option<f64>,
    ) -> Vec<Option<Interval>> {
        points.iter().map(|runs| self.of_runs(runs, &statistic)).collect()
    }
}

/// A uniform index below `n`: the high half of a product of 64 bits, whose bias of `n / 2^64` is nothing.
fn index_below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{mean, mean_of_tasks};

    #[test]
    fn two_runs_have_the_interval_that_their_four_resamples_have() {
        // The means of (0,0), (0,1), (1,0), (1,1): a quarter at each end.
        let bootstrap = Bootstrap { confidence: 0.95, ..Bootstrap::default() };
        let interval = bootstrap.of_runs(&[0.0, 1.0], mean).unwrap();
        assert_eq!(interval, Interval { estimate: 0.5, low: 0.0, high: 1.0 });
        let narrow = Bootstrap { confidence: 0.4, ..Bootstrap::default() };
        let interval = narrow.of_runs(&[0.0, 1.0], mean).unwrap();
        assert_eq!(interval, Interval { estimate: 0.5, low: 0.5, high: 0.5 });
    }

    #[test]
    fn runs_are_never_exchanged_between_tasks() {
        // Each task's runs agree, so a stratified resample is the data themselves.
        let tasks = [vec![1.0; 5], vec![9.0; 3]];
        let interval = Bootstrap::default().of_tasks(&tasks, mean_of_tasks).unwrap();
        assert_eq!(interval, Interval { estimate: 5.0, low: 5.0, high: 5.0 });
    }

    #[test]
    fn the_seed_decides_the_draws() {
        let runs: Vec<f64> = (0..20).map(|i| f64::from(i).sqrt()).collect();
        let with = |seed| Bootstrap { seed, ..Bootstrap::default() }.of_runs(&runs, mean);
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }

    #[test]
    fn gaps_in_a_curve_stay_gaps() {
        let points = [vec![1.0, 2.0], vec![], vec![f64::NAN, 1.0], vec![4.0]];
        let curve = Bootstrap::default().of_curve(&points, mean);
        assert_eq!(curve[0].map(|point| point.estimate), Some(1.5));
        assert_eq!(&curve[1..3], [None, None]);
        assert_eq!(curve[0], Bootstrap::default().of_runs(&points[0], mean));
        assert_eq!(curve[3], Some(Interval { estimate: 4.0, low: 4.0, high: 4.0 }));
    }
}
