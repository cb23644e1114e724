use super::Interval;

/// How much higher the first mean is than the second, with the interval that their own intervals give it
/// (MOVER, Zou and Donner): `d - sqrt((x - x_low)² + (y_high - y)²)` to `d + sqrt((x_high - x)² + (y - y_low)²)`.
/// The runs of the two are independent.
pub fn difference_interval(x: &Interval, y: &Interval) -> Interval {
    let estimate = x.estimate - y.estimate;
    Interval {
        estimate,
        low: estimate - (x.estimate - x.low).hypot(y.high - y.estimate),
        high: estimate + (x.high - x.estimate).hypot(y.estimate - y.low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_takes_the_sides_that_pull_it() {
        let x = Interval { estimate: 10.0, low: 7.0, high: 15.0 };
        let y = Interval { estimate: 4.0, low: -8.0, high: 8.0 };
        // Down: 3 of x and 4 of y. Up: 5 of x and 12 of y.
        assert_eq!(difference_interval(&x, &y), Interval { estimate: 6.0, low: 1.0, high: 19.0 });
        assert_eq!(difference_interval(&y, &x), Interval { estimate: -6.0, low: -19.0, high: -1.0 });
    }
}
