//! One actor: where it stands in one episode of one environment.

use crate::earned::Rewards;
use crate::loops::Trail;
use crate::posterior::Draw;
use crate::replay::Gathered;
use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// What acts in one environment: what it is committed to, what it saw and what it did. What it knows is the
/// [learner](crate::learner::Learner)'s, which serves any number of actors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Actor {
    pub phase: Phase,
    /// The draw of the parameters that it acts by.
    pub draw: Draw,
    /// The index z that the policy is committed to, if it is.
    pub index: Option<f64>,
    /// What was seen last.
    pub seen: Gathered,
    /// What was chosen on it.
    pub action: u8,
    /// The number of its episode.
    pub episode: u64,
    /// Steps of its episode so far.
    pub steps: u64,
    /// Where the last transition of the episode is remembered, if there is one.
    pub last: Option<u32>,
    /// What the episode has earned so far, where that is asked for.
    pub rewards: Rewards,
    /// Where the episode has been, where that is asked for.
    pub trail: Trail,
    /// Random numbers for its decisions.
    pub acting: Stream,
}

/// What an actor waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// For an episode to begin.
    Idle,
    /// For a decision on what it saw.
    Deciding,
    /// For what comes of its action.
    Acted,
}

impl Actor {
    /// The actor `number` of an agent, before its first episode.
    pub(crate) fn new(seed: u64, number: usize) -> Self {
        let name = if number == 0 { "acting".into() } else { format!("acting {number}") };
        Actor {
            phase: Phase::Idle,
            draw: Draw::default(),
            index: None,
            seen: Gathered::default(),
            action: 0,
            episode: 0,
            steps: 0,
            last: None,
            rewards: Rewards::default(),
            trail: Trail::default(),
            acting: Stream::new(seed, &name),
        }
    }

    /// The action that it has chosen and not yet seen the outcome of.
    pub(crate) fn chosen(&self) -> Option<usize> {
        (self.phase == Phase::Acted).then_some(usize::from(self.action))
    }
}
