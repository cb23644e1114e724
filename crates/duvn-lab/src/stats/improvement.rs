use super::{FEWEST_RUNS, Interval, Z_95, mean};

/// How likely a run of X scores higher than a run of Y on the same task, averaged over tasks:
/// `P(X > Y) + P(X = Y) / 2`, the Mann-Whitney U over the number of pairs.
///
/// `None` where the two do not have the same number of tasks, or a task has no runs.
pub fn probability_of_improvement(x: &[Vec<f64>], y: &[Vec<f64>]) -> Option<f64> {
    if x.len() != y.len() {
        return None;
    }
    let of_task = |(x, y): (&Vec<f64>, &Vec<f64>)| mean(&x.iter().map(|x| wins(*x, y)).collect::<Vec<_>>());
    mean(&x.iter().zip(y).map(of_task).collect::<Option<Vec<f64>>>()?)
}

/// The share of `others` below `score`; equal ones count one half.
fn wins(score: f64, others: &[f64]) -> f64 {
    let won: f64 =
        others.iter().map(|other| f64::from(score > *other) + f64::from(score == *other) / 2.0).sum();
    won / others.len() as f64
}

/// [`probability_of_improvement`] with its interval, also where all pairs are won: the probabilities θ that are no
/// more than 1.96 deviations away from what was found (Newcombe's method 5). The variance of a task of m and n runs is
/// that of Hanley and McNeil, `θ(1-θ) (1 + (N-1) ((1-θ)/(2-θ) + θ/(1+θ))) / (m n)` with `N = (m+n)/2`, or what the
/// runs themselves show (DeLong) where that is more.
///
/// `None` where a task has fewer than [`FEWEST_RUNS`] runs of either.
pub fn improvement_interval(x: &[Vec<f64>], y: &[Vec<f64>]) -> Option<Interval> {
    let estimate = probability_of_improvement(x, y)?;
    if x.iter().chain(y).any(|runs| runs.len() < FEWEST_RUNS) {
        return None;
    }
    let pairs = || x.iter().zip(y);
    let tasks = (x.len() as f64).powi(2);
    let seen = pairs().map(|(x, y)| placements(x, y) + placements(y, x)).sum::<f64>() / tasks;
    let variance = |theta: f64| {
        let of_task = |(x, y): (&Vec<f64>, &Vec<f64>)| hanley_mcneil(theta, x.len() as f64, y.len() as f64);
        (pairs().map(of_task).sum::<f64>() / tasks).max(seen)
    };
    let far = |theta: f64| (theta - estimate).abs() > Z_95 * variance(theta).sqrt();
    let end = |outermost: f64| {
        let (mut out, mut inside) = (outermost, estimate);
        if !far(out) {
            return out;
        }
        for _ in 0..50 {
            let middle = (out + inside) / 2.0;
            *(if far(middle) { &mut out } else { &mut inside }) = middle;
        }
        inside
    };
    Some(Interval { estimate, low: end(0.0), high: end(1.0) })
}

fn hanley_mcneil(theta: f64, m: f64, n: f64) -> f64 {
    let alike = (1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta);
    theta * (1.0 - theta) * (1.0 + ((m + n) / 2.0 - 1.0) * alike) / (m * n)
}

/// What the runs of `x` add to the variance: `s² / n` of the share of `y` that each of them beats.
fn placements(x: &[f64], y: &[f64]) -> f64 {
    let shares: Vec<f64> = x.iter().map(|x| wins(*x, y)).collect();
    super::standard_deviation(&shares).map_or(0.0, |deviation| deviation * deviation / x.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_and_ties_shared() {
        // Of the four pairs one is won, one tied, two are lost.
        assert_eq!(probability_of_improvement(&[vec![1.0, 2.0]], &[vec![1.0, 3.0]]), Some(0.375));
        let x = [vec![5.0, 6.0, 7.0], vec![0.0]];
        let y = [vec![1.0, 2.0], vec![0.0, 0.0]];
        assert_eq!(probability_of_improvement(&x, &y), Some(0.75));
        assert_eq!(probability_of_improvement(&y, &x), Some(0.25));
    }

    #[test]
    fn a_run_that_failed_is_below_all_that_did_not() {
        let failed = f64::NEG_INFINITY;
        assert_eq!(probability_of_improvement(&[vec![failed, 1.0]], &[vec![0.0, failed]]), Some(0.625));
    }

    #[test]
    fn five_runs_that_win_every_pair_leave_some_doubt() {
        let (x, y) = ([vec![6.0, 7.0, 8.0, 9.0, 10.0]], [vec![1.0, 2.0, 3.0, 4.0, 5.0]]);
        let won = improvement_interval(&x, &y).unwrap();
        assert_eq!((won.estimate, won.high), (1.0, 1.0));
        // At the lower end 1 - θ = 1.96 sqrt(V(θ)); V = θ(1-θ)(1 + 4 ((1-θ)/(2-θ) + θ/(1+θ))) / 25.
        let theta = won.low;
        let alike = (1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta);
        let variance = theta * (1.0 - theta) * (1.0 + 4.0 * alike) / 25.0;
        assert!((1.0 - theta - Z_95 * variance.sqrt()).abs() < 1e-9 && theta > 0.6 && theta < 0.8, "{won:?}");
        let lost = improvement_interval(&y, &x).unwrap();
        assert!((lost.high - (1.0 - won.low)).abs() < 1e-9 && lost.low == 0.0, "{lost:?}");
        // More tasks leave less of it.
        let both =
            improvement_interval(&[x[0].clone(), x[0].clone()], &[y[0].clone(), y[0].clone()]).unwrap();
        assert!(both.low > won.low + 0.05, "{both:?}");
    }

    #[test]
    fn methods_on_different_tasks_are_not_compared() {
        assert_eq!(probability_of_improvement(&[vec![1.0]], &[]), None);
        assert_eq!(probability_of_improvement(&[vec![]], &[vec![1.0]]), None);
        assert_eq!(improvement_interval(&[], &[]), None);
        assert_eq!(improvement_interval(&[vec![1.0; 4]], &[vec![0.0; 5]]), None);
    }
}
