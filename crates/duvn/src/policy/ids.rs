use super::{Beliefs, Moment, Policy, best_of};
use crate::rng::Stream;

/// Added to the information of every action, so that none has none.
const LEAST: f64 = 1e-5;

/// The least variance of the return that information is measured against.
const LEAST_NOISE: f64 = 0.25;

/// Information-directed sampling (Nikolov et al. 2019): the action with the least squared regret for what it
/// tells.
///
/// With mu and sigma the mean and what is not known of it, and rho² the return's own variance over its mean
/// over all actions, at least 1/4:
///
/// - regret D(a) = max over b of (mu_b + lambda sigma_b) - (mu_a - lambda sigma_a);
/// - information I(a) = ln(1 + sigma_a² / rho_a²) + 1e-5;
/// - a = argmin D(a)² / I(a).
///
/// An action whose return is noise tells little, however uncertain its mean is.
pub struct Ids {
    /// lambda: how far from the mean regret looks.
    pub lambda: f64,
    /// Draws of the parameters that a decision looks at.
    pub draws: usize,
}

impl Ids {
    /// D(a)² / I(a).
    fn price(&self, beliefs: &Beliefs<'_>, action: usize) -> f64 {
        let best = (0..beliefs.actions())
            .map(|other| beliefs.epistemic(other))
            .map(|(mu, sigma)| mu + self.lambda * sigma)
            .fold(f64::NEG_INFINITY, f64::max);
        let noise = |action: usize| beliefs.aleatoric(action).powi(2);
        let average = (0..beliefs.actions()).map(noise).sum::<f64>() / beliefs.actions() as f64;
        let (mu, sigma) = beliefs.epistemic(action);
        let regret = best - (mu - self.lambda * sigma);
        let relative = if average > 0.0 { noise(action) / average } else { 0.0 };
        let information = (sigma * sigma / relative.max(LEAST_NOISE)).ln_1p() + LEAST;
        regret * regret / information
    }
}

impl Policy for Ids {
    fn choose(&self, beliefs: Beliefs<'_>, _moment: Moment, stream: &mut Stream) -> usize {
        best_of(beliefs.actions(), stream, |action, _| -self.price(&beliefs, action))
    }

    fn draws(&self) -> usize {
        self.draws
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ReturnKind};
    use crate::returns::return_model;

    /// Gaussian returns with an uncertainty apart: mu, own sigma, e of two actions.
    fn choice(parameters: [f32; 6]) -> (usize, [f64; 2]) {
        let config = Config { returns: ReturnKind::Gaussian, apart: true, ..Config::default() };
        let model = return_model(&config);
        let beliefs = Beliefs::new(&*model, &parameters);
        let policy = Ids { lambda: 0.1, draws: 1 };
        let prices = [policy.price(&beliefs, 0), policy.price(&beliefs, 1)];
        (policy.choose(beliefs, Moment::default(), &mut Stream::new(0, "test")), prices)
    }

    /// mu 1 and 0.8, e 0.5 and 2, own sigma 1 each: the best bound is max(1.05, 1.0) = 1.05; regrets 1.05 -
    /// 0.95 = 0.1 and 1.05 - 0.6 = 0.45; information ln(1.25) and ln 5.
    #[test]
    fn prices_are_those_worked_by_hand() {
        let (chosen, prices) = choice([1.0, 1.0, 0.5, 0.8, 1.0, 2.0]);
        let expected = [0.01 / (1.25f64.ln() + 1e-5), 0.2025 / (5f64.ln() + 1e-5)];
        assert!(prices.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{prices:?} {expected:?}");
        assert_eq!(chosen, 0);
    }

    #[test]
    fn of_two_equally_uncertain_actions_the_one_that_tells_more_is_tried() {
        // The same mean and uncertainty; the return of the first is ten times as noisy.
        assert_eq!(choice([1.0, 10.0, 1.0, 1.0, 1.0, 1.0]).0, 1);
        assert_eq!(choice([1.0, 1.0, 1.0, 1.0, 10.0, 1.0]).0, 0);
    }
}
