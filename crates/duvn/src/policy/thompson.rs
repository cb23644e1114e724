use super::{Beliefs, Choice, Moment, Policy, best_with};
use crate::config::{ActOn, Scope};
use crate::rng::Stream;

/// The best of mu + z sigma, with an index z drawn by a rule: Thompson sampling and its optimistic kin.
///
/// With scope `step`, each action of each decision has its own index, as in the paper (section 4.2). With
/// scope `episode`, one index serves every action and every state until the episode ends.
///
/// The best of k draws ("Thompson-k" of the authors' later code) is the best of k returns, each drawn under parameters of its
/// own: z and the mask are both drawn again. So it means the same for parametric exploration, whose returns have no z.
pub struct Thompson {
    /// How an index is drawn.
    pub rule: IndexRule,
    /// How long it is kept.
    pub scope: Scope,
    /// Which uncertainty sigma is.
    pub act_on: ActOn,
    /// Draws of the parameters that it looks at in each decision. Of each action the best counts, but where it acts on
    /// epistemic uncertainty: that is how they differ.
    pub looks: usize,
}

/// How an index z is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
        self.choose_by(beliefs, moment, stream).action
    }

    fn choose_by(&self, beliefs: Beliefs<'_>, moment: Moment, stream: &mut Stream) -> Choice {
        let (action, (index, draw)) = best_with(beliefs.actions(), stream, |action, stream| {
            if self.act_on == ActOn::Epistemic {
                let z = moment.index.unwrap_or_else(|| self.rule.draw(stream));
                let (mean, sd) = beliefs.epistemic(action);
                return (mean + z * sd, (Some(z), 0));
            }
            let look = |beliefs: Beliefs<'_>, stream: &mut Stream| {
                let z = moment.index.unwrap_or_else(|| self.rule.draw(stream));
                let value = match self.act_on {
                    ActOn::Aleatoric => beliefs.model.own_at(beliefs.of(action), z),
                    _ => beliefs.model.at(beliefs.of(action), z),
                };
                (value, z)
            };
            let (value, z) = look(beliefs, stream);
            let mut best = (value, (Some(z), 0));
            // Without further draws, which is the rule, nothing is spent on them.
            if !beliefs.others.is_empty() {
                for (draw, beliefs) in beliefs.by_draw().enumerate().skip(1) {
                    let (value, z) = look(beliefs, stream);
                    if value > best.0 {
                        best = (value, (Some(z), draw));
                    }
                }
            }
            best
        });
        Choice { action, index, draw }
    }

    fn index(&self, moment: Moment, stream: &mut Stream) -> Option<f64> {
        Some(moment.index.unwrap_or_else(|| self.rule.draw(stream)))
    }

    fn draws(&self) -> usize {
        self.looks
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
        let policy = Thompson { rule, scope: Scope::Step, act_on: ActOn::Total, looks: 1 };
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
            let policy = Thompson { rule, scope: Scope::Episode, act_on, looks: 1 };
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

    /// Means of three draws: action 0 has 1, 0, 0, action 1 has 0, 3, 2. The best of each is 1 and 3, the second draw's.
    #[test]
    fn the_best_of_several_draws_counts_and_is_known() {
        let mean = crate::returns::Mean;
        let beliefs = Beliefs { model: &mean, parameters: &[1.0, 0.0], others: &[0.0, 3.0, 0.0, 2.0] };
        let policy = Thompson {
            rule: IndexRule::Normal { draws: 1 },
            scope: Scope::Step,
            act_on: ActOn::Total,
            looks: 3,
        };
        let choice = policy.choose_by(beliefs, Moment::default(), &mut Stream::new(0, "test"));
        assert_eq!((choice.action, choice.draw), (1, 1));
        assert_eq!(policy.choose(beliefs, Moment::default(), &mut Stream::new(0, "test")), 1);
    }

    /// With masks that all say the same, the best of k is the largest of k normals: for k = 2 and an action of mean 0 and
    /// sigma 1 beside one that is surely 0, it is taken with 1 - 1/4.
    #[test]
    fn draws_of_the_parameters_have_an_index_each() {
        let gaussian = Gaussian::new(&Config::default());
        let beliefs =
            Beliefs { model: &gaussian, parameters: &[0.0, 1.0, 0.0, 0.0], others: &[0.0, 1.0, 0.0, 0.0] };
        let policy = Thompson {
            rule: IndexRule::Normal { draws: 1 },
            scope: Scope::Step,
            act_on: ActOn::Total,
            looks: 2,
        };
        let mut stream = Stream::new(0, "test");
        let mut chosen = 0;
        for _ in 0..100_000 {
            let choice = policy.choose_by(beliefs, Moment::default(), &mut stream);
            chosen += usize::from(choice.action == 0);
            let z = choice.index.unwrap();
            assert!(choice.action == 1 || z > 0.0, "what was chosen was above 0");
        }
        // Five standard errors of a share of 0.75.
        assert!((chosen as f64 / 100_000.0 - 0.75).abs() < 0.007, "{chosen}");
    }

    #[test]
    fn an_agent_without_draws_of_parameters_looks_once() {
        for (posterior, looks) in [("point", 1), ("dropout", 3), ("ensemble", 3)] {
            let mut config = Config::default();
            for (key, value) in [("policy", "thompson"), ("draws", "3"), ("posterior", posterior)] {
                config.set(key, value).unwrap();
            }
            assert_eq!(crate::policy::policy(&config).draws(), looks, "{posterior}");
        }
    }
}
