use super::mountain::{self, Car, GOAL, LEFT, START};
use super::push;
use crate::canvas::Canvas;
use crate::rng::RandomState;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};

/// Steps of an episode.
const STEPS: u32 = 1000;

/// bsuite's `mountain_car`: Gymnasium's, with 1,000 steps, of which the share that is over is seen too. The task ends with
/// them.
#[derive(Clone, Debug, Default)]
pub struct MountainCarBsuite {
    state: State,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    car: Car,
    steps: u32,
    observation: [f32; 3],
    rng: RandomState,
}

impl MountainCarBsuite {
    fn observe(&mut self) {
        let State { car: Car { position, velocity }, steps, .. } = self.state;
        let over = f64::from(steps) / f64::from(STEPS);
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
        let State { car, steps, rng, .. } = &mut self.state;
        rng.restart(seed);
        *car = Car { position: rng.uniform(START[0], START[1]), velocity: 0.0 };
        *steps = 0;
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let State { car, steps, .. } = &mut self.state;
        *steps = steps.saturating_add(1);
        car.advance(push(action));
        if car.position == LEFT {
            car.velocity = car.velocity.max(0.0);
        }
        let terminated = car.position >= GOAL || *steps >= STEPS;
        self.observe();
        Ok(Step { reward: -1.0, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        mountain::draw(canvas, self.state.car.position, GOAL);
        true
    }
}
