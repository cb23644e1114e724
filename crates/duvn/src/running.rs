//! Running statistics of box observations, by which every component is brought to mean 0 and standard deviation 1.
//!
//! Bounds say what can occur, not what does: LunarLander's are far wider than where it flies, and some environments state none.
//! What was seen tells both. The replay keeps observations as they came; whoever reads them brings them to the present scale,
//! so that a state looks the same to the network whenever it was remembered.

use crate::net::Rows;
use serde::{Deserialize, Serialize};

/// Mean and spread of each component over all observations so far, by Welford's rule:
///
/// n ← n + 1, d = x - mean, mean ← mean + d / n, squares ← squares + d (x - mean), variance = squares / n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Running {
    count: u64,
    means: Vec<f64>,
    /// By component: the sum of squared distances from the mean.
    squares: Vec<f64>,
}

impl Running {
    /// How many standard deviations from its mean a component can be seen at most.
    pub const MOST: f64 = 10.0;

    /// Nothing seen yet, of observations with this many components.
    pub fn new(components: usize) -> Self {
        Running { count: 0, means: vec![0.0; components], squares: vec![0.0; components] }
    }

    /// Takes an observation in.
    pub fn add(&mut self, observation: &[f32]) {
        self.count += 1;
        let components = self.means.iter_mut().zip(&mut self.squares);
        for ((mean, squares), &x) in components.zip(observation) {
            let x = f64::from(x);
            let distance = x - *mean;
            *mean += distance / self.count as f64;
            *squares += distance * (x - *mean);
        }
    }

    /// The mean of each component.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The standard deviation of a component. One that never changed has none, and is seen as 0 whatever it is: infinity.
    pub fn deviation(&self, component: usize) -> f64 {
        let squares = self.squares[component];
        if squares > 0.0 { (squares / self.count as f64).sqrt() } else { f64::INFINITY }
    }

    /// Brings `rows` to the present scale, into `seen`: (x - mean) / deviation, within ten. What stands behind the components of a
    /// row, up to its `width`, stays as it is.
    pub(crate) fn apply<'a>(&self, rows: Rows<'a>, width: usize, seen: &'a mut Vec<f32>) -> Rows<'a> {
        let Rows::Dense(numbers) = rows else { return rows };
        seen.clear();
        seen.extend_from_slice(numbers);
        for (component, &mean) in self.means.iter().enumerate() {
            let deviation = self.deviation(component);
            for x in seen.iter_mut().skip(component).step_by(width) {
                *x = ((f64::from(*x) - mean) / deviation).clamp(-Self::MOST, Self::MOST) as f32;
            }
        }
        Rows::Dense(seen)
    }

    /// Whether statistics that were read can stand in the place of `self`.
    pub(crate) fn takes(&self, other: &Running) -> bool {
        let components = self.means.len();
        other.count <= 1 << 62
            && (other.means.len(), other.squares.len()) == (components, components)
            && other.means.iter().all(|mean| mean.is_finite())
            && other.squares.iter().all(|squares| squares.is_finite() && *squares >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(observations: &[[f32; 2]]) -> Running {
        let mut running = Running::new(2);
        observations.iter().for_each(|observation| running.add(observation));
        running
    }

    fn seen(running: &Running, numbers: &[f32], width: usize) -> Vec<f32> {
        let mut seen = Vec::new();
        match running.apply(Rows::Dense(numbers), width, &mut seen) {
            Rows::Dense(seen) => seen.to_vec(),
            Rows::Index(_) => panic!("numbers stay numbers"),
        }
    }

    /// Of 2, 4, 4, 4, 5, 5, 7, 9 the mean is 5 and the standard deviation 2. The second component is the first, times -1000.
    #[test]
    fn the_worked_example_of_every_textbook() {
        let running = over(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].map(|x| [x, -1000.0 * x]));
        assert!((running.means()[0] - 5.0).abs() < 1e-12 && (running.means()[1] + 5000.0).abs() < 1e-9);
        assert!((running.deviation(0) - 2.0).abs() < 1e-12 && (running.deviation(1) - 2000.0).abs() < 1e-9);
        assert_eq!(seen(&running, &[9.0, -2000.0, 5.0, -6000.0], 2), [2.0, 1.5, 0.0, -0.5]);
    }

    /// (1e6 - 5) / 2 is far beyond ten; and the constant 1 behind the numbers is no component.
    #[test]
    fn ten_deviations_are_the_most_and_what_stands_behind_the_numbers_stays() {
        let running = over(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].map(|x| [x, x]));
        assert_eq!(seen(&running, &[1e6, 3.0, 1.0, 7.0, -1e6, 1.0], 3), [10.0, -1.0, 1.0, 1.0, -10.0, 1.0]);
    }

    /// With n times x and once x + d the deviation is d √n / (n + 1), and x + d is √n of them from the mean.
    #[test]
    fn a_component_that_never_changed_is_zero_and_its_first_change_is_finite() {
        let mut running = over(&[[0.1, 7.0]; 4]);
        assert_eq!(seen(&running, &[0.1, 7.0, 1e30, -3.0], 2), [0.0; 4]);
        running.add(&[0.1, 7.5]);
        assert_eq!(seen(&running, &[0.1, 7.5], 2), [0.0, 2.0]);
        assert_eq!(seen(&Running::new(2), &[3.0, 4.0], 2), [0.0; 2], "before the first");
    }

    /// Sums of squares would lose a spread of one beside a million squared in single precision.
    #[test]
    fn an_offset_takes_nothing_from_the_spread() {
        let running = over(&[[1e6 - 1.0, 0.0], [1e6 + 1.0, 0.0]]);
        assert_eq!((running.means()[0], running.deviation(0)), (1e6, 1.0));
    }

    #[test]
    fn statistics_that_cannot_be_are_not_taken() {
        let (mine, good) = (Running::new(2), over(&[[1.0, 2.0], [3.0, 4.0]]));
        assert!(mine.takes(&good));
        assert!(!mine.takes(&Running::new(3)));
        assert!(!mine.takes(&Running { means: vec![0.0, f64::NAN], ..good.clone() }));
        assert!(!mine.takes(&Running { squares: vec![0.0, -1.0], ..good.clone() }));
        assert!(!mine.takes(&Running { squares: vec![0.0], ..good.clone() }));
        assert!(!mine.takes(&Running { count: u64::MAX, ..good }));
    }
}
