use super::{Bootstrap, Interval, mean};

/// How likely a run of X scores higher than a run of Y on the same task, averaged over tasks:
/// `P(X > Y) + P(X = Y) / 2`, the Mann-Whitney U over the number of pairs.
///
/// `None` where the two do not have the same number of tasks, or a task has no runs.
pub fn probability_of_improvement(x: &[Vec<f64>], y: &[Vec<f64>]) -> Option<f64> {
    if x.len() != y.len() {
        return None;
    }
    let of_task = |(x, y): (&Vec<f64>, &Vec<f64>)| {
        let wins: f64 =
            x.iter().flat_map(|x| y.iter().map(move |y| f64::from(x > y) + f64::from(x == y) / 2.0)).sum();
        (!x.is_empty() && !y.is_empty()).then(|| wins / (x.len() * y.len()) as f64)
    };
    mean(&x.iter().zip(y).map(of_task).collect::<Option<Vec<f64>>>()?)
}

/// [`probability_of_improvement`] with its interval; the runs of X and of Y are resampled independently.
pub fn improvement_interval(x: &[Vec<f64>], y: &[Vec<f64>], bootstrap: &Bootstrap) -> Option<Interval> {
    probability_of_improvement(x, y)?;
    bootstrap.of_tasks(&[x, y].concat(), |both| {
        let (x, y) = both.split_at(x.len());
        probability_of_improvement(x, y)
    })
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
    fn separated_samples_leave_no_doubt() {
        let interval = improvement_interval(&[vec![5.0, 6.0]], &[vec![1.0]], &Bootstrap::default());
        assert_eq!(interval, Some(Interval { estimate: 1.0, low: 1.0, high: 1.0 }));
    }

    #[test]
    fn methods_on_different_tasks_are_not_compared() {
        assert_eq!(probability_of_improvement(&[vec![1.0]], &[]), None);
        assert_eq!(probability_of_improvement(&[vec![]], &[vec![1.0]]), None);
        assert_eq!(improvement_interval(&[], &[], &Bootstrap::default()), None);
    }
}
