use super::mountain::{self, GRAVITY, LEFT, MAX_SPEED, RIGHT, START};
use crate::canvas::Canvas;
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};

/// Gymnasium's `MountainCarContinuous`: the valley of `MountainCar` with a push from -1 to 1.
/// The flag at 0.45 pays 100; every step costs a tenth of the square of the push.
#[derive(Clone, Debug)]
pub struct MountainCarContinuous {
    /// The least speed at the flag that counts.
    goal_velocity: f64,
    state: State,
}

/// Gymnasium keeps this environment's state in float32, but for the start of an episode.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// The position of a fresh reset, in the precision it was drawn in.
    start: Option<f64>,
    observation: [f32; 2],
    rng: NumpyRng,
}

impl MountainCarContinuous {
    const POWER: f32 = 0.0015;
    const GOAL: f64 = 0.45;

    /// The car that must pass the flag at least this fast (Gymnasium: 0).
    pub fn new(goal_velocity: f64) -> Self {
        let state = State { start: None, observation: [0.0; 2], rng: NumpyRng::new(0) };
        MountainCarContinuous { goal_velocity, state }
    }
}

impl Environment for MountainCarContinuous {
    fn observation_space(&self) -> Space {
        mountain::observation_space()
    }

    fn action_space(&self) -> Space {
        Space::symmetric_box(&[1.0])
    }

    fn reset(&mut self, seed: Option<u64>) {
        let state = &mut self.state;
        state.rng.restart(seed);
        let position = state.rng.uniform(START[0], START[1]);
        state.start = Some(position);
        state.observation = [position as f32, 0.0];
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Vector(&[push]) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        let state = &mut self.state;
        let cost = f64::from(push) * f64::from(push) * 0.1;
        // The cosine is taken in double precision, of an angle in the precision of the state.
        let pull = |angle: f64| (GRAVITY * angle.cos()) as f32;
        if let Some(start) = state.start.take() {
            // No wall, speed limit or goal is within one step's reach of a start.
            let velocity = f64::from(push * Self::POWER - pull(3.0 * start));
            state.observation = [(start + velocity) as f32, velocity as f32];
            return Ok(Step { reward: 0.0 - cost, terminated: false, truncated: false });
        }
        let [position, velocity] = state.observation;
        let limit = MAX_SPEED as f32;
        let mut velocity = velocity + (push * Self::POWER - pull(f64::from(3.0 * position)));
        velocity = velocity.clamp(-limit, limit);
        let position = (position + velocity).clamp(LEFT as f32, RIGHT as f32);
        if position == LEFT as f32 && velocity < 0.0 {
            velocity = 0.0;
        }
        state.observation = [position, velocity];
        let terminated = position >= Self::GOAL as f32 && velocity >= self.goal_velocity as f32;
        let reward = if terminated { 100.0 } else { 0.0 } - cost;
        Ok(Step { reward, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        mountain::draw(canvas, f64::from(self.state.observation[0]), Self::GOAL);
        true
    }
}
