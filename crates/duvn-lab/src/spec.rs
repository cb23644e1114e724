//! What decides a run.

use duvn::Config;

/// How long a run lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// So many finished episodes.
    Episodes(u64),
    /// So many environment steps.
    Steps(u64),
}

/// Everything that decides a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSpec {
    /// The environment's id.
    pub env: String,
    /// The name under which the agent is reported.
    pub agent: String,
    /// The agent's configuration.
    pub config: Config,
    /// The seed of the agent and of the environment.
    pub seed: u64,
    /// How long it lasts.
    pub budget: Budget,
    /// Whether it ends before that, with the episode that solves the task.
    pub until_solved: bool,
}
