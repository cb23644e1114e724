use super::{NextState, Rule, Winner};
use crate::config::TargetValue;
use crate::policy::{Choice, Policy};
use crate::rng::Stream;
use crate::target::trace::room;
use crate::target::valuer::{Parts, Valuer};

/// The action that was taken, where that is known; else one drawn from the current policy.
///
/// What its return is taken to be is its mean, r + gamma mu(s',a') (paper, Eq. 7); or the draw that made it the one to
/// take, r + gamma (mu(s',a') + z sigma(s',a')), which is section 4.1's "sample of Z(s',a')" with the sample that section 4.2
/// chose a' by. As z is that of the winner among the actions' draws, this is optimistic by what the best of several draws has
/// above their mean. An action that is known was chosen by a draw that is not, one taken at random by none: such an action is looked
/// at by a draw of its own.
pub(super) struct Sarsa {
    value: TargetValue,
    taken: Vec<u8>,
    /// By row: where its return is looked at, if not at its mean.
    indices: Vec<Option<f64>>,
}

impl Sarsa {
    pub(super) fn new(value: TargetValue) -> Self {
        Sarsa { value, taken: Vec::new(), indices: Vec::new() }
    }
}

impl Rule for Sarsa {
    fn reset(&mut self, rows: usize, _actions: usize) {
        self.taken.clear();
        self.indices.clear();
        room(&mut self.taken, rows);
        room(&mut self.indices, rows);
    }

    fn decide(&mut self, state: NextState<'_>, policy: &dyn Policy, stream: &mut Stream) -> Option<Winner> {
        let choice = match state.known {
            None => policy.choose_by(state.beliefs, state.moment, stream),
            Some(known) => Choice { action: usize::from(known), ..Choice::default() },
        };
        self.taken.push(choice.action as u8);
        self.indices.push(match self.value {
            TargetValue::Mean => None,
            TargetValue::Draw => choice.index.or_else(|| policy.index(state.moment, stream)),
        });
        Winner::of(choice)
    }

    fn agreement(&self, row: usize, action: u8) -> f32 {
        f32::from(u8::from(self.taken[row] == action))
    }

    fn value(&mut self, valuer: &mut Valuer<'_, '_>, parts: &mut Parts<'_>) {
        let model = valuer.model();
        valuer.of_one_action(&self.taken, |row, values| {
            parts.of(row).copy_from_slice(values);
            if let Some(z) = self.indices[row] {
                model.settle(parts.of(row), z);
            }
        });
    }
}
