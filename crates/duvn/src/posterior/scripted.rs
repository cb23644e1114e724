//! A posterior for tests that says what it is told and takes down what it is asked.

use super::{Draw, Posterior, Question, Source, TrainingBatch};
use crate::net::{Health, Input, LoadError, Rows, Shape, Tensor, Which};
use crate::returns::Discrepancy;
use duvn_envs::StateError;
use std::sync::{Arc, Mutex};

/// What a posterior was asked to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Call {
    Draw,
    Value { learner: usize, which: Which, taken: Option<Vec<u8>> },
    Remember(u32),
    Train { learner: usize, slots: Vec<u32>, targets: Vec<f32> },
    Sync,
}

/// In every state of `states`, action a is worth `worth[a]`; each call of `value` adds `step` more than the one before.
pub(crate) struct Scripted {
    shape: Shape,
    /// By centre, then action.
    pub worth: Vec<Vec<f32>>,
    pub step: f32,
    /// The error that training reports.
    pub error: f64,
    pub varies: bool,
    answers: usize,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Scripted {
    pub(crate) fn new(states: usize, worth: Vec<Vec<f32>>) -> Self {
        let shape = Shape::heads(Input::OneHot(states), vec![], worth[0].len(), 1);
        Scripted { shape, worth, step: 0.0, error: 1.0, varies: false, answers: 0, calls: Arc::default() }
    }

    /// What it was asked, also after it was given away.
    pub(crate) fn calls(&self) -> Arc<Mutex<Vec<Call>>> {
        Arc::clone(&self.calls)
    }

    fn note(&self, call: Call) {
        self.calls.lock().expect("no test panics while it writes").push(call);
    }

    fn say(&self, centre: usize, extra: f32, taken: Option<&[u8]>, out: &mut [f32]) {
        let worth = &self.worth[centre];
        for (at, out) in out.iter_mut().enumerate() {
            *out = extra + taken.map_or(worth[at % worth.len()], |taken| worth[usize::from(taken[at])]);
        }
    }
}

impl Posterior for Scripted {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn draw(&self, _source: &mut Source, _draw: &mut Draw) {
        self.note(Call::Draw);
    }

    fn beliefs<'d>(&mut self, _rows: Rows<'_>, _draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]) {
        self.say(0, 0.0, None, out);
    }

    fn centres(&self) -> usize {
        self.worth.len()
    }

    fn central_beliefs(&mut self, centre: usize, _rows: Rows<'_>, out: &mut [f32]) {
        self.say(centre, 0.0, None, out);
    }

    fn learners(&self) -> usize {
        self.worth.len()
    }

    fn value(&mut self, learner: usize, question: Question<'_>, _source: &mut Source, out: &mut [f32]) {
        let Question { which, taken, .. } = question;
        self.note(Call::Value { learner, which, taken: taken.map(<[u8]>::to_vec) });
        self.say(learner, self.answers as f32 * self.step, taken, out);
        self.answers += 1;
    }

    fn values_vary(&self) -> bool {
        self.varies
    }

    fn remember(&mut self, slot: u32) {
        self.note(Call::Remember(slot));
    }

    fn train(&mut self, learner: usize, batch: TrainingBatch<'_>, _source: &mut Source) -> Health {
        self.note(Call::Train { learner, slots: batch.slots.to_vec(), targets: batch.targets.to_vec() });
        batch.found.fill(Discrepancy { loss: self.error, temporal_difference: self.error });
        Health::Finite
    }

    fn sync_target(&mut self, _tau: f32) {
        self.note(Call::Sync);
    }

    fn weights(&self) -> Vec<Tensor> {
        Vec::new()
    }

    fn tensors(&self) -> Vec<Tensor> {
        Vec::new()
    }

    fn load(&mut self, _tensors: &[Tensor]) -> Result<(), LoadError> {
        Ok(())
    }

    fn freeze(&self) -> Vec<u8> {
        Vec::new()
    }

    fn thaw(&mut self, _bytes: &[u8]) -> Result<(), StateError> {
        Ok(())
    }
}
