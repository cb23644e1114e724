//! Local uncertainty u(s,a): what is not known because (s,a) itself was hardly tried.
//!
//! The network's sigma tells what is uncertain *after* (s,a); by itself it collapses on states that were
//! never seen, because all states share weights. Beside it stands u(s,a), which is large by construction
//! wherever nothing was tried. The two make the uncertainty Bellman equation (O'Donoghue et al. 2017):
//!
//! sigma(s,a)² = u(s,a)² + sigma_net(s,a)², with sigma_net(s,a) trained towards gamma sigma(s',a').
//!
//! The mean can be treated alike: the mean of a posterior with the prior N(0, v), after n observations whose
//! own variance is v, is n / (1 + n) times what was observed. With `shrink` that is what a decision and a target
//! see of mu_net. Where every step costs something this alone is optimism: what was never tried costs nothing.
//!
//! In a world with loops (`loops=horizon`) both are taken further. Behind what was never tried is a whole future of
//! such things: its width is what u adds up to, scale / sqrt(1 - gamma²), or any small income that goes on for ever
//! would be worth more than the unknown. And an action that was never tried is taken to be worth what its state is:
//! with w(n) = 1 - (u(n) / u(0))² of what was observed, the mean is w mu + (1 - w) V, V being the best mean of an
//! action that was tried.

mod counts;
mod covariance;
mod features;
mod outcomes;

pub use counts::Counts;
pub use features::Features;
pub use outcomes::{Outcome, Outcomes};

use crate::config::{Config, LocalKind, LocalUnit};
use crate::net::Rows;
use crate::returns::ReturnModel;
use crate::rng::Stream;
use duvn_envs::{Observation, Space};
use serde::{Deserialize, Serialize};

/// States that are looked at together: enough for the kernels, and no more memory for a long trace.
const BLOCK: usize = 32;

/// Local uncertainty of one kind, or none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Local {
    kind: Kind,
    scale: f32,
    /// What the scale is a multiple of, where that is learnt: the range of the returns seen.
    unit: Option<f32>,
    power: f32,
    shrink: bool,
    /// In a world with loops: how many times as wide what was never tried is.
    ahead: Option<f32>,
    actions: usize,
    /// 1 / (1 + n) of every action in the states looked at last.
    #[serde(skip)]
    rarities: Vec<f32>,
    /// The same with the width u, where outcomes are looked at.
    #[serde(skip)]
    widths: Vec<(f32, f32)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    None,
    Counts(Counts),
    Features(Features),
    Outcomes(Outcomes),
}

impl Local {
    /// The local uncertainty that `config` asks for: counts where observations are indices, Bayesian
    /// linear regression on random features where they are boxes.
    pub fn new(config: &Config, observations: &Space, actions: usize, stream: &mut Stream) -> Self {
        let kind = match (config.local, observations) {
            (LocalKind::None, _) => Kind::None,
            (LocalKind::Visits, Space::Discrete(states)) => Kind::Counts(Counts::new(*states, actions)),
            (LocalKind::Outcomes, Space::Discrete(states)) => Kind::Outcomes(Outcomes::new(*states, actions)),
            // No state of a box comes twice: that outcomes differ says nothing there.
            (LocalKind::Visits | LocalKind::Outcomes, Space::Box { low, high }) => {
                let kernel_width = config.feature_width;
                Kind::Features(Features::new(low, high, actions, config.features, kernel_width, stream))
            }
        };
        Local {
            kind,
            scale: config.local_scale as f32,
            unit: (config.local_unit == LocalUnit::Returns).then_some(1.0),
            power: config.local_power as f32,
            shrink: config.shrink,
            ahead: None,
            actions,
            rarities: Vec::new(),
            widths: Vec::new(),
        }
    }

    /// u of what was never tried.
    fn scale(&self) -> f32 {
        self.scale * self.unit.unwrap_or(1.0)
    }

    /// Takes down between which bounds discounted returns have been. Where they are the unit, what was never tried is as uncertain
    /// as returns are different: an agent that is paid in cents explores like one that is paid in euros.
    pub fn measure(&mut self, (low, high): (f32, f32)) {
        if let Some(unit) = &mut self.unit
            && high > low
        {
            *unit = high - low;
        }
    }

    /// From now on the world is known to have loops: behind what was never tried is more of it, discounted by `gamma` a step.
    pub fn look_ahead(&mut self, gamma: f64) {
        self.ahead = Some((1.0 / (1.0 - gamma * gamma).max(f64::EPSILON).sqrt()) as f32);
    }

    /// The largest sigma that local uncertainty can add up to where sigma is discounted by `gamma` a step: that of
    /// sigma² = scale² + gamma² sigma², which is scale / sqrt(1 - gamma²).
    pub fn most(&self, gamma: f64) -> f32 {
        match self.kind {
            Kind::None => f32::INFINITY,
            _ => (f64::from(self.scale()) / (1.0 - gamma * gamma).max(0.0).sqrt()) as f32,
        }
    }

    /// Whether what was read can stand in the place of `self`.
    pub(crate) fn takes(&self, other: &Local) -> bool {
        let kinds = match (&self.kind, &other.kind) {
            (Kind::None, Kind::None) => true,
            (Kind::Counts(mine), Kind::Counts(other)) => mine.takes(other),
            (Kind::Outcomes(mine), Kind::Outcomes(other)) => mine.takes(other),
            (Kind::Features(mine), Kind::Features(other)) => mine.takes(other),
            _ => false,
        };
        let settings =
            |local: &Local| (local.scale, local.unit.is_some(), local.power, local.shrink, local.actions);
        let measured = other.unit.is_none_or(|unit| unit.is_finite() && unit > 0.0);
        let ahead = other.ahead.is_none_or(|ahead| ahead.is_finite() && ahead >= 1.0);
        kinds && measured && ahead && settings(self) == settings(other)
    }

    /// Takes down that `action` was tried, and what came of it: a reward, and a next state where the task has
    /// not ended.
    pub fn visit(
        &mut self,
        observation: Observation<'_>,
        action: usize,
        reward: f32,
        next: Option<Observation<'_>>,
    ) {
        match (&mut self.kind, observation) {
            (Kind::Outcomes(outcomes), Observation::Index(state)) => {
                let next = match next {
                    Some(Observation::Index(next)) => Some(next),
                    _ => None,
                };
                outcomes.visit(state, action, Outcome { reward, next });
            }
            (Kind::Counts(counts), Observation::Index(state)) => counts.visit(state, action),
            (Kind::Features(features), Observation::Vector(x)) => features.visit(x, action),
            _ => {}
        }
    }

    /// Whether the world is known to be random: what came of the same action in the same state was not always the same.
    pub fn outcomes_vary(&self) -> bool {
        matches!(&self.kind, Kind::Outcomes(outcomes) if outcomes.vary())
    }

    /// Looks at states: of every action after n visits how much of its mean is not observed, and the width u. The first
    /// is 1 / (1 + n), or, looking ahead, the square of what is left of the width.
    fn look(&mut self, states: Rows<'_>, count: usize) {
        let scale = self.scale();
        self.widths.resize(count * self.actions, (0.0, 0.0));
        if let (Kind::Outcomes(outcomes), Rows::Index(states)) = (&self.kind, states) {
            for (&state, widths) in states.iter().zip(self.widths.chunks_exact_mut(self.actions)) {
                outcomes.look(state as usize, (scale, self.power), self.ahead, widths);
            }
            return;
        }
        self.rarities.resize(count * self.actions, 0.0);
        match (&mut self.kind, states) {
            (Kind::Counts(counts), Rows::Index(states)) => {
                for (&state, rarities) in states.iter().zip(self.rarities.chunks_exact_mut(self.actions)) {
                    counts.rarities(state as usize, rarities);
                }
            }
            (Kind::Features(features), Rows::Dense(states)) => features.rarities(states, &mut self.rarities),
            _ => self.rarities.fill(0.0),
        }
        for (width, &rarity) in self.widths.iter_mut().zip(&self.rarities) {
            let left = rarity.powf(self.power);
            *width = match self.ahead {
                None => (rarity, scale * left),
                Some(ahead) => (left * left, scale * ahead * left),
            };
        }
    }

    /// Adds the local uncertainty u = scale / (1 + n)^power to beliefs of every action (rows x actions x
    /// outputs), or, where `taken` is given, of one action a row (rows x outputs); and shrinks their means, if
    /// that is asked for.
    pub fn widen(
        &mut self,
        model: &dyn ReturnModel,
        rows: Rows<'_>,
        taken: Option<&[u8]>,
        beliefs: &mut [f32],
    ) {
        if matches!(self.kind, Kind::None) {
            return;
        }
        let row_width = model.outputs() * taken.map_or(self.actions, |_| 1);
        let total = beliefs.len() / row_width;
        for (block, beliefs) in beliefs.chunks_mut(BLOCK * row_width).enumerate() {
            let (first, count) = (block * BLOCK, beliefs.len() / row_width);
            self.look(rows.block(first, count, total), count);
            let widths = self.widths.chunks_exact(self.actions);
            for (row, (beliefs, widths)) in beliefs.chunks_exact_mut(row_width).zip(widths).enumerate() {
                let widths = match taken {
                    Some(actions) => std::slice::from_ref(&widths[usize::from(actions[first + row])]),
                    None => widths,
                };
                // What an action is worth that was not tried: nothing, or what the best is that was.
                let tried =
                    |&(parameters, &(left, _)): &(&[f32], &(f32, f32))| !parameters.is_empty() && left < 1.0;
                let worth = self.ahead.map(|_| {
                    let actions = beliefs.chunks_exact(model.outputs()).zip(widths).filter(tried);
                    actions
                        .map(|(parameters, _)| model.mean(parameters) as f32)
                        .fold(f32::NEG_INFINITY, f32::max)
                });
                for (parameters, &(left, width)) in beliefs.chunks_exact_mut(model.outputs()).zip(widths) {
                    model.widen(parameters, width);
                    if self.shrink {
                        model.shrink(parameters, 1.0 - left);
                        if let Some(worth) = worth.filter(|worth| worth.is_finite()) {
                            model.shift(parameters, left * worth);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::returns::Gaussian;

    #[test]
    fn sigma_and_u_add_as_squares_for_all_actions_or_the_one_taken() {
        let config = Config { local: LocalKind::Visits, local_scale: 4.0, ..Config::default() };
        let mut local = Local::new(&config, &Space::Discrete(3), 2, &mut Stream::new(0, "test"));
        local.visit(Observation::Index(1), 0, 0.0, None);
        let gaussian = Gaussian::new(&config);
        let rows = Rows::Index(&[0, 1]);
        let mut beliefs = [7.0, 3.0, 7.0, 3.0, 7.0, 1.5, 7.0, 0.0];
        local.widen(&gaussian, rows, None, &mut beliefs);
        assert_eq!(beliefs, [7.0, 5.0, 7.0, 5.0, 7.0, 2.5, 7.0, 4.0]);
        let mut beliefs = [7.0, 3.0, 7.0, 1.5];
        local.widen(&gaussian, rows, Some(&[1, 0]), &mut beliefs);
        assert_eq!(beliefs, [7.0, 5.0, 7.0, 2.5]);
        let mut other = [7.0, 3.0, 7.0, 3.0];
        local.widen(&gaussian, rows, Some(&[0, 1]), &mut other);
        assert_eq!(other, [7.0, 5.0, 7.0, 5.0], "what was not taken there is as wide as ever");
    }

    /// 4 / sqrt(1 - 0.36) = 5.
    #[test]
    fn local_uncertainty_adds_up_to_a_geometric_series() {
        let config = Config { local: LocalKind::Visits, local_scale: 4.0, ..Config::default() };
        let local = Local::new(&config, &Space::Discrete(1), 1, &mut Stream::new(0, "test"));
        assert_eq!((local.most(0.6), local.most(1.0)), (5.0, f32::INFINITY));
        let none = Local::new(&Config::default(), &Space::Discrete(1), 1, &mut Stream::new(0, "test"));
        assert_eq!(none.most(0.6), f32::INFINITY);
    }

    /// Half of the range from -2 to 6 is 4. Before anything was earned, the unit is 1.
    #[test]
    fn the_unit_may_be_the_range_of_the_returns() {
        let widened = |local_unit, bounds| {
            let config =
                Config { local: LocalKind::Visits, local_unit, local_scale: 0.5, ..Config::default() };
            let mut local = Local::new(&config, &Space::Discrete(1), 1, &mut Stream::new(0, "test"));
            local.measure(bounds);
            let mut beliefs = [7.0, 3.0];
            local.widen(&Gaussian::new(&config), Rows::Index(&[0]), None, &mut beliefs);
            assert_eq!(beliefs[0], 7.0);
            (beliefs[1], local.most(0.6))
        };
        assert_eq!(widened(LocalUnit::Returns, (-2.0, 6.0)), (5.0, 5.0));
        for (unit, bounds) in [(LocalUnit::Returns, (0.0, 0.0)), (LocalUnit::Reward, (-2.0, 6.0))] {
            assert_eq!(widened(unit, bounds), (9.25f32.sqrt(), 0.625));
        }
    }

    /// Looking ahead with gamma 0.6, what was never tried is 1 / sqrt(1 - 0.36) = 1.25 times as wide. After one visit
    /// with power 1, u = 4 x 1.25 / 2 and 1/4 of the mean is not observed: it is the state's, which is 8 as well.
    #[test]
    fn looking_ahead_the_unknown_is_wider_and_worth_what_its_state_is() {
        let config = Config { local: LocalKind::Visits, local_scale: 4.0, shrink: true, ..Config::default() };
        let mut local = Local::new(&config, &Space::Discrete(2), 3, &mut Stream::new(0, "test"));
        local.look_ahead(0.6);
        local.visit(Observation::Index(0), 0, 0.0, None);
        local.visit(Observation::Index(0), 1, 0.0, None);
        let mut beliefs = [8.0, 0.0, 4.0, 0.0, 9.0, 0.0, 8.0, 0.0, 4.0, 0.0, 9.0, 0.0];
        local.widen(&Gaussian::new(&config), Rows::Index(&[0, 1]), None, &mut beliefs);
        let none_tried = [0.0, 5.0, 0.0, 5.0, 0.0, 5.0];
        assert_eq!(beliefs[..6], [8.0, 2.5, 5.0, 2.5, 8.0, 5.0]);
        assert_eq!(beliefs[6..], none_tried);
    }

    #[test]
    fn a_shrunk_mean_counts_for_n_of_n_plus_one() {
        let config = Config {
            local: LocalKind::Visits,
            local_scale: 4.0,
            local_power: 2.0,
            shrink: true,
            ..Config::default()
        };
        let mut local = Local::new(&config, &Space::Discrete(1), 2, &mut Stream::new(0, "test"));
        (0..3).for_each(|_| local.visit(Observation::Index(0), 0, 0.0, None));
        let mut beliefs = [8.0, 0.0, 8.0, 3.0];
        local.widen(&Gaussian::new(&config), Rows::Index(&[0]), None, &mut beliefs);
        // After three visits 3/4 of the mean and u = 4 / 4²; before the first none of it and u = 4.
        assert_eq!(beliefs, [6.0, 0.25, 0.0, 5.0]);
    }
}
