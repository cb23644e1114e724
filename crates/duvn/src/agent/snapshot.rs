//! Freezing an agent and going on from where it was, to the bit.

use super::Agent;
use crate::actor::Actor;
use crate::error::RestoreError;
use crate::learner::LearnerState;
use crate::net::Tensor;
use duvn_envs::{freeze, thaw};

/// Everything that decides an agent's future: its networks as named tensors, and the rest as bytes.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// Weights, target weights and Adam's moments of every network; names begin with the network's number
    /// and the part: `0/online/`.
    pub tensors: Vec<Tensor>,
    /// Memory, random numbers, counters, and where its actors stand in their episodes.
    pub state: Vec<u8>,
}

impl Agent {
    /// Everything that decides its future.
    pub fn snapshot(&self) -> Snapshot {
        let state = freeze(&(self.learner.state(), &self.actors));
        Snapshot { tensors: self.posterior().tensors(), state }
    }

    /// Goes on from a snapshot of an agent made alike. On an error, make the agent anew.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), RestoreError> {
        let (state, actors): (LearnerState, Vec<Actor>) = thaw(&snapshot.state)?;
        if actors.len() != self.actors.len() {
            return Err(RestoreError::Actors { found: actors.len(), expected: self.actors.len() });
        }
        self.learner.takes(&state, &actors)?;
        self.learner.restore(&snapshot.tensors, state)?;
        self.actors = actors;
        Ok(())
    }
}
