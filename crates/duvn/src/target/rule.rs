//! Which next action a target looks at: one file for each answer.

mod expected;
mod max;
mod sarsa;
mod split;

use super::valuer::{Parts, Valuer};
use crate::config::{BackupKind, Config};
use crate::policy::{Beliefs, Choice, Moment, Policy};
use crate::rng::Stream;

/// A next state that is to be decided on.
pub(super) struct NextState<'a> {
    /// What is believed of its actions.
    pub beliefs: Beliefs<'a>,
    pub moment: Moment,
    /// The action that was taken in it, where that is known.
    pub known: Option<u8>,
}

/// A decision that a further draw of the parameters made.
pub(super) struct Winner {
    pub action: usize,
    /// The number of the draw, from 1 on.
    pub draw: usize,
}

impl Winner {
    pub(super) fn of(choice: Choice) -> Option<Self> {
        (choice.draw > 0).then_some(Winner { action: choice.action, draw: choice.draw })
    }
}

/// A way to look at next states. First it decides on each of them, in order; then it says how much their parts
/// weigh, and fills them in, once for each draw of the parameters.
pub(super) trait Rule: Send {
    /// Forgets what was decided, and takes room for `rows` decisions.
    fn reset(&mut self, rows: usize, actions: usize);

    /// Decides on the next row. Says which further draw of the parameters the decision came from, if it was one.
    fn decide(&mut self, state: NextState<'_>, policy: &dyn Policy, stream: &mut Stream) -> Option<Winner>;

    /// How many parts a row has for each draw of the parameters.
    fn parts(&self, _actions: usize) -> usize {
        1
    }

    /// The weights of a row's parts; they sum to one.
    fn weights(&self, _row: usize) -> &[f32] {
        &[1.0]
    }

    /// How probably the rule takes `action` in a row: 0 or 1 where it has decided on one.
    fn agreement(&self, row: usize, action: u8) -> f32;

    /// Fills in the parts of every row, under one draw of the parameters.
    fn value(&mut self, valuer: &mut Valuer<'_, '_>, parts: &mut Parts<'_>);
}

/// The rule that a configuration asks for.
pub(super) fn rule(config: &Config) -> Box<dyn Rule> {
    match config.backup {
        BackupKind::Sarsa => Box::new(sarsa::Sarsa::new(config.target_value)),
        BackupKind::Max => Box::new(max::Max::default()),
        BackupKind::Split => Box::new(split::Split::default()),
        BackupKind::Expected => Box::new(expected::Expected::new(config.probability_draws)),
    }
}
