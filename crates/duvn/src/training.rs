//! An agent in an environment, one step after another.

use crate::agent::{Agent, LearnError, RestoreError, Snapshot};
use duvn_envs::{Environment, StepError, freeze, thaw};
use serde::{Deserialize, Serialize};

/// One finished episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// The sum of its rewards.
    pub ret: f64,
    /// Its steps.
    pub length: u64,
    /// Whether any of its rewards was above zero.
    pub rewarded: bool,
}

/// Why training had to stop.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainingError {
    /// The agent cannot go on.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The environment refused an action.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Everything that decides how training goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSnapshot {
    /// The agent.
    pub agent: Snapshot,
    /// The environment, and where the episode stands.
    pub state: Vec<u8>,
}

/// An agent that learns in an environment.
///
/// ```
/// use duvn::{Agent, Training, preset};
/// use duvn_envs::{Environment, registry};
///
/// let env = registry::make("Chain-3", 0)?;
/// let agent = Agent::new(&preset("duvn")?, &env.observation_space(), &env.action_space(), 0)?;
/// let mut training = Training::new(env, agent, 0);
/// for _ in 0..5 {
///     let episode = training.episode()?;
///     println!("return {} in {} steps", episode.ret, episode.length);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Training<E> {
    env: E,
    agent: Agent,
    /// The seed of the first reset; later ones go on with the environment's random numbers.
    seed: Option<u64>,
    running: Option<Running>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Running {
    action: usize,
    so_far: Episode,
}

impl<E: Environment> Training<E> {
    /// An agent at the start of its life in `env`, whose episodes are drawn from `seed`.
    pub fn new(env: E, agent: Agent, seed: u64) -> Self {
        Training { env, agent, seed: Some(seed), running: None }
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The agent, to look into it.
    pub fn agent_mut(&mut self) -> &mut Agent {
        &mut self.agent
    }

    /// Makes one environment step (and the agent's updates after it); tells if it ended an episode.
    pub fn step(&mut self) -> Result<Option<Episode>, TrainingError> {
        let Running { action, mut so_far } = match self.running.take() {
            Some(running) => running,
            None => {
                self.env.reset(self.seed.take());
                let action = self.agent.begin(self.env.observation())?;
                Running { action, so_far: Episode { ret: 0.0, length: 0, rewarded: false } }
            }
        };
        let step = self.env.step(action.into())?;
        so_far.ret += step.reward;
        so_far.length += 1;
        so_far.rewarded |= step.reward > 0.0;
        match self.agent.observe(&step, self.env.observation())? {
            Some(action) => {
                self.running = Some(Running { action, so_far });
                Ok(None)
            }
            None => Ok(Some(so_far)),
        }
    }

    /// Goes on to the end of the episode.
    pub fn episode(&mut self) -> Result<Episode, TrainingError> {
        loop {
            if let Some(episode) = self.step()? {
                return Ok(episode);
            }
        }
    }

    /// Everything that decides how training goes on. Resuming from it gives the same bits as never having
    /// stopped.
    ///
    /// An environment that cannot be frozen starts a new episode instead.
    pub fn snapshot(&self) -> TrainingSnapshot {
        let state = freeze(&(self.seed, &self.running, self.env.save().unwrap_or_default()));
        TrainingSnapshot { agent: self.agent.snapshot(), state }
    }

    /// Goes on from a snapshot of a training made alike. On an error, make the training anew.
    pub fn restore(&mut self, snapshot: &TrainingSnapshot) -> Result<(), RestoreError> {
        let (seed, mut running, env): (_, _, Vec<u8>) = thaw(&snapshot.state)?;
        match self.env.save() {
            Some(_) => self.env.restore(&env)?,
            None => running = None,
        }
        self.agent.restore(&snapshot.agent)?;
        (self.seed, self.running) = (seed, running);
        Ok(())
    }
}
