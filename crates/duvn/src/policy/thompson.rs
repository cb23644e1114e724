use super::{Beliefs, Moment, Policy, best_of};
use crate::config::{ActOn, Scope};
use crate::rng::Stream;

/// The best of mu + z sigma, with an index z drawn by a rule: Thompson sampling and its optimistic kin.
///
/// With scope `step`, each action of each decision has its own index, as in the paper (section 4.2). With
/// scope `episode`, one index serves every action and every state until the episode ends.
pub struct Thompson {
    /// How an index is drawn.
    pub rule: IndexRule,
    /// How long it is kept.
    pub scope: Scope,
    /// Which uncertainty sigma is.
    pub act_on: ActOn,
    /// Draws of the parameters that a decision looks at, to see how they differ.
    pub draws: usize,
}

/// How an index z is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IndexRule {
    /// The largest of so many draws of N(0,1). One draw is Thompson sampling.
    Normal {
        /// How many.
        draws: usize,
    },
    /// The absolute value of N(0,1).
    HalfNormal,
    /// Uniform between two bounds: an upper confidence bound.
    Uniform {
        /// The least.
        low: f64,
        /// The greatest.
        high: f64,
    },
}

impl IndexRule {
    /// Draws an index.
    pub fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            IndexRule::Normal { draws } => {
                (0..draws).map(|_| f64::from(stream.normal())).fold(f64::NEG_INFINITY, f64::max)
            }
            IndexRule::HalfNormal => f64::from(stream.normal()).abs(),
            IndexRule::Uniform { low, high } => low + (high - low) * stream.uniform(),
        }
    }
}

impl Policy for Thompson {
    fn choose(&self, beliefs: Beliefs<'_>, moment: Moment, stream: &mut Stream) -> usize {
        best_of(beliefs.actions(), stream, |action, stream| {
            let z = moment.index.unwrap_or_else(|| self.rule.draw(stream));
            match self.act_on {
                ActOn::Total => beliefs.model.at(beliefs.of(action), z),
                ActOn::Aleatoric => beliefs.model.own_at(beliefs.of(action), z),
                ActOn::Epistemic => {
                    let (mean, sd) = beliefs.epistemic(action);
                    mean + z * sd
                }
            }
        })
    }

    fn draws(&self) -> usize {
        self.draws
    }

    fn draw_index(&self, stream: &mut Stream) -> Option<f64> {
        (self.scope == Scope::Episode).then(|| self.rule.draw(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::returns::Gaussian;

    fn share_of_action_0(parameters: &[f32], rule: IndexRule, moment: Moment) -> f64 {
        let gaussian = Gaussian::new(&Config::default());
        let beliefs = Beliefs::new(&gaussian, parameters);
        let policy = Thompson { rule, scope: Scope::Step, act_on: ActOn::Total, draws: 1 };
        let mut stream = Stream::new(0, "test");
        let zeros = (0..200_000).filter(|_| policy.choose(beliefs, moment, &mut stream) == 0).count();
        zeros as f64 / 200_000.0
    }

    /// Paper, App. C, with the mean of the difference -2: P = Phi(-2 / sqrt 2) and Phi(-2 / sqrt 26).
    #[test]
    fn the_two_scenarios_of_the_illustration_come_out() {
        let thompson = IndexRule::Normal { draws: 1 };
        for (sigma, expected) in [(1.0, 0.0786), (5.0, 0.3474)] {
            let share = share_of_action_0(&[0.0, sigma, 2.0, 1.0], thompson, Moment::default());
            let error = (expected * (1.0 - expected) / 200_000.0f64).sqrt();
            assert!((share - expected).abs() < 5.0 * error + 5e-5, "{share} instead of {expected}");
        }
    }

    #[test]
    fn a_committed_index_decides_alike_every_time() {
        let thompson = IndexRule::Normal { draws: 1 };
        let share = |index| {
            let moment = Moment { step: 0, index: Some(index) };
            share_of_action_0(&[0.0, 5.0, 2.0, 1.0], thompson, moment)
        };
        assert_eq!([share(0.0), share(0.4), share(0.6), share(2.0)], [0.0, 0.0, 1.0, 1.0]);
    }

    /// Two actions with mean 0: the return of the first varies by 3 and its mean is known; that of the second
    /// is the other way round.
    #[test]
    fn each_kind_of_uncertainty_can_be_acted_on() {
        let config =
            Config { returns: crate::config::ReturnKind::Gaussian, apart: true, ..Config::default() };
        let model = crate::returns::return_model(&config);
        let beliefs = Beliefs::new(&*model, &[0.0, 3.0, 0.0, 0.0, 0.0, 2.0]);
        let moment = Moment { step: 0, index: Some(1.0) };
        let choose = |act_on| {
            let rule = IndexRule::HalfNormal;
            let policy = Thompson { rule, scope: Scope::Episode, act_on, draws: 1 };
            policy.choose(beliefs, moment, &mut Stream::new(0, "test"))
        };
        assert_eq!([ActOn::Total, ActOn::Aleatoric, ActOn::Epistemic].map(choose), [0, 0, 1]);
    }

    #[test]
    fn indices_follow_their_rules() {
        let mut stream = Stream::new(0, "test");
        let mut mean =
            |rule: IndexRule| (0..100_000).map(|_| rule.draw(&mut stream)).sum::<f64>() / 100_000.0;
        // E max of 2 normals = 1/sqrt(pi); E|z| = sqrt(2/pi); five standard errors are below 0.016.
        assert!((mean(IndexRule::Normal { draws: 2 }) - 0.5642).abs() < 0.016);
        assert!((mean(IndexRule::HalfNormal) - 0.7979).abs() < 0.016);
        assert!((mean(IndexRule::Uniform { low: 1.7, high: 2.3 }) - 2.0).abs() < 0.016);
    }
}
