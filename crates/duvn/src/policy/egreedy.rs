use super::{Beliefs, Moment, Policy};
use crate::config::Config;
use crate::rng::Stream;

/// The best mean, but with probability epsilon any action; epsilon may fall over the first steps.
pub struct EGreedy {
    start: f64,
    end: f64,
    steps: u64,
}

impl EGreedy {
    /// The schedule that `config` asks for.
    pub fn new(config: &Config) -> Self {
        EGreedy { start: config.epsilon_start, end: config.epsilon, steps: config.epsilon_steps as u64 }
    }

    /// The same epsilon throughout: 0 is greedy, 1 is uniform.
    pub fn fixed(epsilon: f64) -> Self {
        EGreedy { start: epsilon, end: epsilon, steps: 0 }
    }

    /// epsilon(t) = start + (end - start) t / steps until `steps`, then end.
    fn epsilon(&self, step: u64) -> f64 {
        if step >= self.steps {
            return self.end;
        }
        self.start + (self.end - self.start) * step as f64 / self.steps as f64
    }
}

impl Policy for EGreedy {
    fn choose(&self, beliefs: Beliefs<'_>, moment: Moment, stream: &mut Stream) -> usize {
        if stream.uniform() < self.epsilon(moment.step) {
            stream.below(beliefs.actions())
        } else {
            beliefs.greedy(stream)
        }
    }

    /// epsilon / n for every action, and what is left shared by those of the best mean.
    fn formula(&self, beliefs: Beliefs<'_>, moment: Moment, out: &mut [f32]) -> bool {
        let epsilon = self.epsilon(moment.step);
        let means = || (0..beliefs.actions()).map(|action| beliefs.mean(action));
        let best = means().fold(f64::NEG_INFINITY, f64::max);
        let ties = means().filter(|&mean| mean == best).count() as f64;
        for (probability, mean) in out.iter_mut().zip(means()) {
            let greedy = if mean == best { (1.0 - epsilon) / ties } else { 0.0 };
            *probability = (greedy + epsilon / beliefs.actions() as f64) as f32;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::returns::Mean;

    #[test]
    fn epsilon_falls_in_a_straight_line_and_then_stays() {
        let policy = EGreedy { start: 1.0, end: 0.1, steps: 100 };
        assert_eq!([0, 50, 100, 1000].map(|step| policy.epsilon(step)), [1.0, 0.55, 0.1, 0.1]);
    }

    #[test]
    fn choices_come_with_the_probabilities_it_states() {
        let beliefs = Beliefs::new(&Mean, &[0.0, 2.0, 2.0, -1.0]);
        let policy = EGreedy::fixed(0.2);
        let mut stream = Stream::new(0, "test");
        let mut stated = [0.0; 4];
        policy.probabilities(beliefs, Moment::default(), 0, &mut stream, &mut stated);
        assert_eq!(stated, [0.05, 0.45, 0.45, 0.05]);
        let mut counts = [0.0; 4];
        for _ in 0..40_000 {
            counts[policy.choose(beliefs, Moment::default(), &mut stream)] += 1.0 / 40_000.0;
        }
        // Five standard errors are at most 0.0125.
        assert!(stated.iter().zip(counts).all(|(a, b)| (a - b as f32).abs() < 0.0125), "{counts:?}");
    }
}
