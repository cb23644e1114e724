//! Targets of several steps: how a trace is followed, and where it is cut.

use super::*;
use crate::config::TraceCut;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let ring = three_steps();
    let policy = Counting::default();
    let mut axes = axes(&config, 0);
    // Two next states, one, and none: the trace of the last sample is over at once.
    make(&config, &mut *axes.posterior, (&*axes.returns, &policy), &ring, (&[0, 1, 2], None));
    assert_eq!(policy.0.into_inner(), 2);
}

/// Three steps with reward 2 and an end; the best of every state is 4; gamma 1/2, lambda 1/4, worked from the end:
/// 2; 2 + 1/2 (3/4 4 + 1/4 2) = 3.75; 2 + 1/2 (3/4 4 + 1/4 3.75) = 3.96875.
#[test]
fn a_trace_is_followed_step_by_step_and_discounted_once() {
    let config = Config { backup: BackupKind::Max, gamma: 0.5, lambda: 0.25, ..Config::default() };
    let targets = |config: &Config| {
        let config = config.check().unwrap();
        let ring = three_steps();
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
    let ring = three_steps();
    let mut scripted = Scripted::new(2, vec![vec![0.0, 8.0]]);
    let calls = scripted.calls();
    let out = make(&config, &mut scripted, (&Mean, &EGreedy::fixed(0.0)), &ring, (&[0, 1, 2], None));
    assert_eq!(out, [5.0, 3.0, 2.0]);
    assert_eq!(*calls.lock().unwrap(), [question(Which::Online, None), question(Which::Target, Some(1))]);
}

/// Three steps with reward 2 after which the task ends, action 0 taken in each; action 0 is worth 1 and action 1 is worth 4; gamma
/// 1/2, lambda 1/2. The targets under a rule, and whether traces are cut.
fn cut(backup: BackupKind, trace_cut: TraceCut, epsilon: f64) -> Vec<f32> {
    let config = Config { backup, trace_cut, gamma: 0.5, lambda: 0.5, ..Config::default() };
    let config = config.check().unwrap();
    let ring = three_steps();
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
    let ring = three_steps();
    let mut scripted = Scripted::new(2, vec![vec![1.0, 4.0]]);
    let slots = vec![0; 20_000];
    let found = make(&config, &mut scripted, (&Mean, &EGreedy::fixed(1.0)), &ring, (&slots, None));
    let mean = found.iter().map(|&target| f64::from(target)).sum::<f64>() / found.len() as f64;
    // A target is within 0.75 of the mean: five standard errors are below 0.027.
    assert!((mean - 3.546_875).abs() < 0.027, "{mean}");
}
