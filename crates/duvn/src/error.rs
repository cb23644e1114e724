//! What can go wrong with an agent.

use crate::config::ConfigError;
use crate::net::{LoadError, ShapeError};
use duvn_envs::{Space, StateError};

/// Why an agent cannot be made for an environment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum AgentError {
    /// The configuration is wrong.
    Config(#[from] ConfigError),
    /// The action space is not one that the agent can choose from.
    #[error(
        "the action space is {0}: these agents need Discrete(n) with n from 1 to 256; choose another environment"
    )]
    ActionSpace(Space),
    /// The network cannot be made.
    Shape(#[from] ShapeError),
    /// The posterior's network fits neither the observations nor the return model.
    #[error(
        "the posterior's network is {network}: for observations in {space} and this return model it must take \
         such observations and put out {outputs} numbers for an action"
    )]
    Axes {
        /// The shape of the network.
        network: String,
        /// What the return model takes.
        outputs: usize,
        /// The observations.
        space: Space,
    },
    /// Local uncertainty has nothing to be added to.
    #[error("this return model has no spread for local uncertainty to be added to: write local=none")]
    NoSpread,
    /// There are no numbers to have a mean.
    #[error(
        "inputs=running needs observations that are numbers: those of this environment are one of {0} states; leave inputs out"
    )]
    IndexInputs(usize),
}

/// Why learning had to stop, or what a loop did wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// The loss is NaN or infinite, and so are, or soon will be, the weights.
    #[error(
        "the loss became {loss} at environment step {step} (update {update}): try a smaller learning_rate, \
         max_gradient_norm=10, smaller rewards, or (with dropout) decider=online"
    )]
    Diverged {
        /// The loss.
        loss: f64,
        /// Environment steps so far.
        step: u64,
        /// Updates so far.
        update: u64,
    },
    /// A weight or a moment of the optimiser is NaN or infinite.
    #[error(
        "a weight of the network or a moment of Adam overflowed at environment step {step} (update {update}): write smaller \
         rewards (reward_scale), a smaller learning_rate, error_clip=1 or max_gradient_norm=10"
    )]
    NotFinite {
        /// Environment steps so far.
        step: u64,
        /// The update in which it happened.
        update: u64,
    },
    /// The environment gave a reward that is NaN or infinite.
    #[error("the environment gave the reward {reward} at step {step}: rewards must be finite")]
    Reward {
        /// The reward.
        reward: f64,
        /// Environment steps so far.
        step: u64,
    },
    /// The environment gave an observation that is not in the space the agent was made for.
    #[error("the environment gave an observation outside {space} at step {step}")]
    Observation {
        /// The space.
        space: Space,
        /// Environment steps so far.
        step: u64,
    },
    /// Something was observed where no action was waiting for its outcome.
    #[error(
        "an outcome was observed after step {step}, but no action is waiting for one: call begin at the start of an \
         episode, and observe once for each action"
    )]
    NoAction {
        /// Environment steps so far.
        step: u64,
    },
    /// There is no such actor.
    #[error("there is no actor {actor}: this agent has {actors}, counted from 0 (actors={actors})")]
    NoActor {
        /// The one that was named.
        actor: usize,
        /// How many there are.
        actors: usize,
    },
    /// There is no such action.
    #[error("there is no action {action}: there are {actions}, counted from 0")]
    ForeignAction {
        /// The one that was named.
        action: usize,
        /// How many there are.
        actions: usize,
    },
}

/// Why an agent cannot go on from a snapshot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// A tensor is missing or does not fit.
    #[error("the snapshot is of another network: {0}")]
    Tensor(#[from] LoadError),
    /// The state does not fit.
    #[error(transparent)]
    State(#[from] StateError),
    /// It has another number of actors.
    #[error("the snapshot is of an agent with {found} actors; this one has {expected}")]
    Actors {
        /// How many the snapshot has.
        found: usize,
        /// How many this agent has.
        expected: usize,
    },
}
