use super::{Beliefs, Moment, Policy, best_of};
use crate::rng::Stream;

/// Probabilities in proportion to exp(mean / temperature) (paper, App. C).
pub struct Boltzmann {
    /// Above zero; the higher, the more even.
    pub temperature: f64,
}

impl Policy for Boltzmann {
    /// The Gumbel-max trick: the best of mean / T + G, with G standard Gumbel, has softmax probabilities.
    fn choose(&self, beliefs: Beliefs<'_>, _moment: Moment, stream: &mut Stream) -> usize {
        best_of(beliefs.actions(), stream, |action, stream| {
            let gumbel = -(-stream.uniform().max(f64::MIN_POSITIVE).ln()).ln();
            beliefs.mean(action) / self.temperature + gumbel
        })
    }

    fn formula(&self, beliefs: Beliefs<'_>, _moment: Moment, out: &mut [f32]) -> bool {
        let scaled = |action| beliefs.mean(action) / self.temperature;
        let most = (0..beliefs.actions()).map(scaled).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = (0..beliefs.actions()).map(|action| (scaled(action) - most).exp()).sum();
        for (action, probability) in out.iter_mut().enumerate() {
            *probability = ((scaled(action) - most).exp() / total) as f32;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::returns::Mean;

    /// Means 0 and 2 at temperature 2: e / (1 + e) = 0.7311.
    #[test]
    fn choices_follow_the_softmax() {
        let beliefs = Beliefs::new(&Mean, &[0.0, 2.0]);
        let policy = Boltzmann { temperature: 2.0 };
        let mut stream = Stream::new(0, "test");
        let mut stated = [0.0; 2];
        policy.probabilities(beliefs, Moment::default(), 0, &mut stream, &mut stated);
        assert!((stated[1] - 0.731_058_6).abs() < 1e-6, "{stated:?}");
        let ones: usize = (0..40_000).map(|_| policy.choose(beliefs, Moment::default(), &mut stream)).sum();
        assert!((ones as f32 / 40_000.0 - stated[1]).abs() < 0.011, "{ones}"); // five standard errors
    }
}
