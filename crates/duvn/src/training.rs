//! An agent in an environment, one step after another.

use crate::agent::{Agent, Snapshot};
use crate::error::{LearnError, RestoreError};
use crate::rng::Stream;
use duvn_envs::{Environment, StateError, StepError, freeze, thaw};
use serde::{Deserialize, Serialize};

/// One finished episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// The sum of its rewards.
    pub ret: f64,
    /// Its steps.
    pub length: u64,
    /// Whether any of its rewards was above zero.
    pub rewarded: bool,
    /// The discounted sum of its rewards, with the agent's gamma: what the agent believes of its start, if it is right.
    pub discounted: f64,
}

impl Episode {
    /// Counts one more step.
    pub(crate) fn add(&mut self, reward: f64, gamma: f64) {
        self.discounted += gamma.powf(self.length as f64) * reward;
        self.ret += reward;
        self.length += 1;
        self.rewarded |= reward > 0.0;
    }
}

/// Why training had to stop.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum TrainingError {
    /// The agent cannot go on.
    Learn(#[from] LearnError),
    /// The environment refused an action.
    Step(#[from] StepError),
}

/// Everything that decides how training goes on.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrainingSnapshot {
    /// The agent.
    pub agent: Snapshot,
    /// The environment, and where the episode stands.
    pub state: Vec<u8>,
}

/// An agent that learns in an environment, or in several side by side, one for each of its actors.
///
/// ```
/// use duvn::{Agent, Training, preset};
/// use duvn_envs::{Environment, registry};
///
/// let env = registry::make("Chain-3", 0)?;
/// let config = preset("duvn")?.check()?;
/// let agent = Agent::new(&config, &env.observation_space(), &env.action_space(), 0)?;
/// let mut training = Training::new(env, agent, 0);
/// for _ in 0..5 {
///     let episode = training.episode()?;
///     println!("return {} in {} steps", episode.ret, episode.length);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Training<E> {
    agent: Agent,
    places: Vec<Place<E>>,
    /// The actor whose turn it is.
    turn: usize,
}

/// One environment, and where its episode stands.
struct Place<E> {
    env: E,
    /// The seed of the first reset; later ones go on with the environment's random numbers.
    seed: Option<u64>,
    running: Option<Episode>,
}

impl<E: Environment> Training<E> {
    /// An agent at the start of its life in `env`, whose episodes are drawn from `seed`.
    ///
    /// # Panics
    /// If the agent has more than one actor.
    pub fn new(env: E, agent: Agent, seed: u64) -> Self {
        Self::side_by_side(vec![env], agent, seed)
    }

    /// An agent at the start of its life in as many environments as it has actors. Episodes are drawn from `seed` in the
    /// first, and from seeds made of it in the others.
    ///
    /// # Panics
    /// If there are more or fewer environments than actors.
    pub fn side_by_side(envs: Vec<E>, agent: Agent, seed: u64) -> Self {
        assert_eq!(envs.len(), agent.actors(), "one environment for each actor");
        let place = |(number, env): (usize, E)| {
            let seed = match number {
                0 => seed,
                // Environments take seeds that are not negative.
                _ => Stream::new(seed, &format!("environment {number}")).bits() >> 1,
            };
            Place { env, seed: Some(seed), running: None }
        };
        Training { agent, places: envs.into_iter().enumerate().map(place).collect(), turn: 0 }
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The agent, to look into it.
    pub fn agent_mut(&mut self) -> &mut Agent {
        &mut self.agent
    }

    /// Makes one step in the environment whose turn it is; tells if it ended an episode. Once all have had their turn, the
    /// agent decides on the next actions and makes its updates.
    pub fn step(&mut self) -> Result<Option<Episode>, TrainingError> {
        if self.turn == 0 {
            self.begin_episodes()?;
        }
        let Place { env, running, .. } = &mut self.places[self.turn];
        let mut so_far = running.take().unwrap_or_default();
        let action = self.agent.chosen(self.turn).ok_or(LearnError::NoAction { step: 0 })?;
        let step = env.step(action.into())?;
        so_far.add(step.reward, self.agent.config().gamma);
        self.agent.observe_at(self.turn, &step, env.observation())?;
        let ended = step.done().then_some(so_far);
        if ended.is_none() {
            *running = Some(so_far);
        }
        self.turn += 1;
        if self.turn == self.places.len() {
            self.turn = 0;
            self.agent.decide();
            self.agent.learn()?;
        }
        Ok(ended)
    }

    /// Begins an episode wherever none is running.
    fn begin_episodes(&mut self) -> Result<(), TrainingError> {
        let mut begun = false;
        for (actor, Place { env, seed, running }) in self.places.iter_mut().enumerate() {
            if running.is_none() {
                env.reset(seed.take());
                self.agent.begin_at(actor, env.observation())?;
                *running = Some(Episode::default());
                begun = true;
            }
        }
        if begun {
            self.agent.decide();
        }
        Ok(())
    }

    /// Goes on to the end of the next episode.
    pub fn episode(&mut self) -> Result<Episode, TrainingError> {
        loop {
            if let Some(episode) = self.step()? {
                return Ok(episode);
            }
        }
    }

    /// What the episode that the last step ended would have earned without noise in its rewards, where the environment
    /// tells.
    pub fn denoised_return(&self) -> Option<f64> {
        let last = (self.turn + self.places.len() - 1) % self.places.len();
        self.places[last].env.denoised_return()
    }

    /// Whether its environments can be frozen in mid-episode, so that a resumed training gives the same bits as one that was never
    /// interrupted.
    pub fn resumes_exactly(&self) -> bool {
        self.places.iter().all(|place| place.env.save().is_some())
    }

    /// Everything that decides how training goes on. Resuming from it gives the same bits as never having
    /// stopped, if every environment [can be frozen](Self::resumes_exactly).
    pub fn snapshot(&self) -> TrainingSnapshot {
        let places: Vec<_> =
            self.places.iter().map(|place| (place.seed, place.running, place.env.save())).collect();
        TrainingSnapshot { agent: self.agent.snapshot(), state: freeze(&(self.turn, places)) }
    }

    /// Goes on from a snapshot of a training made alike. On an error, make the training anew.
    ///
    /// An environment that could not be frozen begins a new episode, from a seed made of the steps so far; the episode that was
    /// interrupted counts as cut off.
    pub fn restore(&mut self, snapshot: &TrainingSnapshot) -> Result<(), RestoreError> {
        let (turn, places): (usize, Vec<FrozenPlace>) = thaw(&snapshot.state)?;
        self.agent.restore(&snapshot.agent)?;
        if places.len() != self.places.len() {
            return Err(RestoreError::Actors { found: places.len(), expected: self.places.len() });
        }
        let counted =
            |(_, running, _): &FrozenPlace| running.is_none_or(|episode| episode.length <= MOST_STEPS);
        if turn >= places.len() || !places.iter().all(counted) {
            return Err(StateError::Misfit("its turns cannot have come about".into()).into());
        }
        self.turn = turn;
        let steps = self.agent.counters().steps;
        for (number, (place, (seed, running, env))) in self.places.iter_mut().zip(places).enumerate() {
            (place.seed, place.running) = (seed, running);
            match env {
                Some(env) => place.env.restore(&env)?,
                None => {
                    let fresh = Stream::new(steps, &format!("environment {number} resumed")).bits() >> 1;
                    (place.seed, place.running) = (seed.or(Some(fresh)), None);
                    // The others wait for it: a turn begins with the episodes that must begin.
                    self.turn = 0;
                }
            }
        }
        Ok(())
    }
}

/// No episode is as long as this.
const MOST_STEPS: u64 = 1 << 62;

/// The first seed, the episode so far, and the environment, where it can be frozen.
type FrozenPlace = (Option<u64>, Option<Episode>, Option<Vec<u8>>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use duvn_envs::{Observation, registry};

    #[test]
    fn environments_side_by_side_have_episodes_of_their_own() {
        let make = || registry::make("CartPole-v1", 7).unwrap();
        let config = Config { actors: 3, hidden: vec![2], ..Config::default() }.check().unwrap();
        let agent = Agent::new(&config, &make().observation_space(), &make().action_space(), 7).unwrap();
        let mut training = Training::side_by_side(vec![make(), make(), make()], agent, 7);
        training.begin_episodes().unwrap();
        let starts: Vec<_> = training
            .places
            .iter()
            .map(|place| match place.env.observation() {
                Observation::Vector(numbers) => numbers.to_vec(),
                Observation::Index(_) => panic!("CartPole is a box"),
            })
            .collect();
        assert!(starts[0] != starts[1] && starts[0] != starts[2] && starts[1] != starts[2], "{starts:?}");
        let mut alone = make();
        alone.reset(Some(7));
        assert_eq!(alone.observation(), Observation::Vector(&starts[0]), "the first is as if it were alone");
    }

    #[test]
    fn turns_that_cannot_be_are_refused() {
        let make = || registry::make("Toy", 0).unwrap();
        let training = || {
            let config = Config { hidden: vec![2], ..Config::default() }.check().unwrap();
            let agent = Agent::new(&config, &make().observation_space(), &make().action_space(), 0).unwrap();
            Training::new(make(), agent, 0)
        };
        let mut first = training();
        first.step().unwrap();
        let good = first.snapshot();
        let (_, places): (usize, Vec<FrozenPlace>) = thaw(&good.state).unwrap();
        assert!(training().restore(&good).is_ok());
        let bad = TrainingSnapshot { state: freeze(&(1usize, places)), ..good };
        assert!(matches!(training().restore(&bad), Err(RestoreError::State(_))));
    }
}
