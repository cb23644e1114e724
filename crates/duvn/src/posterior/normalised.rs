use super::{Draw, Posterior, Question, Source, TrainingBatch};
use crate::net::{Health, Input, LoadError, Rows, Shape, Tensor};
use crate::running::Running;
use crate::value::ValueNetwork;
use duvn_envs::{Observation, StateError};

/// Another posterior that sees box observations brought to mean 0 and standard deviation 1, by what has come so far. All that is
/// asked of it and taught to it goes through the present statistics: those of the target network are no others. Local uncertainty
/// stands outside: it has a scale of its own, which must not move under the visits it has counted.
pub struct Normalised {
    posterior: Box<dyn Posterior>,
    running: Running,
    /// Numbers of a row.
    width: usize,
    /// Rows on the present scale.
    seen: Vec<f32>,
}

impl Normalised {
    /// `posterior`, with statistics of the first `components` numbers of every row, and room for `rows` of them.
    pub fn new(posterior: Box<dyn Posterior>, components: usize, rows: usize) -> Self {
        let width = match posterior.shape().input {
            Input::Dense(width) => width,
            Input::OneHot(_) => 1,
        };
        let seen = Vec::with_capacity(rows * width);
        Normalised { posterior, running: Running::new(components), width, seen }
    }
}

impl Posterior for Normalised {
    fn shape(&self) -> &Shape {
        self.posterior.shape()
    }

    fn see(&mut self, observation: Observation<'_>) {
        if let Observation::Vector(numbers) = observation {
            self.running.add(numbers);
        }
    }

    fn running(&self) -> Option<&Running> {
        Some(&self.running)
    }

    fn draw(&self, source: &mut Source, draw: &mut Draw) {
        self.posterior.draw(source, draw);
    }

    fn draw_beside(&self, number: usize, source: &mut Source, draw: &mut Draw) {
        self.posterior.draw_beside(number, source, draw);
    }

    fn beliefs<'d>(&mut self, rows: Rows<'_>, draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]) {
        let rows = self.running.apply(rows, self.width, &mut self.seen);
        self.posterior.beliefs(rows, draw_of, out);
    }

    fn takes(&self, draw: &Draw) -> bool {
        self.posterior.takes(draw)
    }

    fn centres(&self) -> usize {
        self.posterior.centres()
    }

    fn central_beliefs(&mut self, centre: usize, rows: Rows<'_>, out: &mut [f32]) {
        let rows = self.running.apply(rows, self.width, &mut self.seen);
        self.posterior.central_beliefs(centre, rows, out);
    }

    fn learners(&self) -> usize {
        self.posterior.learners()
    }

    fn shares_targets(&self) -> bool {
        self.posterior.shares_targets()
    }

    fn value(&mut self, learner: usize, question: Question<'_>, source: &mut Source, out: &mut [f32]) {
        let rows = self.running.apply(question.rows, self.width, &mut self.seen);
        self.posterior.value(learner, Question { rows, ..question }, source, out);
    }

    fn values_vary(&self) -> bool {
        self.posterior.values_vary()
    }

    fn remember(&mut self, slot: u32) {
        self.posterior.remember(slot);
    }

    fn train(&mut self, learner: usize, batch: TrainingBatch<'_>, source: &mut Source) -> Health {
        let rows = self.running.apply(batch.rows, self.width, &mut self.seen);
        self.posterior.train(learner, TrainingBatch { rows, ..batch }, source)
    }

    fn sync_target(&mut self, tau: f32) {
        self.posterior.sync_target(tau);
    }

    fn weights(&self) -> Vec<Tensor> {
        self.posterior.weights()
    }

    fn networks(&self) -> Vec<&ValueNetwork> {
        self.posterior.networks()
    }

    fn tensors(&self) -> Vec<Tensor> {
        self.posterior.tensors()
    }

    fn load(&mut self, tensors: &[Tensor]) -> Result<(), LoadError> {
        self.posterior.load(tensors)
    }

    fn freeze(&self) -> Vec<u8> {
        duvn_envs::freeze(&(&self.running, self.posterior.freeze()))
    }

    fn thaw(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (running, posterior): (Running, Vec<u8>) = duvn_envs::thaw(bytes)?;
        if !self.running.takes(&running) {
            return Err(StateError::Misfit("its statistics are not those of such observations".into()));
        }
        self.posterior.thaw(&posterior)?;
        self.running = running;
        Ok(())
    }
}
