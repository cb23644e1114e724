//! Evaluation: episodes in which an agent acts and does not learn.

use crate::run::RunError;
use crate::spec::RunSpec;
use duvn::{Agent, LearnError};
use duvn_envs::registry::{self, Registered};
use duvn_envs::{Environment, Step, StepError};
use std::sync::atomic::{AtomicBool, Ordering};

/// How the agent acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acting {
    /// The action of the best mean, with the mean of the parameters.
    Mean,
    /// As in training.
    Explore,
}

/// What came of an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

/// A place to watch the agents of a run: the same environment, but not the same episodes.
pub struct Arena {
    env: Registered,
    seed: u64,
}

impl Arena {
    /// The environment of `spec`.
    pub fn new(spec: &RunSpec) -> Result<Self, RunError> {
        Ok(Arena { env: registry::make(&spec.env, spec.seed)?, seed: spec.seed })
    }

    /// Plays the `number`-th episode. Nothing changes in the agent. `watch` is shown the environment at the start and after
    /// every step, with the action that led there and what came of it; it may end the episode.
    pub fn play(
        &mut self,
        agent: &mut Agent,
        acting: Acting,
        number: u64,
        mut watch: impl FnMut(&Registered, Option<(usize, Step)>) -> bool,
    ) -> Result<Played, RunError> {
        self.play_asking(agent, acting, number, |_, env, moved| watch(env, moved))
    }

    /// The same for one who also asks the agent what it believes.
    pub fn play_asking(
        &mut self,
        agent: &mut Agent,
        acting: Acting,
        number: u64,
        mut watch: impl FnMut(&mut Agent, &Registered, Option<(usize, Step)>) -> bool,
    ) -> Result<Played, RunError> {
        self.env.reset(Some(FIRST_SEED + number));
        let seed = self.seed;
        let learn = |error: LearnError| RunError::Training { seed, error: error.into() };
        let step = |error: StepError| RunError::Training { seed, error: error.into() };
        let mut played = Played::default();
        let mut explorer = agent.explorer(number);
        agent.begin_exploring(&mut explorer);
        let mut choose = |agent: &mut Agent, env: &Registered| {
            let action = match acting {
                Acting::Mean => agent.greedy(env.observation()),
                Acting::Explore => agent.explore(&mut explorer, env.observation()),
            };
            action.map_err(learn)
        };
        let mut action = choose(agent, &self.env)?;
        let mut going = watch(agent, &self.env, None);
        while going && played.length < LONGEST {
            let result = self.env.step(action.into()).map_err(step)?;
            played.ret += result.reward;
            played.length += 1;
            going = watch(agent, &self.env, Some((action, result))) && !result.done();
            if going {
                action = choose(agent, &self.env)?;
            }
        }
        Ok(played)
    }
}

/// The mean return of `episodes` episodes with the policy of the mean; nothing if `stop` is raised meanwhile.
pub fn mean_return(
    arena: &mut Arena,
    agent: &mut Agent,
    episodes: u64,
    stop: &AtomicBool,
) -> Result<Option<f64>, RunError> {
    let mut total = 0.0;
    for number in 0..episodes {
        total += arena.play(agent, Acting::Mean, number, |_, _| !stop.load(Ordering::Relaxed))?.ret;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    Ok(Some(total / episodes.max(1) as f64))
}
