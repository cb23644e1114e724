use super::mountain::{self, GRAVITY, LEFT, MAX_SPEED, RIGHT};
use super::push;
use crate::canvas::Canvas;
use crate::rng::RandomState;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};

/// bsuite's `mountain_car`: Gymnasium's, with 1,000 steps, of which the share that is over is seen too. The task ends with
/// them.
#[derive(Clone, Debug)]
pub struct MountainCarBsuite {
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    position: f64,
    velocity: f64,
    steps: u32,
    observation: [f32; 3],
    rng: RandomState,
}

impl Default for MountainCarBsuite {
    fn default() -> Self {
        let rng = RandomState::new(0);
        let state = State { position: 0.0, velocity: 0.0, steps: 0, observation: [0.0; 3], rng };
        MountainCarBsuite { state }
    }
}

impl MountainCarBsuite {
    const STEPS: u32 = 1000;

    fn observe(&mut self) {
        let State { position, velocity, steps, .. } = self.state;
        let over = f64::from(steps) / f64::from(Self::STEPS);
        self.state.observation = [position, velocity, over].map(|value| value as f32);
    }
}

impl Environment for MountainCarBsuite {
    fn observation_space(&self) -> Space {
        let Space::Box { mut low, mut high } = mountain::observation_space() else {
            return Space::symmetric_box(&[f32::INFINITY; 3]);
        };
        low.push(0.0);
        high.push(1.0);
        Space::Box { low, high }
    }

    fn action_space(&self) -> Space {
        Space::Discrete(3)
    }

    fn reset(&mut self, seed: Option<u64>) {
        let state = &mut self.state;
        state.rng.restart(seed);
        state.position = state.rng.uniform(-0.6, -0.4);
        (state.velocity, state.steps) = (0.0, 0);
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let state = &mut self.state;
        state.steps = state.steps.saturating_add(1);
        state.velocity += push(action) * mountain::FORCE + (3.0 * state.position).cos() * -GRAVITY;
        state.velocity = state.velocity.clamp(-MAX_SPEED, MAX_SPEED);
        state.position = (state.position + state.velocity).clamp(LEFT, RIGHT);
        if state.position == LEFT {
            state.velocity = state.velocity.max(0.0);
        }
        let terminated = state.position >= mountain::GOAL || state.steps >= Self::STEPS;
        self.observe();
        Ok(Step { reward: -1.0, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        mountain::draw(canvas, self.state.position, mountain::GOAL);
        true
    }
}
