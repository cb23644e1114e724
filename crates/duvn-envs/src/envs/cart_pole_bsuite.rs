use super::pole::{self, Pole};
use super::push;
use crate::canvas::Canvas;
use crate::numerics::{pow2, remainder};
use crate::rng::RandomState;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// bsuite's `cartpole`: hold the pole up (cos θ > 0.8) and the cart on its track (|x| < 3), by pushing it left (0), not at
/// all (1) or right (2). A step pays 1; an episode ends after ten seconds of 100 steps each, or with a step that loses the
/// pole and pays nothing.
///
/// The observation is x/3, ẋ/3, sin θ, cos θ, θ̇ and the share of the time that is over.
#[derive(Clone, Debug)]
pub struct CartPoleBsuite {
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    pole: Pole,
    time: f64,
    observation: [f32; 6],
    rng: RandomState,
}

impl Default for CartPoleBsuite {
    fn default() -> Self {
        let rng = RandomState::new(0);
        CartPoleBsuite { state: State { pole: Pole::default(), time: 0.0, observation: [0.0; 6], rng } }
    }
}

impl CartPoleBsuite {
    const FORCE: f64 = 10.0;
    const SECONDS: f64 = 0.01;
    const MAX_TIME: f64 = 10.0;
    const X_LIMIT: f64 = 3.0;
    const HEIGHT: f64 = 0.8;

    fn observe(&mut self) {
        let State { pole: Pole { x, x_dot, theta, theta_dot }, time, .. } = self.state;
        let (sin, cos) = theta.sin_cos();
        let (x, x_dot) = (x / Self::X_LIMIT, x_dot / Self::X_LIMIT);
        self.state.observation =
            [x, x_dot, sin, cos, theta_dot, time / Self::MAX_TIME].map(|value| value as f32);
    }
}

impl Environment for CartPoleBsuite {
    fn observation_space(&self) -> Space {
        let infinite = f32::INFINITY;
        Space::Box {
            low: vec![-infinite, -infinite, -1.0, -1.0, -infinite, 0.0],
            high: vec![infinite, infinite, 1.0, 1.0, infinite, 1.01],
        }
    }

    fn action_space(&self) -> Space {
        Space::Discrete(3)
    }

    fn reset(&mut self, seed: Option<u64>) {
        let State { pole, time, rng, .. } = &mut self.state;
        rng.restart(seed);
        let [x, x_dot, theta, theta_dot] = [(); 4].map(|()| rng.uniform(-0.05, 0.05));
        (*pole, *time) = (Pole { x, x_dot, theta, theta_dot }, 0.0);
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let State { pole, time, .. } = &mut self.state;
        pole.advance(push(action) * Self::FORCE, Self::SECONDS, pow2);
        pole.theta = remainder(pole.theta, 2.0 * PI);
        *time += Self::SECONDS;
        let held = pole.theta.cos() > Self::HEIGHT && pole.x.abs() < Self::X_LIMIT;
        let terminated = *time > Self::MAX_TIME || !held;
        self.observe();
        Ok(Step { reward: if held { 1.0 } else { 0.0 }, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        pole::draw(canvas, self.state.pole, Self::X_LIMIT, (-1.4, 1.4));
        true
    }
}
