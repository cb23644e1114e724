//! Looking at what an agent believes.

/// What an agent believes of one action in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionView {
    /// The mean of the return: the mean of mu over the posterior's draws.
    pub mean: f64,
    /// Return uncertainty: the mean of sigma over the draws (0 for a model without one).
    pub sigma: f64,
    /// Parametric uncertainty: the standard deviation of mu over the draws (0 for point parameters).
    pub spread: f64,
    /// What more data would remove: the spread over the draws, local uncertainty, and what the return model
    /// keeps apart, as the root of their squares. Where draws are compared quantile by quantile (`compare=quantiles`), the
    /// first of these is what the quantiles differ by.
    pub epistemic: f64,
    /// What would stay: the return model's own spread, without local uncertainty; the mean over the draws. Where draws are
    /// compared quantile by quantile, what they have in common.
    pub aleatoric: f64,
    /// The probability that the policy takes this action.
    pub probability: f64,
}

/// What one draw of the parameters says of one action; or several, where they are compared quantile by quantile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub mu: f64,
    pub sigma: f64,
    /// The part of sigma that is the return's own.
    pub own: f64,
    pub probability: f64,
    pub compared: Option<Compared>,
}

/// What draws that a decision compares say together, as variances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared {
    /// That of their means.
    pub means: f64,
    /// What their quantiles differ by.
    pub between: f64,
    /// What they have in common, local uncertainty included.
    pub common: f64,
}

impl ActionView {
    /// Sums up draws for every action.
    pub(crate) fn over(draws: &[Vec<Draw>]) -> Vec<ActionView> {
        let actions = draws.first().map_or(0, Vec::len);
        let view = |action: usize| {
            let mean_of = |value: &dyn Fn(&Draw) -> f64| {
                draws.iter().map(|draw| value(&draw[action])).sum::<f64>() / draws.len() as f64
            };
            let mean = mean_of(&|draw| draw.mu);
            let means = |draw: &Draw| draw.compared.map_or(0.0, |compared| compared.means);
            let spread = mean_of(&|draw| (draw.mu - mean).powi(2) + means(draw)).sqrt();
            // What of sigma is not the return's own.
            let rest = mean_of(&|draw| (draw.sigma.powi(2) - draw.own.powi(2)).max(0.0));
            let (mut unknown, mut aleatoric) = (spread * spread, mean_of(&|draw| draw.own));
            if draws.iter().all(|draw| draw[action].compared.is_some()) {
                let of = |value: fn(Compared) -> f64| mean_of(&|draw| draw.compared.map_or(0.0, value));
                unknown = of(|compared| compared.between);
                aleatoric = (of(|compared| compared.common) - rest).max(0.0).sqrt();
            }
            ActionView {
                mean,
                sigma: mean_of(&|draw| draw.sigma),
                spread,
                epistemic: (unknown + rest).sqrt(),
                aleatoric,
                probability: mean_of(&|draw| draw.probability),
            }
        };
        (0..actions).map(view).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_over_draws_and_sigma_within_them() {
        let draw = |mu, sigma, own, probability| vec![Draw { mu, sigma, own, probability, compared: None }];
        let draws = [draw(1.0, 5.0, 3.0, 1.0), draw(3.0, 3.0, 3.0, 0.0)];
        // Of sigma, 4² and 0 are not the return's own: the mean is 8; with the spread 1 that is 9.
        let expected = ActionView {
            mean: 2.0,
            sigma: 4.0,
            spread: 1.0,
            epistemic: 3.0,
            aleatoric: 3.0,
            probability: 0.5,
        };
        assert_eq!(ActionView::over(&draws), [expected]);
    }

    /// As above, with members whose means vary by 4, whose quantiles differ by 8 and have 17 in common: with what is not the
    /// return's own, 8, that is 16 and 9.
    #[test]
    fn what_quantiles_say_comes_in_the_place_of_means() {
        let compared = Some(Compared { means: 4.0, between: 8.0, common: 17.0 });
        let draw = |mu, sigma| vec![Draw { mu, sigma, own: 3.0, probability: 0.5, compared }];
        let view = ActionView::over(&[draw(1.0, 5.0), draw(3.0, 3.0)])[0];
        assert_eq!((view.mean, view.epistemic, view.aleatoric), (2.0, 4.0, 3.0));
        assert_eq!(view.spread, 5f64.sqrt());
    }
}
