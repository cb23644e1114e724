use super::{Draw, Posterior, Question, Source, TrainingBatch};
use crate::net::{Extent, Health, LoadError, Masks, Rows, Shape, Tensor, Which};
use crate::value::ValueNetwork;
use duvn_envs::StateError;

/// Monte-Carlo dropout (Gal and Ghahramani 2016; paper, section 2.1): a draw of the parameters is a dropout mask over
/// the hidden units. Targets and training see a fresh mask for each row.
pub struct Dropout {
    network: ValueNetwork,
    keep: f32,
    /// The masks of a batch.
    masks: Masks,
}

impl Dropout {
    /// The units of `network` are kept with probability `keep`, which is in (0, 1].
    pub fn new(network: ValueNetwork, keep: f32) -> Self {
        Dropout { network, keep, masks: Masks::new() }
    }
}

impl Posterior for Dropout {
    one_network!();

    fn draw(&self, source: &mut Source, draw: &mut Draw) {
        draw.masks.draw(self.network.shape(), Extent::AllActions, 1, self.keep, &mut source.masks);
    }

    fn beliefs<'d>(&mut self, rows: Rows<'_>, draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]) {
        let count = rows.len(self.network.shape().input);
        let masks = match count {
            1 => &draw_of(0).masks,
            _ => {
                self.masks.join((0..count).map(|row| &draw_of(row).masks));
                &self.masks
            }
        };
        self.network.beliefs(Question { which: Which::Online, rows, taken: None }, Some(masks), out);
    }

    fn takes(&self, draw: &Draw) -> bool {
        draw.masks.fit(self.network.shape(), 1)
    }

    fn value(&mut self, _learner: usize, question: Question<'_>, source: &mut Source, out: &mut [f32]) {
        let extent = if question.taken.is_some() { Extent::TakenAction } else { Extent::AllActions };
        let shape = self.network.shape();
        self.masks.draw(shape, extent, question.rows.len(shape.input), self.keep, &mut source.masks);
        self.network.beliefs(question, Some(&self.masks), out);
    }

    fn values_vary(&self) -> bool {
        true
    }

    fn train(&mut self, _learner: usize, batch: TrainingBatch<'_>, source: &mut Source) -> Health {
        let (shape, rows) = (self.network.shape(), batch.actions.len());
        self.masks.draw(shape, Extent::TakenAction, rows, self.keep, &mut source.masks);
        self.network.train(batch, Some(&self.masks))
    }
}
