use super::{NextState, Rule, Winner};
use crate::policy::Policy;
use crate::rng::Stream;
use crate::target::trace::room;
use crate::target::valuer::{Parts, Valuer, of_action};

/// Two actions: the mean of the one with the best mean, the spread of one drawn from the policy.
#[derive(Default)]
pub(super) struct Split {
    drawn: Vec<u8>,
    best: Vec<u8>,
}

impl Rule for Split {
    fn reset(&mut self, rows: usize, _actions: usize) {
        self.drawn.clear();
        self.best.clear();
        room(&mut self.drawn, rows);
        room(&mut self.best, rows);
    }

    fn decide(&mut self, state: NextState<'_>, policy: &dyn Policy, stream: &mut Stream) -> Option<Winner> {
        let choice = policy.choose_by(state.beliefs, state.moment, stream);
        self.drawn.push(choice.action as u8);
        self.best.push(state.beliefs.greedy(stream) as u8);
        Winner::of(choice)
    }

    fn agreement(&self, row: usize, action: u8) -> f32 {
        f32::from(u8::from(self.drawn[row] == action))
    }

    fn value(&mut self, valuer: &mut Valuer<'_, '_>, parts: &mut Parts<'_>) {
        let model = valuer.model();
        valuer.of_all_actions(|row, values| {
            let width = model.outputs();
            parts.of(row).copy_from_slice(of_action(values, self.drawn[row], width));
            model.recentre(parts.of(row), of_action(values, self.best[row], width));
        });
        if valuer.values_vary() {
            // The best mean under one mask is too high by that mask's noise, and a loop of states would feed it back
            // for ever: the mean comes from another mask than the one that chose it.
            valuer.afresh(&self.best, |row, values| model.recentre(parts.of(row), values));
        }
    }
}
