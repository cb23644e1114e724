use super::mountain::{self, FORCE, GOAL, GRAVITY, LEFT, MAX_SPEED, RIGHT};
use super::push;
use crate::canvas::Canvas;
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};

/// Gymnasium's `MountainCar`: swing an underpowered car out of a valley, pushing it left (0), not at all
/// (1) or right (2). Every step costs 1; the flag at 0.5 ends the episode.
#[derive(Clone, Debug)]
pub struct MountainCar {
    /// The least speed at the flag that counts.
    goal_velocity: f64,
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    position: f64,
    velocity: f64,
    observation: [f32; 2],
    rng: NumpyRng,
}

impl MountainCar {
    /// The car that must pass the flag at least this fast (Gymnasium: 0).
    pub fn new(goal_velocity: f64) -> Self {
        let state = State { position: 0.0, velocity: 0.0, observation: [0.0; 2], rng: NumpyRng::new(0) };
        MountainCar { goal_velocity, state }
    }
}

impl Environment for MountainCar {
    fn observation_space(&self) -> Space {
        mountain::observation_space()
    }

    fn action_space(&self) -> Space {
        Space::Discrete(3)
    }

    fn reset(&mut self, seed: Option<u64>) {
        let state = &mut self.state;
        state.rng.restart(seed);
        state.position = state.rng.uniform(-0.6, -0.4);
        state.velocity = 0.0;
        state.observation = [state.position as f32, 0.0];
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let push = push(action);
        let state = &mut self.state;
        state.velocity += push * FORCE + (3.0 * state.position).cos() * -GRAVITY;
        state.velocity = state.velocity.clamp(-MAX_SPEED, MAX_SPEED);
        state.position = (state.position + state.velocity).clamp(LEFT, RIGHT);
        if state.position == LEFT && state.velocity < 0.0 {
            state.velocity = 0.0;
        }
        let terminated = state.position >= GOAL && state.velocity >= self.goal_velocity;
        state.observation = [state.position as f32, state.velocity as f32];
        Ok(Step { reward: -1.0, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        mountain::draw(canvas, self.state.position, GOAL);
        true
    }
}
