use crate::net::Rows;
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
    /// The number of its episode, no two of which are alike.
    pub episode: u64,
}

/// The last transitions, in the order in which they were made. The oldest gives way to the newest. Those of several
/// episodes may come in turns: each transition knows which one followed it in its own.
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
    episodes: Vec<u64>,
    /// By slot: where the next transition of the same episode lies, or `NONE`.
    following: Vec<u32>,
}

const NONE: u32 = u32::MAX;

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

    /// As the network takes them.
    pub fn as_rows(&self) -> Rows<'_> {
        if self.numbers.is_empty() { Rows::Index(&self.indices) } else { Rows::Dense(&self.numbers) }
    }

    /// The observation, where only one was gathered.
    pub(crate) fn only(&self) -> Observation<'_> {
        match self.indices.first() {
            Some(&index) => Observation::Index(index as usize),
            None => Observation::Vector(&self.numbers),
        }
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
            episodes: Vec::with_capacity(capacity),
            following: Vec::with_capacity(capacity),
        }
    }

    /// How many transitions it has room for.
    pub fn capacity(&self) -> usize {
        self.capacity
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

    /// The slot that the next transition will take.
    pub(super) fn next_slot(&self) -> u32 {
        self.newest.map_or(0, |newest| ((newest as usize + 1) % self.capacity) as u32)
    }

    /// Remembers a transition, which follows the one in the slot `after`, if there is one; returns its slot.
    pub fn push(&mut self, transition: &Transition<'_>, after: Option<u32>) -> u32 {
        let slot = self.next_slot() as usize;
        self.observations.put(slot, transition.observation);
        self.nexts.put(slot, transition.next);
        put(&mut self.actions, slot, transition.action);
        put(&mut self.rewards, slot, transition.reward);
        put(&mut self.endings, slot, transition.ending);
        put(&mut self.episodes, slot, transition.episode);
        put(&mut self.following, slot, NONE);
        // What came before may have given way to another episode's since, or now, to this one.
        let before = after.map(|after| after as usize).filter(|&after| after != slot);
        if let Some(before) = before.filter(|&before| self.episodes[before] == transition.episode) {
            self.following[before] = slot as u32;
        }
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
            episode: self.episodes[slot],
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
        Some(self.following[slot as usize]).filter(|&following| following != NONE)
    }

    /// Whether a ring that was read can stand in the place of `self`: one of the same measures, whose parts fit each
    /// other, with states among `states` (where they are indices) and one of `actions` actions.
    pub(crate) fn takes(&self, other: &Ring, states: usize, actions: usize) -> bool {
        let count = other.len();
        let held = |store: &Store| {
            let indices = if self.width == 0 { count } else { 0 };
            store.indices.len() == indices
                && store.numbers.len() == count * self.width
                && store.indices.iter().all(|&index| (index as usize) < states)
        };
        let newest = match other.newest {
            None => count == 0,
            Some(newest) => {
                (newest as usize) < count && (count == self.capacity || newest as usize + 1 == count)
            }
        };
        let follows = |(slot, &following): (usize, &u32)| {
            following == NONE
                || (other.episodes.get(following as usize) == Some(&other.episodes[slot])
                    && following as usize != slot)
        };
        (other.capacity, other.width) == (self.capacity, self.width)
            && count <= self.capacity
            && newest
            && [other.rewards.len(), other.endings.len(), other.episodes.len(), other.following.len()]
                == [count; 4]
            && held(&other.observations)
            && held(&other.nexts)
            && other.actions.iter().all(|&action| usize::from(action) < actions)
            && other.following.iter().enumerate().all(follows)
    }

    /// The episode of the transition in `slot` was given up after it: it counts as cut off. Nothing is done where the slot has
    /// gone to another episode since.
    pub fn cut_off(&mut self, slot: u32, episode: u64) {
        let slot = slot as usize;
        if self.episodes[slot] == episode && self.endings[slot] == Ending::No {
            self.endings[slot] = Ending::Truncated;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of `episode` from `state` to the next one.
    fn push(ring: &mut Ring, state: usize, episode: u64, ending: Ending, after: Option<u32>) -> u32 {
        let (observation, next) = (Observation::Index(state), Observation::Index(state + 1));
        let reward = state as f32;
        ring.push(&Transition { observation, action: 0, reward, next, ending, episode }, after)
    }

    #[test]
    fn the_oldest_gives_way_and_episodes_are_followed_across_the_seam() {
        let mut ring = Ring::new(4, 0);
        let mut after = None;
        for state in 0..5 {
            let (episode, ending) = if state <= 2 {
                (0, if state == 2 { Ending::Terminated } else { Ending::No })
            } else {
                (1, Ending::No)
            };
            let slot = push(&mut ring, state, episode, ending, after);
            after = (ending == Ending::No).then_some(slot);
        }
        assert_eq!((ring.len(), ring.newest()), (4, Some(0)));
        assert_eq!(ring.get(0).observation, Observation::Index(4));
        assert_eq!(ring.following(1), Some(2));
        assert_eq!(ring.following(2), None, "the episode ended");
        assert_eq!(ring.following(3), Some(0), "across the seam");
        assert_eq!(ring.following(0), None, "nothing newer");
    }

    #[test]
    fn episodes_that_come_in_turns_are_followed_apart() {
        let mut ring = Ring::new(8, 0);
        let mut after = [None; 3];
        for state in 0..2 {
            for (episode, after) in after.iter_mut().enumerate() {
                *after = Some(push(&mut ring, state, episode as u64, Ending::No, *after));
            }
        }
        for episode in 0..3 {
            assert_eq!(ring.following(episode), Some(episode + 3));
            assert_eq!(ring.following(episode + 3), None);
            assert_eq!(ring.get(episode).episode, ring.get(episode + 3).episode);
        }
    }

    #[test]
    fn a_transition_that_gave_way_is_followed_by_nothing() {
        let mut ring = Ring::new(2, 0);
        let mine = push(&mut ring, 0, 7, Ending::No, None);
        push(&mut ring, 0, 8, Ending::No, None);
        let other = push(&mut ring, 1, 8, Ending::No, Some(1));
        assert_eq!(other, mine, "it has the place of the first");
        push(&mut ring, 1, 7, Ending::No, Some(mine));
        assert_eq!(ring.following(other), None);
        let mut single = Ring::new(1, 0);
        let first = push(&mut single, 0, 0, Ending::No, None);
        assert_eq!(push(&mut single, 1, 0, Ending::No, Some(first)), first);
        assert_eq!(single.following(0), None, "not by itself");
    }

    #[test]
    fn an_episode_that_is_given_up_counts_as_cut_off() {
        let mut ring = Ring::new(2, 0);
        let going = push(&mut ring, 0, 0, Ending::No, None);
        ring.cut_off(going, 1);
        assert_eq!(ring.get(going).ending, Ending::No, "of another episode");
        ring.cut_off(going, 0);
        assert_eq!(ring.get(going).ending, Ending::Truncated);
        let over = push(&mut ring, 0, 2, Ending::Terminated, None);
        ring.cut_off(over, 2);
        assert_eq!(ring.get(over).ending, Ending::Terminated, "over is over");
    }

    #[test]
    fn vectors_come_back_as_they_went_in() {
        let mut ring = Ring::new(2, 2);
        for step in 0..3 {
            let x = step as f32;
            let transition = Transition {
                observation: Observation::Vector(&[x, x + 0.5]),
                action: step,
                reward: x,
                next: Observation::Vector(&[x + 1.0, x + 1.5]),
                ending: Ending::No,
                episode: 0,
            };
            ring.push(&transition, None);
        }
        assert_eq!(ring.get(0).observation, Observation::Vector(&[2.0, 2.5]));
        assert_eq!(ring.get(1).next, Observation::Vector(&[2.0, 2.5]));
    }
}
