//! What an agent believes of every state, at chosen moments of its training.

use crate::run::{Run, RunError};
use crate::spec::{Budget, RunSpec};
use duvn::ActionView;
use duvn_envs::{Environment, Observation, Space, registry};
use std::sync::atomic::{AtomicBool, Ordering};

/// More states than a picture can show.
const MOST_STATES: usize = 40_000;

/// More draws than tell anything new. So many are made of one state between two looks at the flag that ends it all.
const MOST_DRAWS: usize = 10_000;

/// What an agent believes at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// After so many episodes.
    pub episode: u64,
    /// By state, then action.
    pub states: Vec<Vec<ActionView>>,
}

/// Why the beliefs of a run cannot be shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ValuesError {
    /// The run cannot be made or went wrong.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The states cannot be listed.
    #[error(
        "the states of {env} cannot be listed: write an environment with at most {MOST_STATES} index observations, such as Chain-25, Toy or DeepSea-10"
    )]
    States {
        /// The environment.
        env: String,
    },
    /// A moment lies outside the run.
    #[error("there is no moment to look at: write episodes in rising order, such as 20,100,400")]
    Moments,
    /// There is no such state.
    #[error("there is no state {state}: write numbers from 0 to {last}")]
    NoState {
        /// What was written.
        state: usize,
        /// The last one.
        last: usize,
    },
    /// So many draws of the parameters make no sense.
    #[error("{0} draws of the parameters cannot be made: write a number from 1 to {MOST_DRAWS}")]
    Draws(usize),
}

/// Trains as `spec` says and looks at every state after each of the episodes in `at` (0 is before the first),
/// over `draws` draws of the parameters. When `stop` is raised, it gives the moments that were reached.
pub fn watch(
    spec: &RunSpec,
    at: &[u64],
    draws: usize,
    stop: &AtomicBool,
) -> Result<Vec<Moment>, ValuesError> {
    let states = states(&spec.env)?;
    if !(1..=MOST_DRAWS).contains(&draws) {
        return Err(ValuesError::Draws(draws));
    }
    let last = *at.last().ok_or(ValuesError::Moments)?;
    if at.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(ValuesError::Moments);
    }
    let mut run = Run::new(RunSpec { budget: Budget::Episodes(last), until_solved: false, ..spec.clone() })?;
    let mut moments = Vec::new();
    if at[0] == 0 {
        moments.extend(look(&mut run, states, draws, stop)?);
    }
    run.drive(stop, |run, record| {
        if record.is_some_and(|record| at.contains(&record.episode)) {
            moments.extend(look(run, states, draws, stop)?);
        }
        Ok::<_, ValuesError>(())
    })?;
    Ok(moments)
}

/// How many states there are to look at in `env`.
pub fn states(env: &str) -> Result<usize, ValuesError> {
    match registry::make(env, 0).map_err(RunError::from)?.observation_space() {
        Space::Discrete(n) if n <= MOST_STATES => Ok(n),
        _ => Err(ValuesError::States { env: env.into() }),
    }
}

/// What the agent of a run believes now of each of so many states; nothing if `stop` is raised meanwhile. Looking
/// changes nothing.
pub fn look(
    run: &mut Run,
    states: usize,
    draws: usize,
    stop: &AtomicBool,
) -> Result<Option<Moment>, RunError> {
    let (seed, episode) = (run.spec().seed, run.progress().episodes);
    let mut views = Vec::with_capacity(states);
    for state in 0..states {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let view = run.agent_mut().inspect(Observation::Index(state), draws);
        views.push(view.map_err(|error| RunError::Training { seed, error: error.into() })?);
    }
    Ok(Some(Moment { episode, states: views }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(env: &str) -> RunSpec {
        let mut config = duvn::preset("duvn").unwrap();
        config.hidden = vec![16];
        let (env, agent, budget) = (env.into(), "duvn".into(), Budget::Episodes(40));
        RunSpec { env, agent, config, seed: 3, budget, until_solved: false }
    }

    fn go() -> AtomicBool {
        AtomicBool::new(false)
    }

    #[test]
    fn when_stopped_the_moments_reached_are_all_there_is() {
        let stopped = AtomicBool::new(true);
        assert_eq!(watch(&spec("Chain-4"), &[0, 40], 1, &stopped).unwrap(), []);
        let moments = watch(&spec("Chain-4"), &[0, 2], 1, &go()).unwrap();
        assert_eq!(moments.iter().map(|moment| moment.episode).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_look_that_is_stopped_on_the_way_gives_nothing() {
        let mut run = Run::new(spec("Chain-4")).unwrap();
        assert_eq!(look(&mut run, 5, 1, &AtomicBool::new(true)).unwrap(), None);
        assert_eq!(look(&mut run, 5, 1, &go()).unwrap().unwrap().states.len(), 5);
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        let refused = |env: &str, at: &[u64], draws| watch(&spec(env), at, draws, &go()).unwrap_err();
        assert!(matches!(refused("CartPole-v1", &[1], 1), ValuesError::States { .. }));
        assert_eq!(refused("Toy", &[], 1), ValuesError::Moments);
        assert_eq!(refused("Toy", &[5, 5], 1), ValuesError::Moments);
        for draws in [0, MOST_DRAWS + 1, usize::MAX] {
            assert_eq!(refused("Toy", &[5], draws), ValuesError::Draws(draws));
        }
    }
}
