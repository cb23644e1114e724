//! The recorded steps that the targets of a batch are made along.

use crate::replay::{Ending, Gathered, Ring};

/// The newest transition of an episode and the action that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// Its slot in the ring.
    pub slot: u32,
    /// The next action as taken; none where the episode was cut off.
    pub next_action: Option<u8>,
}

/// Of which next actions of a batch it is known what was taken. The others are drawn from the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Of none.
    None,
    /// Of the newest transition's.
    Newest(Fresh),
    /// Of all: the batch is made of fresh experience, which is backed up as it was lived.
    Recorded,
}

impl Known {
    /// The action that followed the transition in `slot`, if it is known.
    fn after(self, slot: u32, ring: &Ring) -> Option<u8> {
        match self {
            Known::None => None,
            Known::Newest(fresh) => fresh.next_action.filter(|_| fresh.slot == slot),
            Known::Recorded => ring.following(slot).map(|next| ring.get(next).action),
        }
    }
}

/// One step of one sample's trace.
#[derive(Clone, Copy)]
pub(super) struct TraceStep {
    pub reward: f32,
    /// The row of its next state among those of the batch; none where the task ended, or where the trace alone counts.
    pub row: Option<usize>,
}

/// The traces of a batch, and the next states along them that need a value.
#[derive(Default)]
pub(super) struct Traces {
    /// Steps of a trace: 1 for one-step targets.
    horizon: usize,
    /// Whether only the last next state of a trace needs a value: an n-step target (lambda 1) asks for no other.
    ends_only: bool,
    steps: Vec<TraceStep>,
    /// By sample: where its steps begin.
    starts: Vec<usize>,
    next: Gathered,
    /// By row: the next action, where it is known.
    known: Vec<Option<u8>>,
    /// By row: whether it is the first of its sample's trace.
    first: Vec<bool>,
    /// By row: the action that was taken in it, where the trace goes on with that step.
    followed: Vec<Option<u8>>,
}

impl Traces {
    pub(super) fn new(horizon: usize, ends_only: bool) -> Self {
        Traces { horizon, ends_only, ..Traces::default() }
    }

    /// Follows the trace of each slot.
    pub(super) fn follow(&mut self, slots: &[u32], known: Known, ring: &Ring) {
        self.steps.clear();
        self.starts.clear();
        self.next.clear();
        self.known.clear();
        self.first.clear();
        self.followed.clear();
        room(&mut self.steps, slots.len() * self.horizon);
        room(&mut self.starts, slots.len() + 1);
        let most = slots.len() * self.rows_each();
        room(&mut self.known, most);
        room(&mut self.first, most);
        room(&mut self.followed, most);
        match ring.width() {
            0 => room(&mut self.next.indices, most),
            width => room(&mut self.next.numbers, most * width),
        }
        for &start in slots {
            self.starts.push(self.steps.len());
            let first_row = self.known.len();
            let mut slot = Some(start);
            for step in 0..self.horizon {
                let Some(at) = slot else { break };
                let transition = ring.get(at);
                let following = ring.following(at).filter(|_| step + 1 < self.horizon);
                let passed_over = self.ends_only && following.is_some();
                let row = (transition.ending != Ending::Terminated && !passed_over).then(|| {
                    self.next.push(transition.next);
                    self.first.push(self.known.len() == first_row);
                    self.followed.push(following.map(|next| ring.get(next).action));
                    self.known.push(known.after(at, ring));
                    self.known.len() - 1
                });
                self.steps.push(TraceStep { reward: transition.reward, row });
                slot = ring.following(at);
            }
        }
        self.starts.push(self.steps.len());
    }

    /// How many next states there are.
    pub(super) fn rows(&self) -> usize {
        self.known.len()
    }

    /// How many there can be.
    pub(super) fn most_rows(&self) -> usize {
        self.starts.len().saturating_sub(1) * self.rows_each()
    }

    /// How many of them a sample has at most.
    fn rows_each(&self) -> usize {
        if self.ends_only { 1 } else { self.horizon }
    }

    /// The next states.
    pub(super) fn next(&self) -> &Gathered {
        &self.next
    }

    /// The next action of a row, where it is known.
    pub(super) fn known(&self, row: usize) -> Option<u8> {
        self.known[row]
    }

    /// The action that the trace of a row goes on with, if it goes on.
    pub(super) fn followed(&self, row: usize) -> Option<u8> {
        self.followed[row]
    }

    /// Whether a row is the first of its sample's trace.
    pub(super) fn is_first(&self, row: usize) -> bool {
        self.first[row]
    }

    /// The steps of each sample.
    pub(super) fn samples(&self) -> impl Iterator<Item = &[TraceStep]> {
        self.starts.windows(2).map(|span| &self.steps[span[0]..span[1]])
    }
}

/// Takes room for `count` values at once: later batches, which may be larger, would allocate.
pub(super) fn room<T>(list: &mut Vec<T>, count: usize) {
    list.reserve(count.saturating_sub(list.len()));
}
