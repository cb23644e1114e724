use super::{Draw, Posterior, Question, Source, TrainingBatch};
use crate::net::{Health, LoadError, Rows, Shape, Tensor, Which};
use crate::value::ValueNetwork;
use duvn_envs::StateError;

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
    one_network!();

    fn draw(&self, _source: &mut Source, _draw: &mut Draw) {}

    fn beliefs<'d>(&mut self, rows: Rows<'_>, _draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]) {
        self.network.beliefs(Question { which: Which::Online, rows, taken: None }, None, out);
    }

    fn value(&mut self, _learner: usize, question: Question<'_>, _source: &mut Source, out: &mut [f32]) {
        self.network.beliefs(question, None, out);
    }

    fn values_vary(&self) -> bool {
        false
    }

    fn train(&mut self, _learner: usize, batch: TrainingBatch<'_>, _source: &mut Source) -> Health {
        self.network.train(batch, None)
    }
}
