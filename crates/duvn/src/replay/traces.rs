use super::ring::{Ring, Transition};
use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// Whole traces as the unit of replay and of priority (paper, App. E: "a separate prioritised replay queue based on the total
/// temporal difference error in the previous time this trace was trained on"). A trace is what is remembered of one episode.
///
/// Batches are filled with one trace after the other, each from its first step to its last; what does not fit opens the next
/// batch. The queue of the [replay](super::Replay) holds traces by their number here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Traces {
    /// By slot of the ring: the number of its trace.
    of: Vec<u32>,
    /// By trace: the slot of its first step.
    first: Vec<u32>,
    /// By trace: the sum of the errors since it was last begun.
    total: Vec<f32>,
    /// By trace: its place among those that there are.
    place: Vec<u32>,
    /// The traces that there are, to draw one of them.
    present: Vec<u32>,
    /// Numbers that no trace has any more.
    free: Vec<u32>,
    /// Where the next batch begins: a slot, and the episode that it must still belong to.
    next: Option<(u32, u64)>,
}

impl Traces {
    pub(super) fn new(capacity: usize) -> Self {
        let room = || Vec::with_capacity(capacity);
        Traces {
            of: room(),
            first: room(),
            total: Vec::with_capacity(capacity),
            place: room(),
            present: room(),
            free: room(),
            next: None,
        }
    }

    /// The slot that the next transition will take gives up its own. Tells the number of the trace that is gone with it, if it
    /// was the last of one.
    pub(super) fn give_up(&mut self, slot: u32, ring: &Ring) -> Option<u32> {
        let &trace = self.of.get(slot as usize)?;
        match ring.following(slot) {
            Some(next) => {
                self.first[trace as usize] = next;
                None
            }
            None => {
                let place = self.place[trace as usize] as usize;
                self.present.swap_remove(place);
                if let Some(&moved) = self.present.get(place) {
                    self.place[moved as usize] = place as u32;
                }
                self.free.push(trace);
                Some(trace)
            }
        }
    }

    /// A transition has come to `slot`, after that in the slot `before` if it is still remembered.
    pub(super) fn come(&mut self, slot: u32, before: Option<u32>) {
        let trace = match before {
            Some(before) => self.of[before as usize],
            None => self.begin(slot),
        };
        let at = slot as usize;
        if at == self.of.len() {
            self.of.push(trace);
        } else {
            self.of[at] = trace;
        }
    }

    fn begin(&mut self, slot: u32) -> u32 {
        let trace = self.free.pop().unwrap_or_else(|| {
            self.first.push(0);
            self.total.push(0.0);
            self.place.push(0);
            self.first.len() as u32 - 1
        });
        let at = trace as usize;
        (self.first[at], self.total[at], self.place[at]) = (slot, 0.0, self.present.len() as u32);
        self.present.push(trace);
        trace
    }

    /// One of the traces, each as likely as any other.
    pub(super) fn any(&self, stream: &mut Stream) -> u32 {
        self.present[stream.below(self.present.len())]
    }

    /// Fills `slots` with traces; `choose` says which comes next.
    pub(super) fn fill(&mut self, slots: &mut [u32], ring: &Ring, mut choose: impl FnMut(&Self) -> u32) {
        for to in slots {
            let goes_on = self.next.filter(|&(slot, episode)| ring.get(slot).episode == episode);
            let slot = goes_on.map_or_else(
                || {
                    let trace = choose(self) as usize;
                    self.total[trace] = 0.0;
                    self.first[trace]
                },
                |(slot, _)| slot,
            );
            *to = slot;
            let Transition { episode, .. } = ring.get(slot);
            self.next = ring.following(slot).map(|following| (following, episode));
        }
    }

    /// Adds the error of one step to that of its trace. Tells the trace and its total, once it is not being read any more.
    pub(super) fn learnt(&mut self, slot: u32, error: f32) -> Option<(u32, f32)> {
        let trace = self.of[slot as usize];
        self.total[trace as usize] += error;
        let reading = self.next.is_some_and(|(next, _)| self.of[next as usize] == trace);
        (!reading).then_some((trace, self.total[trace as usize]))
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::replay::{Ending, Replay, ReplayUnit, Transition};
    use crate::rng::Stream;
    use duvn_envs::Observation;

    /// Episodes of these lengths, one after the other.
    fn replay(capacity: usize, prioritised: f64, lengths: &[usize]) -> Replay {
        let replay_unit = ReplayUnit::Trace;
        let config = Config { replay: capacity, prioritised, replay_unit, ..Config::default() };
        let mut replay = Replay::new(&config, 0);
        for (episode, &length) in lengths.iter().enumerate() {
            let mut after = None;
            for step in 0..length {
                let ending = if step + 1 == length { Ending::Terminated } else { Ending::No };
                let here = Observation::Index(step);
                let (action, reward, episode) = (0, 0.0, episode as u64);
                let transition =
                    Transition { observation: here, action, reward, next: here, ending, episode };
                after = Some(replay.push(&transition, after));
            }
        }
        replay
    }

    #[test]
    fn traces_come_whole_and_go_on_in_the_next_batch() {
        let mut replay = replay(10, 0.0, &[3, 2]);
        let mut stream = Stream::new(0, "test");
        let mut seen = Vec::new();
        for _ in 0..6 {
            let mut slots = [0; 5];
            replay.sample(&mut slots, &mut stream);
            seen.extend(slots);
        }
        let mut rest = &seen[..];
        let mut counts = [0, 0];
        while rest.len() >= 3 {
            let (trace, length) = if rest[0] == 0 { (0, 3) } else { (1, 2) };
            assert_eq!(rest[..length], [[0, 1, 2], [3, 4, 5]][trace][..length], "{seen:?}");
            counts[trace] += 1;
            rest = &rest[length..];
        }
        assert!(counts.iter().all(|&count| count > 2), "both come: {counts:?}");
    }

    #[test]
    fn the_trace_of_the_largest_total_error_comes_first() {
        let mut replay = replay(10, 1.0, &[2, 3, 1]);
        // Totals: 1 + 1, 1 + 0.5 + 1, 2.2.
        for (slot, error) in [(0, 1.0), (1, 1.0), (2, 1.0), (3, 0.5), (4, 1.0), (5, 2.2)] {
            replay.learnt(slot, error);
        }
        let mut slots = [9; 4];
        replay.sample(&mut slots, &mut Stream::new(0, "test"));
        assert_eq!(slots, [2, 3, 4, 5]);
        // Trained on again: the totals are those of this time.
        for (slot, error) in [(2, 0.1), (3, 0.1), (4, 0.1), (5, 0.1)] {
            replay.learnt(slot, error);
        }
        let mut slots = [9; 6];
        replay.sample(&mut slots, &mut Stream::new(0, "test"));
        assert_eq!(slots, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_trace_that_is_being_read_is_not_in_the_queue() {
        let mut replay = replay(10, 1.0, &[3, 1]);
        for (slot, error) in [(0, 1.0), (1, 1.0), (2, 1.0), (3, 0.5)] {
            replay.learnt(slot, error);
        }
        let mut stream = Stream::new(0, "test");
        let mut next = || {
            let mut slots = [9; 2];
            replay.sample(&mut slots, &mut stream);
            slots.iter().for_each(|&slot| replay.learnt(slot, 5.0));
            slots
        };
        // Two of its three steps have large errors again; it comes back to the queue with its last one.
        assert_eq!(next(), [0, 1]);
        assert_eq!(next(), [2, 3], "the rest of it, then the other");
        assert_eq!(next(), [0, 1], "15 against 5");
    }

    #[test]
    fn a_trace_loses_its_oldest_steps_and_at_last_its_place() {
        // Seven steps in a ring of five: the first trace is gone, the second begins with its second step.
        let mut replay = replay(5, 1.0, &[1, 4, 2]);
        for slot in 0..5 {
            replay.learnt(slot, 1.0);
        }
        let mut slots = [9; 5];
        replay.sample(&mut slots, &mut Stream::new(0, "test"));
        assert_eq!(slots, [2, 3, 4, 0, 1], "totals are 3 and 2");
    }

    /// Whatever is remembered and forgotten, every slot belongs to one trace, and each trace can be walked.
    #[test]
    fn traces_cover_the_ring() {
        let mut stream = Stream::new(3, "test");
        let lengths: Vec<usize> = (0..200).map(|_| 1 + stream.below(9)).collect();
        for count in 1..lengths.len() {
            let mut replay = replay(37, 0.0, &lengths[..count]);
            let traces = replay.traces.as_mut().unwrap();
            let mut covered = vec![0; replay.ring.len()];
            for &trace in &traces.present {
                let mut at = Some(traces.first[trace as usize]);
                while let Some(slot) = at {
                    assert_eq!(traces.of[slot as usize], trace);
                    covered[slot as usize] += 1;
                    at = replay.ring.following(slot);
                }
            }
            assert!(covered.iter().all(|&times| times == 1), "{covered:?}");
        }
    }
}
