use crate::canvas::{Canvas, Colour, bar};
use crate::numerics::{pow2, pow2_f32, remainder};
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Gymnasium's `Pendulum`: a torque from -2 to 2 is to swing a pendulum up and hold it there. A step costs
/// θ² + 0.1 θ̇² + 0.001 u², with θ from -π to π, 0 upright. The observation is cos θ, sin θ, θ̇.
#[derive(Clone, Debug)]
pub struct Pendulum {
    gravity: f64,
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    theta: f64,
    theta_dot: f64,
    observation: [f32; 3],
    rng: NumpyRng,
}

impl Pendulum {
    const MAX_SPEED: f64 = 8.0;
    const MAX_TORQUE: f32 = 2.0;
    const SECONDS: f64 = 0.05;

    /// The pendulum under this gravity (Gymnasium: 10).
    pub fn new(gravity: f64) -> Self {
        let state = State { theta: 0.0, theta_dot: 0.0, observation: [0.0; 3], rng: NumpyRng::new(0) };
        Pendulum { gravity, state }
    }

    fn observe(&mut self) {
        let State { theta, theta_dot, .. } = self.state;
        let (sin, cos) = theta.sin_cos();
        self.state.observation = [cos as f32, sin as f32, theta_dot as f32];
    }
}

impl Environment for Pendulum {
    fn observation_space(&self) -> Space {
        Space::symmetric_box(&[1.0, 1.0, Self::MAX_SPEED as f32])
    }

    fn action_space(&self) -> Space {
        Space::symmetric_box(&[Self::MAX_TORQUE])
    }

    fn reset(&mut self, seed: Option<u64>) {
        let state = &mut self.state;
        state.rng.restart(seed);
        state.theta = state.rng.uniform(-PI, PI);
        state.theta_dot = state.rng.uniform(-1.0, 1.0);
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Vector(&[torque]) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        let State { theta, theta_dot, .. } = self.state;
        // The torque is a float32, and so are its square's and its own products with a number.
        let from_upright = remainder(theta + PI, 2.0 * PI) - PI;
        let cost = pow2(from_upright) + 0.1 * pow2(theta_dot) + f64::from(0.001 * pow2_f32(torque));
        let pull = 3.0 * self.gravity / 2.0;
        let speed = theta_dot + (pull * theta.sin() + f64::from(3.0 * torque)) * Self::SECONDS;
        let speed = speed.clamp(-Self::MAX_SPEED, Self::MAX_SPEED);
        self.state.theta = theta + speed * Self::SECONDS;
        self.state.theta_dot = speed;
        self.observe();
        Ok(Step { reward: -cost, terminated: false, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let theta = self.state.theta;
        canvas.view((-1.3, -1.3), (1.3, 1.3), Colour::WHITE);
        let tip = (-theta.sin(), theta.cos());
        canvas.polygon(&bar((0.0, 0.0), tip, 0.2), Colour(204, 77, 77));
        canvas.circle((0.0, 0.0), 0.1, Colour(204, 77, 77));
        canvas.circle(tip, 0.1, Colour(204, 77, 77));
        canvas.circle((0.0, 0.0), 0.04, Colour::BLACK);
        true
    }
}
