use super::{Draw, Posterior, Question, Source, TrainingBatch};
use crate::net::{Extent, Health, LoadError, Masks, Rows, Shape, Tensor, Which};
use crate::value::ValueNetwork;
use duvn_envs::{StateError, freeze, thaw};

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
    fn shape(&self) -> &Shape {
        self.network.shape()
    }

    fn draw(&self, source: &mut Source, draw: &mut Draw) {
        draw.masks.draw(self.network.shape(), Extent::AllActions, 1, self.keep, &mut source.masks);
    }

    fn beliefs<'d>(&mut self, rows: Rows<'_>, draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]) {
        let count = rows.len(self.network.shape().input);
        self.masks.join((0..count).map(|row| &draw_of(row).masks));
        self.network.beliefs(Question { which: Which::Online, rows, taken: None }, Some(&self.masks), out);
    }

    fn takes(&self, draw: &Draw) -> bool {
        draw.masks.fit(self.network.shape(), 1)
    }

    fn centres(&self) -> usize {
        1
    }

    /// Without a mask: kept units are scaled up while masks are on, so that this is the mean network.
    fn central_beliefs(&mut self, _centre: usize, rows: Rows<'_>, out: &mut [f32]) {
        self.network.beliefs(Question { which: Which::Online, rows, taken: None }, None, out);
    }

    fn learners(&self) -> usize {
        1
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

    fn remember(&mut self, _slot: u32) {}

    fn train(&mut self, _learner: usize, batch: TrainingBatch<'_>, source: &mut Source) -> Health {
        let (shape, rows) = (self.network.shape(), batch.actions.len());
        self.masks.draw(shape, Extent::TakenAction, rows, self.keep, &mut source.masks);
        self.network.train(batch, Some(&self.masks))
    }

    fn sync_target(&mut self, tau: f32) {
        self.network.sync_target(tau);
    }

    fn weights(&self) -> Vec<Tensor> {
        self.network.weights()
    }

    fn networks(&self) -> Vec<&ValueNetwork> {
        vec![&self.network]
    }

    fn tensors(&self) -> Vec<Tensor> {
        self.network.tensors("0/")
    }

    fn load(&mut self, tensors: &[Tensor]) -> Result<(), LoadError> {
        self.network.load("0/", tensors)
    }

    fn freeze(&self) -> Vec<u8> {
        freeze(&self.network.steps())
    }

    fn thaw(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        self.network.set_steps(thaw(bytes)?);
        Ok(())
    }
}
