//! Freezing an agent and going on from where it was, to the bit.

use super::{Agent, Counters, Episode};
use crate::local::Local;
use crate::net::{LoadError, Part, Tensor};
use crate::posterior::Draws;
use crate::replay::Replay;
use crate::rng::Stream;
use duvn_envs::{StateError, freeze, thaw};
use serde::{Deserialize, Serialize};

/// Everything that decides an agent's future: its networks as named tensors, and the rest as bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Weights, target weights and Adam's moments of every network; names begin with the network's number
    /// and the part: `0/online/`.
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
    (Part::Online, "online"),
    (Part::Target, "target"),
    (Part::AdamMean, "adam_mean"),
    (Part::AdamVariance, "adam_variance"),
];

/// What is not a tensor.
#[derive(Serialize, Deserialize)]
struct State {
    adam_steps: u64,
    counters: Counters,
    replay: Replay,
    posterior: Draws,
    local: Local,
    acting: Stream,
    sampling: Stream,
    backing_up: Stream,
    bootstrapping: Stream,
    episode: Episode,
}

impl Agent {
    /// Everything that decides its future.
    pub fn snapshot(&self) -> Snapshot {
        let mut tensors = Vec::new();
        for (member, value) in self.values.iter().enumerate() {
            for (part, name) in PARTS {
                tensors.extend(value.net.tensors(part).into_iter().map(|mut tensor| {
                    tensor.name.insert_str(0, &prefix(member, name));
                    tensor
                }));
            }
        }
        let state = State {
            adam_steps: self.values[0].net.steps(),
            counters: self.counters,
            replay: self.replay.clone(),
            posterior: self.posterior.draws().clone(),
            local: self.local.clone(),
            acting: self.acting.clone(),
            sampling: self.sampling.clone(),
            backing_up: self.backing_up.clone(),
            bootstrapping: self.bootstrapping.clone(),
            episode: self.episode.clone(),
        };
        Snapshot { tensors, state: freeze(&state) }
    }

    /// Goes on from a snapshot of an agent made alike. On an error, make the agent anew.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), RestoreError> {
        let state: State = thaw(&snapshot.state)?;
        for (member, value) in self.values.iter_mut().enumerate() {
            for (part, name) in PARTS {
                let prefix = prefix(member, name);
                let strip = |tensor: &Tensor| {
                    let name = tensor.name.strip_prefix(&prefix)?.to_string();
                    Some(Tensor { name, ..tensor.clone() })
                };
                let tensors: Vec<_> = snapshot.tensors.iter().filter_map(strip).collect();
                value.net.load(part, &tensors)?;
            }
            value.net.set_steps(state.adam_steps);
        }
        self.counters = state.counters;
        self.replay = state.replay;
        self.posterior.restore(state.posterior, self.values[0].net.shape());
        self.local = state.local;
        self.acting = state.acting;
        self.sampling = state.sampling;
        self.backing_up = state.backing_up;
        self.bootstrapping = state.bootstrapping;
        self.episode = state.episode;
        Ok(())
    }
}

fn prefix(member: usize, part: &str) -> String {
    format!("{member}/{part}/")
}
