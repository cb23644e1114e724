//! What the agent remembers: a ring of transitions, and the paper's queue of those that surprised it most.

mod queue;
mod ring;
mod traces;

pub use queue::Queue;
pub use ring::{Ending, Gathered, Ring, Transition};

pub use crate::config::ReplayUnit;
use crate::rng::Stream;
use serde::{Deserialize, Serialize};
use traces::Traces;

/// The ring and the queue together (paper, App. E): a share of the samples comes from the top of a queue
/// ordered by the last temporal-difference error, the others from the whole ring, evenly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    ring: Ring,
    /// Of slots of the ring, or of traces where these are the unit.
    queue: Queue,
    prioritised: f64,
    traces: Option<Traces>,
}

impl Replay {
    /// Room for `capacity` transitions whose observations are `width` numbers (0: an index).
    pub fn new(capacity: usize, width: usize, prioritised: f64, unit: ReplayUnit) -> Self {
        let traces = (unit == ReplayUnit::Trace).then(|| Traces::new(capacity));
        Replay { ring: Ring::new(capacity, width), queue: Queue::new(capacity), prioritised, traces }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let (capacity, width) = (self.ring.capacity(), self.ring.width());
        let unit = if self.traces.is_some() { ReplayUnit::Trace } else { ReplayUnit::Transition };
        *self = Replay::new(capacity, width, self.prioritised, unit);
    }

    /// The transitions themselves.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Remembers a transition, in the place of the oldest where there is no room. It follows the one in the slot
    /// `after`, if there is one; its own slot is returned.
    pub fn push(&mut self, transition: &Transition<'_>, after: Option<u32>) -> u32 {
        if let Some(traces) = &mut self.traces {
            if let Some(gone) = traces.give_up(self.ring.next_slot(), &self.ring) {
                self.queue.remove(gone);
            }
            let slot = self.ring.push(transition, after);
            traces.come(slot, after.filter(|&after| self.ring.following(after) == Some(slot)));
            return slot;
        }
        let slot = self.ring.push(transition, after);
        self.queue.remove(slot);
        slot
    }

    /// The episode of the transition in `slot` was given up after it.
    pub fn cut_off(&mut self, slot: u32, episode: u64) {
        self.ring.cut_off(slot, episode);
    }

    /// Whether what was read can stand in the place of `self`: see [`Ring::takes`].
    pub(crate) fn takes(&self, other: &Replay, states: usize, actions: usize) -> bool {
        self.prioritised == other.prioritised
            && self.ring.takes(&other.ring, states, actions)
            && other.queue.is_sound(other.ring.len())
    }

    /// Fills `slots` with places of the ring. What comes from the queue leaves it until
    /// [`learnt`](Self::learnt) puts it back in order.
    pub fn sample(&mut self, slots: &mut [u32], stream: &mut Stream) {
        let Self { ring, queue, prioritised, traces } = self;
        if let Some(traces) = traces {
            return traces.fill(slots, ring, |traces| {
                let from_queue = *prioritised > 0.0 && stream.uniform() < *prioritised;
                let surprising = if from_queue { queue.pop() } else { None };
                surprising.unwrap_or_else(|| traces.any(stream))
            });
        }
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
        if self.prioritised == 0.0 {
            return;
        }
        match &mut self.traces {
            None => self.queue.set(slot, temporal_difference),
            Some(traces) => {
                if let Some((trace, total)) = traces.learnt(slot, temporal_difference) {
                    self.queue.set(trace, total);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duvn_envs::Observation;

    fn replay(prioritised: f64, count: usize) -> Replay {
        let mut replay = Replay::new(10, 0, prioritised, ReplayUnit::Transition);
        (0..count).for_each(|_| {
            push(&mut replay);
        });
        replay
    }

    fn push(replay: &mut Replay) -> u32 {
        let here = Observation::Index(0);
        let transition = Transition {
            observation: here,
            action: 0,
            reward: 0.0,
            next: here,
            ending: Ending::Terminated,
            episode: 0,
        };
        replay.push(&transition, None)
    }

    #[test]
    fn what_surprised_most_comes_first_and_leaves_the_queue_until_it_is_learnt() {
        let mut replay = replay(1.0, 10);
        for (slot, error) in [(3, 1.0), (7, 5.0), (1, 2.0)] {
            replay.learnt(slot, error);
        }
        let mut slots = [0; 2];
        replay.sample(&mut slots, &mut Stream::new(0, "test"));
        assert_eq!(slots, [7, 1]);
        replay.learnt(7, 0.5);
        replay.sample(&mut slots, &mut Stream::new(0, "test"));
        assert_eq!(slots, [3, 7]);
    }

    #[test]
    fn a_place_that_is_taken_by_another_loses_its_priority() {
        let mut replay = replay(1.0, 10);
        (0..10).for_each(|slot| replay.learnt(slot, if slot == 0 { 9.0 } else { 1.0 }));
        assert_eq!(push(&mut replay), 0, "the oldest gives way");
        let mut slots = [0; 9];
        replay.sample(&mut slots, &mut Stream::new(0, "test"));
        assert_eq!(slots, [1, 2, 3, 4, 5, 6, 7, 8, 9], "the newcomer is not in the queue yet");
    }

    #[test]
    fn the_share_that_is_prioritised_is_the_one_asked_for() {
        for (share, least, most) in [(0.0, 0, 0), (0.25, 2300, 2700), (1.0, 10_000, 10_000)] {
            let mut replay = Replay::new(1000, 0, share, ReplayUnit::Transition);
            (0..1000).for_each(|_| {
                push(&mut replay);
            });
            let mut stream = Stream::new(0, "test");
            let mut from_queue = 0;
            for _ in 0..10_000 {
                // Only slot 999 is in the queue; by chance it comes once in a thousand.
                replay.learnt(999, 1.0);
                let mut slot = [0];
                replay.sample(&mut slot, &mut stream);
                from_queue += usize::from(replay.queue.is_empty());
            }
            let expected = if share == 0.0 { 10_000..=10_000 } else { least..=most };
            assert!(expected.contains(&from_queue), "{share}: {from_queue}");
        }
    }
}
