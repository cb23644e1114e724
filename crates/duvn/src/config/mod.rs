//! What can be set about an agent: the knobs, their defaults (the paper's, and where the paper is silent
//! those of its authors' later experiments), and their checks.

#[macro_use]
mod choice;
#[macro_use]
mod knob;
mod preset;

pub use choice::{
    BackupKind, Decider, InitKind, InputKind, LocalKind, LossKind, PolicyKind, PosteriorKind, Propagation,
    ReturnKind, Scope, SdRule, SigmaLink,
};
pub use knob::{Knob, KnobValue};
pub use preset::{PRESETS, Preset, preset};

knobs! {
    /// Every knob of an agent. [`Config::set`] reaches them by name; [`Config::check`] says what is wrong.
    pub struct Config {
        /// what is believed about the network's parameters
        posterior: PosteriorKind = PosteriorKind::Point,
        /// dropout: probability to keep a hidden unit
        keep: f64 = 0.9,
        /// dropout, ensemble: a mask or member for each decision, or one for the whole episode
        parameter_scope: Scope = Scope::Step,
        /// dropout: masks averaged in a target
        mc_samples: usize = 1,
        /// ensemble: members
        members: usize = 20,
        /// ensemble: probability that a transition belongs to a member's bootstrap sample
        bootstrap: f64 = 1.0,
        /// scale of a fixed random network added to mu (0: none)
        prior_mu: f64 = 0.0,
        /// scale of a fixed random network added to the z of sigma (0: none); goes with sigma_link=abs
        prior_sigma: f64 = 0.0,
        /// factor on the input of the fixed random network: the higher, the less states have in common
        prior_gain: f64 = 1.0,

        /// what the network says about the return Z(s,a)
        returns: ReturnKind = ReturnKind::Mean,
        /// gaussian: how sigma comes from the output z of the network and the bias b
        sigma_link: SigmaLink = SigmaLink::Softplus,
        /// gaussian: b of sigma = softplus(z + b) or |z + b|
        sigma_bias: f64 = 0.5,
        /// gaussian: added to every predicted sigma
        sigma_floor: f64 = 0.00001,
        /// gaussian: sigma of the return after the end of an episode
        terminal_sigma: f64 = 0.0001,
        /// gaussian: how the distribution goes through the Bellman equation
        propagation: Propagation = Propagation::Analytic,
        /// sampling propagation: samples for each target
        samples: usize = 16,
        /// gaussian: sigma of a mixture over masks, actions and traces
        sd_rule: SdRule = SdRule::Paper,
        /// gaussian: distance between prediction and target
        loss: LossKind = LossKind::Squared,

        /// gaussian: local uncertainty u(s,a) beside the propagated one
        local: LocalKind = LocalKind::None,
        /// local: u of what was never tried, in units of reward
        local_scale: f64 = 1.0,
        /// local: p of u = scale / (1 + n)^p after n visits
        local_power: f64 = 1.0,
        /// local: whether a mean counts for n / (1 + n) of itself after n visits, as that of a posterior does
        shrink: bool = false,
        /// local, box observations: random features
        features: usize = 128,
        /// local, box observations: distance over which states share visits (their range is 2)
        feature_width: f64 = 0.3,

        /// how to act
        policy: PolicyKind = PolicyKind::EGreedy,
        /// egreedy: probability of a random action, in the end
        epsilon: f64 = 0.05,
        /// egreedy: probability of a random action, at the start
        epsilon_start: f64 = 1.0,
        /// egreedy: environment steps from epsilon_start to epsilon (0: epsilon from the first step)
        epsilon_steps: usize = 0,
        /// boltzmann: temperature
        temperature: f64 = 1.0,
        /// thompson: draws for each action, of which the best counts
        draws: usize = 1,
        /// thompson, optimistic, ucb: an index z for each decision and action, or one for the whole episode
        scope: Scope = Scope::Step,
        /// scopes of episode: probability to draw anew before a step, for long or endless episodes
        redraw: f64 = 0.0,
        /// ucb: least multiplier of sigma
        ucb_low: f64 = 1.7,
        /// ucb: greatest multiplier of sigma
        ucb_high: f64 = 2.3,

        /// discount of a step
        gamma: f64 = 0.995,
        /// which next action a target looks at
        backup: BackupKind = BackupKind::Sarsa,
        /// which network decides the next action of a replayed transition
        decider: Decider = Decider::Target,
        /// expected backup: draws to estimate the probabilities of thompson and its kin
        probability_draws: usize = 32,
        /// how much of a target comes from the recorded trace after the next step, SARSA(lambda)
        lambda: f64 = 0.0,
        /// lambda > 0: steps after which a trace is cut (bootstrapped)
        trace_steps: usize = 30,

        /// box observations: as they are, or with bounded components brought to [-1, 1]
        inputs: InputKind = InputKind::Raw,
        /// hidden layers of each action's own sub-network
        hidden: Vec<usize> = vec![128, 128, 128],
        /// hidden layers shared by all actions, before their own
        trunk: Vec<usize> = vec![],
        /// whether every hidden layer normalises its units (LayerNorm) before ReLU
        layer_norm: bool = false,
        /// how weights start
        init: InitKind = InitKind::He,
        /// Adam: learning rate
        learning_rate: f64 = 0.001,
        /// Adam: decay of the mean of gradients
        adam_beta1: f64 = 0.9,
        /// Adam: decay of the mean of squared gradients
        adam_beta2: f64 = 0.999,
        /// Adam: added to the root of the mean square
        adam_epsilon: f64 = 0.00000001,
        /// gradients longer than this are scaled down to it (0: never)
        max_gradient_norm: f64 = 0.0,
        /// updates between two moves of the target network
        target_sync: usize = 100,
        /// how far the target network moves: 1 copies
        target_tau: f64 = 1.0,

        /// transitions remembered
        replay: usize = 100_000,
        /// transitions in an update
        batch: usize = 32,
        /// share of a batch that comes from the queue ordered by the last temporal-difference error
        prioritised: f64 = 0.1,
        /// whether each update also takes the newest transition (sarsa: with its next action as taken)
        fresh: bool = true,
        /// transitions remembered before the first update
        learning_starts: usize = 32,
        /// environment steps between updates
        train_every: usize = 1,
        /// updates at a time
        updates: usize = 1,
    }
}

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// There is no such knob.
    #[error("there is no setting '{key}': did you mean {}?", nearest.join(" or "))]
    UnknownKey {
        /// What was written.
        key: String,
        /// The names that come closest.
        nearest: Vec<String>,
    },
    /// There is no such preset.
    #[error("there is no agent '{name}': write one of {}", known.join(", "))]
    UnknownPreset {
        /// What was written.
        name: String,
        /// The presets, closest first.
        known: Vec<String>,
    },
    /// The text is not a value of the knob's type.
    #[error("'{key}' cannot be '{text}': write {expects}")]
    Value {
        /// The knob.
        key: String,
        /// What was written.
        text: String,
        /// What to write.
        expects: String,
    },
    /// The value is outside the knob's range, or does not fit another knob's.
    #[error("'{key}' cannot be {value}: {hint}")]
    Range {
        /// The knob.
        key: &'static str,
        /// Its value.
        value: String,
        /// What to write.
        hint: String,
    },
}

impl ConfigError {
    fn unknown_key(key: &str) -> Self {
        let names: Vec<_> = Config::knobs().iter().map(|knob| knob.name).collect();
        ConfigError::UnknownKey { key: key.into(), nearest: closest(key, &names, 3) }
    }
}

/// The `count` names most like `text`.
fn closest(text: &str, names: &[&str], count: usize) -> Vec<String> {
    let mut ranked: Vec<_> = names.iter().map(|name| (strsim::jaro_winkler(text, name), *name)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().take(count).map(|(_, name)| name.into()).collect()
}

impl Config {
    /// Whether every knob is in its range and fits the others.
    pub fn check(&self) -> Result<(), ConfigError> {
        let range = |key: &'static str, hint: &str| {
            let value = self.entries().into_iter().find(|(name, _)| *name == key);
            let value = value.map_or_else(String::new, |(_, value)| value);
            ConfigError::Range { key, value, hint: hint.into() }
        };
        let rules: &[(bool, &'static str, &str)] = &[
            (self.keep > 0.0 && self.keep <= 1.0, "keep", "write a probability above 0 and at most 1"),
            (self.mc_samples >= 1, "mc_samples", "write 1 or more"),
            ((1..=64).contains(&self.members), "members", "write 1 to 64"),
            (
                self.bootstrap > 0.0 && self.bootstrap <= 1.0,
                "bootstrap",
                "write a probability above 0 and at most 1",
            ),
            (self.prior_mu >= 0.0, "prior_mu", "write 0 (none) or more"),
            (self.prior_sigma >= 0.0, "prior_sigma", "write 0 (none) or more"),
            (
                self.prior_sigma == 0.0 || self.returns == ReturnKind::Gaussian,
                "prior_sigma",
                "a mean has no sigma: write returns=gaussian with it",
            ),
            (self.prior_gain > 0.0, "prior_gain", "write something above 0"),
            (
                self.local == LocalKind::None || self.returns == ReturnKind::Gaussian,
                "local",
                "a mean has no sigma to add to: write returns=gaussian with it",
            ),
            (self.local_scale >= 0.0, "local_scale", "write 0 or more"),
            (self.local_power > 0.0, "local_power", "write something above 0"),
            (
                !self.shrink || self.local != LocalKind::None,
                "shrink",
                "without visits it has nothing to go by: write local=visits with it",
            ),
            ((1..=4096).contains(&self.features), "features", "write 1 to 4096"),
            (self.feature_width > 0.0, "feature_width", "write something above 0"),
            ((0.0..=1.0).contains(&self.redraw), "redraw", "write a probability from 0 to 1"),
            (self.sigma_floor >= 0.0, "sigma_floor", "write 0 or more"),
            (self.terminal_sigma >= 0.0, "terminal_sigma", "write 0 or more"),
            (
                self.terminal_sigma > 0.0 || self.loss.takes_zero_sigma(),
                "terminal_sigma",
                "this loss divides by sigma: write something above 0",
            ),
            (self.samples >= 1, "samples", "write 1 or more"),
            ((0.0..=1.0).contains(&self.epsilon), "epsilon", "write a probability from 0 to 1"),
            ((0.0..=1.0).contains(&self.epsilon_start), "epsilon_start", "write a probability from 0 to 1"),
            (self.temperature > 0.0, "temperature", "write something above 0"),
            (self.draws >= 1, "draws", "write 1 or more"),
            (self.ucb_low <= self.ucb_high, "ucb_low", "it must not be larger than 'ucb_high'"),
            ((0.0..=1.0).contains(&self.gamma), "gamma", "write a discount from 0 to 1"),
            (self.probability_draws >= 1, "probability_draws", "write 1 or more"),
            ((0.0..=1.0).contains(&self.lambda), "lambda", "write something from 0 to 1"),
            (self.trace_steps >= 1, "trace_steps", "write 1 or more"),
            (layers_fit(&self.hidden), "hidden", "write sizes from 1 to 4096, at most 8 of them"),
            (layers_fit(&self.trunk), "trunk", "write sizes from 1 to 4096, at most 8 of them"),
            (self.learning_rate > 0.0, "learning_rate", "write something above 0"),
            ((0.0..1.0).contains(&self.adam_beta1), "adam_beta1", "write something from 0 to below 1"),
            ((0.0..1.0).contains(&self.adam_beta2), "adam_beta2", "write something from 0 to below 1"),
            (self.adam_epsilon > 0.0, "adam_epsilon", "write something above 0"),
            (self.max_gradient_norm >= 0.0, "max_gradient_norm", "write 0 (never) or more"),
            (self.target_sync >= 1, "target_sync", "write 1 or more"),
            (
                self.target_tau > 0.0 && self.target_tau <= 1.0,
                "target_tau",
                "write something above 0, at most 1",
            ),
            (
                (1..=100_000_000).contains(&self.replay),
                "replay",
                "write a number of transitions from 1 to 100000000",
            ),
            ((1..=65_536).contains(&self.batch), "batch", "write 1 to 65536"),
            (self.batch <= self.replay, "batch", "it must not be larger than 'replay'"),
            ((0.0..=1.0).contains(&self.prioritised), "prioritised", "write a share from 0 to 1"),
            (
                self.learning_starts <= self.replay,
                "learning_starts",
                "learning would never start: it must not be larger than 'replay'",
            ),
            (self.train_every >= 1, "train_every", "write 1 or more"),
            (self.updates >= 1, "updates", "write 1 or more"),
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
            Some((_, key, hint)) => Err(range(key, hint)),
            None => Ok(()),
        }
    }
}

fn layers_fit(layers: &[usize]) -> bool {
    layers.len() <= 8 && layers.iter().all(|size| (1..=4096).contains(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_reads_back_what_it_shows() {
        let mut config = preset("duvn").unwrap();
        config.trunk = vec![7, 9];
        let mut copy = Config::default();
        for (key, text) in config.entries() {
            copy.set(key, &text).unwrap();
        }
        assert_eq!(copy, config);
    }

    #[test]
    fn values_out_of_range_are_named() {
        for (key, text) in [
            ("keep", "0"),
            ("keep", "1.5"),
            ("gamma", "-0.1"),
            ("batch", "0"),
            ("batch", "200000"),
            ("temperature", "0"),
            ("hidden", "[0]"),
            ("sd_rule", "total"),
            ("learning_starts", "1000000"),
            ("shrink", "true"),
        ] {
            let mut config = preset("duvn").unwrap();
            config.set(key, text).unwrap();
            let error = config.check().unwrap_err();
            assert!(error.to_string().starts_with(&format!("'{key}'")), "{key}={text}: {error}");
        }
    }

    #[test]
    fn a_rule_for_mixtures_is_refused_where_there_are_none() {
        for (backup, holds) in [("sarsa", false), ("max", false), ("split", false), ("expected", true)] {
            let mut config = preset("duvn-deep").unwrap();
            config.set("backup", backup).unwrap();
            config.set("sd_rule", "total").unwrap();
            assert_eq!(config.check().is_ok(), holds, "{backup}");
        }
    }

    #[test]
    fn text_that_is_no_value_is_answered_with_what_to_write() {
        let mut config = Config::default();
        for (key, text) in
            [("keep", "much"), ("keep", "NaN"), ("batch", "-1"), ("hidden", "[1,"), ("policy", "best")]
        {
            assert!(matches!(config.set(key, text), Err(ConfigError::Value { .. })), "{key}={text}");
        }
        let error = config.set("gama", "1").unwrap_err();
        assert!(error.to_string().contains("gamma"), "{error}");
    }
}
