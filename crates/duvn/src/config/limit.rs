//! What values a knob may have, and when it has an effect.

use super::{
    ActOn, BackupKind, Config, LocalKind, LoopKind, PolicyKind, PosteriorKind, PriorityKind, Propagation,
    ReturnKind, RiskKind, ScheduleKind, Scope, SupportKind,
};
use std::fmt::Display;

/// The values that a knob may have.
pub trait Limit<T> {
    /// Whether a value is one of them.
    fn allows(&self, value: &T) -> bool;
    /// What to write, as the end of "write …".
    fn says(&self) -> String;
}

/// Any value of the type.
pub struct Any;

impl<T> Limit<T> for Any {
    fn allows(&self, _value: &T) -> bool {
        true
    }

    fn says(&self) -> String {
        String::new()
    }
}

/// Numbers from `low` to `high`; the low end may be left out.
pub struct Span<T> {
    low: T,
    high: T,
    without_low: bool,
    without_high: bool,
}

/// Numbers from `low` to `high`, both included.
pub const fn from_to<T>(low: T, high: T) -> Span<T> {
    Span { low, high, without_low: false, without_high: false }
}

/// Numbers above `low`, up to `high`.
pub const fn above_to<T>(low: T, high: T) -> Span<T> {
    Span { low, high, without_low: true, without_high: false }
}

/// Numbers from `low` to below `high`.
pub const fn from_to_below<T>(low: T, high: T) -> Span<T> {
    Span { low, high, without_low: false, without_high: true }
}

impl<T: PartialOrd + Display> Limit<T> for Span<T> {
    fn allows(&self, value: &T) -> bool {
        let above = if self.without_low { *value > self.low } else { *value >= self.low };
        let below = if self.without_high { *value < self.high } else { *value <= self.high };
        above && below
    }

    fn says(&self) -> String {
        let Span { low, high, without_low, without_high } = self;
        match (without_low, without_high) {
            (false, false) => format!("{low} to {high}"),
            (true, _) => format!("something above {low}, at most {high}"),
            (false, true) => format!("something from {low} to below {high}"),
        }
    }
}

/// Sizes of hidden layers.
pub struct Layers;

impl Limit<Vec<usize>> for Layers {
    fn allows(&self, layers: &Vec<usize>) -> bool {
        layers.len() <= 8 && layers.iter().all(|size| (1..=4096).contains(size))
    }

    fn says(&self) -> String {
        "sizes from 1 to 4096, at most 8 of them".into()
    }
}

/// What a knob needs to have an effect.
#[derive(Clone, Copy)]
pub struct Need {
    /// Whether a configuration has it.
    pub holds: fn(&Config) -> bool,
    /// What to write.
    pub says: &'static str,
}

macro_rules! needs {
    ($($name:ident: $says:literal, $holds:expr;)*) => {
        $(pub(super) const $name: Need = Need { holds: $holds, says: $says };)*
    };
}

fn indexed(config: &Config) -> bool {
    matches!(config.policy, PolicyKind::Thompson | PolicyKind::Optimistic | PolicyKind::Ucb)
}

/// Whether a decision looks at how draws of the parameters differ.
fn looks(config: &Config) -> bool {
    config.posterior != PosteriorKind::Point
        && (matches!(config.policy, PolicyKind::Ids | PolicyKind::Vpi)
            || (indexed(config) && config.act_on == ActOn::Epistemic))
}

fn gaussian(config: &Config) -> bool {
    config.returns == ReturnKind::Gaussian
}

fn sigmas(config: &Config) -> bool {
    matches!(config.returns, ReturnKind::Gaussian | ReturnKind::Mixture)
}

needs! {
    NOTHING: "", |_| true;
    DROPOUT: "posterior=dropout", |c| c.posterior == PosteriorKind::Dropout;
    ENSEMBLE: "posterior=ensemble", |c| c.posterior == PosteriorKind::Ensemble;
    DRAWS: "posterior=dropout or posterior=ensemble", |c| c.posterior != PosteriorKind::Point;
    PRIOR: "prior_mu or prior_sigma above 0", |c| c.prior_mu > 0.0 || c.prior_sigma > 0.0;
    GAUSSIAN: "returns=gaussian", gaussian;
    ANALYTIC: "returns=gaussian with propagation=analytic",
        |c| gaussian(c) && c.propagation == Propagation::Analytic;
    CATEGORICAL: "returns=categorical", |c| c.returns == ReturnKind::Categorical;
    GIVEN_SUPPORT: "returns=categorical with support=given",
        |c| c.returns == ReturnKind::Categorical && c.support == SupportKind::Given;
    QUANTILE: "returns=quantile", |c| c.returns == ReturnKind::Quantile;
    MIXTURE: "returns=mixture", |c| c.returns == ReturnKind::Mixture;
    SIGMAS: "returns=gaussian or returns=mixture", sigmas;
    SIGMA: "returns=gaussian, returns=mixture or apart=true", |c| sigmas(c) || c.apart;
    SPREAD: "returns=gaussian, quantile or mixture, or apart=true",
        |c| sigmas(c) || c.returns == ReturnKind::Quantile || c.apart;
    DISTRIBUTION: "a return model other than returns=mean", |c| c.returns != ReturnKind::Mean;
    DISCOUNTED_SIGMA: "returns=gaussian with propagation=analytic, or apart=true",
        |c| c.apart || (gaussian(c) && c.propagation == Propagation::Analytic);
    SAMPLING: "propagation=sampling, and a return model other than returns=mean",
        |c| c.returns != ReturnKind::Mean && c.propagation == Propagation::Sampling;
    VISITS: "local=visits or local=outcomes", |c| c.local != LocalKind::None;
    EGREEDY: "policy=egreedy", |c| c.policy == PolicyKind::EGreedy;
    EGREEDY_FALLS: "policy=egreedy with epsilon_steps above 0",
        |c| c.policy == PolicyKind::EGreedy && c.epsilon_steps > 0;
    SOFTMAX: "policy=boltzmann, or policy=risk with risk=softmax",
        |c| c.policy == PolicyKind::Boltzmann || (c.policy == PolicyKind::Risk && c.risk == RiskKind::Softmax);
    EPISTEMIC: "apart=true, returns=gaussian, posterior=dropout or posterior=ensemble",
        |c| c.apart || c.posterior != PosteriorKind::Point || c.sigma_is_unknown();
    LOOKS: "policy=ids, policy=vpi or act_on=epistemic, with posterior=dropout, or posterior=ensemble and compare=means",
        |c| looks(c) && (c.posterior != PosteriorKind::Ensemble || !c.compares_quantiles());
    COMPARED: "policy=ids, policy=vpi or act_on=epistemic, with returns=quantile and posterior=dropout or posterior=ensemble",
        |c| looks(c) && c.returns == ReturnKind::Quantile;
    IDS: "policy=ids", |c| c.policy == PolicyKind::Ids;
    RISK: "policy=risk", |c| c.policy == PolicyKind::Risk;
    DLTV: "policy=dltv", |c| c.policy == PolicyKind::Dltv;
    THOMPSON: "policy=thompson", |c| c.policy == PolicyKind::Thompson;
    UCB: "policy=ucb", |c| c.policy == PolicyKind::Ucb;
    INDEXED: "policy=thompson, optimistic or ucb", indexed;
    COMMITTED: "scope=episode (with policy=thompson, optimistic or ucb) or parameter_scope=episode",
        |c| (indexed(c) && c.scope == Scope::Episode)
            || (c.posterior != PosteriorKind::Point && c.parameter_scope == Scope::Episode);
    EXPECTED: "backup=expected with policy=thompson, optimistic or ucb",
        |c| c.backup == BackupKind::Expected && indexed(c);
    SARSA_DRAWS: "returns=gaussian with propagation=analytic, backup=sarsa and policy=thompson, optimistic or ucb",
        |c| gaussian(c)
            && c.propagation == Propagation::Analytic
            && c.backup == BackupKind::Sarsa
            && indexed(c);
    SCHEDULE: "rate_schedule=linear or rate_schedule=cosine", |c| c.rate_schedule != ScheduleKind::Constant;
    LOOPS: "loops=guard", |c| c.loops == LoopKind::Guard;
    EPOCHS: "train_episodes above 0", |c| c.train_episodes > 0;
    STEPWISE: "train_episodes=0", |c| c.train_episodes == 0;
    TRACES: "lambda above 0", |c| c.lambda > 0.0;
    PRIORITISED: "prioritised above 0", |c| c.prioritised > 0.0;
    PROPORTIONAL: "prioritised above 0 and priority=proportional",
        |c| c.prioritised > 0.0 && c.priority == PriorityKind::Proportional;
}
