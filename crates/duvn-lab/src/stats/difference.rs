use super::{Bootstrap, Interval, mean};

/// How much higher the mean of X is than that of Y, `mean(x) - mean(y)`, with its interval; the runs of X and of Y
/// are resampled independently.
pub fn difference_interval(x: &[f64], y: &[f64], bootstrap: &Bootstrap) -> Option<Interval> {
    bootstrap.of_tasks(&[x.to_vec(), y.to_vec()], |both| Some(mean(&both[0])? - mean(&both[1])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_without_spread_leave_no_doubt() {
        let interval = difference_interval(&[3.0; 5], &[1.0; 2], &Bootstrap::default());
        assert_eq!(interval, Some(Interval { estimate: 2.0, low: 2.0, high: 2.0 }));
    }

    #[test]
    fn both_samples_are_drawn_again() {
        // Means of two draws from {0, 1} less means of two draws from {0, 2}: 16 equally likely pairs, of which
        // one gives -2 and one 1, each more than the 2.5 % that lie beyond an end.
        let (x, y) = ([0.0, 1.0], [0.0, 2.0]);
        let interval = difference_interval(&x, &y, &Bootstrap::default()).unwrap();
        assert_eq!(interval, Interval { estimate: -0.5, low: -2.0, high: 1.0 });
        // Were the draws of one sample used for the other, the difference could not leave [-1, 0].
        let swapped = difference_interval(&y, &x, &Bootstrap::default()).unwrap();
        assert_eq!(swapped, Interval { estimate: 0.5, low: -1.0, high: 2.0 });
    }

    #[test]
    fn the_interval_has_the_width_of_the_normal_one_where_runs_are_many() {
        // Variances of 1/4 each, 400 runs each: half a width of 1.96 sqrt(1/1600 + 1/1600) = 0.0693.
        let x: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let y: Vec<f64> = x.iter().map(|value| value + 0.1).collect();
        let interval = difference_interval(&y, &x, &Bootstrap::default()).unwrap();
        assert!((interval.estimate - 0.1).abs() < 1e-12);
        assert!((interval.low - (0.1 - 0.0693)).abs() < 0.005, "{interval:?}");
        assert!((interval.high - (0.1 + 0.0693)).abs() < 0.005, "{interval:?}");
    }

    #[test]
    fn nothing_is_said_of_no_runs_or_of_a_diverged_one() {
        let bootstrap = Bootstrap::default();
        assert_eq!(difference_interval(&[], &[1.0], &bootstrap), None);
        assert_eq!(difference_interval(&[1.0], &[f64::NAN], &bootstrap), None);
    }
}
