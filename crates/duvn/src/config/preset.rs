use super::{
    ActOn, ActivationKind, BackupKind, CompareKind, Config, ConfigError, Decider, InitKind, InputKind,
    LocalKind, LocalUnit, LoopKind, LossKind, MemberTargets, PolicyKind, PosteriorKind, Propagation,
    ReturnKind, ScheduleKind, Scope, TargetValue, closest,
};
use duvn_envs::Space;

/// A named point in the space of agents.
pub struct Preset {
    /// The name that a user writes.
    pub name: &'static str,
    /// One line that says what it is.
    pub about: &'static str,
    config: fn() -> Config,
}

impl Preset {
    /// Its configuration.
    pub fn config(&self) -> Config {
        (self.config)()
    }
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "egreedy",
        about: "the paper's baseline: a DQN that takes a random action 5 % of the time",
        config: Config::default,
    },
    Preset {
        name: "boltzmann",
        about: "a DQN that draws its actions by softmax over the values (paper, App. C)",
        config: || Config { policy: PolicyKind::Boltzmann, ..Config::default() },
    },
    Preset {
        name: "parametric",
        about: "the paper's parametric exploration: MC dropout (keep 0.75), Thompson sampling",
        config: || Config {
            posterior: PosteriorKind::Dropout,
            keep: 0.75,
            policy: PolicyKind::Thompson,
            ..Config::default()
        },
    },
    Preset {
        name: "return",
        about: "the paper's return exploration: a Gaussian for the return, Thompson sampling",
        config: || Config {
            returns: ReturnKind::Gaussian,
            policy: PolicyKind::Thompson,
            ..Config::default()
        },
    },
    Preset {
        name: "duvn",
        about: "the paper's algorithm to the letter: MC dropout (keep 0.90) and a Gaussian for the return, Thompson sampling",
        config: || Config {
            posterior: PosteriorKind::Dropout,
            keep: 0.9,
            returns: ReturnKind::Gaussian,
            policy: PolicyKind::Thompson,
            ..Config::default()
        },
    },
    Preset {
        name: "return-draw",
        about: "return, but targets take the drawn value that chose the next action, not its mean (section 4.1)",
        config: || Config {
            returns: ReturnKind::Gaussian,
            policy: PolicyKind::Thompson,
            target_value: TargetValue::Draw,
            ..Config::default()
        },
    },
    Preset {
        name: "duvn-draw",
        about: "duvn, but targets take the drawn value that chose the next action, not its mean (section 4.1): the paper's results",
        config: || Config {
            posterior: PosteriorKind::Dropout,
            keep: 0.9,
            returns: ReturnKind::Gaussian,
            policy: PolicyKind::Thompson,
            target_value: TargetValue::Draw,
            ..Config::default()
        },
    },
    Preset {
        name: "authors",
        about: "duvn with the network and the training loop of the authors' later code, and the best of three draws",
        config: || Config {
            posterior: PosteriorKind::Dropout,
            keep: 0.9,
            mc_samples: 2,
            returns: ReturnKind::Gaussian,
            loss: LossKind::CrossEntropy,
            policy: PolicyKind::Thompson,
            draws: 3,
            ..authors()
        },
    },
    Preset {
        name: "authors-egreedy",
        about: "egreedy with the network and the training loop of the authors' later code",
        config: authors,
    },
    Preset {
        name: "duvn-deep",
        about: "for rewards that are far away: goes where returns are uncertain or actions untried, and keeps to it for an episode",
        config: deep,
    },
    Preset {
        name: "dqn",
        about: "a strong baseline without uncertainty: double DQN on three-step returns, normalised layers, epsilon from 1 to 0.01",
        config: || Config {
            policy: PolicyKind::EGreedy,
            epsilon: 0.01,
            epsilon_steps: 10_000,
            backup: BackupKind::Max,
            decider: Decider::Online,
            lambda: 1.0,
            trace_steps: 3,
            gamma: 0.99,
            hidden: vec![],
            trunk: vec![128, 128],
            layer_norm: true,
            max_gradient_norm: 10.0,
            learning_rate: 0.0005,
            batch: 64,
            target_sync: 250,
            prioritised: 0.0,
            fresh: false,
            learning_starts: 1000,
            ..Config::default()
        },
    },
    Preset {
        name: "ube",
        about: "the uncertainty Bellman equation (O'Donoghue et al. 2017): local uncertainty sent back through it, Thompson sampling",
        config: || Config {
            returns: ReturnKind::Gaussian,
            loss: LossKind::Variance,
            local: LocalKind::Visits,
            local_power: 0.5,
            policy: PolicyKind::Thompson,
            backup: BackupKind::Split,
            target_sync: 20,
            ..Config::default()
        },
    },
    Preset {
        name: "bootdqn",
        about: "bootstrapped DQN with randomised priors (Osband et al. 2018), with the sizes of bsuite's agent",
        config: || Config {
            posterior: PosteriorKind::Ensemble,
            members: 20,
            parameter_scope: Scope::Episode,
            prior_mu: 5.0,
            policy: PolicyKind::Greedy,
            backup: BackupKind::Max,
            gamma: 0.99,
            hidden: vec![],
            trunk: vec![50, 50],
            target_sync: 4,
            replay: 10_000,
            batch: 128,
            learning_starts: 128,
            prioritised: 0.0,
            fresh: false,
            ..Config::default()
        },
    },
    Preset {
        name: "duvn-stochastic",
        about: "duvn-deep that finds out by itself where the world is random, and goes on exploring there",
        config: stochastic,
    },
    Preset {
        name: "c51",
        about: "dqn with 51 probabilities for the return (Bellemare et al. 2017), between bounds that follow the returns seen",
        config: || Config { returns: ReturnKind::Categorical, ..dqn() },
    },
    Preset {
        name: "qrdqn",
        about: "dqn with 51 quantiles of the return (Dabney et al. 2018)",
        config: || Config { returns: ReturnKind::Quantile, ..dqn() },
    },
    Preset {
        name: "ua-dqn",
        about: "two networks of quantiles, drawn back to their first weights; Thompson sampling by what they differ in (Clements et al. 2019)",
        config: || Config {
            returns: ReturnKind::Quantile,
            posterior: PosteriorKind::Ensemble,
            members: 2,
            member_targets: MemberTargets::Mean,
            // Chosen on seeds 50 to 54 (docs/RESULTS.md).
            anchor: 0.1,
            policy: PolicyKind::Thompson,
            act_on: ActOn::Epistemic,
            compare: CompareKind::Quantiles,
            decider: Decider::Target,
            trunk: vec![64],
            batch: 32,
            learning_starts: 32,
            ..dqn()
        },
    },
    Preset {
        name: "mixture",
        about: "dqn with a mixture of five Gaussians for the return",
        config: || Config {
            returns: ReturnKind::Mixture,
            propagation: Propagation::Sampling,
            sigma_floor: 0.05,
            terminal_sigma: 0.05,
            ..dqn()
        },
    },
];

/// The loop and the network of the authors' later code. There is no target network: it is a copy made after every update. One
/// pass decides on a next action and another, with masks of its own, values it.
fn authors() -> Config {
    Config {
        hidden: vec![256],
        activation: ActivationKind::Elu,
        init: InitKind::Xavier,
        // Theirs were 0.005 and 0.0005; on Chain-10 (seeds 50 to 53) the larger one learnt and the smaller did not.
        learning_rate: 0.005,
        decider: Decider::Online,
        target_sync: 1,
        prioritised: 0.0,
        train_episodes: 3,
        replay_starts: 5000,
        learning_starts: 1,
        ..Config::default()
    }
}

/// The preset `dqn`, which distributional ones differ from in their return model.
fn dqn() -> Config {
    preset("dqn").unwrap_or_default()
}

/// Return uncertainty and that of the unknown together.
fn deep() -> Config {
    Config {
        parameter_scope: Scope::Episode,
        returns: ReturnKind::Gaussian,
        local: LocalKind::Visits,
        local_power: 3.0,
        shrink: true,
        policy: PolicyKind::Optimistic,
        scope: Scope::Episode,
        backup: BackupKind::Split,
        target_sync: 20,
        inputs: InputKind::Scaled,
        learning_rate: 0.0003,
        learning_starts: 1,
        loops: LoopKind::Guard,
        ..Config::default()
    }
}

/// `deep` where the world may be random or have loops. While neither was seen its rate is small and stays; then it is
/// twice that and falls, because means of what varies are only as true as the last updates are small. One layer is enough
/// for indices; with two, the far end of NChain-100 was found and lost again.
fn stochastic() -> Config {
    Config {
        local: LocalKind::Outcomes,
        loops: LoopKind::Horizon,
        local_power: 4.0,
        hidden: vec![64],
        learning_rate: 0.002,
        rate_schedule: ScheduleKind::Linear,
        rate_updates: 60_000,
        rate_end: 0.01,
        rate_waits: 0.5,
        ..deep()
    }
}

/// Presets that are another point where observations are boxes.
const ON_BOXES: &[Preset] = &[
    Preset {
        name: "duvn-deep",
        about: "the same with layers that actions share, normalised, three-step targets and some noise",
        config: deep_on_boxes,
    },
    // No state of a box comes twice, so that nothing tells whether outcomes vary.
    Preset {
        name: "duvn-stochastic",
        about: "duvn-deep on boxes: what varies there cannot be counted",
        config: deep_on_boxes,
    },
];

/// The same on boxes, where networks guess at what lies between: layers that all actions share, normalised, and values
/// that stay true. There is no end of new states, so that a little noise has to do what counts cannot.
fn deep_on_boxes() -> Config {
    Config {
        hidden: vec![],
        trunk: vec![128, 128],
        layer_norm: true,
        inputs: InputKind::Raw,
        gamma: 0.99,
        feature_width: 0.1,
        dither: 0.03,
        loops: LoopKind::Ignore,
        decider: Decider::Online,
        local_unit: LocalUnit::Returns,
        sigma_gamma: 0.99,
        lambda: 1.0,
        trace_steps: 3,
        max_gradient_norm: 10.0,
        learning_rate: 0.0005,
        rate_schedule: ScheduleKind::Linear,
        batch: 64,
        target_sync: 100,
        prioritised: 0.0,
        fresh: false,
        ..deep()
    }
}

/// The configuration of the preset `name` for environments with these observations. Some presets are another point in
/// the space of agents where observations are boxes; [`preset`] gives the one for indices.
///
/// ```
/// use duvn_envs::Space;
/// let (indices, boxes) = (Space::Discrete(9), Space::symmetric_box(&[1.0, 1.0]));
/// assert!(duvn::preset_for("duvn-deep", &indices)?.trunk.is_empty());
/// assert_eq!(duvn::preset_for("duvn-deep", &boxes)?.trunk, [128, 128]);
/// assert_eq!(duvn::preset_for("duvn", &boxes)?, duvn::preset("duvn")?);
/// # Ok::<(), duvn::config::ConfigError>(())
/// ```
pub fn preset_for(name: &str, observations: &Space) -> Result<Config, ConfigError> {
    let other = ON_BOXES.iter().find(|other| other.name == name);
    match (other, observations) {
        (Some(other), Space::Box { .. }) => Ok(other.config()),
        _ => preset(name),
    }
}

/// The configuration of the preset `name`, for index observations ([`preset_for`] knows others).
pub fn preset(name: &str) -> Result<Config, ConfigError> {
    match PRESETS.iter().find(|preset| preset.name == name) {
        Some(preset) => Ok(preset.config()),
        None => {
            let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
            Err(ConfigError::UnknownPreset { name: name.into(), known: closest(name, &names, names.len()) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_passes_its_own_checks() {
        for preset in PRESETS {
            preset.config().check().unwrap();
            preset_for(preset.name, &Space::symmetric_box(&[1.0])).unwrap().check().unwrap();
        }
    }
}
