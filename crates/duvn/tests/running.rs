//! Box observations that come to the network by their running mean and deviation (`inputs=running`).

use duvn::{Agent, AgentError, Config, Training, memory, preset};
use duvn_envs::{Environment, Observation, Space, Step, registry};

const GOING: Step = Step { reward: 0.0, terminated: false, truncated: false };

fn running(name: &str, settings: &[(&str, &str)]) -> Config {
    let mut config = preset(name).unwrap();
    let small = [("inputs", "running"), ("hidden", "[8]"), ("learning_starts", "32")];
    for (key, value) in small.iter().chain(settings) {
        config.set(key, value).unwrap();
    }
    config.members = 2;
    config
}

fn agent(config: &Config, observations: &Space) -> Agent {
    Agent::new(&config.check().unwrap(), observations, &Space::Discrete(2), 3).unwrap()
}

/// 2, 4, 4, 4, 5, 5, 7, 9 have the mean 5 and the standard deviation 2: starts of episodes count, and what is seen after an
/// action; what comes while nothing is learnt, or is only looked at, does not.
#[test]
fn statistics_are_those_of_what_came_in_learning() {
    let config = running("dqn", &[]);
    let mut agent = agent(&config, &Space::symmetric_box(&[f32::INFINITY]));
    agent.begin(Observation::Vector(&[2.0])).unwrap();
    for x in [4.0, 4.0] {
        agent.observe(&GOING, Observation::Vector(&[x])).unwrap();
    }
    agent.observe(&Step { terminated: true, ..GOING }, Observation::Vector(&[4.0])).unwrap();
    agent.begin(Observation::Vector(&[5.0])).unwrap();
    let statistics = |agent: &Agent| agent.posterior().running().cloned().expect("it has statistics");
    let before = statistics(&agent);
    for far in [1e6, -3e6] {
        let far = Observation::Vector(std::slice::from_ref(&far));
        agent.greedy(far).unwrap();
        agent.inspect(far, 3).unwrap();
        agent.central(&[far]).unwrap();
        let mut explorer = agent.explorer(0);
        agent.explore(&mut explorer, far).unwrap();
    }
    assert_eq!(statistics(&agent), before, "looking is not seeing");
    for x in [5.0, 7.0, 9.0] {
        agent.observe(&GOING, Observation::Vector(&[x])).unwrap();
    }
    let after = statistics(&agent);
    assert!((after.means()[0] - 5.0).abs() < 1e-12, "{after:?}");
    assert!((after.deviation(0) - 2.0).abs() < 1e-12, "{after:?}");
    agent.set_learning(false);
    agent.observe(&GOING, Observation::Vector(&[700.0])).unwrap();
    agent.begin(Observation::Vector(&[700.0])).unwrap();
    assert_eq!(statistics(&agent), after, "an agent that does not learn keeps its scale");
}

/// Walks about in two numbers, given in units of their own; what is learnt, and what is believed in the end.
fn walk(config: &Config, units: [f32; 2]) -> (Vec<u32>, String) {
    let mut agent = agent(config, &Space::symmetric_box(&units));
    let mut at = [0.0f32; 2];
    let mut action = None;
    for step in 0..400 {
        let here = [at[0] * units[0], at[1] * units[1]];
        let seen = Observation::Vector(&here);
        let ends = step % 37 == 36;
        action = match action {
            None => Some(agent.begin(seen).unwrap()),
            Some(_) => agent
                .observe(&Step { reward: f64::from(at[0]), terminated: ends, truncated: false }, seen)
                .unwrap(),
        };
        let way = if action == Some(1) { 0.0625 } else { -0.03125 };
        at = if ends { [0.0; 2] } else { [(at[0] + way).clamp(-1.0, 1.0), 0.5 * at[1] + way] };
    }
    let weights = agent.weights();
    let bits = weights.iter().flat_map(|tensor| tensor.data.iter().map(|weight| weight.to_bits())).collect();
    let view = agent.inspect(Observation::Vector(&[0.25 * units[0], 0.125 * units[1]]), 2).unwrap();
    (bits, format!("{view:?}"))
}

/// Powers of two change nothing but the exponents of numbers: whoever reads a state, to decide, to make a target, to train or to
/// look, must do so by the statistics, or bits would differ.
#[test]
fn the_unit_of_an_observation_does_not_matter_to_the_bit() {
    for (name, settings) in [
        ("dqn", &[][..]),
        ("duvn", &[("lambda", "0.5"), ("mc_samples", "2"), ("draws", "2")]),
        ("bootdqn", &[]),
        ("duvn-deep", &[("layer_norm", "true")]),
        ("egreedy", &[("train_episodes", "2"), ("backup", "expected")]),
    ] {
        let config = running(name, settings);
        let one = walk(&config, [1.0, 1.0]);
        assert!(one == walk(&config, [1024.0, 0.0625]), "{name}");
        let raw = Config { inputs: duvn::config::InputKind::Raw, ..config };
        assert!(walk(&raw, [1.0, 1.0]).0 != walk(&raw, [1024.0, 0.0625]).0, "{name} as it comes");
    }
}

/// A state that was visited counts as visited wherever the statistics go after it. The network's own sigma is next to nothing
/// here (softplus(-8)), so that what is left of it is local uncertainty.
#[test]
fn visits_stay_where_they_were_counted() {
    let settings = [("feature_width", "0.1"), ("learning_starts", "10000"), ("sigma_bias", "-8")];
    let mut agent = agent(&running("duvn-deep", &settings), &Space::symmetric_box(&[1.0]));
    let (there, far) = ([0.5], [-0.5]);
    agent.begin(Observation::Vector(&there)).unwrap();
    for _ in 0..20 {
        agent.observe(&GOING, Observation::Vector(&there)).unwrap();
    }
    for _ in 0..200 {
        agent.observe(&GOING, Observation::Vector(&far)).unwrap();
    }
    let mut least_sigma = |x: f32| {
        let views = agent.inspect(Observation::Vector(&[x]), 1).unwrap();
        views.iter().map(|view| view.sigma).fold(f64::INFINITY, f64::min)
    };
    let (visited, new) = (least_sigma(0.5), least_sigma(0.0));
    assert!(visited < 0.1 && new > 0.5, "{visited} against {new}");
}

fn training(config: &Config, env: &str) -> Training<registry::Registered> {
    let envs: Vec<_> = (0..config.actors).map(|_| registry::make(env, 3).unwrap()).collect();
    let agent =
        Agent::new(&config.check().unwrap(), &envs[0].observation_space(), &envs[0].action_space(), 3);
    Training::side_by_side(envs, agent.unwrap(), 3)
}

#[test]
fn going_on_from_a_snapshot_equals_never_having_stopped_with_one_actor_or_eight() {
    for (name, env) in [("dqn", "CartPole-v1"), ("duvn-deep", "MountainCar-v0"), ("bootdqn", "PointMaze-10")]
    {
        for actors in ["1", "8"] {
            let config = running(name, &[("actors", actors), ("replay", "200")]);
            let mut whole = training(&config, env);
            for _ in 0..201 {
                whole.step().unwrap();
            }
            let snapshot = whole.snapshot();
            let mut resumed = training(&config, env);
            resumed.restore(&snapshot).unwrap();
            assert!(resumed.snapshot() == snapshot, "{name}");
            assert_eq!(resumed.agent().posterior().running(), whole.agent().posterior().running());
            for _ in 0..200 {
                whole.step().unwrap();
                resumed.step().unwrap();
            }
            assert!(whole.snapshot() == resumed.snapshot(), "{name} with {actors} actors");
        }
    }
}

/// Every environment's observations count, in the order of the actors: eight starts, then one observation a step, and the
/// starts of further episodes.
#[test]
fn the_statistics_of_several_actors_are_those_of_all_they_saw() {
    let mut config = running("dqn", &[("actors", "4")]);
    config.learning_starts = 10_000;
    let mut agent = agent(&config, &Space::symmetric_box(&[f32::INFINITY]));
    for actor in 0..4 {
        agent.begin_at(actor, Observation::Vector(&[[2.0, 4.0, 4.0, 4.0][actor]])).unwrap();
    }
    agent.decide();
    for actor in 0..4 {
        agent.observe_at(actor, &GOING, Observation::Vector(&[[5.0, 5.0, 7.0, 9.0][actor]])).unwrap();
    }
    let statistics = agent.posterior().running().unwrap();
    assert!((statistics.means()[0] - 5.0).abs() < 1e-12 && (statistics.deviation(0) - 2.0).abs() < 1e-12);
}

#[test]
fn a_snapshot_with_other_statistics_is_refused() {
    let config = running("dqn", &[]);
    let snapshot = training(&config, "MountainCar-v0").snapshot();
    let raw = Config { inputs: duvn::config::InputKind::Raw, ..config.clone() };
    assert!(training(&raw, "MountainCar-v0").restore(&snapshot).is_err(), "it has none");
    let without = training(&raw, "MountainCar-v0").snapshot();
    assert!(training(&config, "MountainCar-v0").restore(&without).is_err(), "it needs some");
}

#[test]
fn an_index_has_no_mean() {
    let config = running("dqn", &[]).check().unwrap();
    let (states, actions) = (Space::Discrete(11), Space::Discrete(2));
    let error = Agent::new(&config, &states, &actions, 0).err().expect("it is refused");
    assert_eq!(error, AgentError::IndexInputs(11));
    let says = "inputs=running needs observations that are numbers: those of this environment are one of 11 states; \
                leave inputs out";
    assert_eq!(error.to_string(), says);
    assert_eq!(memory(&config, &states, &actions).err(), Some(error), "before any memory is taken");
}
