use super::pole;
use crate::canvas::{Canvas, Colour};
use crate::numerics::{pow2, remainder};
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, thaw};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// bsuite's `cartpole_swingup`: the pole hangs down and is to be swung up, by pushing the cart left (0), not
/// at all (1) or right (2). A push costs 0.1; only an upright, slow pole over the middle pays (1 a step).
///
/// With difficulty k, upright is cos θ > k/20 and the middle is |x| < 1 - k/20. An episode ends after ten
/// seconds of 100 steps each, or where |x| > 3. The observation is x/3, ẋ/3, sin θ, cos θ, θ̇, the share of
/// the time that is over, and 1 or -1 for whether x and θ̇ are small enough to be paid.
#[derive(Clone, Debug)]
pub struct CartPoleSwingup {
    height: f64,
    middle: f64,
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    x: f64,
    x_dot: f64,
    theta: f64,
    theta_dot: f64,
    time: f64,
    observation: [f32; 8],
    rng: NumpyRng,
}

impl CartPoleSwingup {
    /// The largest difficulty.
    pub const MAX_DIFFICULTY: usize = 19;
    const FORCE: f64 = 10.0;
    const SECONDS: f64 = 0.01;
    const MAX_TIME: f64 = 10.0;
    const X_LIMIT: f64 = 3.0;
    const SLOW: f64 = 1.0;
    const MOVE_COST: f64 = 0.1;

    /// The task of this difficulty, from 0 to [`Self::MAX_DIFFICULTY`].
    pub fn new(difficulty: usize) -> Self {
        let share = difficulty as f64 / 20.0;
        let rng = NumpyRng::new(0);
        let state =
            State { x: 0.0, x_dot: 0.0, theta: PI, theta_dot: 0.0, time: 0.0, observation: [0.0; 8], rng };
        CartPoleSwingup { height: share, middle: 1.0 - share, state }
    }

    /// Starts an episode this far from rest: x, ẋ, θ - π, θ̇.
    pub fn start(&mut self, [x, x_dot, theta, theta_dot]: [f64; 4]) {
        let state = &mut self.state;
        (state.x, state.x_dot, state.theta, state.theta_dot) = (x, x_dot, PI + theta, theta_dot);
        state.time = 0.0;
        self.observe();
    }

    fn observe(&mut self) {
        let State { x, x_dot, theta, theta_dot, time, .. } = self.state;
        let (sin, cos) = theta.sin_cos();
        let sign = |small: bool| if small { 1.0 } else { -1.0 };
        self.state.observation = [
            x / Self::X_LIMIT,
            x_dot / Self::X_LIMIT,
            sin,
            cos,
            theta_dot,
            time / Self::MAX_TIME,
            sign(x.abs() < self.middle),
            sign(theta_dot.abs() < Self::SLOW),
        ]
        .map(|value| value as f32);
    }
}

impl Environment for CartPoleSwingup {
    fn observation_space(&self) -> Space {
        let infinite = f32::INFINITY;
        Space::Box {
            low: vec![-infinite, -infinite, -1.0, -1.0, -infinite, 0.0, -1.0, -1.0],
            high: vec![infinite, infinite, 1.0, 1.0, infinite, 1.01, 1.0, 1.0],
        }
    }

    fn action_space(&self) -> Space {
        Space::Discrete(3)
    }

    fn reset(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.state.rng = NumpyRng::new(seed);
        }
        let draws = [(); 4].map(|()| self.state.rng.uniform(-0.05, 0.05));
        self.start(draws);
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let push = match action {
            Action::Index(0) => -1.0,
            Action::Index(1) => 0.0,
            _ => 1.0,
        };
        let state = &mut self.state;
        let (x_acc, theta_acc) = pole::accelerations(push * Self::FORCE, state.theta, state.theta_dot, pow2);
        state.x += Self::SECONDS * state.x_dot;
        state.x_dot += Self::SECONDS * x_acc;
        state.theta = remainder(state.theta + Self::SECONDS * state.theta_dot, 2.0 * PI);
        state.theta_dot += Self::SECONDS * theta_acc;
        state.time += Self::SECONDS;
        let upright = state.theta.cos() > self.height
            && state.theta_dot.abs() < Self::SLOW
            && state.x.abs() < self.middle;
        let reward = -f64::abs(push) * Self::MOVE_COST + if upright { 1.0 } else { 0.0 };
        let terminated = state.time > Self::MAX_TIME || state.x.abs() > Self::X_LIMIT;
        self.observe();
        Ok(Step { reward, terminated, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.state))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.state = thaw(state)?;
        Ok(())
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        canvas.view((-3.0, -1.4), (3.0, 1.4), Colour::WHITE);
        canvas.line(&[(-3.0, 0.0), (3.0, 0.0)], 0.01, Colour::BLACK);
        pole::draw(canvas, self.state.x, self.state.theta);
        true
    }
}
