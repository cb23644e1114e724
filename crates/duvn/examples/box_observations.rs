//! An environment of one's own whose observations are numbers: a sledge on a line that is pushed left or right, and is to
//! stop at a place. The only reward waits there.

use duvn::prelude::*;

/// Where the sledge is, from -1 to 1, and how fast.
struct Sledge {
    state: [f32; 2],
}

const GOAL: f32 = 0.6;

impl Environment for Sledge {
    fn observation_space(&self) -> Space {
        Space::Box { low: vec![-1.0, -0.3], high: vec![1.0, 0.3] }
    }
    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }
    fn reset(&mut self, _seed: Option<u64>) {
        self.state = [-0.6, 0.0];
    }
    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state)
    }
    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let [at, speed] = self.state;
        let push = if action == Action::Index(1) { 0.03 } else { -0.03 };
        let speed = (speed + push).clamp(-0.3, 0.3);
        self.state = [(at + speed).clamp(-1.0, 1.0), speed];
        let arrived = (self.state[0] - GOAL).abs() < 0.1 && speed.abs() < 0.1;
        Ok(Step { reward: f64::from(arrived), terminated: arrived, truncated: false })
    }
    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.state))
    }
    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.state = thaw(state)?;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("the mean return of the last 30 episodes: {}", train()?);
    Ok(())
}

/// Checks the environment, trains an agent in it, and gives the mean return of its last 30 episodes.
pub fn train() -> Result<f64, Box<dyn std::error::Error>> {
    let make = || Episodes::new(Sledge { state: [0.0; 2] }, Some(60));
    for line in duvn_envs::env_checker::sum_up(&duvn_envs::env_checker::check(make)) {
        println!("{line}");
    }
    let env = make();
    let preset = preset_for("duvn-deep", &env.observation_space())?;
    let config = Config { gamma: 0.97, trunk: vec![64, 64], ..preset };
    let agent = Agent::new(&config.check()?, &env.observation_space(), &env.action_space(), 50)?;
    let mut training = Training::new(env, agent, 50);
    let mut returns = Vec::new();
    for _ in 0..EPISODES {
        returns.push(training.episode()?.ret);
    }
    Ok(returns[EPISODES - 30..].iter().sum::<f64>() / 30.0)
}

const EPISODES: usize = 150;
