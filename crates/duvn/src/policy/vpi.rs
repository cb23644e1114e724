use super::{Beliefs, Moment, Policy, best_of};
use crate::normal;
use crate::rng::Stream;

/// Myopic value of perfect information (Dearden, Friedman and Russell 1998): the best mean plus what it would
/// be worth to know the action's true value.
///
/// Knowing helps where it changes the choice: where the best action turns out worse than the second, or
/// another better than the best. With means mu, of which mu_1 is the best and mu_2 the second, and what is
/// not known of them, sigma:
///
/// - VPI(best) = E max(mu_2 - q, 0);
/// - VPI(a) = E max(q - mu_1, 0).
pub struct Vpi {
    /// Draws of the parameters that a decision looks at.
    pub draws: usize,
}

/// E max(X, 0) of X ~ N(mu, sigma): mu Phi(mu / sigma) + sigma phi(mu / sigma).
pub fn expected_gain(mu: f64, sigma: f64) -> f64 {
    if sigma <= 0.0 {
        return mu.max(0.0);
    }
    let z = mu / sigma;
    mu * normal::below(z) + sigma * normal::density(z)
}

impl Vpi {
    /// mu + VPI of an action.
    fn worth(beliefs: &Beliefs<'_>, action: usize) -> f64 {
        let (mu, sigma) = beliefs.epistemic(action);
        // The best of the others: what one would do instead.
        let others = (0..beliefs.actions()).filter(|&other| other != action);
        let rival = others.map(|other| beliefs.epistemic(other).0).fold(f64::NEG_INFINITY, f64::max);
        if rival == f64::NEG_INFINITY {
            return mu;
        }
        let gain =
            if mu >= rival { expected_gain(rival - mu, sigma) } else { expected_gain(mu - rival, sigma) };
        mu + gain
    }
}

impl Policy for Vpi {
    fn choose(&self, beliefs: Beliefs<'_>, _moment: Moment, stream: &mut Stream) -> usize {
        best_of(beliefs.actions(), stream, |action, _| Self::worth(&beliefs, action))
    }

    fn draws(&self) -> usize {
        self.draws
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::returns::return_model;

    #[test]
    fn the_expected_gain_is_that_of_the_formula_and_of_samples() {
        // At mu = 0: sigma / sqrt(2 pi); at mu = sigma: sigma (Phi(1) + phi(1)).
        assert!((expected_gain(0.0, 2.0) - 2.0 * 0.398_942_280_401_432_7).abs() < 1e-12);
        assert!((expected_gain(1.0, 1.0) - 1.083_315_470_587_686_5).abs() < 1e-12);
        assert_eq!((expected_gain(2.0, 0.0), expected_gain(-2.0, 0.0)), (2.0, 0.0));
        let mut stream = Stream::new(0, "test");
        let draws = 200_000;
        let sum: f64 = (0..draws).map(|_| (-1.0 + 2.0 * f64::from(stream.normal())).max(0.0)).sum();
        assert!((sum / f64::from(draws) - expected_gain(-1.0, 2.0)).abs() < 0.01);
    }

    /// Means 1 and 0 with e 0.1 and 3: to know the second is worth 3 phi(1/3) - Phi(-1/3) = 0.7626; that of
    /// the first nothing.
    #[test]
    fn an_action_is_tried_when_knowing_it_may_change_the_choice() {
        let model = return_model(&Config { apart: true, ..Config::default() });
        let choose = |parameters: &[f32]| {
            Vpi { draws: 1 }.choose(
                Beliefs::new(&*model, parameters),
                Moment::default(),
                &mut Stream::new(0, "test"),
            )
        };
        let beliefs = Beliefs::new(&*model, &[1.0, 0.1, 0.0, 3.0]);
        assert!((Vpi::worth(&beliefs, 1) - 0.762_6).abs() < 1e-3, "{}", Vpi::worth(&beliefs, 1));
        assert_eq!(choose(&[1.0, 0.1, 0.0, 3.0]), 0);
        assert_eq!(choose(&[1.0, 0.1, 0.0, 4.0]), 1, "4 phi(1/4) - Phi(-1/4) = 1.145");
        // The same doubt about the best is worth as much, and it is the best already.
        assert_eq!(choose(&[1.0, 4.0, 0.0, 4.0]), 0);
    }
}
