//! What can be set about an agent: the knobs, their defaults (the paper's, and where the paper is silent
//! those of its authors' later experiments), and their checks.

#[macro_use]
mod choice;
mod count;
mod error;
#[macro_use]
mod knob;
mod limit;
mod preset;

use limit::*;

pub use choice::{
    ActOn, ActivationKind, BackupKind, BoundKind, CompareKind, Decider, InitKind, InputKind, LocalKind,
    LocalUnit, LoopKind, LossKind, MemberTargets, PolicyKind, PosteriorKind, PriorityKind, Propagation,
    ReplayUnit, ReturnKind, RiskKind, ScheduleKind, Scope, SdRule, SigmaLink, SupportKind, TargetValue,
    TraceCut,
};
pub use count::{COUNT, parse_count};
pub use error::ConfigError;
pub use knob::{Knob, KnobValue};
pub use limit::{Limit, Need};
pub use preset::{PRESETS, Preset, preset, preset_for};

/// The most networks of an ensemble: whose sample a transition belongs to is kept in the bits of a number.
pub const MOST_MEMBERS: usize = 64;

/// More than anyone counts to.
const MANY: usize = 1_000_000_000_000;

knobs! {
    /// Every knob of an agent. [`Config::set`] reaches them by name; [`Config::check`] says what is wrong.
    pub struct Config {
        /// what is believed about the network's parameters
        posterior: PosteriorKind = PosteriorKind::Point;
        /// dropout: probability to keep a hidden unit
        keep: f64 = 0.9, in above_to(0.0, 1.0), needs DROPOUT;
        /// dropout, ensemble: a mask or member for each decision, or one for the whole episode
        parameter_scope: Scope = Scope::Step, needs DRAWS;
        /// dropout: masks averaged in a target
        mc_samples: usize = 1, in from_to(1, 1024), needs DROPOUT;
        /// ensemble: members
        members: usize = 20, in from_to(1, MOST_MEMBERS), needs ENSEMBLE;
        /// ensemble: probability that a transition belongs to a member's bootstrap sample
        bootstrap: f64 = 1.0, in above_to(0.0, 1.0), needs ENSEMBLE;
        /// ensemble: whose word targets are made by
        member_targets: MemberTargets = MemberTargets::Own, needs ENSEMBLE, since "0.2";
        /// scale of a fixed random network added to mu (0: none)
        prior_mu: f64 = 0.0, in from_to(0.0, 1e6);
        /// scale of a fixed random network added to the z of sigma (0: none); goes with sigma_link=abs
        prior_sigma: f64 = 0.0, in from_to(0.0, 1e6), needs SIGMAS;
        /// factor on the input of the fixed random network: the higher, the less states have in common
        prior_gain: f64 = 1.0, in above_to(0.0, 1e6), needs PRIOR;

        /// what the network says about the return Z(s,a)
        returns: ReturnKind = ReturnKind::Mean;
        /// categorical: how many atoms
        atoms: usize = 51, in from_to(2, 1024), needs CATEGORICAL, since "0.2";
        /// categorical: where the atoms begin and end
        support: SupportKind = SupportKind::Returns, needs CATEGORICAL, since "0.2";
        /// categorical: the first atom
        value_min: f64 = -10.0, in from_to(-1e9, 1e9), needs GIVEN_SUPPORT, since "0.2";
        /// categorical: the last atom
        value_max: f64 = 10.0, in from_to(-1e9, 1e9), needs GIVEN_SUPPORT, since "0.2";
        /// quantile: how many quantiles
        quantiles: usize = 51, in from_to(1, 1024), needs QUANTILE, since "0.2";
        /// quantile: errors up to this count as squares, larger ones as their size (0: all as their size)
        kappa: f64 = 1.0, in from_to(0.0, 1e6), needs QUANTILE, since "0.2";
        /// mixture: how many Gaussians
        components: usize = 5, in from_to(1, 64), needs MIXTURE, since "0.2";
        /// mixture: the means of the components start spread from minus this to this
        component_spread: f64 = 1.0, in from_to(0.0, 1e6), needs MIXTURE, since "0.2";
        /// whether what more data would remove is an output by itself, apart from the return's own spread
        apart: bool = false, since "0.2";
        /// gaussian: how sigma comes from the output z of the network and the bias b
        sigma_link: SigmaLink = SigmaLink::Softplus, needs GAUSSIAN, since "0.2";
        /// gaussian, mixture, apart: b of sigma = softplus(z + b) or |z + b|
        sigma_bias: f64 = 0.5, in from_to(-1e4, 1e4), needs SIGMA;
        /// gaussian, mixture, apart: added to every predicted sigma
        sigma_floor: f64 = 0.00001, in from_to(0.0, 1e6), needs SIGMA;
        /// gaussian, mixture, apart: sigma of the return after the end of an episode
        terminal_sigma: f64 = 0.0001, in from_to(0.0, 1e6), needs SIGMA;
        /// how the distribution goes through the Bellman equation
        propagation: Propagation = Propagation::Analytic, needs DISTRIBUTION;
        /// sampling propagation: samples for each target
        samples: usize = 16, in from_to(1, 4096), needs SAMPLING;
        /// gaussian: sigma of a mixture over masks, actions and traces
        sd_rule: SdRule = SdRule::Paper, needs ANALYTIC;
        /// gaussian, apart: most discount of sigma in a target; below gamma, sigma cannot feed itself in loops
        sigma_gamma: f64 = 1.0, in from_to(0.0, 1.0), needs DISCOUNTED_SIGMA, since "0.2";
        /// gaussian: distance between prediction and target
        loss: LossKind = LossKind::Squared, needs ANALYTIC;

        /// local uncertainty u(s,a) beside the propagated one
        local: LocalKind = LocalKind::None, needs SPREAD;
        /// local: u of what was never tried, in units that local_unit names
        local_scale: f64 = 1.0, in from_to(0.0, 1e9), needs VISITS;
        /// local: what local_scale is a multiple of
        local_unit: LocalUnit = LocalUnit::Reward, needs VISITS, since "0.2";
        /// local: p of u = scale / (1 + n)^p after n visits
        local_power: f64 = 1.0, in above_to(0.0, 100.0), needs VISITS;
        /// local: whether a mean counts for n / (1 + n) of itself after n visits, as that of a posterior does
        shrink: bool = false, needs VISITS;
        /// local, box observations: random features
        features: usize = 128, in from_to(1, 4096), needs VISITS;
        /// local, box observations: distance over which states share visits (their range is 2)
        feature_width: f64 = 0.3, in above_to(0.0, 1e6), needs VISITS;

        /// how to act
        policy: PolicyKind = PolicyKind::EGreedy;
        /// egreedy: probability of a random action, in the end
        epsilon: f64 = 0.05, in from_to(0.0, 1.0), needs EGREEDY;
        /// egreedy: probability of a random action, at the start
        epsilon_start: f64 = 1.0, in from_to(0.0, 1.0), needs EGREEDY_FALLS;
        /// egreedy: environment steps from epsilon_start to epsilon (0: epsilon from the first step)
        epsilon_steps: usize = 0, in from_to(0, MANY), needs EGREEDY;
        /// boltzmann, risk=softmax: temperature
        temperature: f64 = 1.0, in above_to(0.0, 1e9), needs SOFTMAX;
        /// thompson: draws for each action (of z, and of the mask or member where there are any), of which the best counts
        draws: usize = 1, in from_to(1, 1024), needs THOMPSON;
        /// thompson, optimistic, ucb: an index z for each decision and action, or one for the whole episode
        scope: Scope = Scope::Step, needs INDEXED;
        /// scopes of episode: probability to draw anew before a step, for long or endless episodes
        redraw: f64 = 0.0, in from_to(0.0, 1.0), needs COMMITTED;
        /// ucb: least multiplier of sigma
        ucb_low: f64 = 1.7, in from_to(-1e6, 1e6), needs UCB;
        /// ucb: greatest multiplier of sigma
        ucb_high: f64 = 2.3, in from_to(-1e6, 1e6), needs UCB;

        /// thompson, optimistic, ucb: which uncertainty sigma is
        act_on: ActOn = ActOn::Total, needs INDEXED, since "0.2";
        /// quantile: what draws of the parameters are compared by, to tell what is not known from what varies
        compare: CompareKind = CompareKind::Means, needs COMPARED, since "0.2";
        /// draws of the parameters that a decision looks at, to see how they differ
        belief_draws: usize = 10, in from_to(2, 256), needs LOOKS, since "0.2";
        /// ids: how many sigmas regret is on the safe side
        ids_lambda: f64 = 0.1, in from_to(0.0, 1e6), needs IDS, since "0.2";
        /// risk: what of the return is acted on
        risk: RiskKind = RiskKind::Cvar, needs RISK, since "0.2";
        /// risk: which quantile, or the share of the worst returns
        risk_level: f64 = 0.25, in above_to(0.0, 1.0), needs RISK, since "0.2";
        /// dltv: c of the bonus c sqrt(ln t / t)
        dltv_scale: f64 = 50.0, in from_to(0.0, 1e9), needs DLTV, since "0.2";
        /// probability of a random action beside any policy
        dither: f64 = 0.0, in from_to(0.0, 1.0), since "0.2";

        /// discount of a step
        gamma: f64 = 0.995, in from_to(0.0, 1.0);
        /// which next action a target looks at
        backup: BackupKind = BackupKind::Sarsa;
        /// sarsa: what the next return is taken to be in the mean of a target: its mean, or the draw that chose its action
        target_value: TargetValue = TargetValue::Mean, needs SARSA_DRAWS, since "0.2";
        /// which network decides the next action of a replayed transition
        decider: Decider = Decider::Target;
        /// whether targets are kept within what was earned and what local uncertainty adds up to
        bound: BoundKind = BoundKind::None, since "0.2";
        /// index observations: what is done once an episode has come back to a state
        loops: LoopKind = LoopKind::Ignore, since "0.2";
        /// loops=guard: most discount of sigma in a world with loops
        loop_gamma: f64 = 0.95, in from_to(0.0, 1.0), needs LOOPS, since "0.2";
        /// expected backup: draws to estimate the probabilities of thompson and its kin
        probability_draws: usize = 32, in from_to(1, 10_000), needs EXPECTED;
        /// how much of a target comes from the recorded trace after the next step, SARSA(lambda)
        lambda: f64 = 0.0, in from_to(0.0, 1.0);
        /// lambda > 0: steps after which a trace is cut (bootstrapped)
        trace_steps: usize = 30, in from_to(1, 10_000), needs TRACES;
        /// lambda > 0: whether a trace is cut where the policy would act otherwise now, with its probability
        trace_cut: TraceCut = TraceCut::Never, needs TRACES, since "0.2";

        /// box observations: as they are, with bounded components brought to [-1, 1], or by their running mean and deviation
        inputs: InputKind = InputKind::Raw;
        /// hidden layers of each action's own sub-network
        hidden: Vec<usize> = vec![128, 128, 128], in Layers;
        /// hidden layers shared by all actions, before their own
        trunk: Vec<usize> = vec![], in Layers;
        /// whether every hidden layer normalises its units to mean 0 and variance 1 before its activation
        layer_norm: bool = false, since "0.2";
        /// what a hidden unit makes of its sum
        activation: ActivationKind = ActivationKind::Relu, since "0.2";
        /// how weights start
        init: InitKind = InitKind::He;
        /// Adam: learning rate
        learning_rate: f64 = 0.001, in above_to(0.0, 10.0);
        /// how the learning rate falls
        rate_schedule: ScheduleKind = ScheduleKind::Constant, since "0.2";
        /// rate_schedule: updates after which it has fallen as far as it does
        rate_updates: usize = 100_000, in from_to(1, MANY), needs SCHEDULE, since "0.2";
        /// rate_schedule: the share of the learning rate that is left in the end
        rate_end: f64 = 0.1, in from_to(0.0, 1.0), needs SCHEDULE, since "0.2";
        /// rate_schedule: share of the learning rate until loops are found, or outcomes that vary; then as scheduled (0: no waiting)
        rate_waits: f64 = 0.0, in from_to(0.0, 1.0), needs SCHEDULE, since "0.2";
        /// Adam: decay of the mean of gradients
        adam_beta1: f64 = 0.9, in from_to_below(0.0, 1.0);
        /// Adam: decay of the mean of squared gradients
        adam_beta2: f64 = 0.999, in from_to_below(0.0, 1.0);
        /// Adam: added to the root of the mean square
        adam_epsilon: f64 = 0.00000001, in above_to(0.0, 1.0);
        /// draws weights back to the first ones: times their squared distance, over the transitions remembered, it adds to the loss (0: none)
        anchor: f64 = 0.0, in from_to(0.0, 1e9), since "0.2";
        /// gradients longer than this are scaled down to it (0: never)
        max_gradient_norm: f64 = 0.0, in from_to(0.0, 1e9);
        /// errors larger than this count as if they were this large, as in the Huber loss (0: never)
        error_clip: f64 = 0.0, in from_to(0.0, 1e9), since "0.2";
        /// updates between two moves of the target network
        target_sync: usize = 100, in from_to(1, MANY);
        /// how far the target network moves: 1 copies
        target_tau: f64 = 1.0, in above_to(0.0, 1.0);

        /// transitions remembered
        replay: usize = 100_000, in from_to(1, 100_000_000);
        /// what is replayed, and has a priority, as one
        replay_unit: ReplayUnit = ReplayUnit::Transition, since "0.2";
        /// transitions in an update
        batch: usize = 32, in from_to(1, 65_536);
        /// share of a batch that comes from the queue ordered by the last temporal-difference error
        prioritised: f64 = 0.1, in from_to(0.0, 1.0);
        /// how that share is drawn: the first of the queue, or in proportion to a power of the error
        priority: PriorityKind = PriorityKind::Queue, needs PRIORITISED, since "0.2";
        /// priority=proportional: the power of the error (alpha)
        priority_power: f64 = 0.6, in from_to(0.0, 1.0), needs PROPORTIONAL, since "0.2";
        /// priority=proportional: how much of the bias of priorities is taken out at the start (beta)
        importance: f64 = 0.4, in from_to(0.0, 1.0), needs PROPORTIONAL, since "0.2";
        /// priority=proportional: updates until all of the bias is taken out
        importance_updates: usize = 100_000, in from_to(1, MANY), needs PROPORTIONAL, since "0.2";
        /// whether each update also takes the newest transition (sarsa: with its next action as taken)
        fresh: bool = true, needs STEPWISE;
        /// transitions remembered before the first update
        learning_starts: usize = 32;
        /// environment steps between updates
        train_every: usize = 1, in from_to(1, MANY), needs STEPWISE;
        /// updates at a time; with train_episodes: epochs
        updates: usize = 1, in from_to(1, 1024);
        /// episodes after which each batch of their transitions is trained on once, with next actions as taken (0: train by steps)
        train_episodes: usize = 0, in from_to(0, MANY), since "0.2";
        /// train_episodes: transitions remembered before each update of an epoch is followed by one on replayed transitions
        replay_starts: usize = 0, in from_to(0, MANY), needs EPOCHS, since "0.2";
        /// environments that the agent acts in side by side
        actors: usize = 1, in from_to(1, 1024), since "0.2";
    }
}

/// The `count` names most like `text`.
fn closest(text: &str, names: &[&str], count: usize) -> Vec<String> {
    let mut ranked: Vec<_> = names.iter().map(|name| (strsim::jaro_winkler(text, name), *name)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().take(count).map(|(_, name)| name.into()).collect()
}

/// A configuration that passed its checks: the only one that agents are made from.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedConfig(Config);

impl std::ops::Deref for CheckedConfig {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.0
    }
}

impl Config {
    /// The configuration, if every knob is in its range and fits the others.
    pub fn check(&self) -> Result<CheckedConfig, ConfigError> {
        self.check_limits()?;
        let rules: &[(bool, &'static str, &str)] = &[
            (
                self.prior_sigma == 0.0 || matches!(self.returns, ReturnKind::Gaussian | ReturnKind::Mixture),
                "prior_sigma",
                "there is no sigma to add to: write returns=gaussian with it",
            ),
            (
                self.local == LocalKind::None || (SPREAD.holds)(self),
                "local",
                "a mean has no sigma to add to, and atoms end: write returns=gaussian, quantile or mixture with it, or apart=true",
            ),
            (
                self.returns != ReturnKind::Categorical || self.value_min < self.value_max,
                "value_min",
                "it must be smaller than 'value_max'",
            ),
            (
                self.returns != ReturnKind::Categorical || self.prior_mu == 0.0,
                "prior_mu",
                "probabilities of atoms have no mu to add to: write another return model with it",
            ),
            (
                self.returns != ReturnKind::Categorical || self.bound == BoundKind::None,
                "bound",
                "the atoms are bounds already: write support=returns instead",
            ),
            (
                (EPISTEMIC.holds)(self) || !matches!(self.policy, PolicyKind::Ids | PolicyKind::Vpi),
                "policy",
                "it needs to know what more data would tell: write apart=true with it, returns=gaussian, or posterior=ensemble or dropout",
            ),
            (
                (EPISTEMIC.holds)(self) || self.act_on != ActOn::Epistemic,
                "act_on",
                "it needs to know what more data would tell: write apart=true with it, returns=gaussian, or posterior=ensemble or dropout",
            ),
            (
                self.member_targets == MemberTargets::Own
                    || self.posterior != PosteriorKind::Ensemble
                    || self.returns != ReturnKind::Mixture,
                "member_targets",
                "the parts of two mixtures have nothing to do with each other: write another return model with it",
            ),
            (
                !self.shrink || self.local != LocalKind::None,
                "shrink",
                "without visits it has nothing to go by: write local=visits with it",
            ),
            (
                self.terminal_sigma > 0.0 || self.loss.takes_zero_sigma(),
                "terminal_sigma",
                "this loss divides by sigma: write something above 0",
            ),
            (self.ucb_low <= self.ucb_high, "ucb_low", "it must not be larger than 'ucb_high'"),
            (
                self.priority == PriorityKind::Queue || self.replay_unit == ReplayUnit::Transition,
                "priority",
                "traces have a queue only: write replay_unit=transition with it",
            ),
            (self.batch <= self.replay, "batch", "write at most what 'replay' is, or a larger replay"),
            (
                self.learning_starts <= self.replay,
                "learning_starts",
                "learning would never start: it must not be larger than 'replay'",
            ),
            (
                self.sd_rule == SdRule::Paper
                    || self.loss != LossKind::Squared
                    || self.backup == BackupKind::Expected,
                "sd_rule",
                "a squared loss sees one next action at a time and misses the variance between them: \
                 write backup=expected with it, or loss=cross-entropy",
            ),
        ];
        match rules.iter().find(|(holds, ..)| !holds) {
            Some((_, key, hint)) => Err(self.out_of_range(key, hint.to_string())),
            None => Ok(CheckedConfig(self.clone())),
        }
    }

    /// Whether the sigma of a Gaussian return is what more data would remove. Fitted by distances to the
    /// sigmas of targets alone (the paper's Eq. 7), it hears nothing of how much targets differ: it starts
    /// wide and falls to what is left at the end of an episode. Likelihoods and their kin fit it to the noise
    /// as well.
    pub(crate) fn sigma_is_unknown(&self) -> bool {
        self.returns == ReturnKind::Gaussian
            && self.propagation == Propagation::Analytic
            && self.sd_rule == SdRule::Paper
            && matches!(self.loss, LossKind::Squared | LossKind::Variance | LossKind::Wasserstein)
    }

    /// Whether decisions compare draws of the parameters quantile by quantile.
    pub(crate) fn compares_quantiles(&self) -> bool {
        self.compare == CompareKind::Quantiles && (COMPARED.holds)(self)
    }

    fn out_of_range(&self, key: &'static str, hint: String) -> ConfigError {
        let value = self.entries().into_iter().find(|(name, _)| *name == key);
        ConfigError::Range { key, value: value.map_or_else(String::new, |(_, value)| value), hint }
    }

    /// Whether setting the knob `key` changes anything in this configuration; if not, says what it needs.
    pub fn check_effect(&self, key: &str) -> Result<(), ConfigError> {
        match Config::knobs().iter().find(|knob| knob.name == key) {
            Some(Knob { needs, .. }) if !(needs.holds)(self) => {
                Err(ConfigError::Inert { key: key.into(), needs: needs.says })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
