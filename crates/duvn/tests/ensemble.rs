//! An ensemble: who learns from what, and where its members agree.

use duvn::net::Tensor;
use duvn::{Agent, Config, preset};
use duvn_envs::{Observation, Space, Step};

const END: Step = Step { reward: 1.0, terminated: true, truncated: false };

fn agent(settings: &[(&str, &str)]) -> Agent {
    let mut config: Config = preset("bootdqn").unwrap();
    for (key, value) in [("batch", "8"), ("learning_starts", "1")].iter().chain(settings) {
        config.set(key, value).unwrap();
    }
    Agent::new(&config.check().unwrap(), &Space::Discrete(3), &Space::Discrete(2), 5).unwrap()
}

/// By member.
fn weights(agent: &Agent) -> Vec<Vec<Tensor>> {
    let all = agent.weights();
    all.chunks(all.len() / agent.posterior().learners()).map(<[Tensor]>::to_vec).collect()
}

/// One episode of one step: from `state` to the end, with reward 1.
fn live(agent: &mut Agent, state: usize) {
    agent.begin(Observation::Index(state)).unwrap();
    agent.observe(&END, Observation::Index(state)).unwrap();
}

#[test]
fn members_learn_only_from_their_own_bootstrap_sample() {
    let moved = |bootstrap: &str| {
        let mut agent = agent(&[("bootstrap", bootstrap)]);
        let before = weights(&agent);
        live(&mut agent, 0);
        before.iter().zip(&weights(&agent)).filter(|(before, after)| before != after).count()
    };
    assert_eq!(moved("1"), 20);
    assert_eq!(moved("0.000001"), 0);
    // 20 tosses of a coin: outside of 3 to 17 once in 2,500 seeds, and the seed is fixed.
    assert!((3..=17).contains(&moved("0.5")), "{}", moved("0.5"));
}

#[test]
fn members_agree_where_they_have_been_and_differ_elsewhere() {
    let mut agent = agent(&[]);
    let looks = |agent: &mut Agent, state| agent.inspect(Observation::Index(state), 400).unwrap();
    let at_first = looks(&mut agent, 0);
    for _ in 0..600 {
        live(&mut agent, 0);
    }
    let (known, unknown) = (looks(&mut agent, 0), looks(&mut agent, 2));
    for action in 0..2 {
        assert!(at_first[action].spread > 1.0, "{at_first:?}");
        assert!(known[action].spread < 0.1 && (known[action].mean - 1.0).abs() < 0.1, "{known:?}");
        assert!(unknown[action].spread > 1.0, "{unknown:?}");
    }
}

/// A preset whose decisions look at both of its members: what they differ by goes where it has been.
#[test]
fn anchored_members_agree_where_they_have_been_and_differ_elsewhere() {
    let mut config = preset("ua-dqn").unwrap();
    config.learning_starts = 1;
    let mut agent =
        Agent::new(&config.check().unwrap(), &Space::Discrete(3), &Space::Discrete(2), 5).unwrap();
    let looks = |agent: &mut Agent, state| agent.inspect(Observation::Index(state), 20).unwrap();
    let at_first = looks(&mut agent, 0);
    for _ in 0..1500 {
        live(&mut agent, 0);
    }
    let (known, unknown) = (looks(&mut agent, 0), looks(&mut agent, 2));
    let least =
        |views: &[duvn::ActionView]| views.iter().map(|view| view.epistemic).fold(f64::INFINITY, f64::min);
    assert!(least(&at_first) > 0.5, "{at_first:?}");
    // Both actions are known to bring 1.
    assert!(known.iter().all(|view| view.epistemic < 0.1 && view.aleatoric < 0.1), "{known:?}");
    assert!(known.iter().all(|view| (view.mean - 1.0).abs() < 0.05), "{known:?}");
    assert!(least(&unknown) > 0.2, "{unknown:?}");
}
