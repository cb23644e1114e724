//! What of a learner has to be kept to go on from it.

use super::{Counters, Learner, Pending};
use crate::actor::{Actor, Phase};
use crate::config::Scope;
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

/// What of a learner is not in its posterior's tensors.
#[derive(Serialize, Deserialize)]
pub(crate) struct LearnerState {
    posterior: Vec<u8>,
    local: Local,
    replay: Replay,
    source: Source,
    sampling: Stream,
    backing_up: Stream,
    counters: Counters,
    episodes: u64,
    pending: Vec<Pending>,
    rewards: Option<(f64, f64)>,
    earned: Earned,
    loops: Loops,
}

impl LearnerState {
    /// Leaves out what is remembered.
    pub(crate) fn forget(&mut self) {
        self.replay.clear();
        self.pending.clear();
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
        let Counters { steps, updates, .. } = state.counters;
        let remembered = |slot: u32| (slot as usize) < state.replay.ring().len();
        if steps.max(updates).max(state.episodes) > MOST
            || !state.earned.is_sound()
            || !state.pending.iter().all(|pending| remembered(pending.slot))
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
            source: self.source.clone(),
            sampling: self.sampling.clone(),
            backing_up: self.backing_up.clone(),
            counters: self.counters,
            episodes: self.episodes,
            pending: self.pending.clone(),
            rewards: self.rewards,
            earned: self.earned,
            loops: self.loops,
        }
    }

    pub(crate) fn restore(&mut self, tensors: &[Tensor], state: LearnerState) -> Result<(), RestoreError> {
        self.axes.posterior.load(tensors)?;
        self.axes.posterior.thaw(&state.posterior)?;
        self.local = state.local;
        self.replay = state.replay;
        self.source = state.source;
        self.sampling = state.sampling;
        self.backing_up = state.backing_up;
        self.counters = state.counters;
        self.episodes = state.episodes;
        self.pending.clear();
        self.pending.extend(state.pending);
        self.rewards = state.rewards;
        self.earned = state.earned;
        self.loops = state.loops;
        self.axes.returns.see_returns(self.earned.bounds());
        Ok(())
    }
}
