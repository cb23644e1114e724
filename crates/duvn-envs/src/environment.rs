use crate::canvas::Canvas;
use crate::{Action, Observation, Space, StateError};

/// What came of one action. The observation is read with [`Environment::observation`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The reward of this transition.
    pub reward: f64,
    /// The task itself has ended: the return after this state is zero.
    pub terminated: bool,
    /// The episode was cut off (a time limit): the state has a future that we do not see.
    pub truncated: bool,
}

impl Step {
    /// Whether the episode is over, for either reason.
    pub fn done(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// Why a step could not be made. The environment is left as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The action does not lie in the action space.
    #[error("action {action} is outside the action space {space}: write {}", space.example())]
    Action {
        /// The action as it was given.
        action: String,
        /// The space it should lie in.
        space: Space,
    },
    /// The episode has ended, or none has been started.
    #[error("no episode is running: call reset() before step()")]
    NotRunning,
    /// The environment itself failed, for example because the program that runs it did. It says how.
    #[error("the environment failed: {0}")]
    Failed(String),
}

impl StepError {
    /// The error for `action` not lying in `space`.
    pub fn action(action: Action<'_>, space: &Space) -> Self {
        let action = match action {
            Action::Index(index) => index.to_string(),
            Action::Vector(numbers) => format!("{numbers:?}"),
        };
        StepError::Action { action, space: space.clone() }
    }
}

/// An environment with Gymnasium's semantics.
///
/// An implementation is the bare dynamics: it may assume that actions lie in the action space and that
/// `step` follows a `reset`. [`wrappers::Episodes`](crate::wrappers::Episodes), which the registry puts
/// around every environment, checks both and adds the time limit.
pub trait Environment: Send {
    /// Where observations lie.
    fn observation_space(&self) -> Space;

    /// Where actions lie.
    fn action_space(&self) -> Space;

    /// Starts an episode. A seed restarts the random numbers, as Gymnasium's `reset(seed=…)`;
    /// `None` goes on with them.
    fn reset(&mut self, seed: Option<u64>);

    /// What is seen now: the start of an episode after `reset`, else what the last step led to.
    fn observation(&self) -> Observation<'_>;

    /// Acts.
    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError>;

    /// The return of the present episode as it would be without the noise in its rewards, where that can be told; `None`
    /// where the rewards have none. bsuite's scores count this.
    fn denoised_return(&self) -> Option<f64> {
        None
    }

    /// Everything that decides the future, random numbers included (see [`freeze`](crate::freeze)); `None`
    /// where the environment cannot be frozen, for example because another program runs it.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Goes on exactly from where [`save`](Self::save) was called on an environment made alike.
    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let _ = state;
        Err(StateError::Unfreezable)
    }

    /// The present state as lines of text with ANSI colours; `None` where text cannot show it.
    fn render_text(&self) -> Option<String> {
        None
    }

    /// Draws the present state; `false`, and nothing drawn, where there is no picture of it.
    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let _ = canvas;
        false
    }
}

impl<E: Environment + ?Sized> Environment for Box<E> {
    fn observation_space(&self) -> Space {
        (**self).observation_space()
    }

    fn action_space(&self) -> Space {
        (**self).action_space()
    }

    fn reset(&mut self, seed: Option<u64>) {
        (**self).reset(seed);
    }

    fn observation(&self) -> Observation<'_> {
        (**self).observation()
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        (**self).step(action)
    }

    fn denoised_return(&self) -> Option<f64> {
        (**self).denoised_return()
    }

    fn save(&self) -> Option<Vec<u8>> {
        (**self).save()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        (**self).restore(state)
    }

    fn render_text(&self) -> Option<String> {
        (**self).render_text()
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        (**self).draw(canvas)
    }
}
