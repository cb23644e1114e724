//! Evaluation: episodes in which an agent acts and does not learn.

use crate::calibration::{Calibration, Trial};
use crate::record::Probe;
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
    /// The discounted sum of its rewards, with the agent's gamma.
    pub discounted: f64,
}

/// What came of an evaluation on the policy of the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluated {
    /// The mean return of its episodes.
    pub mean_return: f64,
    /// What was believed at their starts beside what they earned; nothing where there were none.
    pub calibration: Option<Calibration>,
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

    /// What `agent` believes of the first action of the `number`-th episode, with the policy of the mean: its mean
    /// return and sigma.
    pub fn belief(&mut self, agent: &mut Agent, number: u64) -> Result<(f64, f64), RunError> {
        self.env.reset(Some(FIRST_SEED + number));
        let seed = self.seed;
        let learn = |error: LearnError| RunError::Training { seed, error: error.into() };
        let action = agent.greedy(self.env.observation()).map_err(learn)?;
        let draws = Probe::draws(agent.config());
        let views = agent.inspect(self.env.observation(), draws).map_err(learn)?;
        Ok(views.get(action).map_or((0.0, 0.0), |view| (view.mean, view.sigma)))
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
        let gamma = agent.config().gamma;
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
            played.discounted += gamma.powf(played.length as f64) * result.reward;
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

/// `episodes` episodes with the policy of the mean; nothing if `stop` is raised meanwhile.
pub fn evaluate(
    arena: &mut Arena,
    agent: &mut Agent,
    episodes: u64,
    stop: &AtomicBool,
) -> Result<Option<Evaluated>, RunError> {
    let mut total = 0.0;
    let mut trials = Vec::new();
    for number in 0..episodes {
        let (believed, sigma) = arena.belief(agent, number)?;
        let played = arena.play(agent, Acting::Mean, number, |_, _| !stop.load(Ordering::Relaxed))?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        total += played.ret;
        trials.push(Trial { believed, sigma, earned: played.discounted });
    }
    let mean_return = total / episodes.max(1) as f64;
    Ok(Some(Evaluated { mean_return, calibration: Calibration::of(&trials) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Budget;

    fn spec(env: &str, gamma: f64) -> RunSpec {
        let mut config = duvn::preset("duvn").unwrap();
        config.hidden = vec![8];
        config.gamma = gamma;
        let (env, agent, budget) = (env.into(), "duvn".into(), Budget::Episodes(1));
        RunSpec { env, agent, config, seed: 3, budget, until_solved: false }
    }

    fn agent(spec: &RunSpec) -> Agent {
        let env = registry::make(&spec.env, spec.seed).unwrap();
        let config = spec.config.check().unwrap();
        Agent::new(&config, &env.observation_space(), &env.action_space(), spec.seed).unwrap()
    }

    /// Every step of CartPole pays 1: n steps are worth 1 + gamma + ... = (1 - gamma^n) / (1 - gamma).
    #[test]
    fn what_is_earned_is_discounted_and_what_is_believed_is_that_of_the_start_played() {
        let spec = spec("CartPole-v1", 0.9);
        let (mut agent, mut arena) = (agent(&spec), Arena::new(&spec).unwrap());
        let played = arena.play(&mut agent, Acting::Mean, 0, |_, _| true).unwrap();
        let expected = (1.0 - 0.9f64.powf(played.length as f64)) / 0.1;
        assert!((played.discounted - expected).abs() < 1e-9, "{played:?}");

        let go = AtomicBool::new(false);
        let both = evaluate(&mut arena, &mut agent, 2, &go).unwrap().unwrap();
        let calibration = both.calibration.unwrap();
        let second = arena.play(&mut agent, Acting::Mean, 1, |_, _| true).unwrap();
        assert_eq!(both.mean_return, (played.ret + second.ret) / 2.0);
        assert_eq!(calibration.earned, (played.discounted + second.discounted) / 2.0);
        let beliefs = [0, 1].map(|number| arena.belief(&mut agent, number).unwrap());
        assert_ne!(beliefs[0], beliefs[1], "CartPole starts anywhere");
        assert_eq!(calibration.believed, (beliefs[0].0 + beliefs[1].0) / 2.0);
        assert_eq!(calibration.sigma, (beliefs[0].1 + beliefs[1].1) / 2.0);
        assert!(calibration.covered.is_some());
        assert_eq!(evaluate(&mut arena, &mut agent, 2, &go).unwrap(), Some(both), "looking changes nothing");
    }

    #[test]
    fn an_evaluation_that_is_stopped_gives_nothing() {
        let spec = spec("Chain-3", 0.9);
        let (mut agent, mut arena) = (agent(&spec), Arena::new(&spec).unwrap());
        assert_eq!(evaluate(&mut arena, &mut agent, 2, &AtomicBool::new(true)).unwrap(), None);
    }

    /// CartPole starts elsewhere in every episode: so untrained agents last for different times.
    #[test]
    fn an_evaluation_is_of_different_episodes_and_of_the_same_ones_each_time() {
        let spec = spec("CartPole-v1", 0.9);
        let (mut agent, mut arena) = (agent(&spec), Arena::new(&spec).unwrap());
        let mut lengths = || {
            let mut play = |number| arena.play(&mut agent, Acting::Mean, number, |_, _| true).unwrap().length;
            (0..10).map(&mut play).collect::<Vec<_>>()
        };
        let first = lengths();
        assert!(first.iter().any(|length| *length != first[0]), "{first:?}");
        assert_eq!(lengths(), first);
        let evaluated = evaluate(&mut arena, &mut agent, 10, &AtomicBool::new(false)).unwrap().unwrap();
        assert_eq!(evaluated.mean_return, first.iter().sum::<u64>() as f64 / 10.0);
    }
}
