use super::pole::{self, FORCE, Pole};
use crate::canvas::Canvas;
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};

/// Gymnasium's `CartPole`: push a cart left (0) or right (1) so that the pole on it stays up.
///
/// Every step pays 1, the one that loses the pole too; with Sutton and Barto's rewards only losing the pole
/// counts, as -1. The observation is x, ẋ, θ, θ̇.
#[derive(Clone, Debug)]
pub struct CartPole {
    sutton_barto: bool,
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    pole: Pole,
    observation: [f32; 4],
    rng: NumpyRng,
}

impl CartPole {
    const THETA_LIMIT: f64 = 12.0 * 2.0 * std::f64::consts::PI / 360.0;
    const X_LIMIT: f64 = 2.4;
    const SECONDS: f64 = 0.02;

    /// A cart with Gymnasium's rewards, or with Sutton and Barto's.
    pub fn new(sutton_barto: bool) -> Self {
        let rng = NumpyRng::new(0);
        let state = State { pole: Pole::default(), observation: [0.0; 4], rng };
        CartPole { sutton_barto, state }
    }

    fn observe(&mut self) {
        let Pole { x, x_dot, theta, theta_dot } = self.state.pole;
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
        state.rng.restart(seed);
        let [x, x_dot, theta, theta_dot] = [(); 4].map(|()| state.rng.uniform(-0.05, 0.05));
        state.pole = Pole { x, x_dot, theta, theta_dot };
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let force = if action == Action::Index(1) { FORCE } else { -FORCE };
        let pole = &mut self.state.pole;
        pole.advance(force, Self::SECONDS, |x| x * x);
        let terminated = pole.x.abs() > Self::X_LIMIT || pole.theta.abs() > Self::THETA_LIMIT;
        self.observe();
        let reward = match (self.sutton_barto, terminated) {
            (false, _) => 1.0,
            (true, false) => 0.0,
            (true, true) => -1.0,
        };
        Ok(Step { reward, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        pole::draw(canvas, self.state.pole, Self::X_LIMIT, (-0.6, 1.8));
        true
    }
}
