//! What most programs need: `use duvn::prelude::*;`.

pub use crate::{Agent, Config, Episode, Keep, Training, evaluate, preset, preset_for};
pub use duvn_envs::wrappers::Episodes;
pub use duvn_envs::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, thaw};
