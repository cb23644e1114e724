//! An environment of one's own with numbers as observations and as actions: a thermostat. Random actions are tried on it, and
//! the checker says what is wrong with it, which is nothing.

use duvn_envs::{Action, Environment, Observation, RandomActions, Space, StateError, Step, StepError};
use duvn_envs::{env_checker, freeze, thaw, wrappers::Episodes};

/// A room at some degrees, which cools down; the action is how much it is heated.
struct Room {
    degrees: [f32; 1],
}

impl Environment for Room {
    fn observation_space(&self) -> Space {
        Space::Box { low: vec![0.0], high: vec![40.0] }
    }
    fn action_space(&self) -> Space {
        Space::Box { low: vec![0.0], high: vec![3.0] }
    }
    fn reset(&mut self, _seed: Option<u64>) {
        self.degrees = [10.0];
    }
    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.degrees)
    }
    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Vector(&[heat]) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        let [degrees] = self.degrees;
        self.degrees = [(degrees + heat - 0.1 * degrees).clamp(0.0, 40.0)];
        Ok(Step { reward: -f64::from((self.degrees[0] - 20.0).abs()), terminated: false, truncated: false })
    }
    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.degrees))
    }
    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.degrees = thaw(state)?;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let make = || Episodes::new(Room { degrees: [10.0] }, Some(100));
    for line in env_checker::sum_up(&env_checker::check(make)) {
        println!("{line}");
    }
    let mut env = make();
    let mut actions = RandomActions::new(env.action_space(), 0);
    env.reset(Some(0));
    let mut total = 0.0;
    loop {
        let step = env.step(actions.draw())?;
        total += step.reward;
        if step.done() {
            println!("return {total:.1} of random heating, at the end {:?}", env.observation());
            return Ok(());
        }
    }
}
