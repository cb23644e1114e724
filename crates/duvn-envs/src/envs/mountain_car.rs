use super::mountain::{self, Car, GOAL, LEFT, START};
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
    car: Car,
    observation: [f32; 2],
    rng: NumpyRng,
}

impl MountainCar {
    /// The car that must pass the flag at least this fast (Gymnasium: 0).
    pub fn new(goal_velocity: f64) -> Self {
        let state = State { car: Car::default(), observation: [0.0; 2], rng: NumpyRng::new(0) };
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
        let State { car, observation, rng } = &mut self.state;
        rng.restart(seed);
        *car = Car { position: rng.uniform(START[0], START[1]), velocity: 0.0 };
        *observation = [car.position as f32, 0.0];
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let State { car, observation, .. } = &mut self.state;
        car.advance(push(action));
        if car.position == LEFT && car.velocity < 0.0 {
            car.velocity = 0.0;
        }
        let terminated = car.position >= GOAL && car.velocity >= self.goal_velocity;
        *observation = [car.position as f32, car.velocity as f32];
        Ok(Step { reward: -1.0, terminated, truncated: false })
    }

    saves_state!();

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        mountain::draw(canvas, self.state.car.position, GOAL);
        true
    }
}
