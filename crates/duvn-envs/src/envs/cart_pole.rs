use super::pole;
use crate::canvas::{Canvas, Colour};
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, thaw};
use serde::{Deserialize, Serialize};

/// Gymnasium's `CartPole`: push a cart left (0) or right (1) so that the pole on it stays up.
///
/// Every step pays 1, the one that loses the pole too. The observation is x, ẋ, θ, θ̇.
#[derive(Clone, Debug)]
pub struct CartPole {
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    x: f64,
    x_dot: f64,
    theta: f64,
    theta_dot: f64,
    observation: [f32; 4],
    rng: NumpyRng,
}

impl Default for CartPole {
    fn default() -> Self {
        let rng = NumpyRng::new(0);
        CartPole {
            state: State { x: 0.0, x_dot: 0.0, theta: 0.0, theta_dot: 0.0, observation: [0.0; 4], rng },
        }
    }
}

impl CartPole {
    const FORCE: f64 = 10.0;
    const SECONDS: f64 = 0.02;
    const X_LIMIT: f64 = 2.4;
    const THETA_LIMIT: f64 = 12.0 * 2.0 * std::f64::consts::PI / 360.0;

    fn observe(&mut self) {
        let State { x, x_dot, theta, theta_dot, .. } = self.state;
        self.state.observation = [x, x_dot, theta, theta_dot].map(|value| value as f32);
    }
}

impl Environment for CartPole {
    fn observation_space(&self) -> Space {
        let [x, theta] = [Self::X_LIMIT, Self::THETA_LIMIT].map(|limit| (limit * 2.0) as f32);
        Space::symmetric_box(&[x, f32::INFINITY, theta, f32::INFINITY])
    }

    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }

    fn reset(&mut self, seed: Option<u64>) {
        let state = &mut self.state;
        if let Some(seed) = seed {
            state.rng = NumpyRng::new(seed);
        }
        [state.x, state.x_dot, state.theta, state.theta_dot] =
            [(); 4].map(|()| state.rng.uniform(-0.05, 0.05));
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let force = if action == Action::Index(1) { Self::FORCE } else { -Self::FORCE };
        let state = &mut self.state;
        let (x_acc, theta_acc) = pole::accelerations(force, state.theta, state.theta_dot, |x| x * x);
        // Explicit Euler: positions move with the old velocities.
        state.x += Self::SECONDS * state.x_dot;
        state.x_dot += Self::SECONDS * x_acc;
        state.theta += Self::SECONDS * state.theta_dot;
        state.theta_dot += Self::SECONDS * theta_acc;
        let terminated = state.x.abs() > Self::X_LIMIT || state.theta.abs() > Self::THETA_LIMIT;
        self.observe();
        Ok(Step { reward: 1.0, terminated, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.state))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.state = thaw(state)?;
        Ok(())
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let State { x, theta, .. } = self.state;
        canvas.view((-2.4, -0.6), (2.4, 1.8), Colour::WHITE);
        canvas.line(&[(-2.4, 0.0), (2.4, 0.0)], 0.01, Colour::BLACK);
        pole::draw(canvas, x, theta);
        true
    }
}
