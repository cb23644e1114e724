use super::finite;

/// The arithmetic mean, `Σ x / n`.
pub fn mean(values: &[f64]) -> Option<f64> {
    let values = finite(values)?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample standard deviation, `sqrt(Σ (x - mean)² / (n - 1))`; 0 for a single value.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    Some((squares / (values.len().max(2) - 1) as f64).sqrt())
}

/// The middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The quantile `q` in [0, 1], linear between order statistics (the default of NumPy's `percentile`).
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = finite(values)?.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(quantile_of_sorted(&sorted, q))
}

/// [`quantile`] of values that are finite, sorted and at least one.
pub(super) fn quantile_of_sorted(sorted: &[f64], q: f64) -> f64 {
    let last = sorted.len() - 1;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

/// The interquartile mean: the mean of what is left after cutting `floor(n / 4)` values off each end, so
/// with fewer than four values the plain mean.
pub fn iqm(values: &[f64]) -> Option<f64> {
    let mut sorted = finite(values)?.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut = sorted.len() / 4;
    mean(&sorted[cut..sorted.len() - cut])
}

/// The mean over tasks of each task's mean: every task counts the same, however many runs it has.
pub fn mean_of_tasks(tasks: &[Vec<f64>]) -> Option<f64> {
    mean(&task_means(tasks)?)
}

/// The median over tasks of each task's mean.
pub fn median_of_tasks(tasks: &[Vec<f64>]) -> Option<f64> {
    median(&task_means(tasks)?)
}

/// The interquartile mean of the runs of all tasks, thrown together.
pub fn iqm_of_tasks(tasks: &[Vec<f64>]) -> Option<f64> {
    iqm(&tasks.concat())
}

fn task_means(tasks: &[Vec<f64>]) -> Option<Vec<f64>> {
    tasks.iter().map(|runs| mean(runs)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_of_small_samples() {
        let values = [9.0, 1.0, 2.0, 3.0, 100.0];
        assert_eq!(mean(&values), Some(23.0));
        assert_eq!(median(&values), Some(3.0));
        // One value is cut off each end: (2 + 3 + 9) / 3.
        assert_eq!(iqm(&values), Some(14.0 / 3.0));
        assert_eq!(iqm(&[1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(median(&[1.0, 2.0, 4.0, 8.0]), Some(3.0));
        assert_eq!(quantile(&[0.0, 10.0, 20.0], 0.25), Some(5.0));
        assert_eq!(standard_deviation(&[1.0, 3.0]), Some(2f64.sqrt()));
        assert_eq!(standard_deviation(&[7.0]), Some(0.0));
    }

    #[test]
    fn tasks_count_alike_in_the_mean_and_runs_alike_in_the_iqm() {
        let tasks = [vec![0.0, 0.0, 0.0], vec![1.0], vec![5.0]];
        assert_eq!(mean_of_tasks(&tasks), Some(2.0));
        assert_eq!(median_of_tasks(&tasks), Some(1.0));
        // Sorted 0 0 0 1 5, one cut off each end.
        assert_eq!(iqm_of_tasks(&tasks), Some(1.0 / 3.0));
    }

    #[test]
    fn nothing_is_said_of_nothing_or_of_a_diverged_run() {
        for values in [&[][..], &[1.0, f64::NAN], &[f64::INFINITY]] {
            assert_eq!((mean(values), median(values), iqm(values)), (None, None, None));
        }
        assert_eq!(mean_of_tasks(&[vec![1.0], vec![]]), None);
        assert_eq!(iqm_of_tasks(&[]), None);
    }
}
