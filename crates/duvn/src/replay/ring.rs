use duvn_envs::Observation;
use serde::{Deserialize, Serialize};

/// How a transition stands in its episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The episode goes on.
    No,
    /// The task ended: nothing comes after.
    Terminated,
    /// The episode was cut off: the next state has a value, but no next action was taken.
    Truncated,
}

/// One step of experience.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// The state s.
    pub observation: Observation<'a>,
    /// The action a.
    pub action: u8,
    /// The reward r.
    pub reward: f32,
    /// The next state s'.
    pub next: Observation<'a>,
    /// Whether the episode ended with it, and how.
    pub ending: Ending,
    /// The members of an ensemble whose bootstrap sample it belongs to, as bits.
    pub members: u64,
}

/// The last transitions, in the order in which they were made. The oldest gives way to the newest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ring {
    capacity: usize,
    /// Numbers of an observation; 0 where it is an index.
    width: usize,
    newest: Option<u32>,
    observations: Store,
    nexts: Store,
    actions: Vec<u8>,
    rewards: Vec<f32>,
    endings: Vec<Ending>,
    members: Vec<u64>,
}

/// Observations of one kind, one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Store {
    indices: Vec<u32>,
    numbers: Vec<f32>,
}

impl Store {
    fn new(capacity: usize, width: usize) -> Self {
        let indices = if width == 0 { capacity } else { 0 };
        Store { indices: Vec::with_capacity(indices), numbers: Vec::with_capacity(capacity * width) }
    }

    fn put(&mut self, slot: usize, observation: Observation<'_>) {
        match observation {
            Observation::Index(index) => put(&mut self.indices, slot, index as u32),
            Observation::Vector(x) => {
                let start = slot * x.len();
                if start == self.numbers.len() {
                    self.numbers.extend_from_slice(x);
                } else {
                    self.numbers[start..start + x.len()].copy_from_slice(x);
                }
            }
        }
    }
}

fn put<T>(list: &mut Vec<T>, slot: usize, value: T) {
    if slot == list.len() {
        list.push(value);
    } else {
        list[slot] = value;
    }
}

/// A batch of observations, gathered for the network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gathered {
    /// Filled where observations are indices.
    pub indices: Vec<u32>,
    /// Filled where they are vectors.
    pub numbers: Vec<f32>,
}

impl Gathered {
    /// Forgets what was gathered and keeps the room.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.numbers.clear();
    }

    /// Adds one observation.
    pub fn push(&mut self, observation: Observation<'_>) {
        match observation {
            Observation::Index(index) => self.indices.push(index as u32),
            Observation::Vector(numbers) => self.numbers.extend_from_slice(numbers),
        }
    }
}

impl Ring {
    /// Room for `capacity` transitions whose observations are `width` numbers (0: an index).
    pub fn new(capacity: usize, width: usize) -> Self {
        Ring {
            capacity,
            width,
            newest: None,
            observations: Store::new(capacity, width),
            nexts: Store::new(capacity, width),
            actions: Vec::with_capacity(capacity),
            rewards: Vec::with_capacity(capacity),
            endings: Vec::with_capacity(capacity),
            members: Vec::with_capacity(capacity),
        }
    }

    /// Numbers of an observation; 0 where it is an index.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many transitions are remembered.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The slot of the newest transition.
    pub fn newest(&self) -> Option<u32> {
        self.newest
    }

    /// Remembers a transition; returns its slot.
    pub fn push(&mut self, transition: &Transition<'_>) -> u32 {
        let slot = self.newest.map_or(0, |newest| (newest as usize + 1) % self.capacity);
        self.observations.put(slot, transition.observation);
        self.nexts.put(slot, transition.next);
        put(&mut self.actions, slot, transition.action);
        put(&mut self.rewards, slot, transition.reward);
        put(&mut self.endings, slot, transition.ending);
        put(&mut self.members, slot, transition.members);
        self.newest = Some(slot as u32);
        slot as u32
    }

    /// The transition in a slot.
    pub fn get(&self, slot: u32) -> Transition<'_> {
        let slot = slot as usize;
        Transition {
            observation: self.see(&self.observations, slot),
            action: self.actions[slot],
            reward: self.rewards[slot],
            next: self.see(&self.nexts, slot),
            ending: self.endings[slot],
            members: self.members[slot],
        }
    }

    fn see<'a>(&self, store: &'a Store, slot: usize) -> Observation<'a> {
        if self.width == 0 {
            return Observation::Index(store.indices[slot] as usize);
        }
        Observation::Vector(&store.numbers[slot * self.width..(slot + 1) * self.width])
    }

    /// The slot of the transition that followed in the same episode, if it did and is remembered.
    pub fn following(&self, slot: u32) -> Option<u32> {
        if self.newest == Some(slot) || self.endings[slot as usize] != Ending::No {
            return None;
        }
        Some(((slot as usize + 1) % self.capacity) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(ring: &mut Ring, state: usize, ending: Ending) -> u32 {
        let (observation, next) = (Observation::Index(state), Observation::Index(state + 1));
        ring.push(&Transition { observation, action: 0, reward: state as f32, next, ending, members: 1 })
    }

    #[test]
    fn the_oldest_gives_way_and_episodes_are_followed_across_the_seam() {
        let mut ring = Ring::new(4, 0);
        for state in 0..5 {
            push(&mut ring, state, if state == 2 { Ending::Terminated } else { Ending::No });
        }
        assert_eq!((ring.len(), ring.newest()), (4, Some(0)));
        assert_eq!(ring.get(0).observation, Observation::Index(4));
        assert_eq!(ring.following(1), Some(2));
        assert_eq!(ring.following(2), None, "the episode ended");
        assert_eq!(ring.following(3), Some(0), "across the seam");
        assert_eq!(ring.following(0), None, "nothing newer");
    }

    #[test]
    fn vectors_come_back_as_they_went_in() {
        let mut ring = Ring::new(2, 2);
        for step in 0..3 {
            let x = step as f32;
            ring.push(&Transition {
                observation: Observation::Vector(&[x, x + 0.5]),
                action: step,
                reward: x,
                next: Observation::Vector(&[x + 1.0, x + 1.5]),
                ending: Ending::No,
                members: 1,
            });
        }
        assert_eq!(ring.get(0).observation, Observation::Vector(&[2.0, 2.5]));
        assert_eq!(ring.get(1).next, Observation::Vector(&[2.0, 2.5]));
    }
}
