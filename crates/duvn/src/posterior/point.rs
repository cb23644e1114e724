use super::{Draw, Posterior, Question, Source, TrainingBatch};
use crate::net::{Health, LoadError, Rows, Shape, Tensor, Which};
use crate::value::ValueNetwork;
use duvn_envs::{StateError, freeze, thaw};

/// One value for each parameter: nothing is uncertain about them.
pub struct Point {
    network: ValueNetwork,
}

impl Point {
    /// The belief that the parameters are those of `network`.
    pub fn new(network: ValueNetwork) -> Self {
        Point { network }
    }
}

impl Posterior for Point {
    fn shape(&self) -> &Shape {
        self.network.shape()
    }

    fn draw(&self, _source: &mut Source, _draw: &mut Draw) {}

    fn beliefs<'d>(&mut self, rows: Rows<'_>, _draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]) {
        self.network.beliefs(Question { which: Which::Online, rows, taken: None }, None, out);
    }

    fn centres(&self) -> usize {
        1
    }

    fn central_beliefs(&mut self, _centre: usize, rows: Rows<'_>, out: &mut [f32]) {
        self.network.beliefs(Question { which: Which::Online, rows, taken: None }, None, out);
    }

    fn learners(&self) -> usize {
        1
    }

    fn value(&mut self, _learner: usize, question: Question<'_>, _source: &mut Source, out: &mut [f32]) {
        self.network.beliefs(question, None, out);
    }

    fn values_vary(&self) -> bool {
        false
    }

    fn remember(&mut self, _slot: u32) {}

    fn train(&mut self, _learner: usize, batch: TrainingBatch<'_>, _source: &mut Source) -> Health {
        self.network.train(batch, None)
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
