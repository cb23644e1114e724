use crate::{Action, Environment, Space, StateError, Step, StepError, freeze, thaw};

/// Checks actions and the order of calls, and cuts episodes off at a time limit.
pub struct Episodes<E> {
    inner: E,
    action_space: Space,
    time_limit: Option<u32>,
    steps: u32,
    running: bool,
}

impl<E: Environment> Episodes<E> {
    /// Wraps `inner`; with a `time_limit`, the step that reaches it is truncated.
    pub fn new(inner: E, time_limit: Option<u32>) -> Self {
        let action_space = inner.action_space();
        Episodes { inner, action_space, time_limit, steps: 0, running: false }
    }
}

impl<E: Environment> Environment for Episodes<E> {
    forward!(inner: observation_space observation denoised_return pictures);

    fn action_space(&self) -> Space {
        self.action_space.clone()
    }

    fn reset(&mut self, seed: Option<u64>) {
        self.inner.reset(seed);
        self.steps = 0;
        self.running = true;
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        if !self.running {
            return Err(StepError::NotRunning);
        }
        if !self.action_space.contains_action(action) {
            return Err(StepError::action(action, &self.action_space));
        }
        let mut step = self.inner.step(action)?;
        self.steps = self.steps.saturating_add(1);
        step.truncated |= self.time_limit.is_some_and(|limit| self.steps >= limit);
        self.running = !step.done();
        Ok(step)
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(self.steps, self.running, self.inner.save()?)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (steps, running, inner): (u32, bool, Vec<u8>) = thaw(state)?;
        self.inner.restore(&inner)?;
        (self.steps, self.running) = (steps, running);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;
    use crate::envs::Chain;

    /// An environment that nobody has written a frozen form for.
    struct Foreign;

    impl Environment for Foreign {
        fn observation_space(&self) -> Space {
            Space::Discrete(1)
        }

        fn action_space(&self) -> Space {
            Space::Discrete(1)
        }

        fn reset(&mut self, _seed: Option<u64>) {}

        fn observation(&self) -> Observation<'_> {
            Observation::Index(0)
        }

        fn step(&mut self, _action: Action<'_>) -> Result<Step, StepError> {
            Ok(Step { reward: 0.0, terminated: true, truncated: false })
        }
    }

    #[test]
    fn what_cannot_be_frozen_says_so_through_every_wrapper_and_is_sound() {
        let mut foreign: Box<dyn Environment> = Box::new(Episodes::new(Foreign, None));
        foreign.reset(None);
        assert_eq!(foreign.save(), None);
        let state = freeze(&(0u32, true, Vec::<u8>::new()));
        assert_eq!(foreign.restore(&state), Err(StateError::Unfreezable));
        assert_eq!(crate::env_checker::check(|| Episodes::new(Foreign, None)), []);
    }

    #[test]
    fn the_step_that_reaches_the_limit_is_truncated_and_ends_the_episode() {
        let mut chain = Episodes::new(Chain::ordered(9), Some(3));
        chain.reset(None);
        let flags: Vec<_> = (0..3).map(|_| chain.step(1.into()).unwrap().truncated).collect();
        assert_eq!(flags, [false, false, true]);
        assert_eq!(chain.step(1.into()), Err(StepError::NotRunning));
    }
}
