use super::{Beliefs, Moment, Policy, best_of};
use crate::rng::Stream;

/// Levels at which a distribution is looked at.
const LEVELS: usize = 50;

/// Decaying left truncated variance (Mavrin et al. 2019): the mean, and a bonus for how far the upper half of
/// the return reaches, which falls with time:
///
/// mu + c sqrt(ln t / t) sqrt(s), s = (1 / 2N) sum over the upper half of quantiles of (theta_i - median)².
///
/// The spread of a return shrinks while it is learnt and then stays what it is; the falling factor takes the
/// part that stays out of the choice.
pub struct Dltv {
    /// c.
    pub scale: f64,
}

/// The upper half-variance around the median, over N levels.
fn upper_variance(beliefs: &Beliefs<'_>, action: usize) -> f64 {
    let parameters = beliefs.of(action);
    let at = |share: f64| beliefs.model.quantile(parameters, share);
    let median = at(0.5);
    let upper = (LEVELS / 2..LEVELS).map(|i| (at((i as f64 + 0.5) / LEVELS as f64) - median).powi(2));
    upper.sum::<f64>() / (2 * LEVELS) as f64
}

impl Dltv {
    fn factor(&self, step: u64) -> f64 {
        // Its first value is that of the second step: ln 1 is 0.
        let t = step.max(2) as f64;
        self.scale * (t.ln() / t).sqrt()
    }
}

impl Policy for Dltv {
    fn choose(&self, beliefs: Beliefs<'_>, moment: Moment, stream: &mut Stream) -> usize {
        let factor = self.factor(moment.step);
        best_of(beliefs.actions(), stream, |action, _| {
            beliefs.mean(action) + factor * upper_variance(&beliefs, action).sqrt()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ReturnKind};
    use crate::returns::Quantile;

    /// 25 quantiles at 0 and 25 at 2: the median is 1, each of the upper 25 is 1 away: 25 / 100.
    #[test]
    fn the_upper_half_counts_and_the_bonus_falls() {
        let config = Config { returns: ReturnKind::Quantile, quantiles: 50, ..Config::default() };
        let model = Quantile::new(&config);
        let mut parameters = vec![0.0; 100];
        parameters[25..50].fill(2.0);
        parameters[50..].fill(1.5);
        let beliefs = Beliefs::new(&model, &parameters);
        assert!((upper_variance(&beliefs, 0) - 0.25).abs() < 1e-9, "{}", upper_variance(&beliefs, 0));
        assert_eq!(upper_variance(&beliefs, 1), 0.0);
        let dltv = Dltv { scale: 50.0 };
        assert!((dltv.factor(100) - 50.0 * (100f64.ln() / 100.0).sqrt()).abs() < 1e-12);
        let choose = |step| dltv.choose(beliefs, Moment { step, index: None }, &mut Stream::new(0, "test"));
        // The bonus is half the factor: 5.4 at step 100, 0.08 at ten million; the mean is half a unit lower.
        assert_eq!((choose(100), choose(10_000_000)), (0, 1));
    }
}
