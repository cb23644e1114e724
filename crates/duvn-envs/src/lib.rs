//! Reinforcement-learning environments with Gymnasium's semantics: the trait, the spaces, NumPy-exact
//! seeding, one file an environment, and a registry that makes them from ids such as `Chain-10`.
//!
//! ```
//! use duvn_envs::{Environment, registry};
//!
//! let mut env = registry::make("Chain-10", 7)?;
//! env.reset(Some(7));
//! let step = env.step(1.into())?;
//! println!("{:?} {} {}", env.observation(), step.reward, step.terminated);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod canvas;
pub mod env_checker;
mod environment;
pub mod envs;
mod numerics;
mod random_actions;
#[cfg(feature = "render")]
pub mod raster;
pub mod registry;
pub mod rng;
mod space;
mod state;
mod text;
mod tiles;
pub mod wrappers;

pub use environment::{Environment, Step, StepError};
pub use random_actions::RandomActions;
pub use space::{Action, Observation, Space};
pub use state::{StateError, freeze, thaw};

/// The examples of the README, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
