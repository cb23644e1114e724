use crate::{Action, Environment, Step, StepError};

/// Pays one reward for the step that ends the task and another for every other step, in place of the
/// environment's own: the rescaled rewards with which the paper's authors ran the control tasks.
///
/// A time limit is not an end of the task.
pub struct SparseReward<E> {
    inner: E,
    end: f64,
    other: f64,
}

impl<E: Environment> SparseReward<E> {
    /// Wraps `inner`: `end` is paid for a terminating step, `other` for the rest.
    pub fn new(inner: E, end: f64, other: f64) -> Self {
        SparseReward { inner, end, other }
    }
}

impl<E: Environment> Environment for SparseReward<E> {
    forward!(inner: observation_space action_space reset observation save restore pictures);

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let step = self.inner.step(action)?;
        Ok(Step { reward: if step.terminated { self.end } else { self.other }, ..step })
    }
}
