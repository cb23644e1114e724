//! What the agent remembers: a ring of transitions, and the paper's queue of those that surprised it most.

mod queue;
mod ring;

pub use queue::Queue;
pub use ring::{Ending, Gathered, Ring, Transition};

use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// The ring and the queue together (paper, App. E): a share of the samples comes from the top of a queue
/// ordered by the last temporal-difference error, the others from the whole ring, evenly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    ring: Ring,
    queue: Queue,
    prioritised: f64,
}

impl Replay {
    /// Room for `capacity` transitions whose observations are `width` numbers (0: an index).
    pub fn new(capacity: usize, width: usize, prioritised: f64) -> Self {
        Replay { ring: Ring::new(capacity, width), queue: Queue::new(capacity), prioritised }
    }

    /// The transitions themselves.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Remembers a transition, in the place of the oldest where there is no room. It follows the one in the slot
    /// `after`, if there is one; its own slot is returned.
    pub fn push(&mut self, transition: &Transition<'_>, after: Option<u32>) -> u32 {
        let slot = self.ring.push(transition, after);
        self.queue.remove(slot);
        slot
    }

    /// The episode of the transition in `slot` was given up after it.
    pub fn cut_off(&mut self, slot: u32, episode: u64) {
        self.ring.cut_off(slot, episode);
    }

    /// Fills `slots` with places of the ring. What comes from the queue leaves it until
    /// [`learnt`](Self::learnt) puts it back in order.
    pub fn sample(&mut self, slots: &mut [u32], stream: &mut Stream) {
        for slot in slots {
            let from_queue = self.prioritised > 0.0 && stream.uniform() < self.prioritised;
            *slot = match if from_queue { self.queue.pop() } else { None } {
                Some(slot) => slot,
                None => stream.below(self.ring.len()) as u32,
            };
        }
    }

    /// Takes down the temporal-difference error with which a transition was last trained on.
    pub fn learnt(&mut self, slot: u32, temporal_difference: f32) {
        if self.prioritised > 0.0 {
            self.queue.set(slot, temporal_difference);
        }
    }
}
