use super::proportion::exact;
use super::{FEWEST_RUNS, Interval, mean};

/// The share of scores that are at least `tau`, `mean over tasks of P(score ≥ tau)`: a run that stopped at the mark
/// has reached it.
pub fn score_at_least(tasks: &[Vec<f64>], tau: f64) -> Option<f64> {
    let share = |runs: &Vec<f64>| {
        (!runs.is_empty())
            .then(|| runs.iter().filter(|&&score| score >= tau).count() as f64 / runs.len() as f64)
    };
    mean(&tasks.iter().map(share).collect::<Option<Vec<f64>>>()?)
}

/// The pointwise interval of a share that [`score_at_least`] gives: the exact one of as many runs as have its variance
/// where all tasks are alike, `K² / Σ 1/n_k` (all runs, if every task has as many). Where tasks differ it is on the
/// safe side. `None` where a task has fewer than [`FEWEST_RUNS`] runs.
pub fn profile_interval(tasks: &[Vec<f64>], share: f64) -> Option<Interval> {
    if tasks.is_empty() || tasks.iter().any(|runs| runs.len() < FEWEST_RUNS) {
        return None;
    }
    let inverse: f64 = tasks.iter().map(|runs| 1.0 / runs.len() as f64).sum();
    Some(exact(share, (tasks.len() as f64).powi(2) / inverse))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::share_interval;

    #[test]
    fn a_profile_falls_from_all_runs_to_none() {
        let tasks = [vec![0.0, 0.5], vec![1.0, 1.0, 0.5, 2.0]];
        let shares = [-1.0, 0.5, 1.0, 2.0, 2.1].map(|tau| score_at_least(&tasks, tau).unwrap());
        // At 0.5 the score 0.5 itself counts: (1 / 2 + 4 / 4) / 2.
        assert_eq!(shares, [1.0, 0.75, 0.375, 0.125, 0.0]);
        assert_eq!(score_at_least(&[vec![]], 0.0), None);
    }

    #[test]
    fn a_run_that_failed_reaches_nothing() {
        assert_eq!(score_at_least(&[vec![f64::NEG_INFINITY, 1.0]], -1e300), Some(0.5));
    }

    #[test]
    fn tasks_of_one_size_count_all_their_runs() {
        let tasks = vec![vec![0.0; 5]; 4];
        assert_eq!(profile_interval(&tasks, 0.25), share_interval(5, 20));
        // 6 and 12 runs: 4 / (1/6 + 1/12) = 16.
        let found = profile_interval(&[vec![0.0; 6], vec![0.0; 12]], 0.5).unwrap();
        let expected = share_interval(8, 16).unwrap();
        assert!((found.low - expected.low).abs() < 1e-9 && (found.high - expected.high).abs() < 1e-9);
        assert_eq!((profile_interval(&[vec![1.0; 4]], 1.0), profile_interval(&[], 1.0)), (None, None));
    }
}
