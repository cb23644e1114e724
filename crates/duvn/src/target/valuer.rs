//! What the target network says of the next states of a batch.

use super::Sources;
use crate::net::Rows;
use crate::net::Which;
use crate::posterior::Question;
use crate::returns::ReturnModel;

/// Answers what a rule asks about the next states, under one draw of the parameters.
pub(super) struct Valuer<'a, 's> {
    pub sources: &'a mut Sources<'s>,
    pub next: Rows<'a>,
    pub rows: usize,
    /// The pass in which the target network decided, where its values may be used again.
    pub decided: Option<&'a [f32]>,
    pub scratch: &'a mut Vec<f32>,
}

impl<'s> Valuer<'_, 's> {
    /// The meaning of the values.
    pub(super) fn model(&self) -> &'s dyn ReturnModel {
        self.sources.model
    }

    /// Whether asking again can give another answer.
    pub(super) fn values_vary(&self) -> bool {
        self.sources.posterior.values_vary()
    }

    /// The values of every action in each row: actions x outputs.
    pub(super) fn of_all_actions(&mut self, mut each: impl FnMut(usize, &[f32])) {
        let width = self.sources.posterior.shape().actions * self.model().outputs();
        let values = match self.decided {
            Some(decided) => decided,
            None => self.ask(None, width),
        };
        values.chunks_exact(width).enumerate().for_each(|(row, values)| each(row, values));
    }

    /// The values of one action in each row.
    pub(super) fn of_one_action(&mut self, actions: &[u8], mut each: impl FnMut(usize, &[f32])) {
        let Some(decided) = self.decided else { return self.afresh(actions, each) };
        let width = self.model().outputs();
        let rows = decided.chunks_exact(self.sources.posterior.shape().actions * width);
        for (row, (values, &action)) in rows.zip(actions).enumerate() {
            each(row, of_action(values, action, width));
        }
    }

    /// The values of one action in each row, under a draw of their own.
    pub(super) fn afresh(&mut self, actions: &[u8], mut each: impl FnMut(usize, &[f32])) {
        let width = self.model().outputs();
        let values = self.ask(Some(actions), width);
        values.chunks_exact(width).enumerate().for_each(|(row, values)| each(row, values));
    }

    fn ask(&mut self, taken: Option<&[u8]>, width: usize) -> &[f32] {
        let Sources { posterior, learner, model, local, source, .. } = &mut *self.sources;
        self.scratch.resize(self.rows * width, 0.0);
        let question = Question { which: Which::Target, rows: self.next, taken };
        posterior.value(*learner, question, source, self.scratch);
        local.widen(*model, self.next, taken, self.scratch);
        self.scratch
    }
}

/// The values of one action of a row.
pub(super) fn of_action(values: &[f32], action: u8, width: usize) -> &[f32] {
    &values[usize::from(action) * width..][..width]
}

/// The parts of every row that belong to one draw of the parameters.
pub(super) struct Parts<'a> {
    pub numbers: &'a mut [f32],
    /// Numbers of a row.
    pub stride: usize,
    /// Where those of this draw begin within a row, and how many they are.
    pub at: usize,
    pub len: usize,
}

impl Parts<'_> {
    pub(super) fn of(&mut self, row: usize) -> &mut [f32] {
        &mut self.numbers[row * self.stride + self.at..][..self.len]
    }
}
