use serde::{Deserialize, Serialize};

/// A priority queue of ring slots with priorities that can change: a binary heap that knows where each
/// slot stands. Equal priorities are ordered by slot, so that the order never depends on history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    heap: Vec<u32>,
    /// By slot: its place in the heap, or `ABSENT`.
    places: Vec<u32>,
    /// By slot.
    priorities: Vec<f32>,
}

const ABSENT: u32 = u32::MAX;

impl Queue {
    /// A queue for the slots `0..capacity`.
    pub fn new(capacity: usize) -> Self {
        Queue {
            heap: Vec::with_capacity(capacity),
            places: Vec::with_capacity(capacity),
            priorities: Vec::with_capacity(capacity),
        }
    }

    /// How many slots are in the queue.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Puts a slot in, or moves it to where its new priority belongs.
    pub fn set(&mut self, slot: u32, priority: f32) {
        let index = slot as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, ABSENT);
            self.priorities.resize(index + 1, 0.0);
        }
        self.priorities[index] = priority;
        if self.places[index] == ABSENT {
            self.places[index] = self.heap.len() as u32;
            self.heap.push(slot);
        }
        let place = self.rise(self.places[index] as usize);
        self.sink(place);
    }

    /// Takes the slot with the highest priority out.
    pub fn pop(&mut self) -> Option<u32> {
        let slot = *self.heap.first()?;
        self.remove(slot);
        Some(slot)
    }

    /// Takes a slot out, if it is in.
    pub fn remove(&mut self, slot: u32) {
        let Some(place) = self.places.get_mut(slot as usize) else { return };
        let place = std::mem::replace(place, ABSENT);
        if place == ABSENT {
            return;
        }
        self.heap.swap_remove(place as usize);
        if let Some(&moved) = self.heap.get(place as usize) {
            self.places[moved as usize] = place;
            let place = self.rise(place as usize);
            self.sink(place);
        }
    }

    /// Whether its parts fit each other, and all slots in it are below `count`.
    pub(crate) fn is_sound(&self, count: usize) -> bool {
        let stands = |(place, &slot): (usize, &u32)| {
            (slot as usize) < count && self.places.get(slot as usize) == Some(&(place as u32))
        };
        self.places.len() == self.priorities.len()
            && self.heap.iter().enumerate().all(stands)
            && self.places.iter().filter(|&&place| place != ABSENT).count() == self.heap.len()
    }

    fn before(&self, a: u32, b: u32) -> bool {
        let (first, second) = (self.priorities[a as usize], self.priorities[b as usize]);
        first.total_cmp(&second).then(b.cmp(&a)).is_gt()
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.heap.swap(one, other);
        self.places[self.heap[one] as usize] = one as u32;
        self.places[self.heap[other] as usize] = other as u32;
    }

    fn rise(&mut self, mut place: usize) -> usize {
        while place > 0 {
            let parent = (place - 1) / 2;
            if !self.before(self.heap[place], self.heap[parent]) {
                break;
            }
            self.swap(place, parent);
            place = parent;
        }
        place
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let mut first = place;
            for child in [2 * place + 1, 2 * place + 2] {
                if child < self.heap.len() && self.before(self.heap[child], self.heap[first]) {
                    first = child;
                }
            }
            if first == place {
                return;
            }
            self.swap(place, first);
            place = first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Debug)]
    enum Call {
        Set(u32, i32),
        Remove(u32),
        Pop,
    }

    fn call() -> impl Strategy<Value = Call> {
        prop_oneof![
            3 => (0..20u32, -5..5).prop_map(|(slot, priority)| Call::Set(slot, priority)),
            1 => (0..20u32).prop_map(Call::Remove),
            1 => Just(Call::Pop),
        ]
    }

    proptest! {
        #[test]
        fn it_behaves_like_a_sorted_map(calls in prop::collection::vec(call(), 0..200)) {
            let mut queue = Queue::new(20);
            let mut model: BTreeMap<u32, i32> = BTreeMap::new();
            for call in calls {
                match call {
                    Call::Set(slot, priority) => {
                        queue.set(slot, priority as f32);
                        model.insert(slot, priority);
                    }
                    Call::Remove(slot) => {
                        queue.remove(slot);
                        model.remove(&slot);
                    }
                    Call::Pop => {
                        let first = model.iter().max_by_key(|(slot, priority)| (**priority, std::cmp::Reverse(**slot)));
                        let first = first.map(|(slot, _)| *slot);
                        prop_assert_eq!(queue.pop(), first);
                        first.map(|slot| model.remove(&slot));
                    }
                }
                prop_assert_eq!(queue.len(), model.len());
            }
        }
    }
}
