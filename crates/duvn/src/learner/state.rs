//! What of a learner has to be kept to go on from it.

use super::{Counters, Learner, Pending};
use crate::agent::RestoreError;
use crate::earned::Earned;
use crate::local::Local;
use crate::loops::Loops;
use crate::net::Tensor;
use crate::posterior::Source;
use crate::replay::Replay;
use crate::rng::Stream;
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

impl Learner {
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
