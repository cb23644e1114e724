use super::pole::{Pole, TimedPole};
use super::push;
use crate::canvas::Canvas;
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, Step, StepError};
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
    cart: TimedPole,
    observation: [f32; 8],
    rng: NumpyRng,
}

impl CartPoleSwingup {
    /// The largest difficulty.
    pub const MAX_DIFFICULTY: usize = 19;
    const SLOW: f64 = 1.0;
    const MOVE_COST: f64 = 0.1;

    /// The task of this difficulty, from 0 to [`Self::MAX_DIFFICULTY`].
    pub fn new(difficulty: usize) -> Self {
        let share = difficulty as f64 / 20.0;
        let rng = NumpyRng::new(0);
        let cart = TimedPole { pole: Pole { theta: PI, ..Pole::default() }, time: 0.0 };
        let state = State { cart, observation: [0.0; 8], rng };
        CartPoleSwingup { height: share, middle: 1.0 - share, state }
    }

    /// Starts an episode this far from rest: x, ẋ, θ - π, θ̇.
    pub fn start(&mut self, [x, x_dot, theta, theta_dot]: [f64; 4]) {
        self.state.cart = TimedPole { pole: Pole { x, x_dot, theta: PI + theta, theta_dot }, time: 0.0 };
        self.observe();
    }

    fn observe(&mut self) {
        let sign = |small: bool| if small { 1.0 } else { -1.0 };
        let Pole { x, theta_dot, .. } = self.state.cart.pole;
        let small = [x.abs() < self.middle, theta_dot.abs() < Self::SLOW].map(sign);
        let seen = self.state.cart.seen().into_iter().chain(small);
        self.state.observation.iter_mut().zip(seen).for_each(|(to, value)| *to = value as f32);
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
        self.state.rng.restart(seed);
        let draws = [(); 4].map(|()| self.state.rng.uniform(-0.05, 0.05));
        self.start(draws);
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let push = push(action);
        let cart = &mut self.state.cart;
        cart.advance(push);
        let pole = &cart.pole;
        let upright =
            pole.theta.cos() > self.height && pole.theta_dot.abs() < Self::SLOW && pole.x.abs() < self.middle;
        let reward = -f64::abs(push) * Self::MOVE_COST + if upright { 1.0 } else { 0.0 };
        let terminated = cart.over() || pole.x.abs() > TimedPole::X_LIMIT;
        self.observe();
        Ok(Step { reward, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        self.state.cart.draw(canvas);
        true
    }
}
