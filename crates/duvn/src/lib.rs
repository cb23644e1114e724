//! Reinforcement-learning agents that explore by their own uncertainty.
//!
//! An agent is three independent choices: a [`posterior`] over the network's parameters, a model of the
//! [`returns`], and a [`policy`]. The presets of [`config`] name points in that space; `duvn` is the
//! algorithm of "Efficient exploration with Double Uncertain Value Networks" (Moerland, Broekens and
//! Jonker 2017).
//!
//! ```
//! use duvn::prelude::*;
//!
//! let env = duvn_envs::registry::make("Chain-3", 0)?;
//! let agent = Agent::new(&preset("duvn-deep")?.check()?, &env.observation_space(), &env.action_space(), 0)?;
//! let mut training = Training::new(env, agent, 0);
//! let episode = training.episode()?;
//! println!("return {} in {} steps", episode.ret, episode.length);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod actor;
mod agent;
pub mod archive;
pub mod config;
pub mod disk;
mod earned;
mod error;
mod evaluate;
mod inputs;
mod inspect;
mod learner;
pub mod local;
mod loops;
mod memory;
pub mod net;
pub mod normal;
pub mod policy;
pub mod posterior;
pub mod prelude;
pub mod prior;
pub mod replay;
pub mod returns;
pub mod rng;
mod running;
mod schedule;
pub mod target;
mod told;
mod training;
mod value;
mod work;

pub use agent::{Agent, FileError, Keep, Snapshot};
pub use agent::{read as read_agent, write as write_agent};
pub use config::{CheckedConfig, Config, preset, preset_for};
pub use error::{AgentError, LearnError, RestoreError};
pub use evaluate::evaluate;
pub use inspect::ActionView;
pub use learner::{Axes, Counters, Explorer};
pub use memory::memory;
pub use running::Running;
pub use training::{Episode, Training, TrainingError, TrainingSnapshot};
pub use value::ValueNetwork;
pub use work::work;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
