use super::pole::{Pole, TimedPole};
use super::push;
use crate::canvas::Canvas;
use crate::rng::RandomState;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};

/// bsuite's `cartpole`: hold the pole up (cos θ > 0.8) and the cart on its track (|x| < 3), by pushing it left (0), not at
/// all (1) or right (2). A step pays 1; an episode ends after ten seconds of 100 steps each, or with a step that loses the
/// pole and pays nothing.
///
/// The observation is x/3, ẋ/3, sin θ, cos θ, θ̇ and the share of the time that is over.
#[derive(Clone, Debug, Default)]
pub struct CartPoleBsuite {
    state: State,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    cart: TimedPole,
    observation: [f32; 6],
    rng: RandomState,
}

impl CartPoleBsuite {
    const HEIGHT: f64 = 0.8;

    fn observe(&mut self) {
        self.state.observation = self.state.cart.seen().map(|value| value as f32);
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
        let State { cart, rng, .. } = &mut self.state;
        rng.restart(seed);
        let [x, x_dot, theta, theta_dot] = [(); 4].map(|()| rng.uniform(-0.05, 0.05));
        *cart = TimedPole { pole: Pole { x, x_dot, theta, theta_dot }, time: 0.0 };
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let cart = &mut self.state.cart;
        cart.advance(push(action));
        let held = cart.pole.theta.cos() > Self::HEIGHT && cart.pole.x.abs() < TimedPole::X_LIMIT;
        let terminated = cart.over() || !held;
        self.observe();
        Ok(Step { reward: if held { 1.0 } else { 0.0 }, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        self.state.cart.draw(canvas);
        true
    }
}
