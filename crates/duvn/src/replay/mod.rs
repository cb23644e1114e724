//! What the agent remembers: a ring of transitions, and which of them surprised it most.

mod proportion;
mod queue;
mod ring;
mod traces;

pub use proportion::Proportions;
pub use queue::Queue;
pub use ring::{Ending, Gathered, Ring, Transition};

pub use crate::config::ReplayUnit;
use crate::config::{Config, PriorityKind};
use crate::rng::Stream;
use serde::{Deserialize, Serialize};
use traces::Traces;

/// The ring and what orders it: a share of the samples comes from what surprised most, the others from the whole ring, evenly.
///
/// Two orders: the paper's queue, from whose top they come (App. E), and draws [in proportion](Proportions) to the last error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    ring: Ring,
    /// Of slots of the ring, or of traces where these are the unit.
    queue: Queue,
    /// In the place of the queue.
    proportions: Option<Proportions>,
    prioritised: f64,
    traces: Option<Traces>,
}

impl Replay {
    /// Room for as many transitions as `config` says, whose observations are `width` numbers (0: an index).
    pub fn new(config: &Config, width: usize) -> Self {
        let capacity = config.replay;
        let in_proportion = config.priority == PriorityKind::Proportional;
        Replay {
            ring: Ring::new(capacity, width),
            queue: Queue::new(if in_proportion { 0 } else { capacity }),
            proportions: in_proportion.then(|| Proportions::new(capacity, config.priority_power)),
            prioritised: config.prioritised,
            traces: (config.replay_unit == ReplayUnit::Trace).then(|| Traces::new(capacity)),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let (capacity, width) = (self.ring.capacity(), self.ring.width());
        self.ring = Ring::new(capacity, width);
        self.queue = Queue::new(if self.proportions.is_some() { 0 } else { capacity });
        self.proportions.iter_mut().for_each(Proportions::clear);
        self.traces.iter_mut().for_each(|traces| *traces = Traces::new(capacity));
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
        match &mut self.proportions {
            Some(proportions) => proportions.come(slot),
            None => self.queue.remove(slot),
        }
        slot
    }

    /// The episode of the transition in `slot` was given up after it.
    pub fn cut_off(&mut self, slot: u32, episode: u64) {
        self.ring.cut_off(slot, episode);
    }

    /// Whether what was read can stand in the place of `self`: see [`Ring::takes`].
    pub(crate) fn takes(&self, other: &Replay, states: usize, actions: usize) -> bool {
        let proportions = match (&self.proportions, &other.proportions) {
            (Some(mine), Some(theirs)) => mine.takes(theirs, other.ring.len()),
            (mine, theirs) => mine.is_none() && theirs.is_none(),
        };
        self.prioritised == other.prioritised
            && self.ring.takes(&other.ring, states, actions)
            && other.queue.is_sound(other.ring.len())
            && proportions
    }

    /// Fills `slots` with places of the ring. What comes from the queue leaves it until
    /// [`learnt`](Self::learnt) puts it back in order.
    pub fn sample(&mut self, slots: &mut [u32], stream: &mut Stream) {
        let Self { ring, queue, proportions, prioritised, traces } = self;
        if let Some(traces) = traces {
            return traces.fill(slots, ring, |traces| {
                let from_queue = *prioritised > 0.0 && stream.uniform() < *prioritised;
                let surprising = if from_queue { queue.pop() } else { None };
                surprising.unwrap_or_else(|| traces.any(stream))
            });
        }
        for slot in slots {
            let surprising = *prioritised > 0.0 && stream.uniform() < *prioritised;
            let first = match (surprising, &*proportions) {
                (false, _) => None,
                (true, Some(proportions)) => Some(proportions.draw(stream)),
                (true, None) => queue.pop(),
            };
            *slot = first.unwrap_or_else(|| stream.below(ring.len()) as u32);
        }
    }

    /// Fills `slots` with places of the ring, each as likely as any other.
    pub fn sample_evenly(&mut self, slots: &mut [u32], stream: &mut Stream) {
        match &mut self.traces {
            Some(traces) => traces.fill(slots, &self.ring, |traces| traces.any(stream)),
            None => slots.iter_mut().for_each(|slot| *slot = stream.below(self.ring.len()) as u32),
        }
    }

    /// How much each of `slots` counts in an update: 1, but where slots are drawn in proportion to their errors. Those then come
    /// with the probability P_i = share p_i / sum of p + (1 - share) / n, and count for (n P_i)^-beta, divided by the largest of
    /// the batch. With beta 1 the update is, in the mean, that of slots that are drawn evenly.
    pub fn weigh(&self, slots: &[u32], beta: f64, weights: &mut [f32]) {
        let Some(proportions) = &self.proportions else { return weights.fill(1.0) };
        let count = self.ring.len() as f64;
        for (weight, &slot) in weights.iter_mut().zip(slots) {
            let times = self.prioritised * count * proportions.probability(slot) + 1.0 - self.prioritised;
            *weight = times.max(f64::MIN_POSITIVE).powf(-beta) as f32;
        }
        let largest = weights.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        weights.iter_mut().for_each(|weight| *weight /= largest);
    }

    /// Takes down the temporal-difference error with which a transition was last trained on.
    pub fn learnt(&mut self, slot: u32, temporal_difference: f32) {
        if self.prioritised == 0.0 {
            return;
        }
        match (&mut self.traces, &mut self.proportions) {
            (None, Some(proportions)) => proportions.set(slot, temporal_difference),
            (None, None) => self.queue.set(slot, temporal_difference),
            (Some(traces), _) => {
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
        let mut replay = Replay::new(&Config { replay: 10, prioritised, ..Config::default() }, 0);
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
    fn an_even_sample_asks_for_no_priorities() {
        let mut replay = replay(1.0, 10);
        replay.learnt(7, 5.0);
        let mut slots = [0; 10_000];
        replay.sample_evenly(&mut slots, &mut Stream::new(0, "test"));
        for wanted in 0..10 {
            // Five standard errors of a tenth are 150.
            let count = slots.iter().filter(|&&slot| slot == wanted).count();
            assert!((850..1150).contains(&count), "{wanted}: {count}");
        }
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
            let config = Config { replay: 1000, prioritised: share, ..Config::default() };
            let mut replay = Replay::new(&config, 0);
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

    /// Errors 1 and 3 of two slots, half of the samples in proportion: P = 1/2 (1/4, 3/4) + 1/4 = (3/8, 5/8), so that n P is
    /// (3/4, 5/4), and with beta 1 the weights are (4/3, 4/5), of which the largest counts as 1.
    #[test]
    fn what_comes_more_often_counts_for_less() {
        let config = Config {
            replay: 2,
            prioritised: 0.5,
            priority: PriorityKind::Proportional,
            priority_power: 1.0,
            ..Config::default()
        };
        let mut replay = Replay::new(&config, 0);
        (0..2).for_each(|_| {
            push(&mut replay);
        });
        replay.learnt(0, 1.0);
        replay.learnt(1, 3.0);
        let mut weights = [0.0; 2];
        replay.weigh(&[0, 1], 1.0, &mut weights);
        assert!((weights[0] - 1.0).abs() < 1e-5 && (weights[1] - 0.6).abs() < 1e-5, "{weights:?}");
        replay.weigh(&[0, 1], 0.0, &mut weights);
        assert_eq!(weights, [1.0, 1.0]);
        let mut slots = [0; 8000];
        replay.sample(&mut slots, &mut Stream::new(0, "test"));
        let second = slots.iter().sum::<u32>();
        assert!((4850..5150).contains(&second), "5 of 8: {second}");
    }
}
