//! An environment of one's own, and an agent that learns it: a corridor with a small reward near the start
//! and a large one at its far end.

use duvn::{Agent, Config, Training, preset};
use duvn_envs::wrappers::Episodes;
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
    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.at))
    }
    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.at = thaw(state)?;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("the mean return of the last 50 episodes: {}", train()?);
    Ok(())
}

/// Trains an agent, shows what it believes, and gives the mean return of its last 50 episodes.
pub fn train() -> Result<f64, Box<dyn std::error::Error>> {
    // Checks actions, and cuts off episodes that run up and down for ever.
    let env = Episodes::new(Corridor { at: 1 }, Some(50));
    let config = Config { gamma: 0.9, ..preset("duvn")? };
    let agent = Agent::new(&config.check()?, &env.observation_space(), &env.action_space(), 0)?;
    let mut training = Training::new(env, agent, 0);
    let mut returns = Vec::new();
    for _ in 0..300 {
        returns.push(training.episode()?.ret);
    }
    for (action, view) in training.agent_mut().inspect(Observation::Index(1), 200)?.iter().enumerate() {
        println!(
            "at the start, action {action}: mean {:.2}, return uncertainty {:.2}, parametric {:.2}, taken with {:.2}",
            view.mean, view.sigma, view.spread, view.probability
        );
    }
    Ok(returns[250..].iter().sum::<f64>() / 50.0)
}
