//! Neither acting nor learning allocates once an agent has warmed up.

mod allocations;

use allocations::Counting;
use duvn::config::{InputKind, PRESETS};
use duvn::{Agent, Config};
use duvn_envs::{Environment, Step, registry};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Steps of an episode that does not end, in which buffers take their size: every transition has a next state, so
/// batches are as large as they get.
const WARM_UP: usize = 400;

/// Allocations of acting, observing and updating over `steps` environment steps, after warming up.
fn allocations(config: &Config, env: &str, steps: usize) -> usize {
    let mut env = registry::make(env, 0).expect("a registered environment");
    let mut agent = Agent::new(
        &config.check().expect("a configuration"),
        &env.observation_space(),
        &env.action_space(),
        0,
    )
    .expect("an agent for it");
    env.reset(Some(0));
    agent.begin(env.observation()).expect("a first action");
    for at in 0..WARM_UP {
        // An agent that learns in epochs does so when episodes end.
        let terminated = config.train_episodes > 0 && at % 40 == 39;
        let step = Step { reward: 0.0, terminated, truncated: false };
        if agent.observe(&step, env.observation()).expect("finite numbers").is_none() {
            agent.begin(env.observation()).expect("a first action");
        }
    }
    let (before, updates) = (allocations::allocations(), agent.counters().updates);
    let mut action = None;
    for _ in 0..steps {
        let chosen = match action {
            Some(action) => action,
            None => {
                env.reset(None);
                agent.begin(env.observation()).expect("a first action")
            }
        };
        let step = env.step(chosen.into()).expect("an action of the space");
        action = agent.observe(&step, env.observation()).expect("finite numbers");
    }
    let allocations = allocations::allocations() - before;
    let updates = agent.counters().updates - updates;
    let learns = if config.train_episodes > 0 { updates > 0 } else { updates == steps as u64 };
    assert!(learns, "the agent learns while it is watched, and made {updates} updates");
    allocations
}

/// Every preset, and knobs that go other ways through the code.
fn configs() -> Vec<(String, Config)> {
    let mut configs: Vec<_> =
        PRESETS.iter().map(|preset| (preset.name.to_string(), preset.config())).collect();
    for settings in [
        &[("parameter_scope", "episode"), ("mc_samples", "3")][..],
        &[("scope", "episode"), ("policy", "optimistic")],
        &[("lambda", "0.9"), ("trunk", "[8]")],
        &[("target_tau", "0.01"), ("target_sync", "1")],
        &[("propagation", "sampling"), ("backup", "expected")],
        &[("backup", "max"), ("decider", "online"), ("max_gradient_norm", "1")],
        &[("draws", "3"), ("target_value", "draw"), ("activation", "elu"), ("layer_norm", "true")],
        &[("replay_unit", "trace"), ("prioritised", "0.5"), ("activation", "tanh"), ("trunk", "[8]")],
        &[("lambda", "0.9"), ("trace_cut", "policy"), ("backup", "expected")],
        &[("train_episodes", "2"), ("replay_unit", "trace"), ("decider", "online")],
        &[("inputs", "running"), ("lambda", "0.9"), ("layer_norm", "true")],
    ] {
        let mut config = duvn::preset("duvn").expect("the paper's preset");
        settings.iter().for_each(|(key, value)| config.set(key, value).expect("a knob"));
        configs.push((format!("duvn {settings:?}"), config));
    }
    configs
}

#[test]
fn a_step_allocates_nothing_whether_the_replay_is_full_or_not() {
    for (name, mut config) in configs() {
        // Small enough to be quick; what grows with these sizes is there all the same.
        config.hidden = vec![16; config.hidden.len().min(2)];
        config.members = config.members.min(3);
        config.learning_starts = config.learning_starts.min(128);
        config.replay_starts = config.replay_starts.min(100);
        let only_boxes = config.inputs == InputKind::Running;
        for env in ["Chain-10", "CartPole-v1"].iter().skip(usize::from(only_boxes)) {
            // The small replay is full, and overwrites, long before the warm-up is over.
            for replay in [200, 100_000] {
                config.replay = replay;
                assert_eq!(allocations(&config, env, 300), 0, "{name} in {env} with a replay of {replay}");
            }
        }
    }
}
