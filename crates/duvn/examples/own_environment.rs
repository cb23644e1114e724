//! An environment of one's own, and an agent that learns it: a corridor with a small reward near the start
//! and a large one at its far end.

use duvn::{Agent, Training, preset};
use duvn_envs::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, thaw};

struct Corridor {
    at: usize,
}

impl Environment for Corridor {
    fn observation_space(&self) -> Space {
        Space::Discrete(9)
    }
    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }
    fn reset(&mut self, _seed: Option<u64>) {
        self.at = 1;
    }
    fn observation(&self) -> Observation<'_> {
        Observation::Index(self.at)
    }
    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        self.at = if action == Action::Index(1) { self.at + 1 } else { self.at - 1 };
        let reward = [0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0][self.at];
        Ok(Step { reward, terminated: reward > 0.0, truncated: false })
    }
    fn save(&self) -> Vec<u8> {
        freeze(&self.at)
    }
    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.at = thaw(state)?;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let env = Corridor { at: 1 };
    let agent = Agent::new(&preset("duvn")?, &env.observation_space(), &env.action_space(), 0)?;
    let mut training = Training::new(env, agent, 0);
    let mut last = 0.0;
    for _ in 0..300 {
        last = training.episode()?.ret;
    }
    for (action, view) in training.agent_mut().inspect(Observation::Index(1), 200)?.iter().enumerate() {
        println!(
            "at the start, action {action}: mean {:.2}, return uncertainty {:.2}, parametric {:.2}, taken with {:.2}",
            view.mean, view.sigma, view.spread, view.probability
        );
    }
    println!("the last episode's return: {last}");
    Ok(())
}
