//! Evaluation: episodes in which an agent acts and does not learn.

use crate::run::{RunError, RunSpec};
use duvn::{Agent, LearnError, Training};
use duvn_envs::registry::{self, Registered};
use duvn_envs::{Environment, StepError};

/// How the agent acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acting {
    /// The action of the best mean, with the mean of the parameters.
    Mean,
    /// As in training.
    Explore,
}

/// What came of an episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Played {
    /// The sum of its rewards.
    pub ret: f64,
    /// Its steps.
    pub length: u64,
}

/// An episode that does not end by itself is given up after so many steps.
const LONGEST: u64 = 10_000;

/// Episodes of an evaluation start from these seeds on, the same ones each time, so that two evaluations
/// differ by the agent alone; training seeds are small numbers.
const FIRST_SEED: u64 = 1 << 40;

/// A place to evaluate the agents of a run: the same environment, but not the same episodes.
pub struct Arena {
    env: Registered,
}

impl Arena {
    /// The environment of `spec`.
    pub fn new(spec: &RunSpec) -> Result<Self, RunError> {
        Ok(Arena { env: registry::make(&spec.env, spec.seed)? })
    }

    /// The environment, to draw it.
    pub fn env(&self) -> &Registered {
        &self.env
    }

    /// Plays the `number`-th episode with the policy of the mean, which changes nothing in the agent.
    pub fn greedy(&mut self, agent: &mut Agent, number: u64) -> Result<Played, RunError> {
        self.begin(number);
        self.play(|env| agent.greedy(env.observation()))
    }

    /// Starts the `number`-th episode.
    pub fn begin(&mut self, number: u64) {
        self.env.reset(Some(FIRST_SEED + number));
    }

    /// Plays an episode that [`begin`](Self::begin) has started, with actions from `act`.
    fn play(
        &mut self,
        mut act: impl FnMut(&Registered) -> Result<usize, LearnError>,
    ) -> Result<Played, RunError> {
        let mut played = Played { ret: 0.0, length: 0 };
        loop {
            let action = act(&self.env).map_err(|error| self.failed(error))?;
            let done = self.act(action, &mut played).map_err(|error| self.failed(error))?;
            if done || played.length >= LONGEST {
                return Ok(played);
            }
        }
    }

    /// Makes one step; tells if it ended the episode.
    pub fn act(&mut self, action: usize, played: &mut Played) -> Result<bool, StepError> {
        let step = self.env.step(action.into())?;
        played.ret += step.reward;
        played.length += 1;
        Ok(step.done())
    }

    fn failed(&self, error: impl Into<duvn::TrainingError>) -> RunError {
        RunError::Training { seed: 0, error: error.into() }
    }
}

/// The mean return of `episodes` episodes with the policy of the mean.
pub fn mean_return(arena: &mut Arena, agent: &mut Agent, episodes: u64) -> Result<f64, RunError> {
    let mut total = 0.0;
    for number in 0..episodes {
        total += arena.greedy(agent, number)?.ret;
    }
    Ok(total / episodes.max(1) as f64)
}

/// Plays `episodes` episodes as in training, with an agent that forgets them afterwards.
pub fn exploring(spec: &RunSpec, agent: Agent, episodes: u64) -> Result<Vec<Played>, RunError> {
    let env = registry::make(&spec.env, spec.seed)?;
    let mut training = Training::new(env, agent, FIRST_SEED);
    let mut play = || {
        let error = |error| RunError::Training { seed: spec.seed, error };
        training.episode().map(|episode| Played { ret: episode.ret, length: episode.length }).map_err(error)
    };
    (0..episodes).map(|_| play()).collect()
}
