//! One configuration and one seed make one result, to the bit, interrupted or not.

use duvn::config::PRESETS;
use duvn::{Agent, Config, Training};
use duvn_envs::{Environment, Space, registry};

fn training(config: &Config, env: &str, seed: u64) -> Training<registry::Registered> {
    let envs: Vec<_> = (0..config.actors).map(|_| registry::make(env, seed).unwrap()).collect();
    let (observations, actions) = (envs[0].observation_space(), envs[0].action_space());
    let agent = Agent::new(&config.check().unwrap(), &observations, &actions, seed).unwrap();
    Training::side_by_side(envs, agent, seed)
}

fn weights(training: &Training<registry::Registered>) -> Vec<u32> {
    let tensors = training.agent().weights();
    tensors.iter().flat_map(|tensor| tensor.data.iter().map(|weight| weight.to_bits())).collect()
}

fn steps(training: &mut Training<registry::Registered>, count: usize) {
    for _ in 0..count {
        training.step().unwrap();
    }
}

fn small(mut config: Config) -> Config {
    config.hidden = vec![16, 16];
    config.replay = 200;
    config.members = 3;
    config.learning_starts = 32;
    config
}

/// Every preset, and variants that hold more state in mid-episode.
fn configs() -> Vec<(String, Config)> {
    let mut configs: Vec<_> =
        PRESETS.iter().map(|preset| (preset.name.to_string(), small(preset.config()))).collect();
    let boxes = Space::symmetric_box(&[1.0]);
    configs.extend(PRESETS.iter().filter_map(|preset| {
        let there = duvn::preset_for(preset.name, &boxes).unwrap();
        (there != preset.config()).then(|| (format!("{} for boxes", preset.name), small(there)))
    }));
    for settings in [
        &[("parameter_scope", "episode"), ("mc_samples", "3")][..],
        &[("scope", "episode"), ("policy", "optimistic")],
        &[("lambda", "0.9"), ("trunk", "[8]")],
        &[("propagation", "sampling"), ("backup", "expected")],
        &[
            ("local", "visits"),
            ("prior_sigma", "3"),
            ("prior_mu", "1"),
            ("redraw", "0.2"),
            ("scope", "episode"),
        ],
        &[("posterior", "ensemble"), ("members", "3"), ("bootstrap", "0.5"), ("parameter_scope", "episode")],
        &[("backup", "split"), ("decider", "online"), ("mc_samples", "2")],
        &[("backup", "max"), ("decider", "target"), ("target_tau", "0.01"), ("target_sync", "1")],
        &[("draws", "3"), ("target_value", "draw"), ("activation", "elu")],
        &[("replay_unit", "trace"), ("prioritised", "0.5"), ("activation", "tanh"), ("trunk", "[8]")],
        &[("lambda", "0.9"), ("trace_cut", "policy")],
        &[("priority", "proportional"), ("prioritised", "0.8")],
        &[("anchor", "3"), ("posterior", "ensemble"), ("member_targets", "mean"), ("lambda", "0.9")],
        &[("returns", "quantile"), ("policy", "ids"), ("compare", "quantiles"), ("anchor", "1")],
        &[("train_episodes", "2"), ("replay_starts", "60"), ("replay_unit", "trace"), ("lambda", "0.5")],
    ] {
        let mut config = small(duvn::preset("duvn").unwrap());
        settings.iter().for_each(|(key, value)| config.set(key, value).unwrap());
        configs.push((format!("duvn {settings:?}"), config));
    }
    for name in ["egreedy", "parametric", "duvn-deep", "bootdqn"] {
        let mut config = small(duvn::preset(name).unwrap());
        (config.actors, config.lambda) = (8, 0.5);
        configs.push((format!("{name} with eight actors"), config));
    }
    configs
}

#[test]
fn the_same_seed_gives_the_same_weights_and_another_seed_others() {
    for (name, config) in configs() {
        let run = |seed| {
            let mut training = training(&config, "Chain-6", seed);
            steps(&mut training, 300);
            weights(&training)
        };
        assert!(run(3) == run(3), "{name}");
        assert!(run(3) != run(4), "{name}");
    }
}

#[test]
fn going_on_from_a_snapshot_equals_never_having_stopped() {
    let both = |(name, config): (String, Config)| {
        ["Chain-6", "FrozenLake-v1", "CartPole-v1"]
            .map(|env| (format!("{name} on {env}"), config.clone(), env))
    };
    for (name, config, env) in configs().into_iter().flat_map(both) {
        let mut whole = training(&config, env, 3);
        steps(&mut whole, 151);
        let snapshot = whole.snapshot();
        let mut resumed = training(&config, env, 3);
        resumed.restore(&snapshot).unwrap();
        assert!(resumed.snapshot() == snapshot, "{name}");
        steps(&mut whole, 200);
        steps(&mut resumed, 200);
        assert!(weights(&whole) == weights(&resumed), "{name}");
        assert!(whole.snapshot() == resumed.snapshot(), "{name}");
    }
}

#[test]
fn looking_at_an_agent_changes_nothing() {
    for (name, config) in configs() {
        let mut plain = training(&config, "Chain-6", 3);
        let mut watched = training(&config, "Chain-6", 3);
        for _ in 0..100 {
            plain.step().unwrap();
            watched.step().unwrap();
            let start = duvn_envs::Observation::Index(0);
            watched.agent_mut().inspect(start, 3).unwrap();
            watched.agent_mut().greedy(start).unwrap();
        }
        assert!(plain.snapshot() == watched.snapshot(), "{name}");
    }
}

#[test]
fn a_snapshot_of_another_agent_is_refused() {
    let config = small(duvn::preset("duvn").unwrap());
    let snapshot = training(&config, "Chain-6", 3).snapshot();
    let mut wider = config.clone();
    wider.hidden = vec![17, 16];
    assert!(training(&wider, "Chain-6", 3).restore(&snapshot).is_err());
    assert!(training(&config, "Chain-7", 3).restore(&snapshot).is_err());
    let mut cut = snapshot.clone();
    cut.agent.state.truncate(cut.agent.state.len() / 2);
    assert!(training(&config, "Chain-6", 3).restore(&cut).is_err());
}

/// With eight actors, each environment lives through its own episodes, all of them feed one learner, and every step is as good for
/// an update as with one.
#[test]
fn actors_side_by_side_share_one_learner() {
    let mut config = small(duvn::preset("parametric").unwrap());
    config.actors = 8;
    let mut training = training(&config, "CartPole-v1", 3);
    let mut episodes = Vec::new();
    for _ in 0..800 {
        episodes.extend(training.step().unwrap());
    }
    let counters = training.agent().counters();
    assert_eq!(counters.steps, 800);
    // The first turn of eight steps ends with 8 transitions, the fourth with the 32 that learning waits for.
    assert_eq!(counters.updates, 800 - 24);
    let lengths: Vec<_> = episodes.iter().map(|episode| episode.length).collect();
    assert!(lengths.len() > 8 && lengths.iter().any(|&length| length != lengths[0]), "{lengths:?}");
    assert!(
        episodes.iter().all(|episode| episode.ret == episode.length as f64),
        "rewards of one are not another's"
    );
}
