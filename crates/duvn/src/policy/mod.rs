//! How to act on what is believed of the returns: the third axis of an agent.

mod boltzmann;
mod dithered;
mod dltv;
mod egreedy;
mod ids;
mod risk;
mod thompson;
mod vpi;

pub use boltzmann::Boltzmann;
pub use dithered::Dithered;
pub use dltv::Dltv;
pub use egreedy::EGreedy;
pub use ids::Ids;
pub use risk::Risk;
pub use thompson::{IndexRule, Thompson};
pub use vpi::{Vpi, expected_gain};

use crate::config::{ActOn, Config, PolicyKind, PosteriorKind};
use crate::returns::ReturnModel;
use crate::rng::Stream;

/// What is believed of the return of every action in one state, for one draw of the network's parameters; and for others,
/// where the policy asks for [several](Policy::draws).
#[derive(Clone, Copy)]
pub struct Beliefs<'a> {
    /// The meaning of the parameters.
    pub model: &'a dyn ReturnModel,
    /// The parameters of each action's return, one after the other.
    pub parameters: &'a [f32],
    /// The same for every further draw, one after the other.
    pub others: &'a [f32],
}

impl<'a> Beliefs<'a> {
    /// Beliefs for one draw.
    pub fn new(model: &'a dyn ReturnModel, parameters: &'a [f32]) -> Self {
        Beliefs { model, parameters, others: &[] }
    }

    /// The beliefs of each draw.
    pub fn by_draw(&self) -> impl Iterator<Item = Beliefs<'a>> + Clone + use<'a> {
        let model = self.model;
        let others = self.others.chunks_exact(self.parameters.len().max(1));
        std::iter::once(self.parameters).chain(others).map(move |draw| Beliefs::new(model, draw))
    }

    /// Parametric uncertainty of one action: mean and standard deviation of its mean over the draws.
    pub fn over_draws(&self, action: usize) -> (f64, f64) {
        let means = self.by_draw().map(|draw| draw.mean(action));
        let count = means.clone().count() as f64;
        let mean = means.clone().sum::<f64>() / count;
        (mean, (means.map(|mu| (mu - mean).powi(2)).sum::<f64>() / count).sqrt())
    }

    /// The mean of one action and what more data would tell about it: the spread over the draws, and what the
    /// return model keeps apart, as squares.
    pub fn epistemic(&self, action: usize) -> (f64, f64) {
        let (mean, mut spread) = self.over_draws(action);
        if let Some((between, _)) = self.by_level(action) {
            spread = between.sqrt();
        }
        (mean, spread.hypot(self.model.epistemic(self.of(action))))
    }

    /// How much the return of one action varies by itself, as a standard deviation.
    pub fn aleatoric(&self, action: usize) -> f64 {
        match self.by_level(action) {
            Some((_, common)) => common.max(0.0).sqrt(),
            None => self.model.aleatoric(self.of(action)),
        }
    }

    /// Where draws are compared quantile by quantile (Clements et al. 2019): what they differ by and what they have in
    /// common, as variances. With N levels and M draws of quantiles t_iq the first is the mean over the levels of the
    /// variance over the draws, with M - 1 in the denominator; the second is the mean over pairs of draws of their
    /// covariance over the levels, which may be below 0.
    pub fn by_level(&self, action: usize) -> Option<(f64, f64)> {
        let (levels, draws) = (self.model.levels(), self.by_draw());
        let count = draws.clone().count() as f64;
        if levels == 0 || count < 2.0 {
            return None;
        }
        let of_all = draws.clone().map(|draw| draw.mean(action)).sum::<f64>();
        let own = draws.clone().map(|draw| draw.model.aleatoric(draw.of(action)).powi(2)).sum::<f64>();
        let (mut between, mut together) = (0.0, 0.0);
        for level in 0..levels {
            let values = draws.clone().map(|draw| f64::from(draw.of(action)[level]));
            let sum = values.clone().sum::<f64>();
            between += values.map(|value| (value - sum / count).powi(2)).sum::<f64>() / (count - 1.0);
            // The variance of the draws' sum is that of each of them and twice the covariance of each pair.
            together += (sum - of_all).powi(2);
        }
        let levels = levels as f64;
        Some((between / levels, (together / levels - own) / (count * (count - 1.0))))
    }

    /// How many actions there are.
    pub fn actions(&self) -> usize {
        self.parameters.len() / self.model.outputs()
    }

    /// The parameters of one action.
    pub fn of(&self, action: usize) -> &'a [f32] {
        let width = self.model.outputs();
        &self.parameters[action * width..(action + 1) * width]
    }

    /// The mean return of one action.
    pub fn mean(&self, action: usize) -> f64 {
        self.model.mean(self.of(action))
    }

    /// The best action by mean, ties at random.
    pub fn greedy(&self, stream: &mut Stream) -> usize {
        best_of(self.actions(), stream, |action, _| self.mean(action))
    }
}

/// When a decision is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    /// Environment steps so far.
    pub step: u64,
    /// The index z that the agent is committed to, if it is.
    pub index: Option<f64>,
}

/// A choice, and the draw of the return that made it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Choice {
    /// The action.
    pub action: usize,
    /// The index z at which its return was looked at: it was taken to be mu + z sigma. None: no draw of its return chose it.
    pub index: Option<f64>,
    /// Under which of the [draws](Beliefs::by_draw) of the parameters.
    pub draw: usize,
}

/// How to act.
pub trait Policy: Send {
    /// Chooses an action.
    fn choose(&self, beliefs: Beliefs<'_>, moment: Moment, stream: &mut Stream) -> usize;

    /// Chooses an action as [`choose`](Self::choose) does, from the same random numbers, and says by which draw of its return.
    fn choose_by(&self, beliefs: Beliefs<'_>, moment: Moment, stream: &mut Stream) -> Choice {
        Choice { action: self.choose(beliefs, moment, stream), ..Choice::default() }
    }

    /// An index at which the policy could look at an action's return in this moment. None where it goes by means.
    fn index(&self, moment: Moment, _stream: &mut Stream) -> Option<f64> {
        moment.index
    }

    /// How many draws of the network's parameters it looks at in each decision, at least 1. The first is the one that the
    /// agent acts by; the others are fresh.
    fn draws(&self) -> usize {
        1
    }

    /// Draws an index to commit to, where the policy has one.
    fn draw_index(&self, _stream: &mut Stream) -> Option<f64> {
        None
    }

    /// The probability of each action by a formula, into `out`. False where none is known.
    fn formula(&self, _beliefs: Beliefs<'_>, _moment: Moment, _out: &mut [f32]) -> bool {
        false
    }

    /// The probability of each action; where no formula is known, from `draws` choices. Where the policy commits to
    /// an index and the moment has none, each choice draws its own.
    fn probabilities(
        &self,
        beliefs: Beliefs<'_>,
        moment: Moment,
        draws: usize,
        stream: &mut Stream,
        out: &mut [f32],
    ) {
        if self.formula(beliefs, moment, out) {
            return;
        }
        out.fill(0.0);
        for _ in 0..draws {
            let moment = Moment { index: moment.index.or_else(|| self.draw_index(stream)), ..moment };
            out[self.choose(beliefs, moment, stream)] += 1.0 / draws as f32;
        }
    }
}

/// The policy that `config` asks for.
pub fn policy(config: &Config) -> Box<dyn Policy> {
    let looks = match config.posterior {
        PosteriorKind::Point => 1,
        PosteriorKind::Ensemble if config.compares_quantiles() => config.members,
        _ => config.belief_draws,
    };
    let indexed = |rule| {
        let looks = if config.act_on == ActOn::Epistemic { looks } else { 1 };
        Box::new(Thompson { rule, scope: config.scope, act_on: config.act_on, looks }) as Box<dyn Policy>
    };
    let plain: Box<dyn Policy> = match config.policy {
        PolicyKind::Uniform => Box::new(EGreedy::fixed(1.0)),
        PolicyKind::Greedy => Box::new(EGreedy::fixed(0.0)),
        PolicyKind::EGreedy => Box::new(EGreedy::new(config)),
        PolicyKind::Boltzmann => Box::new(Boltzmann { temperature: config.temperature }),
        // Where parameters are drawn as well, each of the draws has its own.
        PolicyKind::Thompson
            if config.posterior != PosteriorKind::Point && config.act_on != ActOn::Epistemic =>
        {
            let (rule, looks) = (IndexRule::Normal { draws: 1 }, config.draws);
            Box::new(Thompson { rule, scope: config.scope, act_on: config.act_on, looks })
        }
        PolicyKind::Thompson => indexed(IndexRule::Normal { draws: config.draws }),
        PolicyKind::Optimistic => indexed(IndexRule::HalfNormal),
        PolicyKind::Ucb => indexed(IndexRule::Uniform { low: config.ucb_low, high: config.ucb_high }),
        PolicyKind::Ids => Box::new(Ids { lambda: config.ids_lambda, draws: looks }),
        PolicyKind::Vpi => Box::new(Vpi { draws: looks }),
        PolicyKind::Risk => {
            Box::new(Risk { kind: config.risk, level: config.risk_level, temperature: config.temperature })
        }
        PolicyKind::Dltv => Box::new(Dltv { scale: config.dltv_scale }),
    };
    match config.dither {
        0.0 => plain,
        share => Box::new(Dithered { policy: plain, share }),
    }
}

/// The action with the highest score; among equals, each with the same probability.
pub fn best_of(
    actions: usize,
    stream: &mut Stream,
    mut score: impl FnMut(usize, &mut Stream) -> f64,
) -> usize {
    best_with(actions, stream, |action, stream| (score(action, stream), ())).0
}

/// The action with the highest score, as [`best_of`] has it, and what came with its score.
pub(crate) fn best_with<T: Default>(
    actions: usize,
    stream: &mut Stream,
    mut score: impl FnMut(usize, &mut Stream) -> (f64, T),
) -> (usize, T) {
    let (mut best, mut best_score, mut ties) = ((0, T::default()), f64::NEG_INFINITY, 0);
    for action in 0..actions {
        let (score, with) = score(action, stream);
        if score > best_score {
            (best, best_score, ties) = ((action, with), score, 1);
        } else if score == best_score {
            ties += 1;
            if stream.below(ties) == 0 {
                best = (action, with);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two draws, two actions: means (1, 5) and (3, 5).
    #[test]
    fn the_spread_over_draws_is_that_of_the_means() {
        let model = crate::returns::Mean;
        let beliefs = Beliefs { model: &model, parameters: &[1.0, 5.0], others: &[3.0, 5.0] };
        assert_eq!((beliefs.over_draws(0), beliefs.over_draws(1)), ((2.0, 1.0), (5.0, 0.0)));
        assert_eq!(Beliefs::new(&model, &[1.0, 5.0]).over_draws(0), (1.0, 0.0));
    }

    /// Two draws of three quantiles, (1, 2, 6) and (3, 2, 4), of one action. Their means are 3 and 3. They differ by 2, 0 and 2:
    /// half the mean of 4, 0, 4 is 4/3. Less the means they are (-2, -1, 3) and (0, -1, 1): the mean of 0, 1, 3 is 4/3.
    #[test]
    fn quantiles_tell_what_is_not_known_from_what_varies() {
        let config = Config {
            returns: crate::config::ReturnKind::Quantile,
            compare: crate::config::CompareKind::Quantiles,
            posterior: PosteriorKind::Ensemble,
            policy: PolicyKind::Ids,
            quantiles: 3,
            ..Config::default()
        };
        let model = crate::returns::return_model(&config);
        let beliefs = |parameters, others| Beliefs { model: &*model, parameters, others };
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 1e-12 && (b - d).abs() < 1e-12;
        let two = beliefs(&[1.0, 2.0, 6.0], &[3.0, 2.0, 4.0]);
        assert!(close(two.by_level(0).unwrap(), (4.0 / 3.0, 4.0 / 3.0)), "{:?}", two.by_level(0));
        assert!(close(two.epistemic(0), (3.0, (4.0f64 / 3.0).sqrt())));
        assert!((two.aleatoric(0) - (4.0f64 / 3.0).sqrt()).abs() < 1e-12);
        // With (2, 2, 5) as a third: variances 1, 0, 1 over the draws. The third less its mean is (-1, -1, 2), so the pairs'
        // covariances are 4/3, (2 + 1 + 6)/3 and (0 + 1 + 2)/3: their mean is 16/9.
        let three = beliefs(&[1.0, 2.0, 6.0], &[3.0, 2.0, 4.0, 2.0, 2.0, 5.0]);
        assert!(close(three.by_level(0).unwrap(), (2.0 / 3.0, 16.0 / 9.0)), "{:?}", three.by_level(0));
        // Those that go against each other have nothing in common.
        let against = beliefs(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]);
        assert!(close(against.by_level(0).unwrap(), (4.0 / 3.0, -2.0 / 3.0)));
        assert_eq!(against.aleatoric(0), 0.0);
        // One draw differs from nothing.
        let one = beliefs(&[1.0, 2.0, 3.0], &[]);
        assert_eq!((one.by_level(0), one.epistemic(0)), (None, (2.0, 0.0)));
        assert!((one.aleatoric(0) - (2.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn ties_are_broken_evenly() {
        let mut stream = Stream::new(0, "test");
        let mut counts = [0u32; 4];
        for _ in 0..30_000 {
            counts[best_of(4, &mut stream, |action, _| if action == 1 { 0.0 } else { 1.0 })] += 1;
        }
        assert_eq!(counts[1], 0);
        // Five standard deviations of a binomial(30,000, 1/3) are 408.
        assert!([0, 2, 3].iter().all(|&action| counts[action].abs_diff(10_000) < 408), "{counts:?}");
    }
}
