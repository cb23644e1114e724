use super::{NextState, Rule, Winner};
use crate::policy::{Moment, Policy};
use crate::rng::Stream;
use crate::target::trace::room;
use crate::target::valuer::{Parts, Valuer};

/// All actions, weighted by the policy's probabilities.
pub(super) struct Expected {
    /// Choices from which a probability is estimated where no formula is known.
    draws: usize,
    actions: usize,
    probabilities: Vec<f32>,
}

impl Expected {
    pub(super) fn new(draws: usize) -> Self {
        Expected { draws, actions: 0, probabilities: Vec::new() }
    }
}

impl Rule for Expected {
    fn reset(&mut self, rows: usize, actions: usize) {
        self.actions = actions;
        self.probabilities.clear();
        room(&mut self.probabilities, rows * actions);
    }

    fn decide(&mut self, state: NextState<'_>, policy: &dyn Policy, stream: &mut Stream) -> Option<Winner> {
        let start = self.probabilities.len();
        self.probabilities.resize(start + self.actions, 0.0);
        // A committed index leaves one action; the expectation is over the indices.
        let moment = Moment { index: None, ..state.moment };
        policy.probabilities(state.beliefs, moment, self.draws, stream, &mut self.probabilities[start..]);
        None
    }

    fn parts(&self, actions: usize) -> usize {
        actions
    }

    fn weights(&self, row: usize) -> &[f32] {
        &self.probabilities[row * self.actions..][..self.actions]
    }

    fn agreement(&self, row: usize, action: u8) -> f32 {
        self.weights(row)[usize::from(action)]
    }

    fn value(&mut self, valuer: &mut Valuer<'_, '_>, parts: &mut Parts<'_>) {
        valuer.of_all_actions(|row, values| parts.of(row).copy_from_slice(values));
    }
}
