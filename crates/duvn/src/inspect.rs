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
    /// The probability that the policy takes this action.
    pub probability: f64,
}

impl ActionView {
    /// Sums up draws of ((mu, sigma), probability) for every action.
    pub(crate) fn over(draws: &[Vec<((f64, f64), f32)>]) -> Vec<ActionView> {
        let count = draws.len() as f64;
        let actions = draws.first().map_or(0, Vec::len);
        let view = |action: usize| {
            let mean_of = |value: &dyn Fn(&((f64, f64), f32)) -> f64| {
                draws.iter().map(|draw| value(&draw[action])).sum::<f64>() / count
            };
            let mean = mean_of(&|((mu, _), _)| *mu);
            ActionView {
                mean,
                sigma: mean_of(&|((_, sigma), _)| *sigma),
                spread: mean_of(&|((mu, _), _)| (mu - mean).powi(2)).sqrt(),
                probability: mean_of(&|(_, probability)| f64::from(*probability)),
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
        let draws = [vec![((1.0, 0.5), 1.0)], vec![((3.0, 1.5), 0.0)]];
        let expected = ActionView { mean: 2.0, sigma: 1.0, spread: 1.0, probability: 0.5 };
        assert_eq!(ActionView::over(&draws), [expected]);
    }
}
