use super::{Backup, Discrepancy, ReturnModel};
use crate::config::Config;
use crate::rng::Stream;

/// The mean return Q(s,a) alone, with a squared loss: the first half of the paper's Eq. 7.
pub struct Mean;

impl ReturnModel for Mean {
    fn outputs(&self) -> usize {
        1
    }

    fn target_width(&self) -> usize {
        1
    }

    fn decode(&self, _outputs: &mut [f32]) {}

    fn terminal(&self, parameters: &mut [f32]) {
        parameters[0] = 0.0;
    }

    fn mean(&self, parameters: &[f32]) -> f64 {
        f64::from(parameters[0])
    }

    fn sd(&self, _parameters: &[f32]) -> f64 {
        0.0
    }

    fn has_spread(&self) -> bool {
        false
    }

    fn widen(&self, _parameters: &mut [f32], _width: f32) {
        panic!("a mean has no spread to widen: an agent with local uncertainty is refused one");
    }

    mean_first!();

    /// A mean has no spread: it is the same at every index.
    fn settle(&self, _parameters: &mut [f32], _z: f64) {}

    fn prior_scales(&self, config: &Config) -> Vec<f32> {
        vec![config.prior_mu as f32]
    }

    fn bound(&self, target: &mut [f32], (low, high): (f32, f32)) {
        target[0] = target[0].clamp(low, high);
    }

    /// Q(s,a) = r + gamma [(1 - lambda) E Q(s',a') + lambda G'], G' being the trace's own target.
    fn propagate(&self, backup: &Backup<'_>, _stream: &mut Stream, target: &mut [f32]) {
        let bootstrap: f64 = backup.next.parts().map(|(weight, q)| weight * self.mean(q)).sum();
        let next = match backup.trace {
            Some((lambda, trace)) => (1.0 - lambda) * bootstrap + lambda * f64::from(trace[0]),
            None => bootstrap,
        };
        target[0] = (backup.reward + backup.gamma * next) as f32;
    }

    fn loss(&self, outputs: &[f32], target: &[f32], gradient: &mut [f32]) -> Discrepancy {
        let difference = f64::from(outputs[0]) - f64::from(target[0]);
        gradient[0] = (2.0 * difference) as f32;
        Discrepancy { loss: difference * difference, temporal_difference: difference.abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::returns::Mixture;

    #[test]
    fn targets_and_losses_are_those_worked_by_hand() {
        let mut stream = Stream::new(0, "test");
        let next = Mixture { weights: &[0.25, 0.75], parameters: &[4.0, 8.0] };
        let mut target = [0.0];
        Mean.propagate(&Backup { reward: 1.0, gamma: 0.5, next, trace: None }, &mut stream, &mut target);
        assert_eq!(target, [4.5]); // 1 + 0.5 * (1 + 6)
        let backup = Backup { reward: 1.0, gamma: 0.5, next, trace: Some((0.9, &[10.0])) };
        Mean.propagate(&backup, &mut stream, &mut target);
        assert_eq!(target, [5.85]); // 1 + 0.5 * (0.1 * 7 + 0.9 * 10)

        let mut gradient = [0.0];
        let error = Mean.loss(&[3.0], &[4.5], &mut gradient);
        assert_eq!((error.loss, error.temporal_difference, gradient[0]), (2.25, 1.5, -3.0));
    }
}
