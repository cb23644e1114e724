use super::{NextState, Rule, Winner};
use crate::policy::Policy;
use crate::rng::Stream;
use crate::target::trace::room;
use crate::target::valuer::{Parts, Valuer};

/// The action of the best mean, whatever the policy does: Q-learning. Where the current network decides and the target network
/// values (`decider=online`) it is double Q-learning (van Hasselt et al. 2016).
#[derive(Default)]
pub(super) struct Max {
    best: Vec<u8>,
}

impl Rule for Max {
    fn reset(&mut self, rows: usize, _actions: usize) {
        self.best.clear();
        room(&mut self.best, rows);
    }

    fn decide(&mut self, state: NextState<'_>, _policy: &dyn Policy, stream: &mut Stream) -> Option<Winner> {
        self.best.push(state.beliefs.greedy(stream) as u8);
        None
    }

    fn agreement(&self, row: usize, action: u8) -> f32 {
        f32::from(u8::from(self.best[row] == action))
    }

    fn value(&mut self, valuer: &mut Valuer<'_, '_>, parts: &mut Parts<'_>) {
        valuer.of_one_action(&self.best, |row, values| parts.of(row).copy_from_slice(values));
    }
}
