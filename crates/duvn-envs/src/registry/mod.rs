//! Environments by name: `make("Chain-10", seed)`.
//!
//! An id is `Name`, `Name-SIZE` where the entry is a family (`Chain-N`), and parameters after a question
//! mark: `Name?key=value&key=value`. Every environment takes
//!
//! - `time_limit=n`: episodes are truncated after `n` steps, whatever the entry says;
//! - `reward_scale=x`: rewards, and the threshold, are multiplied by `x`;
//! - `reward_noise=x`: rewards get normal noise of standard deviation `x`, after they are scaled;
//! - `normalise=true`: vector observations are brought to [-1, 1] (see [`Normalise`]).
//!
//! A [`Registry`] adds environments of one's own.

pub mod bsuite;
mod entries;
mod id;
mod makers;
mod own;
mod parameter;

pub use entries::ENTRIES;
pub use id::{MakeError, Member, member, stem};
pub use own::{Own, OwnError, Registry, entries};
pub use parameter::{COMMON, Kind, Parameter};

use crate::Environment;
use crate::wrappers::{Episodes, Normalise, RewardNoise, RewardScale, forward};
use id::Id;

/// One line of the registry.
pub struct Entry {
    /// The name, with `N` in the place of the size of a family: `Chain-N`.
    pub name: &'static str,
    /// What the task is, in one line.
    pub about: &'static str,
    /// The smallest and the largest size of a family.
    pub sizes: Option<(usize, usize)>,
    /// Steps after which an episode is truncated. Where it depends on the size, it is `None` here;
    /// [`Registered::time_limit`] knows it.
    pub time_limit: Option<u32>,
    /// The mean return over 100 episodes from which the task counts as solved.
    pub reward_threshold: Option<f64>,
    /// The parameters that it takes beside the [`COMMON`] ones.
    pub parameters: &'static [Parameter],
    make: fn(&mut Id) -> makers::Made,
}

impl Entry {
    const fn new(name: &'static str, make: fn(&mut Id) -> makers::Made) -> Self {
        Entry {
            name,
            about: "",
            sizes: None,
            time_limit: None,
            reward_threshold: None,
            parameters: &[],
            make,
        }
    }

    /// The name of a family, without `-N`; `None` for a single environment.
    pub fn family(&self) -> Option<&'static str> {
        self.sizes.and(self.name.strip_suffix("-N"))
    }

    /// An id of this entry: its name, with a size of 10 or near it.
    pub fn example(&self) -> String {
        match (self.family(), self.sizes) {
            (Some(family), Some((least, most))) => format!("{family}-{}", 10.clamp(least, most)),
            _ => self.name.into(),
        }
    }
}

/// An environment from the registry, with what the registry knows of it.
pub struct Registered {
    inner: Box<dyn Environment>,
    /// The id it was made from.
    pub id: String,
    /// Steps after which an episode is truncated.
    pub time_limit: Option<u32>,
    /// The mean return over 100 episodes from which the task counts as solved, in the rewards that this
    /// environment pays.
    pub reward_threshold: Option<f64>,
}

impl Environment for Registered {
    forward!(inner: observation_space action_space reset observation step denoised_return save restore pictures);
}

/// Makes the environment `id`. What an environment draws once and for all (the Chain's correct actions)
/// comes from `seed`; episodes are seeded by `reset`.
pub fn make(id: &str, seed: u64) -> Result<Registered, MakeError> {
    let mut id = Id::parse(id, seed)?;
    let mut inner = (id.entry.make)(&mut id)?;
    let factor = id.number("reward_scale")?;
    if factor != 1.0 {
        inner = Box::new(RewardScale::new(inner, factor));
        id.reward_threshold = id.reward_threshold.map(|threshold| threshold * factor);
    }
    let noise = id.number("reward_noise")?;
    if noise > 0.0 {
        inner = Box::new(RewardNoise::new(inner, noise));
    }
    if id.flag("normalise")? {
        let refuse = || id.refuse("normalise=true", "its observations are indices: leave it out".into());
        inner = Box::new(Normalise::new(inner).ok_or_else(refuse)?);
    }
    let asked = id.count("time_limit")?.and_then(|steps| u32::try_from(steps).ok());
    let time_limit = asked.or(id.time_limit);
    id.nothing_left()?;
    Ok(Registered {
        inner: Box::new(Episodes::new(inner, time_limit)),
        time_limit,
        reward_threshold: id.reward_threshold,
        id: id.text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Observation, Space};

    #[test]
    fn a_name_with_a_typing_error_is_answered_with_the_nearest() {
        let error = make("Chian-10", 0).err().unwrap();
        assert!(error.to_string().contains("Chain-10"), "{error}");
    }

    #[test]
    fn sizes_and_parameters_are_checked() {
        for id in ["Chain", "Chain-", "Chain-0", "Chain-x", "Chain-99999999999999999999"] {
            assert!(matches!(make(id, 0), Err(MakeError::Size { .. })), "{id}");
        }
        for id in ["Toy?colour=red", "Toy?colour", "Toy?a=1&a=2"] {
            assert!(matches!(make(id, 0), Err(MakeError::Parameter { .. })), "{id}");
        }
        for id in [
            "FrozenLake-v1?map=5x5",
            "FrozenLake-v1?slippery=maybe",
            "CartPole-v1?reward=dense",
            "CartPole-v1?reward_scale=-1",
            "CartPole-v1?reward_scale=nan",
            "CartPole-v1?time_limit=0",
            "CartPole-v1?normalise=1",
            "Taxi-v4?normalise=true",
            "Taxi-v4?reward=sparse",
        ] {
            assert!(matches!(make(id, 0), Err(MakeError::Parameter { .. })), "{id}");
        }
        for id in ["", "?", "-", "Toy-3", "Chain--5"] {
            assert!(matches!(make(id, 0), Err(MakeError::Unknown { .. })), "{id}");
        }
    }

    #[test]
    fn a_hint_names_what_to_write() {
        let error = make("FrozenLake-v1?map=5x5", 0).err().unwrap().to_string();
        assert!(error.contains("map=4x4 or map=8x8 or map=random"), "{error}");
        let error = make("FrozenLake-v1?size=4", 0).err().unwrap().to_string();
        assert!(error.contains("time_limit"), "{error}");
    }

    #[test]
    fn generic_parameters_act_and_move_the_threshold() {
        let mut env = make("CartPole-v1?reward_scale=0.5&time_limit=3&normalise=true", 0).unwrap();
        assert_eq!((env.reward_threshold, env.time_limit), (Some(237.5), Some(3)));
        assert_eq!(env.observation_space(), Space::symmetric_box(&[1.0; 4]));
        env.reset(Some(0));
        assert!(env.observation_space().contains(env.observation()));
        let steps: Vec<_> = (0..3).map(|i| env.step((i % 2).into()).unwrap()).collect();
        assert!(steps.iter().all(|step| step.reward == 0.5));
        assert!(steps[2].truncated && !steps[1].truncated);
    }

    #[test]
    fn sparse_rewards_pay_for_the_end_and_little_else() {
        let mut env = make("CartPole-v1?reward=sparse", 0).unwrap();
        env.reset(Some(0));
        let mut rewards = Vec::new();
        loop {
            let step = env.step(1.into()).unwrap();
            rewards.push(step.reward);
            if step.done() {
                break;
            }
        }
        let (last, before) = rewards.split_last().unwrap();
        assert_eq!(*last, -1.0);
        assert!(before.iter().all(|&reward| reward == 0.005));
        let mut env = make("MountainCar-v0?reward=sparse", 0).unwrap();
        env.reset(Some(0));
        assert_eq!(env.step(1.into()).unwrap().reward, -0.005);
    }

    #[test]
    fn parameters_choose_the_lake() {
        let mut env = make("FrozenLake-v1?map=8x8&slippery=false", 0).unwrap();
        assert_eq!(env.observation_space(), Space::Discrete(64));
        env.reset(Some(1));
        env.step(1.into()).unwrap();
        assert_eq!(env.observation(), Observation::Index(8));
    }
}
