//! Over 400 lines: every rule and every knob of targets is tried on the same scripted posterior.

use super::*;
use crate::config::{
    BackupKind, Config, LocalKind, PolicyKind, PosteriorKind, ReturnKind, Scope, TargetValue, TraceCut,
};
use crate::learner::Axes;
use crate::net::Rows;
use crate::policy::EGreedy;
use crate::posterior::scripted::{Call, Scripted};
use crate::replay::{Ending, Transition};
use crate::returns::Mean;
use duvn_envs::{Observation, Space};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Three transitions from state 0 to state 1 with reward 2: one that goes on, one that ends the task,
/// one that is cut off. Gives their targets, and what the target network says of state 1.
fn targets(config: &Config, seed: u64, next_action: Option<u8>) -> (Vec<f32>, Vec<f32>) {
    let config = config.check().unwrap();
    let mut ring = Ring::new(3, 0);
    for ending in [Ending::Terminated, Ending::Truncated, Ending::No] {
        remember(&mut ring, ending, None);
    }
    let Axes { mut posterior, returns, policy } = axes(&config, seed);
    let fresh = Fresh { slot: 2, next_action };
    let out = make(&config, &mut *posterior, (&*returns, &*policy), &ring, (&[0, 1, 2], Some(fresh)));
    let mut beliefs = vec![0.0; 2 * returns.outputs()];
    posterior.central_beliefs(0, Rows::Index(&[1]), &mut beliefs);
    (out, beliefs)
}

/// The targets of `slots`.
fn make(
    config: &CheckedConfig,
    posterior: &mut dyn Posterior,
    (model, policy): (&dyn ReturnModel, &dyn Policy),
    ring: &Ring,
    (slots, fresh): (&[u32], Option<Fresh>),
) -> Vec<f32> {
    let mut sources = Sources {
        posterior,
        learner: 0,
        model,
        policy,
        local: &mut Local::new(config, &Space::Discrete(2), 2, &mut Stream::new(0, "test")),
        source: &mut Source::new(Stream::new(0, "masks")),
        stream: &mut Stream::new(0, "backing up"),
        step: 0,
    };
    let mut makes = Targets::new(config);
    makes.follow(slots, fresh.map_or(Known::None, Known::Newest), ring);
    let mut out = vec![0.0; slots.len() * model.target_width()];
    makes.make(&mut sources, &mut out);
    out
}

fn axes(config: &CheckedConfig, seed: u64) -> Axes {
    Axes::new(config, &Space::Discrete(2), &Space::Discrete(2), seed).unwrap()
}

/// A step from state 0 to state 1 with reward 2.
fn remember(ring: &mut Ring, ending: Ending, after: Option<u32>) -> u32 {
    let (observation, next) = (Observation::Index(0), Observation::Index(1));
    ring.push(&Transition { observation, action: 0, reward: 2.0, next, ending, episode: 0 }, after)
}

fn close(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-5
}

#[test]
fn a_cut_off_episode_has_a_future_and_an_ended_one_has_not() {
    let config = Config { backup: BackupKind::Max, gamma: 0.5, ..Config::default() };
    let (out, q) = targets(&config, 0, None);
    let best = 2.0 + 0.5 * q[0].max(q[1]);
    assert!(close(out[0], 2.0) && close(out[1], best) && close(out[2], best), "{out:?} {q:?}");
}

#[test]
fn fresh_experience_is_backed_up_with_the_action_that_followed() {
    let config = Config { gamma: 0.5, ..Config::default() };
    for action in [0, 1] {
        let (out, q) = targets(&config, 0, Some(action));
        assert!(close(out[2], 2.0 + 0.5 * q[usize::from(action)]), "{out:?} {q:?}");
    }
}

#[test]
fn what_was_never_tried_in_the_next_state_is_uncertain_before_it() {
    let config = Config {
        returns: ReturnKind::Gaussian,
        posterior: PosteriorKind::Point,
        local: LocalKind::Visits,
        local_scale: 3.0,
        terminal_sigma: 0.0,
        backup: BackupKind::Max,
        gamma: 0.5,
        ..Config::default()
    };
    let (out, beliefs) = targets(&config, 0, None);
    let best = if beliefs[0] > beliefs[2] { &beliefs[..2] } else { &beliefs[2..] };
    assert!(close(out[1], 0.0), "nothing comes after the end: {out:?}");
    assert!(close(out[2], 2.0 + 0.5 * best[0]) && close(out[3], 0.5 * best[1].hypot(3.0)), "{out:?}");
}

/// Counts the indices that it is asked for.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Policy for Counting {
    fn choose(&self, _: Beliefs<'_>, moment: Moment, _: &mut Stream) -> usize {
        assert_eq!(moment.index, Some(self.0.load(Ordering::Relaxed) as f64), "not the index drawn last");
        0
    }

    fn draw_index(&self, _: &mut Stream) -> Option<f64> {
        Some((self.0.fetch_add(1, Ordering::Relaxed) + 1) as f64)
    }
}

#[test]
fn one_index_serves_the_whole_trace_of_a_sample() {
    let config = Config { lambda: 0.5, ..Config::default() }.check().unwrap();
    let mut ring = Ring::new(3, 0);
    let mut after = None;
    for ending in [Ending::No, Ending::No, Ending::Terminated] {
        after = Some(remember(&mut ring, ending, after));
    }
    let policy = Counting::default();
    let mut axes = axes(&config, 0);
    // Two next states, one, and none: the trace of the last sample is over at once.
    make(&config, &mut *axes.posterior, (&*axes.returns, &policy), &ring, (&[0, 1, 2], None));
    assert_eq!(policy.0.into_inner(), 2);
}

#[test]
fn an_expected_backup_is_over_the_indices_that_a_policy_may_commit_to() {
    // The means are far closer than the sigmas, so the sign of z decides: each action half of the time.
    let config = Config {
        returns: ReturnKind::Gaussian,
        posterior: PosteriorKind::Point,
        policy: PolicyKind::Thompson,
        scope: Scope::Episode,
        backup: BackupKind::Expected,
        probability_draws: 4000,
        gamma: 0.5,
        ..Config::default()
    };
    let decided_by_sign = |(_, b): &(Vec<f32>, Vec<f32>)| (b[0] - b[2]).abs() < 0.01 * (b[1] - b[3]).abs();
    let (out, beliefs) = (0..500).map(|seed| targets(&config, seed, None)).find(decided_by_sign).unwrap();
    let sigma = 0.5 * (beliefs[1] + beliefs[3]);
    assert!((out[3] - 0.5 * sigma).abs() < 0.05 * (beliefs[1] - beliefs[3]).abs(), "{out:?} {beliefs:?}");
}

#[test]
fn a_split_backup_has_the_best_mean_and_the_spread_of_the_policys_action() {
    // With a multiplier this large the policy takes the action of the larger sigma.
    let config = Config {
        returns: ReturnKind::Gaussian,
        posterior: PosteriorKind::Point,
        policy: PolicyKind::Ucb,
        ucb_low: 1e6,
        ucb_high: 1e6,
        backup: BackupKind::Split,
        gamma: 0.5,
        ..Config::default()
    };
    // First weights under which the two actions differ: one has the better mean, the other the larger sigma.
    let apart = |(_, beliefs): &(Vec<f32>, Vec<f32>)| (beliefs[0] > beliefs[2]) != (beliefs[1] > beliefs[3]);
    let (out, beliefs) = (0..50).map(|seed| targets(&config, seed, None)).find(apart).unwrap();
    let (mu, sigma) = (beliefs[0].max(beliefs[2]), beliefs[1].max(beliefs[3]));
    assert!(close(out[2], 2.0 + 0.5 * mu) && close(out[3], 0.5 * sigma), "{out:?} {beliefs:?}");
}

/// What a posterior in which action 1 is worth 4 and action 0 nothing is asked, and the targets of one step with reward 2, each
/// answer being 1 above the one before.
fn asked(config: &Config, varies: bool) -> (Vec<Call>, f32) {
    let config = config.check().unwrap();
    let mut ring = Ring::new(1, 0);
    remember(&mut ring, Ending::No, None);
    let mut scripted = Scripted::new(2, vec![vec![0.0, 4.0]]);
    (scripted.step, scripted.varies) = (1.0, varies);
    let calls = scripted.calls();
    let out = make(&config, &mut scripted, (&Mean, &EGreedy::fixed(0.0)), &ring, (&[0], None));
    let calls = calls.lock().unwrap().clone();
    (calls, out[0])
}

fn question(which: Which, taken: Option<u8>) -> Call {
    Call::Value { learner: 0, which, taken: taken.map(|action| vec![action]) }
}

#[test]
fn each_mask_of_a_target_is_a_draw_of_its_own() {
    let config = Config {
        posterior: PosteriorKind::Dropout,
        backup: BackupKind::Max,
        mc_samples: 3,
        gamma: 0.5,
        ..Config::default()
    };
    let (calls, target) = asked(&config, true);
    let again = question(Which::Target, Some(1));
    assert_eq!(calls, [question(Which::Target, None), again.clone(), again]);
    // The three answers say 4, 5 and 6 of the best action.
    assert_eq!(target, 2.0 + 0.5 * 5.0);
}

#[test]
fn the_current_network_decides_and_the_target_network_values_if_that_is_asked_for() {
    let config =
        Config { decider: Decider::Online, backup: BackupKind::Max, gamma: 0.5, ..Config::default() };
    let (calls, target) = asked(&config, false);
    assert_eq!(calls, [question(Which::Online, None), question(Which::Target, Some(1))]);
    assert_eq!(target, 2.0 + 0.5 * 5.0, "the value is the second answer's");
}

#[test]
fn the_mean_of_a_split_backup_comes_from_another_mask_where_masks_differ() {
    let config = Config { backup: BackupKind::Split, gamma: 0.5, ..Config::default() };
    assert_eq!(asked(&config, false), (vec![question(Which::Target, None)], 2.0 + 0.5 * 4.0));
    let two = vec![question(Which::Target, None), question(Which::Target, Some(1))];
    assert_eq!(asked(&config, true), (two, 2.0 + 0.5 * 5.0));
}

/// Three steps with reward 2 and an end; the best of every state is 4; gamma 1/2, lambda 1/4, worked from the end:
/// 2; 2 + 1/2 (3/4 4 + 1/4 2) = 3.75; 2 + 1/2 (3/4 4 + 1/4 3.75) = 3.96875.
#[test]
fn a_trace_is_followed_step_by_step_and_discounted_once() {
    let config = Config { backup: BackupKind::Max, gamma: 0.5, lambda: 0.25, ..Config::default() };
    let targets = |config: &Config| {
        let config = config.check().unwrap();
        let mut ring = Ring::new(3, 0);
        let mut after = None;
        for ending in [Ending::No, Ending::No, Ending::Terminated] {
            after = Some(remember(&mut ring, ending, after));
        }
        let mut scripted = Scripted::new(2, vec![vec![0.0, 4.0]]);
        make(&config, &mut scripted, (&Mean, &EGreedy::fixed(0.0)), &ring, (&[0, 1, 2], None))
    };
    assert_eq!(targets(&config), [3.96875, 3.75, 2.0]);
    assert_eq!(targets(&Config { trace_steps: 2, ..config.clone() }), [2.0 + 0.5 * 4.0, 3.75, 2.0]);
    assert_eq!(targets(&Config { lambda: 0.0, ..config }), [4.0, 4.0, 2.0]);
}

/// Three steps with reward 2 and an end; the best of every state is 8; gamma 1/2, two-step targets:
/// 2 + 1/2 2 + 1/4 8 = 5; 2 + 1/2 2 = 3; 2. Only the state two steps after the first is looked at.
#[test]
fn an_n_step_target_asks_for_the_state_at_its_end_alone() {
    let two_steps =
        Config { backup: BackupKind::Max, gamma: 0.5, lambda: 1.0, trace_steps: 2, ..Config::default() };
    let config = Config { decider: Decider::Online, ..two_steps }.check().unwrap();
    let mut ring = Ring::new(3, 0);
    let mut after = None;
    for ending in [Ending::No, Ending::No, Ending::Terminated] {
        after = Some(remember(&mut ring, ending, after));
    }
    let mut scripted = Scripted::new(2, vec![vec![0.0, 8.0]]);
    let calls = scripted.calls();
    let out = make(&config, &mut scripted, (&Mean, &EGreedy::fixed(0.0)), &ring, (&[0, 1, 2], None));
    assert_eq!(out, [5.0, 3.0, 2.0]);
    assert_eq!(*calls.lock().unwrap(), [question(Which::Online, None), question(Which::Target, Some(1))]);
}

/// What the target network says of state 1 under fresh weights, and the target of a step there with reward 2 and gamma 1/2, for a
/// policy that looks at every return at the index `z`; `known` is the next action as taken.
fn looked_at(z: f64, target_value: TargetValue, known: Option<u8>) -> (Vec<f32>, [f32; 2]) {
    let config = Config {
        returns: ReturnKind::Gaussian,
        policy: PolicyKind::Ucb,
        ucb_low: z,
        ucb_high: z,
        target_value,
        gamma: 0.5,
        ..Config::default()
    };
    let (out, beliefs) = targets(&config, 0, known);
    (beliefs, [out[4], out[5]])
}

/// mu' + z sigma' of the action that is best at z makes the mean, and its sigma' stays.
#[test]
fn the_draw_that_chose_the_next_action_makes_the_mean() {
    for z in [-2.0, 0.0, 3.0] {
        let (b, by_draw) = looked_at(z, TargetValue::Draw, None);
        let at = |action: usize| b[2 * action] + z as f32 * b[2 * action + 1];
        let best = usize::from(at(1) > at(0));
        assert!(close(by_draw[0], 2.0 + 0.5 * at(best)) && close(by_draw[1], 0.5 * b[2 * best + 1]), "{z}");
        let (_, by_mean) = looked_at(z, TargetValue::Mean, None);
        assert!(close(by_mean[0], 2.0 + 0.5 * b[2 * best]) && close(by_mean[1], by_draw[1]), "{z}");
    }
}

#[test]
fn a_next_action_that_was_taken_is_looked_at_by_a_draw_of_its_own() {
    for action in [0, 1] {
        let (b, target) = looked_at(3.0, TargetValue::Draw, Some(action));
        let (mu, sigma) = (b[2 * usize::from(action)], b[2 * usize::from(action) + 1]);
        assert!(
            close(target[0], 2.0 + 0.5 * (mu + 3.0 * sigma)) && close(target[1], 0.5 * sigma),
            "{target:?}"
        );
    }
}

/// Two actions of N(0, 1): the larger of two draws has the mean 1 / sqrt(pi), so that a target's is 2 + 1/2 of it. A sample that
/// is not the one that chose has the mean 0.
#[test]
fn the_best_of_the_draws_is_optimistic_by_what_it_has_above_their_mean() {
    let config = Config {
        returns: ReturnKind::Gaussian,
        policy: PolicyKind::Thompson,
        target_value: TargetValue::Draw,
        gamma: 0.5,
        ..Config::default()
    };
    let model = crate::returns::return_model(&config);
    let policy = crate::policy::policy(&config);
    let beliefs = Beliefs::new(&*model, &[0.0, 1.0, 0.0, 1.0]);
    let mut rule = rule(&config);
    let mut stream = Stream::new(0, "test");
    let draws = 100_000;
    rule.reset(draws, 2);
    for row in 0..draws {
        let known = (row % 2 == 1).then_some(0);
        rule.decide(NextState { beliefs, moment: Moment::default(), known }, &*policy, &mut stream);
    }
    let config = config.check().unwrap();
    let decided = [0.0, 1.0, 0.0, 1.0].repeat(draws);
    let mut parts = vec![0.0; 2 * draws];
    let mut valuer = Valuer {
        sources: &mut Sources {
            posterior: &mut *axes(&config, 0).posterior,
            learner: 0,
            model: &*model,
            policy: &*policy,
            local: &mut Local::new(&config, &Space::Discrete(2), 2, &mut Stream::new(0, "test")),
            source: &mut Source::new(Stream::new(0, "masks")),
            stream: &mut stream,
            step: 0,
        },
        next: Rows::Index(&[]),
        rows: draws,
        decided: Some(&decided),
        scratch: &mut Vec::new(),
    };
    rule.value(&mut valuer, &mut Parts { numbers: &mut parts, stride: 2, at: 0, len: 2 });
    let mean = |odd: usize| {
        parts.chunks_exact(4).map(|two| f64::from(two[2 * odd])).sum::<f64>() / (draws / 2) as f64
    };
    // Five standard errors of 50,000 draws are below 0.0225.
    assert!((mean(0) - 1.0 / std::f64::consts::PI.sqrt()).abs() < 0.0225, "{}", mean(0));
    assert!(mean(1).abs() < 0.0225, "{}", mean(1));
    assert!(parts.chunks_exact(2).all(|part| part[1] == 1.0), "sigma stays");
}

/// Answers 0, 1 and 2 above the first: the third draw of the best action is worth 4 + 2. It is the one that values it where the
/// target network decides; where the current one does, the target network is asked once more.
#[test]
fn the_draw_that_won_among_several_is_the_one_that_values() {
    let of = |decider| {
        let config = Config {
            posterior: PosteriorKind::Dropout,
            policy: PolicyKind::Thompson,
            draws: 3,
            decider,
            gamma: 0.5,
            ..Config::default()
        };
        let config = config.check().unwrap();
        let mut ring = Ring::new(1, 0);
        remember(&mut ring, Ending::No, None);
        let mut scripted = Scripted::new(2, vec![vec![0.0, 4.0]]);
        (scripted.step, scripted.varies) = (1.0, true);
        let calls = scripted.calls();
        let policy = crate::policy::policy(&config);
        let out = make(&config, &mut scripted, (&Mean, &*policy), &ring, (&[0], None));
        let calls = calls.lock().unwrap().clone();
        (calls, out[0])
    };
    let asked = |which| vec![question(which, None); 3];
    assert_eq!(of(Decider::Target), (asked(Which::Target), 2.0 + 0.5 * 6.0));
    let mut online = asked(Which::Online);
    online.push(question(Which::Target, Some(1)));
    assert_eq!(of(Decider::Online), (online, 2.0 + 0.5 * 7.0));
}

/// Three steps with reward 2 after which the task ends, action 0 taken in each; action 0 is worth 1 and action 1 is worth 4; gamma
/// 1/2, lambda 1/2. The targets under a rule, and whether traces are cut.
fn cut(backup: BackupKind, trace_cut: TraceCut, epsilon: f64) -> Vec<f32> {
    let config = Config { backup, trace_cut, gamma: 0.5, lambda: 0.5, ..Config::default() };
    let config = config.check().unwrap();
    let mut ring = Ring::new(3, 0);
    let mut after = None;
    for ending in [Ending::No, Ending::No, Ending::Terminated] {
        after = Some(remember(&mut ring, ending, after));
    }
    let mut scripted = Scripted::new(2, vec![vec![1.0, 4.0]]);
    make(&config, &mut scripted, (&Mean, &EGreedy::fixed(epsilon)), &ring, (&[0, 1, 2], None))
}

/// The policy takes action 1, the trace took 0: nothing of it is believed. Uncut: 2; 2 + 1/2 (1/2 4 + 1/2 2) = 3.5;
/// 2 + 1/2 (1/2 4 + 1/2 3.5) = 3.875.
#[test]
fn a_trace_is_cut_where_the_policy_would_act_otherwise() {
    for backup in [BackupKind::Max, BackupKind::Sarsa] {
        assert_eq!(cut(backup, TraceCut::Never, 0.0), [3.875, 3.5, 2.0]);
        assert_eq!(cut(backup, TraceCut::Policy, 0.0), [4.0, 4.0, 2.0]);
    }
}

/// With epsilon 1 both actions have 1/2. Tree-backup: 1/2 4 for action 1, 1/2 of 1/2 1 for action 0, 1/4 of the trace:
/// 2 + 1/2 (2 + 1/4 + 1/4 2) = 3.375; 2 + 1/2 (2 + 1/4 + 1/4 3.375) = 3.546875.
#[test]
fn an_expected_backup_cuts_traces_by_the_probability_of_the_action_taken() {
    let found = cut(BackupKind::Expected, TraceCut::Policy, 1.0);
    let close = found.iter().zip([3.546_875, 3.375, 2.0]).all(|(&found, expected)| close(found, expected));
    assert!(close, "{found:?}");
    // With epsilon 0 the trace is worth nothing, and the best action all.
    assert_eq!(cut(BackupKind::Expected, TraceCut::Policy, 0.0), [4.0, 4.0, 2.0]);
}

/// Many targets of a uniform policy that draws one action each have the mean of tree-backup.
#[test]
fn one_draw_cuts_traces_as_often_as_the_probability_says() {
    let config = Config { trace_cut: TraceCut::Policy, gamma: 0.5, lambda: 0.5, ..Config::default() };
    let config = config.check().unwrap();
    let mut ring = Ring::new(3, 0);
    let mut after = None;
    for ending in [Ending::No, Ending::No, Ending::Terminated] {
        after = Some(remember(&mut ring, ending, after));
    }
    let mut scripted = Scripted::new(2, vec![vec![1.0, 4.0]]);
    let slots = vec![0; 20_000];
    let found = make(&config, &mut scripted, (&Mean, &EGreedy::fixed(1.0)), &ring, (&slots, None));
    let mean = found.iter().map(|&target| f64::from(target)).sum::<f64>() / found.len() as f64;
    // A target is within 0.75 of the mean: five standard errors are below 0.027.
    assert!((mean - 3.546_875).abs() < 0.027, "{mean}");
}
