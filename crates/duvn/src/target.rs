//! Bellman targets for a batch of remembered transitions: one-step SARSA, expected SARSA, off-policy
//! maximum, and SARSA(lambda) along the recorded trace.

use crate::config::{BackupKind, Config, Decider};
use crate::local::Local;
use crate::net::{Extent, Which};
use crate::policy::{Beliefs, Moment, Policy};
use crate::posterior::Posterior;
use crate::replay::{Ending, Gathered, Ring};
use crate::returns::{Backup, Mixture};
use crate::rng::Stream;
use crate::value::ValueNetwork;

/// What making targets looks at.
pub struct Sources<'a> {
    /// The value network, online and target.
    pub value: &'a mut ValueNetwork,
    /// The policy, which draws next actions.
    pub policy: &'a dyn Policy,
    /// The posterior, which draws parameters.
    pub posterior: &'a mut Posterior,
    /// Local uncertainty, which stands beside the network's.
    pub local: &'a mut Local,
    /// Random numbers for next actions and samples.
    pub stream: &'a mut Stream,
    /// Environment steps so far.
    pub step: u64,
}

/// The newest transition and the action that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// Its slot in the ring.
    pub slot: u32,
    /// The next action as taken; none where the episode was cut off.
    pub next_action: Option<u8>,
}

/// One step of one sample's trace.
#[derive(Clone, Copy)]
struct TraceStep {
    reward: f32,
    /// The row of its next state among those evaluated; none where the task ended.
    row: Option<usize>,
}

/// Makes targets, in two steps: the traces of a batch are [followed](Targets::follow) once, and every member of
/// an ensemble [makes](Targets::make) its own targets of them. Keeps its buffers from batch to batch.
pub struct Targets {
    gamma: f64,
    lambda: f64,
    /// Steps of a trace: 1 for one-step targets.
    horizon: usize,
    backup: BackupKind,
    decider: Decider,
    masks: usize,
    probability_draws: usize,

    steps: Vec<TraceStep>,
    /// By sample: where its steps begin.
    starts: Vec<usize>,
    next: Gathered,
    /// By row: the next action, once known.
    actions: Vec<Option<u8>>,
    /// By row: whether it is the first of its sample's trace.
    first: Vec<bool>,
    taken: Vec<u8>,
    /// Split backup, by row: the action with the best mean.
    best: Vec<u8>,
    beliefs: Vec<f32>,
    values: Vec<f32>,
    /// Split backup, by row: the beliefs that give the mean.
    means: Vec<f32>,
    /// Expected backup, by row: the policy's probabilities.
    probabilities: Vec<f32>,
    /// By row: the parts of the mixture at the next state, and their weights.
    parts: Vec<f32>,
    weights: Vec<f32>,
    terminal: Vec<f32>,
    trace: Vec<f32>,
}

impl Targets {
    /// Targets as `config` asks for.
    pub fn new(config: &Config) -> Self {
        Targets {
            gamma: config.gamma,
            lambda: config.lambda,
            horizon: if config.lambda > 0.0 { config.trace_steps } else { 1 },
            backup: config.backup,
            decider: config.decider,
            masks: config.mc_samples,
            probability_draws: config.probability_draws,
            steps: Vec::new(),
            starts: Vec::new(),
            next: Gathered::default(),
            actions: Vec::new(),
            first: Vec::new(),
            taken: Vec::new(),
            best: Vec::new(),
            beliefs: Vec::new(),
            values: Vec::new(),
            means: Vec::new(),
            probabilities: Vec::new(),
            parts: Vec::new(),
            weights: Vec::new(),
            terminal: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// Writes the target of each slot that was [followed](Targets::follow), as the network of `sources` sees it.
    pub fn make(&mut self, sources: &mut Sources<'_>, out: &mut [f32]) {
        self.make_room(sources.value);
        self.decide(sources);
        self.evaluate(sources);
        self.propagate(sources, out);
    }

    /// Takes room for as many next states as there can be at once. How many there are changes from batch to
    /// batch, and later batches would allocate.
    fn make_room(&mut self, value: &ValueNetwork) {
        let rows = self.starts.len().saturating_sub(1) * self.horizon;
        let (shape, width) = (value.net.shape(), value.model.outputs());
        let actions = if self.backup == BackupKind::Expected { shape.actions } else { 1 };
        room(&mut self.taken, rows);
        room(&mut self.best, rows);
        room(&mut self.means, rows * width);
        room(&mut self.beliefs, rows * shape.actions * width);
        room(&mut self.values, rows * shape.actions * width);
        room(&mut self.probabilities, rows * shape.actions);
        room(&mut self.parts, rows * self.masks * actions * width);
        room(&mut self.weights, rows * self.masks * actions);
    }

    /// Follows the trace of each slot and lists the next states that need a value. Next actions will be drawn
    /// from the policy, but for `fresh`, whose own is used.
    pub fn follow(&mut self, slots: &[u32], fresh: Option<Fresh>, ring: &Ring) {
        self.steps.clear();
        self.starts.clear();
        self.next.clear();
        self.actions.clear();
        self.first.clear();
        let most = slots.len() * self.horizon;
        room(&mut self.steps, most);
        room(&mut self.starts, slots.len() + 1);
        room(&mut self.actions, most);
        room(&mut self.first, most);
        match ring.width() {
            0 => room(&mut self.next.indices, most),
            width => room(&mut self.next.numbers, most * width),
        }
        for &start in slots {
            self.starts.push(self.steps.len());
            let first_row = self.actions.len();
            let mut slot = Some(start);
            for _ in 0..self.horizon {
                let Some(at) = slot else { break };
                let transition = ring.get(at);
                let row = (transition.ending != Ending::Terminated).then(|| {
                    self.next.push(transition.next);
                    self.first.push(self.actions.len() == first_row);
                    let known = fresh.filter(|fresh| fresh.slot == at).and_then(|fresh| fresh.next_action);
                    self.actions.push(known.filter(|_| self.backup == BackupKind::Sarsa));
                    self.actions.len() - 1
                });
                self.steps.push(TraceStep { reward: transition.reward, row });
                slot = ring.following(at);
            }
        }
        self.starts.push(self.steps.len());
    }

    /// Decides the next action of every row, or its probabilities.
    fn decide(&mut self, sources: &mut Sources<'_>) {
        let Sources { value, policy, posterior, local, stream, step, .. } = sources;
        let rows = self.actions.len();
        if rows == 0 {
            return;
        }
        let (count, width) = (value.net.shape().actions, value.model.outputs());
        self.beliefs.resize(rows * count * width, 0.0);
        let masks = posterior.for_batch(value.net.shape(), Extent::AllActions, rows);
        let which = match self.decider {
            Decider::Online => Which::Online,
            Decider::Target => Which::Target,
        };
        value.beliefs(which, self.next.as_rows(), None, masks, &mut self.beliefs);
        local.widen(&*value.model, self.next.as_rows(), None, &mut self.beliefs);

        self.taken.clear();
        self.best.clear();
        self.probabilities.clear();
        let mut moment = Moment { step: *step, index: None };
        for (row, parameters) in self.beliefs.chunks_exact(count * width).enumerate() {
            let beliefs = Beliefs { model: &*value.model, parameters };
            if self.first[row] {
                moment.index = policy.draw_index(stream);
            }
            match self.backup {
                BackupKind::Sarsa => {
                    let action = self.actions[row];
                    let drawn = || policy.choose(beliefs, moment, stream) as u8;
                    self.taken.push(action.unwrap_or_else(drawn));
                }
                BackupKind::Max => self.taken.push(beliefs.greedy(stream) as u8),
                BackupKind::Split => {
                    self.taken.push(policy.choose(beliefs, moment, stream) as u8);
                    self.best.push(beliefs.greedy(stream) as u8);
                }
                BackupKind::Expected => {
                    let start = self.probabilities.len();
                    self.probabilities.resize(start + count, 0.0);
                    let probabilities = &mut self.probabilities[start..];
                    // A committed index leaves one action; the expectation is over the indices.
                    let moment = Moment { index: None, ..moment };
                    policy.probabilities(beliefs, moment, self.probability_draws, stream, probabilities);
                }
            }
        }
    }

    /// Fills `parts` and `weights`: for each row, the target network's beliefs under each mask (and, for
    /// the expected backup, for each action).
    fn evaluate(&mut self, sources: &mut Sources<'_>) {
        let Sources { value, posterior, local, .. } = sources;
        let rows = self.actions.len();
        if rows == 0 {
            return;
        }
        let (count, width) = (value.net.shape().actions, value.model.outputs());
        let expected = self.backup == BackupKind::Expected;
        let every_action = expected || self.backup == BackupKind::Split;
        let share = 1.0 / self.masks as f32;
        self.weights.clear();
        if expected {
            for row in self.probabilities.chunks_exact(count) {
                for _ in 0..self.masks {
                    self.weights.extend(row.iter().map(|probability| probability * share));
                }
            }
        } else {
            self.weights.resize(rows * self.masks, share);
        }
        let part = if expected { count * width } else { width };
        self.parts.resize(rows * self.masks * part, 0.0);
        for mask in 0..self.masks {
            // The pass in which the target network decided has the values already.
            let reuse = mask == 0 && self.decider == Decider::Target;
            let taken = (!every_action && !reuse).then_some(&self.taken[..]);
            if !reuse {
                let extent = if every_action { Extent::AllActions } else { Extent::TakenAction };
                let masks = posterior.for_batch(value.net.shape(), extent, rows);
                let next = self.next.as_rows();
                self.values.resize(rows * width * taken.map_or(count, |_| 1), 0.0);
                value.beliefs(Which::Target, next, taken, masks, &mut self.values);
                local.widen(&*value.model, next, taken, &mut self.values);
            }
            let other_mask = self.backup == BackupKind::Split && posterior.has_masks();
            if other_mask {
                // The best mean under one mask is too high by that mask's noise, and a loop of states would feed
                // it back for ever: the mean comes from another mask than the one that chose it.
                let masks = posterior.for_batch(value.net.shape(), Extent::TakenAction, rows);
                self.means.resize(rows * width, 0.0);
                let (next, best) = (self.next.as_rows(), Some(&self.best[..]));
                value.beliefs(Which::Target, next, best, masks, &mut self.means);
                local.widen(&*value.model, next, best, &mut self.means);
            }
            let values = if reuse { &self.beliefs } else { &self.values };
            let parts = self.parts.chunks_exact_mut(self.masks * part);
            for (row, (parts, values)) in parts.zip(values.chunks_exact(values.len() / rows)).enumerate() {
                let out = &mut parts[mask * part..][..part];
                let of = |action: u8| &values[usize::from(action) * width..][..width];
                match self.backup {
                    BackupKind::Expected => out.copy_from_slice(values),
                    BackupKind::Split => {
                        out.copy_from_slice(of(self.taken[row]));
                        let best =
                            if other_mask { &self.means[row * width..][..width] } else { of(self.best[row]) };
                        value.model.recentre(out, best);
                    }
                    _ if taken.is_some() => out.copy_from_slice(values),
                    _ => out.copy_from_slice(of(self.taken[row])),
                }
            }
        }
    }

    /// Sends the beliefs back along each trace.
    fn propagate(&mut self, sources: &mut Sources<'_>, out: &mut [f32]) {
        let Sources { value, stream, .. } = sources;
        let model = &*value.model;
        let rows = self.actions.len().max(1);
        let (weights, parts) = (self.weights.len() / rows, self.parts.len() / rows);
        self.terminal.resize(model.outputs(), 0.0);
        model.terminal(&mut self.terminal);
        self.trace.resize(model.target_width(), 0.0);
        for (target, span) in out.chunks_exact_mut(model.target_width()).zip(self.starts.windows(2)) {
            for (steps_on, step) in self.steps[span[0]..span[1]].iter().rev().enumerate() {
                let next = match step.row {
                    None => Mixture { weights: &[1.0], parameters: &self.terminal },
                    Some(row) => Mixture {
                        weights: &self.weights[row * weights..][..weights],
                        parameters: &self.parts[row * parts..][..parts],
                    },
                };
                self.trace.copy_from_slice(target);
                let trace = (steps_on > 0).then_some((self.lambda, &self.trace[..]));
                let backup = Backup { reward: f64::from(step.reward), gamma: self.gamma, next, trace };
                model.propagate(&backup, stream, target);
            }
        }
    }
}

/// Takes room for `count` values at once.
fn room<T>(list: &mut Vec<T>, count: usize) {
    list.reserve(count.saturating_sub(list.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{LocalKind, PolicyKind, PosteriorKind, ReturnKind, Scope};
    use crate::net::{Input, Rows};
    use crate::policy::policy;
    use crate::replay::Transition;
    use duvn_envs::{Observation, Space};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Three transitions from state 0 to state 1 with reward 2: one that goes on, one that ends the task,
    /// one that is cut off. Gives their targets, and what the target network says of state 1.
    fn targets(config: &Config, seed: u64, next_action: Option<u8>) -> (Vec<f32>, Vec<f32>) {
        let mut stream = Stream::new(seed, "test");
        let mut value = ValueNetwork::new(config, Input::OneHot(2), 2, &mut stream).unwrap();
        let mut ring = Ring::new(3, 0);
        for ending in [Ending::Terminated, Ending::Truncated, Ending::No] {
            let (observation, next) = (Observation::Index(0), Observation::Index(1));
            ring.push(&Transition { observation, action: 0, reward: 2.0, next, ending, members: 1 });
        }
        let mut sources = Sources {
            value: &mut value,
            policy: &*policy(config),
            posterior: &mut Posterior::new(config, Stream::new(0, "masks")),
            local: &mut Local::new(config, &Space::Discrete(2), 2, &mut stream),
            stream: &mut Stream::new(0, "backing up"),
            step: 0,
        };
        let width = sources.value.model.target_width();
        let mut out = vec![0.0; 3 * width];
        let mut makes = Targets::new(config);
        makes.follow(&[0, 1, 2], Some(Fresh { slot: 2, next_action }), &ring);
        makes.make(&mut sources, &mut out);
        let mut beliefs = vec![0.0; 2 * value.model.outputs()];
        value.beliefs(Which::Target, Rows::Index(&[1]), None, None, &mut beliefs);
        (out, beliefs)
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
        let config = Config { lambda: 0.5, ..Config::default() };
        let mut stream = Stream::new(0, "test");
        let mut ring = Ring::new(3, 0);
        for ending in [Ending::No, Ending::No, Ending::Terminated] {
            let (observation, next) = (Observation::Index(0), Observation::Index(1));
            ring.push(&Transition { observation, action: 0, reward: 2.0, next, ending, members: 1 });
        }
        let policy = Counting::default();
        let mut sources = Sources {
            value: &mut ValueNetwork::new(&config, Input::OneHot(2), 2, &mut stream).unwrap(),
            policy: &policy,
            posterior: &mut Posterior::new(&config, Stream::new(0, "masks")),
            local: &mut Local::new(&config, &Space::Discrete(2), 2, &mut stream),
            stream: &mut Stream::new(0, "backing up"),
            step: 0,
        };
        let mut makes = Targets::new(&config);
        // Two next states, one, and none: the trace of the last sample is over at once.
        makes.follow(&[0, 1, 2], None, &ring);
        makes.make(&mut sources, &mut [0.0; 3]);
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
        let decided_by_sign =
            |(_, b): &(Vec<f32>, Vec<f32>)| (b[0] - b[2]).abs() < 0.01 * (b[1] - b[3]).abs();
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
        let apart =
            |(_, beliefs): &(Vec<f32>, Vec<f32>)| (beliefs[0] > beliefs[2]) != (beliefs[1] > beliefs[3]);
        let (out, beliefs) = (0..50).map(|seed| targets(&config, seed, None)).find(apart).unwrap();
        let (mu, sigma) = (beliefs[0].max(beliefs[2]), beliefs[1].max(beliefs[3]));
        assert!(close(out[2], 2.0 + 0.5 * mu) && close(out[3], 0.5 * sigma), "{out:?} {beliefs:?}");
    }
}
