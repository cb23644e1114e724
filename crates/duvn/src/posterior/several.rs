//! Beliefs under several draws at once, for policies that look at how much draws differ.

use super::{Draw, Posterior, Source};
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
        let count = rows.len(posterior.shape().input);
        let part = posterior.shape().actions * model.outputs();
        self.width = draws * part;
        self.all.resize(count * self.width, 0.0);
        self.one.resize(count * part, 0.0);
        for number in 0..draws {
            posterior.draw(source, &mut self.draw);
            posterior.beliefs(rows, &|_| &self.draw, &mut self.one);
            local.widen(model, rows, None, &mut self.one);
            for (row, one) in self.one.chunks_exact(part).enumerate() {
                self.all[row * self.width + number * part..][..part].copy_from_slice(one);
            }
        }
    }

    /// What they said of one row.
    pub(crate) fn of(&self, row: usize) -> &[f32] {
        &self.all[row * self.width..][..self.width]
    }
}
