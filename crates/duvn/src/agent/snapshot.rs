//! Freezing an agent and going on from where it was, to the bit.

use super::{Agent, Counters, Episode};
use crate::net::{LoadError, Part, Tensor};
use crate::posterior::PosteriorState;
use crate::replay::Replay;
use crate::rng::Stream;
use duvn_envs::{StateError, freeze, thaw};
use serde::{Deserialize, Serialize};

/// Everything that decides an agent's future: its networks as named tensors, and the rest as bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Weights, target weights and Adam's moments; names begin with the part they belong to.
    pub tensors: Vec<Tensor>,
    /// Memory, random numbers, counters, and where it stands in its episode.
    pub state: Vec<u8>,
}

/// Why an agent cannot go on from a snapshot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RestoreError {
    /// A tensor is missing or does not fit.
    #[error("the snapshot is of another network: {0}")]
    Tensor(#[from] LoadError),
    /// The state does not fit.
    #[error(transparent)]
    State(#[from] StateError),
}

const PARTS: [(Part, &str); 4] = [
    (Part::Online, "online/"),
    (Part::Target, "target/"),
    (Part::AdamMean, "adam_mean/"),
    (Part::AdamVariance, "adam_variance/"),
];

/// What is not a tensor.
#[derive(Serialize, Deserialize)]
struct State {
    adam_steps: u64,
    counters: Counters,
    replay: Replay,
    posterior: PosteriorState,
    acting: Stream,
    sampling: Stream,
    backing_up: Stream,
    episode: Episode,
}

impl Agent {
    /// Everything that decides its future.
    pub fn snapshot(&self) -> Snapshot {
        let named = |(part, prefix): (Part, &str)| {
            let mut tensors = self.value.net.tensors(part);
            tensors.iter_mut().for_each(|tensor| tensor.name.insert_str(0, prefix));
            tensors
        };
        let state = State {
            adam_steps: self.value.net.steps(),
            counters: self.counters,
            replay: self.replay.clone(),
            posterior: self.posterior.state(),
            acting: self.acting.clone(),
            sampling: self.sampling.clone(),
            backing_up: self.backing_up.clone(),
            episode: self.episode.clone(),
        };
        Snapshot { tensors: PARTS.into_iter().flat_map(named).collect(), state: freeze(&state) }
    }

    /// Goes on from a snapshot of an agent made alike. On an error, make the agent anew.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), RestoreError> {
        let state: State = thaw(&snapshot.state)?;
        for (part, prefix) in PARTS {
            let strip = |tensor: &Tensor| {
                let name = tensor.name.strip_prefix(prefix)?.to_string();
                Some(Tensor { name, ..tensor.clone() })
            };
            let tensors: Vec<_> = snapshot.tensors.iter().filter_map(strip).collect();
            self.value.net.load(part, &tensors)?;
        }
        self.value.net.set_steps(state.adam_steps);
        self.counters = state.counters;
        self.replay = state.replay;
        self.posterior.restore(state.posterior, self.value.net.shape());
        self.acting = state.acting;
        self.sampling = state.sampling;
        self.backing_up = state.backing_up;
        self.episode = state.episode;
        Ok(())
    }
}
