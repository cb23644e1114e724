//! What an agent does when: on a posterior that takes down what it is asked.

mod epochs;

use super::*;
use crate::config::{BackupKind, LocalKind, LoopKind, PolicyKind, ReturnKind};
use crate::net::Which;
use crate::policy::EGreedy;
use crate::posterior::scripted::{Call, Scripted};
use crate::returns::Mean;
use std::sync::{Arc, Mutex};

const GOING: Step = Step { reward: 0.0, terminated: false, truncated: false };
const END: Step = Step { terminated: true, ..GOING };
const HERE: Observation<'static> = Observation::Index(0);

/// A greedy agent that learns from its first step on with one transition an update, unless `config` says otherwise.
fn config() -> Config {
    Config {
        policy: PolicyKind::Greedy,
        backup: BackupKind::Max,
        batch: 1,
        learning_starts: 1,
        target_sync: 1000,
        prioritised: 0.0,
        ..Config::default()
    }
}

fn agent(config: &Config, scripted: Scripted) -> (Agent, Arc<Mutex<Vec<Call>>>) {
    let calls = scripted.calls();
    let policy = Box::new(EGreedy::fixed(0.0));
    let axes = Axes { posterior: Box::new(scripted), returns: Arc::new(Mean), policy };
    let agent = Agent::with_axes(&config.check().unwrap(), axes, &Space::Discrete(4), 0).unwrap();
    (agent, calls)
}

/// An agent with axes of its own, in an episode that begins.
fn begun(config: &Config, actions: usize) -> Agent {
    let config = config.check().unwrap();
    let mut agent = Agent::new(&config, &Space::Discrete(4), &Space::Discrete(actions), 0).unwrap();
    agent.begin(HERE).unwrap();
    agent
}

/// One learner; action 1 is the better one.
fn simple() -> Scripted {
    Scripted::new(4, vec![vec![0.0, 1.0]])
}

/// What each of `steps` steps of an endless episode made the agent do.
fn live(config: &Config, steps: usize) -> Vec<Vec<Call>> {
    let (mut agent, calls) = agent(config, simple());
    agent.begin(HERE).unwrap();
    let mut by_step = Vec::new();
    for _ in 0..steps {
        calls.lock().unwrap().clear();
        agent.observe(&GOING, HERE).unwrap();
        by_step.push(calls.lock().unwrap().clone());
    }
    by_step
}

fn count(calls: &[Call], wanted: impl Fn(&Call) -> bool) -> usize {
    calls.iter().filter(|call| wanted(call)).count()
}

fn trains(calls: &[Call]) -> usize {
    count(calls, |call| matches!(call, Call::Train { .. }))
}

#[test]
fn updates_come_when_and_as_often_as_they_are_due() {
    let by_step = |config: Config| live(&config, 6).iter().map(|calls| trains(calls)).collect::<Vec<_>>();
    assert_eq!(by_step(config()), [1, 1, 1, 1, 1, 1]);
    assert_eq!(by_step(Config { train_every: 3, ..config() }), [0, 0, 1, 0, 0, 1]);
    assert_eq!(by_step(Config { updates: 2, ..config() }), [2, 2, 2, 2, 2, 2]);
    assert_eq!(by_step(Config { learning_starts: 4, ..config() }), [0, 0, 0, 1, 1, 1]);
}

#[test]
fn the_target_network_follows_after_as_many_updates_as_said() {
    let steps = live(&Config { target_sync: 3, updates: 2, ..config() }, 6);
    let syncs: Vec<_> = steps.iter().map(|calls| count(calls, |call| *call == Call::Sync)).collect();
    // Updates 3, 6, 9 and 12 are in steps 2, 3, 5 and 6.
    assert_eq!(syncs, [0, 1, 1, 0, 1, 1]);
    let second = &steps[1];
    let (sync, last) = (second.iter().position(|call| *call == Call::Sync).unwrap(), second.len());
    assert_eq!(trains(&second[..sync]), 1, "right after the first update of the step: {second:?}");
    assert_eq!(trains(&second[sync..last]), 1);
}

/// A quarter of the way from where they were to the weights as they are now.
#[test]
fn the_target_network_goes_as_far_as_tau_says() {
    let config = Config { hidden: vec![8], target_sync: 1, target_tau: 0.25, ..config() };
    let mut agent = begun(&config, 2);
    let part = |agent: &Agent, name: &str| {
        let tensors = agent.posterior().tensors().into_iter().filter(|tensor| tensor.name.contains(name));
        tensors.flat_map(|tensor| tensor.data).collect::<Vec<_>>()
    };
    let before = part(&agent, "/target/");
    agent.observe(&Step { reward: 1.0, ..END }, HERE).unwrap();
    let (online, after) = (part(&agent, "/online/"), part(&agent, "/target/"));
    assert!(online != before, "it has learnt");
    for ((before, online), after) in before.iter().zip(&online).zip(&after) {
        assert!((before + 0.25 * (online - before) - after).abs() < 1e-6, "{before} {online} {after}");
    }
}

#[test]
fn the_newest_transition_is_in_every_update_if_that_is_asked_for() {
    for (fresh, share) in [(true, 1.0), (false, 0.5)] {
        let steps = live(&Config { fresh, batch: 2, ..config() }, 40);
        let newest = steps.iter().enumerate().filter(|(step, calls)| {
            calls.iter().any(|call| matches!(call, Call::Train { slots, .. } if slots[0] == *step as u32))
        });
        let found = newest.count() as f64 / 40.0;
        assert!(if fresh { found == share } else { found < share }, "{found}");
    }
}

/// Two agents, of which one prefers what is new and what surprised: the same if the first action has led to two states
/// before they learn, and not the same if it has not.
#[test]
fn once_outcomes_vary_all_transitions_are_as_likely() {
    let learnt = |prioritised, fresh, first: [usize; 2]| {
        let config = Config {
            returns: ReturnKind::Gaussian,
            local: LocalKind::Outcomes,
            hidden: vec![4],
            batch: 2,
            learning_starts: 3,
            prioritised,
            fresh,
            ..config()
        };
        let space = Space::Discrete(4);
        let mut agent = Agent::new(&config.check().unwrap(), &space, &Space::Discrete(1), 0).unwrap();
        let after = (0..20).map(|step| (step % 4, 2));
        for (state, next) in first.map(|next| (0, next)).into_iter().chain(after) {
            agent.begin(Observation::Index(state)).unwrap();
            let cut = Step { reward: state as f64, truncated: true, ..GOING };
            agent.observe(&cut, Observation::Index(next)).unwrap();
        }
        let numbers =
            agent.posterior().tensors().into_iter().filter(|tensor| tensor.name.contains("/online/"));
        numbers.flat_map(|tensor| tensor.data).collect::<Vec<f32>>()
    };
    assert_eq!(learnt(0.5, true, [1, 2]), learnt(0.0, false, [1, 2]));
    assert_ne!(learnt(0.5, true, [2, 2]), learnt(0.0, false, [2, 2]));
}

#[test]
fn every_learner_of_a_posterior_trains_and_all_centres_have_a_say() {
    // The first says action 0, a little; the second says action 1, very much so.
    let (mut agent, calls) =
        agent(&config(), Scripted::new(4, vec![vec![0.1, 0.0], vec![0.0, 1.0], vec![0.1, 0.0]]));
    assert_eq!(agent.greedy(HERE).unwrap(), 1);
    assert_eq!(agent.greedy_all(&[HERE, Observation::Index(3)]).unwrap(), [1, 1]);
    agent.begin(HERE).unwrap();
    agent.observe(&END, HERE).unwrap();
    let calls = calls.lock().unwrap();
    for wanted in 0..3 {
        let trained = |call: &Call| matches!(call, Call::Train { learner, .. } if *learner == wanted);
        assert_eq!(count(&calls, trained), 1, "learner {wanted}");
    }
}

/// States 0, 1, 2 and back to 1; then another episode, which goes straight on.
#[test]
fn the_current_network_decides_once_an_episode_has_come_back_to_a_state() {
    for (loops, deciders) in [
        (LoopKind::Ignore, [Which::Target; 4]),
        (LoopKind::Guard, [Which::Target, Which::Target, Which::Online, Which::Online]),
        (LoopKind::Horizon, [Which::Target, Which::Target, Which::Online, Which::Online]),
    ] {
        let (mut agent, calls) = agent(&Config { loops, fresh: true, ..config() }, simple());
        let mut decided = Vec::new();
        let mut go = |agent: &mut Agent, state| {
            calls.lock().unwrap().clear();
            agent.observe(&GOING, Observation::Index(state)).unwrap();
            let first = calls.lock().unwrap().iter().find_map(|call| match call {
                Call::Value { which, taken: None, .. } => Some(*which),
                _ => None,
            });
            decided.push(first.expect("a decision on the next state"));
        };
        agent.begin(HERE).unwrap();
        [1, 2, 1].iter().for_each(|&state| go(&mut agent, state));
        agent.begin(HERE).unwrap();
        go(&mut agent, 1);
        assert_eq!(decided, deciders, "{loops:?}");
    }
}

#[test]
fn a_step_is_one_visit() {
    let config = Config {
        returns: ReturnKind::Gaussian,
        local: LocalKind::Visits,
        local_scale: 1.0,
        local_power: 1.0,
        learning_starts: 100,
        hidden: vec![4],
        terminal_sigma: 0.0,
        sigma_bias: -50.0,
        sigma_floor: 0.0,
        ..Config::default()
    };
    let mut agent = begun(&config, 1);
    for visits in 1..4 {
        agent.observe(&END, HERE).unwrap();
        agent.begin(HERE).unwrap();
        // The network says next to nothing: what is left is u = 1 / (1 + n).
        let sigma = agent.inspect(HERE, 1).unwrap()[0].sigma;
        assert!((sigma - 1.0 / (1.0 + f64::from(visits))).abs() < 1e-6, "{visits} visits: {sigma}");
    }
}

#[test]
fn a_loop_that_is_out_of_step_is_told_so() {
    let (mut agent, calls) = agent(&config(), simple());
    let early = agent.observe(&GOING, HERE).unwrap_err();
    assert_eq!(early, LearnError::NoAction { step: 0 });
    agent.begin(HERE).unwrap();
    agent.observe(&END, HERE).unwrap();
    assert_eq!(agent.observe(&GOING, HERE).unwrap_err(), LearnError::NoAction { step: 1 });
    assert_eq!(agent.begin_at(1, HERE).unwrap_err(), LearnError::NoActor { actor: 1, actors: 1 });
    let foreign = agent.begin(Observation::Index(4)).unwrap_err();
    assert!(matches!(foreign, LearnError::Observation { .. }));
    let remembered = count(&calls.lock().unwrap(), |call| matches!(call, Call::Remember(_)));
    assert_eq!(remembered, 1, "only what really happened");
}

#[test]
fn an_episode_that_is_left_counts_as_cut_off() {
    let config = Config { gamma: 0.5, fresh: false, learning_starts: 2, batch: 64, lambda: 1.0, ..config() };
    let (mut agent, calls) = agent(&config, simple());
    agent.begin(HERE).unwrap();
    agent.observe(&Step { reward: 1.0, ..GOING }, HERE).unwrap();
    // Without an ending: the next episode must not be taken for what followed.
    agent.begin(HERE).unwrap();
    agent.observe(&Step { reward: 8.0, ..END }, HERE).unwrap();
    let state: (crate::learner::LearnerState, Vec<Actor>) = duvn_envs::thaw(&agent.snapshot().state).unwrap();
    let ending = |slot| state.0.replay().ring().get(slot).ending;
    assert_eq!((ending(0), ending(1)), (crate::replay::Ending::Truncated, crate::replay::Ending::Terminated));
    let calls = calls.lock().unwrap();
    let Some(Call::Train { slots, targets, .. }) = calls.last() else { panic!("{calls:?}") };
    for (slot, target) in slots.iter().zip(targets) {
        // The best of the next state is 1.
        assert_eq!(*target, if *slot == 0 { 1.0 + 0.5 } else { 8.0 });
    }
}

#[test]
fn an_action_that_was_done_instead_is_the_one_that_is_learnt_from() {
    let config = Config { backup: BackupKind::Sarsa, ..config() };
    let (mut agent, _) = agent(&config, simple());
    assert_eq!(agent.begin(HERE).unwrap(), 1);
    agent.observe_action(0, &GOING, HERE).unwrap();
    let state: (crate::learner::LearnerState, Vec<Actor>) = duvn_envs::thaw(&agent.snapshot().state).unwrap();
    assert_eq!(state.0.replay().ring().get(0).action, 0);
    assert_eq!(
        agent.observe_action(2, &GOING, HERE).unwrap_err(),
        LearnError::ForeignAction { action: 2, actions: 2 }
    );
}

#[test]
fn an_agent_that_does_not_learn_acts_and_stays_as_it_is() {
    let config = Config { hidden: vec![8], ..crate::preset("duvn-deep").unwrap() };
    let mut agent = begun(&config, 2);
    for _ in 0..50 {
        agent.observe(&GOING, HERE).unwrap();
    }
    agent.observe(&END, HERE).unwrap();
    let (before, counters) = (agent.weights(), agent.counters());
    let sigma = agent.inspect(HERE, 1).unwrap();
    agent.set_learning(false);
    for _ in 0..3 {
        agent.begin(HERE).unwrap();
        (0..5).for_each(|_| assert!(agent.observe(&GOING, HERE).unwrap().is_some()));
        assert_eq!(agent.observe(&END, HERE).unwrap(), None);
    }
    assert_eq!((agent.weights(), agent.counters()), (before, counters));
    assert_eq!(agent.inspect(HERE, 1).unwrap(), sigma, "visits are not counted");
    agent.set_learning(true);
    agent.begin(HERE).unwrap();
    agent.observe(&END, HERE).unwrap();
    assert_eq!(agent.counters().steps, counters.steps + 1);
}

#[test]
fn an_explorer_leaves_no_trace_and_does_what_the_agent_would() {
    let config = Config { hidden: vec![16], ..crate::preset("parametric").unwrap() };
    let mut agent = begun(&config, 3);
    let before = agent.snapshot();
    let mut explorer = agent.explorer(0);
    let mut counts = [0.0; 3];
    agent.begin_exploring(&mut explorer);
    for _ in 0..2000 {
        counts[agent.explore(&mut explorer, HERE).unwrap()] += 1.0 / 2000.0;
    }
    let states = [0, 3, 1, 0, 2].map(Observation::Index);
    let (mut one, mut all) = (agent.explorer(1), agent.explorer(1));
    let by_one = states.map(|state| agent.explore(&mut one, state).unwrap());
    assert_eq!(agent.explore_all(&mut all, &states).unwrap(), by_one, "one after the other or all at once");
    assert!(agent.snapshot() == before);
    let looked = agent.inspect(HERE, 2000).unwrap();
    for (view, share) in looked.iter().zip(counts) {
        // Five standard errors of the difference of two shares of 2,000.
        assert!((view.probability - share).abs() < 0.08, "{looked:?} {counts:?}");
    }
}

#[test]
fn a_bounded_target_believes_no_more_than_was_earned() {
    let targets = |bound| {
        let config = Config { gamma: 0.5, bound, ..config() };
        let (mut agent, calls) = agent(&config, simple());
        let last = |agent: &mut Agent| {
            agent.observe(&GOING, HERE).unwrap();
            match calls.lock().unwrap().last() {
                Some(Call::Train { targets, .. }) => targets[0],
                other => panic!("{other:?}"),
            }
        };
        agent.begin(HERE).unwrap();
        let before = last(&mut agent);
        agent.observe(&Step { reward: 8.0, ..END }, HERE).unwrap();
        agent.begin(HERE).unwrap();
        (before, last(&mut agent))
    };
    // The next state is said to be worth 1, of which half counts; before the first reward nothing was earned.
    assert_eq!(targets(crate::config::BoundKind::None), (0.5, 0.5));
    assert_eq!(targets(crate::config::BoundKind::Returns), (0.0, 0.5));
}

/// After one update on an error of 1 and on one of 100: the same weights, to the bit, if errors count for 1 at most.
#[test]
fn a_clipped_error_counts_for_no_more_than_the_clip() {
    let learn = |error_clip: f64, reward: f64| {
        let config = Config { error_clip, hidden: vec![8], ..config() };
        let mut agent = begun(&config, 2);
        agent.observe(&Step { reward, ..END }, HERE).unwrap();
        agent.weights()
    };
    // First predictions are far smaller than these targets.
    assert!(learn(1.0, 50.0) == learn(1.0, 5000.0));
    assert!(learn(0.0, 50.0) != learn(0.0, 5000.0));
}

/// Adam's second moment of a gradient of 1e25 is beyond what a float holds.
#[test]
fn numbers_that_overflow_stop_the_agent_within_an_update() {
    let config = Config { hidden: vec![8], ..config() };
    let mut agent = begun(&config, 2);
    let error = agent.observe(&Step { reward: 1e25, ..END }, HERE).unwrap_err();
    assert_eq!(error, LearnError::NotFinite { step: 1, update: 1 });
}
