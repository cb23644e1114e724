//! Beliefs under several draws at once, for policies that look at how much draws differ.

use super::{Draw, Posterior, Question, Source};
use crate::local::Local;
use crate::net::Rows;
use crate::returns::ReturnModel;

/// What further draws of the parameters say of some states: rows x draws x actions x outputs.
#[derive(Default)]
pub(crate) struct SeveralDraws {
    draw: Draw,
    one: Vec<f32>,
    all: Vec<f32>,
    /// Numbers of one row.
    width: usize,
}

impl SeveralDraws {
    /// Makes `draws` draws from `source` and takes down what each says of `rows`, with local uncertainty.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn look(
        &mut self,
        posterior: &mut dyn Posterior,
        local: &mut Local,
        model: &dyn ReturnModel,
        source: &mut Source,
        rows: Rows<'_>,
        draws: usize,
    ) {
        let part = self.make_room(posterior, model, rows, draws);
        for number in 0..draws {
            posterior.draw_beside(number + 1, source, &mut self.draw);
            posterior.beliefs(rows, &|_| &self.draw, &mut self.one);
            local.widen(model, rows, None, &mut self.one);
            self.take_down(number, part);
        }
    }

    /// The same for the next states of targets, as `learner` sees them through the network that decides: a draw of its own
    /// for each row.
    pub(crate) fn ask(
        &mut self,
        posterior: &mut dyn Posterior,
        (local, model): (&mut Local, &dyn ReturnModel),
        source: &mut Source,
        (learner, question): (usize, Question<'_>),
        draws: usize,
    ) {
        let part = self.make_room(posterior, model, question.rows, draws);
        for number in 0..draws {
            posterior.value(learner, question, source, &mut self.one);
            local.widen(model, question.rows, None, &mut self.one);
            self.take_down(number, part);
        }
    }

    /// Takes room for what `draws` draws say of `rows`; gives the numbers of one row under one draw.
    fn make_room(
        &mut self,
        posterior: &dyn Posterior,
        model: &dyn ReturnModel,
        rows: Rows<'_>,
        draws: usize,
    ) -> usize {
        let count = rows.len(posterior.shape().input);
        let part = posterior.shape().actions * model.outputs();
        self.width = draws * part;
        self.all.resize(count * self.width, 0.0);
        self.one.resize(count * part, 0.0);
        part
    }

    fn take_down(&mut self, number: usize, part: usize) {
        for (row, one) in self.one.chunks_exact(part).enumerate() {
            self.all[row * self.width + number * part..][..part].copy_from_slice(one);
        }
    }

    /// What they said of one row.
    pub(crate) fn of(&self, row: usize) -> &[f32] {
        &self.all[row * self.width..][..self.width]
    }
}
