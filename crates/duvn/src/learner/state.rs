//! What of a learner has to be kept to go on from it.

use super::{Counters, Learner, Pending};
use crate::actor::{Actor, Phase};
use crate::config::{CheckedConfig, LoopKind, Scope};
use crate::earned::Earned;
use crate::error::RestoreError;
use crate::local::Local;
use crate::loops::Loops;
use crate::net::{Input, Tensor};
use crate::posterior::Source;
use crate::replay::{Gathered, Replay};
use crate::rng::Stream;
use duvn_envs::StateError;
use serde::{Deserialize, Serialize};

/// How many steps can wait to be learnt from: those of a turn, or those of an epoch, which are all remembered.
fn most_pending(config: &CheckedConfig) -> usize {
    match config.train_episodes {
        0 => config.actors,
        _ => config.replay + config.actors,
    }
}

/// How far a learner has come: where its random numbers are, what it has counted, and what waits to be learnt from.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Course {
    pub(super) source: Source,
    pub(super) sampling: Stream,
    pub(super) backing_up: Stream,
    pub(super) counters: Counters,
    /// Episodes begun.
    pub(super) episodes: u64,
    pub(super) pending: Vec<Pending>,
    /// The least and the greatest reward seen.
    pub(super) rewards: Option<(f64, f64)>,
    pub(super) earned: Earned,
    pub(super) loops: Loops,
}

impl Course {
    pub(super) fn new(config: &CheckedConfig, seed: u64) -> Self {
        Course {
            source: Source::new(Stream::new(seed, "parameters")),
            sampling: Stream::new(seed, "sampling"),
            backing_up: Stream::new(seed, "backing up"),
            counters: Counters::default(),
            episodes: 0,
            pending: Vec::with_capacity(most_pending(config)),
            rewards: None,
            earned: Earned::default(),
            loops: Loops::new(config.loops != LoopKind::Ignore),
        }
    }

    /// Goes on from another one, with the room that there is for what waits.
    fn resume(&mut self, other: Course) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.clear();
        pending.extend_from_slice(&other.pending);
        *self = Course { pending, ..other };
    }
}

/// What of a learner is not in its posterior's tensors.
#[derive(Serialize, Deserialize)]
pub(crate) struct LearnerState {
    posterior: Vec<u8>,
    local: Local,
    replay: Replay,
    course: Course,
}

impl LearnerState {
    /// Leaves out what is remembered.
    pub(crate) fn forget(&mut self) {
        self.replay.clear();
        self.course.pending.clear();
    }

    #[cfg(test)]
    pub(crate) fn replay(&self) -> &Replay {
        &self.replay
    }
}

/// No run counts this far; what says so was not written by one.
const MOST: u64 = 1 << 62;

/// Whether one observation was gathered, for a network with this input.
fn seen_once(seen: &Gathered, input: Input) -> bool {
    match input {
        Input::OneHot(states) => {
            matches!(seen.indices[..], [index] if (index as usize) < states) && seen.numbers.is_empty()
        }
        Input::Dense(width) => seen.indices.is_empty() && seen.numbers.len() == width,
    }
}

impl Learner {
    /// Whether what was read is something that a learner like this one, with actors like `actors`, can have come to.
    /// The parts of a state depend on each other: a file that was made by someone else must not lead beyond a list.
    pub(crate) fn takes(&self, state: &LearnerState, actors: &[Actor]) -> Result<(), StateError> {
        let (shape, misfit) =
            (self.axes.posterior.shape(), |what: &str| Err(StateError::Misfit(what.into())));
        let states = match shape.input {
            Input::OneHot(states) => states,
            Input::Dense(_) => 0,
        };
        if !self.replay.takes(&state.replay, states, shape.actions) {
            return misfit("its memory is not one of such an agent");
        }
        if !self.local.takes(&state.local) {
            return misfit("its visits are not those of such an agent");
        }
        let Counters { steps, updates, .. } = state.course.counters;
        let remembered = |slot: u32| (slot as usize) < state.replay.ring().len();
        if steps.max(updates).max(state.course.episodes) > MOST
            || !state.course.earned.is_sound()
            || !state.course.pending.iter().all(|pending| remembered(pending.slot))
        {
            return misfit("it counts what cannot be");
        }
        let stands = |actor: &Actor| {
            // Parameters that are drawn for each step are not there before its decision.
            let undrawn = actor.phase == Phase::Deciding && self.config.parameter_scope == Scope::Step;
            let drawn = undrawn || self.axes.posterior.takes(&actor.draw);
            (actor.phase == Phase::Idle || (drawn && seen_once(&actor.seen, shape.input)))
                && actor.last.is_none_or(remembered)
                && usize::from(actor.action) < shape.actions
                && actor.episode <= MOST
                && actor.rewards.is_sound()
        };
        if actors.iter().all(stands) { Ok(()) } else { misfit("its actors are not those of such an agent") }
    }

    /// Everything but the posterior's tensors.
    pub(crate) fn state(&self) -> LearnerState {
        LearnerState {
            posterior: self.axes.posterior.freeze(),
            local: self.local.clone(),
            replay: self.replay.clone(),
            course: self.course.clone(),
        }
    }

    pub(crate) fn restore(&mut self, tensors: &[Tensor], state: LearnerState) -> Result<(), RestoreError> {
        self.axes.posterior.load(tensors)?;
        self.axes.posterior.thaw(&state.posterior)?;
        self.local = state.local;
        self.replay = state.replay;
        self.course.resume(state.course);
        self.axes.returns.see_returns(self.course.earned.bounds());
        Ok(())
    }
}
