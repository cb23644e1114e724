use super::{Beliefs, Moment, Policy, best_of};
use crate::config::RiskKind;
use crate::rng::Stream;

/// Acting on a part of the return's own distribution: with a low level one avoids bad luck, with a high one
/// one hopes for good.
///
/// | kind | an action counts for |
/// | --- | --- |
/// | quantile | the value that its return is below with the probability `level` (value at risk) |
/// | cvar | the mean of the worst share `level` of its returns (conditional value at risk) |
/// | softmax | the quantile; actions are drawn with probabilities in proportion to exp(quantile / temperature) |
pub struct Risk {
    /// What counts.
    pub kind: RiskKind,
    /// From above 0 to 1.
    pub level: f64,
    /// Of the softmax.
    pub temperature: f64,
}

impl Risk {
    fn score(&self, beliefs: &Beliefs<'_>, action: usize) -> f64 {
        let parameters = beliefs.of(action);
        match self.kind {
            RiskKind::Quantile | RiskKind::Softmax => beliefs.model.quantile(parameters, self.level),
            RiskKind::Cvar => beliefs.model.tail_mean(parameters, self.level),
        }
    }
}

impl Policy for Risk {
    fn choose(&self, beliefs: Beliefs<'_>, _moment: Moment, stream: &mut Stream) -> usize {
        best_of(beliefs.actions(), stream, |action, stream| match self.kind {
            // The best of score / T + G, with G standard Gumbel, has softmax probabilities.
            RiskKind::Softmax => {
                let gumbel = -(-stream.uniform().max(f64::MIN_POSITIVE).ln()).ln();
                self.score(&beliefs, action) / self.temperature + gumbel
            }
            _ => self.score(&beliefs, action),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ReturnKind};
    use crate::returns::{Gaussian, Quantile};

    fn choose(risk: &Risk, beliefs: Beliefs<'_>, stream: &mut Stream) -> usize {
        risk.choose(beliefs, Moment::default(), stream)
    }

    /// A safe action, and one that is better on average but has a bad quarter: quantiles 1, 1, 1, 1 and -4,
    /// 3, 3, 4.
    #[test]
    fn levels_decide_between_what_is_safe_and_what_is_good_on_average() {
        let config = Config { returns: ReturnKind::Quantile, quantiles: 4, ..Config::default() };
        let model = Quantile::new(&config);
        let beliefs = Beliefs::new(&model, &[1.0, 1.0, 1.0, 1.0, -4.0, 3.0, 3.0, 4.0]);
        let mut stream = Stream::new(0, "test");
        let mut with = |kind, level| choose(&Risk { kind, level, temperature: 1.0 }, beliefs, &mut stream);
        assert_eq!([0.1, 0.5, 0.9].map(|level| with(RiskKind::Quantile, level)), [0, 1, 1]);
        // The mean of the worst half is -1/2, of three quarters 2/3, of all 3/2.
        assert_eq!([0.25, 0.5, 0.75, 1.0].map(|level| with(RiskKind::Cvar, level)), [0, 0, 0, 1]);
    }

    /// N(0, 1) and N(0.5, 3) at the level 0.025: -1.96 and -5.38; CVaR of N(0, 1) at 5 % is -2.0627.
    #[test]
    fn gaussians_have_their_textbook_values() {
        let model = Gaussian::new(&Config::default());
        let beliefs = Beliefs::new(&model, &[0.0, 1.0, 0.5, 3.0]);
        let at = |kind, level| Risk { kind, level, temperature: 1.0 };
        assert!((at(RiskKind::Quantile, 0.025).score(&beliefs, 1) - (0.5 - 3.0 * 1.959_964)).abs() < 1e-5);
        assert!((at(RiskKind::Cvar, 0.05).score(&beliefs, 0) + 2.062_713).abs() < 1e-5);
        let mut stream = Stream::new(0, "test");
        assert_eq!(choose(&at(RiskKind::Cvar, 0.05), beliefs, &mut stream), 0);
        assert_eq!(choose(&at(RiskKind::Quantile, 0.9), beliefs, &mut stream), 1);
    }

    #[test]
    fn the_softmax_is_over_quantiles() {
        let model = Gaussian::new(&Config::default());
        // Upper quartiles 0.6745 and 0: the difference over the temperature is 1.349, 79.4 %.
        let beliefs = Beliefs::new(&model, &[0.0, 1.0, 0.0, 0.0]);
        let risk = Risk { kind: RiskKind::Softmax, level: 0.75, temperature: 0.5 };
        let mut stream = Stream::new(0, "test");
        let ones = (0..40_000).filter(|_| choose(&risk, beliefs, &mut stream) == 0).count();
        assert!((ones as f64 / 40_000.0 - 0.794).abs() < 0.011, "{ones}"); // five standard errors
    }
}
