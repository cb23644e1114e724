use super::{Bootstrap, Interval};

/// The share of scores above `tau`, `mean over tasks of P(score > tau)`.
pub fn score_above(tasks: &[Vec<f64>], tau: f64) -> Option<f64> {
    let share = |runs: &Vec<f64>| {
        (!runs.is_empty())
            .then(|| runs.iter().filter(|&&score| score > tau).count() as f64 / runs.len() as f64)
    };
    let shares: Vec<f64> = tasks.iter().map(share).collect::<Option<_>>()?;
    super::mean(&shares)
}

/// The performance profile (run-score distribution): for each threshold of `taus` the share of runs whose
/// score lies above it, with its pointwise interval.
pub fn performance_profile(tasks: &[Vec<f64>], taus: &[f64], bootstrap: &Bootstrap) -> Option<Vec<Interval>> {
    bootstrap.of_many(tasks, |tasks| taus.iter().map(|&tau| score_above(tasks, tau)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_falls_from_all_runs_to_none() {
        let tasks = [vec![0.0, 0.5], vec![1.0, 1.0, 0.5, 2.0]];
        let profile = performance_profile(&tasks, &[-1.0, 0.5, 2.0], &Bootstrap::default()).unwrap();
        let shares: Vec<f64> = profile.iter().map(|point| point.estimate).collect();
        // At 0.5 the score 0.5 itself does not count: (0 / 2 + 3 / 4) / 2.
        assert_eq!(shares, [1.0, 0.375, 0.0]);
        assert_eq!((profile[0].low, profile[2].high), (1.0, 0.0));
        assert_eq!(performance_profile(&[vec![]], &[0.0], &Bootstrap::default()), None);
    }
}
