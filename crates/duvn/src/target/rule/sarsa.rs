use super::{NextState, Rule};
use crate::policy::Policy;
use crate::rng::Stream;
use crate::target::trace::room;
use crate::target::valuer::{Parts, Valuer};

/// The action that was taken, where that is known; else one drawn from the current policy.
#[derive(Default)]
pub(super) struct Sarsa {
    taken: Vec<u8>,
}

impl Rule for Sarsa {
    fn reset(&mut self, rows: usize, _actions: usize) {
        self.taken.clear();
        room(&mut self.taken, rows);
    }

    fn decide(&mut self, state: NextState<'_>, policy: &dyn Policy, stream: &mut Stream) {
        let drawn = || policy.choose(state.beliefs, state.moment, stream) as u8;
        self.taken.push(state.known.unwrap_or_else(drawn));
    }

    fn value(&mut self, valuer: &mut Valuer<'_, '_>, parts: &mut Parts<'_>) {
        valuer.of_one_action(&self.taken, |row, values| parts.of(row).copy_from_slice(values));
    }
}
