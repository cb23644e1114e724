//! Every rule of targets on the same few transitions. What a trace adds, and what draws do, is tried in files of their own.

mod draws;
mod traces;

use super::*;
use crate::config::{BackupKind, Config, LocalKind, PolicyKind, PosteriorKind, ReturnKind, Scope};
use crate::learner::Axes;
use crate::net::Rows;
use crate::policy::EGreedy;
use crate::posterior::scripted::{Call, Scripted};
use crate::replay::{Ending, Transition};
use crate::returns::Mean;
use duvn_envs::{Observation, Space};

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

/// Three such steps, one after the other, after which the task ends.
fn three_steps() -> Ring {
    let mut ring = Ring::new(3, 0);
    let mut after = None;
    for ending in [Ending::No, Ending::No, Ending::Terminated] {
        after = Some(remember(&mut ring, ending, after));
    }
    ring
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
fn asked(config: &Config, policy: &dyn Policy, varies: bool) -> (Vec<Call>, f32) {
    let config = config.check().unwrap();
    let mut ring = Ring::new(1, 0);
    remember(&mut ring, Ending::No, None);
    let mut scripted = Scripted::new(2, vec![vec![0.0, 4.0]]);
    (scripted.step, scripted.varies) = (1.0, varies);
    let calls = scripted.calls();
    let out = make(&config, &mut scripted, (&Mean, policy), &ring, (&[0], None));
    let calls = calls.lock().unwrap().clone();
    (calls, out[0])
}

fn question(which: Which, taken: Option<u8>) -> Call {
    Call::Value { learner: 0, which, taken: taken.map(|action| vec![action]) }
}

#[test]
fn the_current_network_decides_and_the_target_network_values_if_that_is_asked_for() {
    let config =
        Config { decider: Decider::Online, backup: BackupKind::Max, gamma: 0.5, ..Config::default() };
    let (calls, target) = asked(&config, &EGreedy::fixed(0.0), false);
    assert_eq!(calls, [question(Which::Online, None), question(Which::Target, Some(1))]);
    assert_eq!(target, 2.0 + 0.5 * 5.0, "the value is the second answer's");
}

#[test]
fn the_mean_of_a_split_backup_comes_from_another_mask_where_masks_differ() {
    let config = Config { backup: BackupKind::Split, gamma: 0.5, ..Config::default() };
    assert_eq!(
        asked(&config, &EGreedy::fixed(0.0), false),
        (vec![question(Which::Target, None)], 2.0 + 0.5 * 4.0)
    );
    let two = vec![question(Which::Target, None), question(Which::Target, Some(1))];
    assert_eq!(asked(&config, &EGreedy::fixed(0.0), true), (two, 2.0 + 0.5 * 5.0));
}
