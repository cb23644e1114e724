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

/// A name to read and to write: environment, agent and seed, as in `chain-25/duvn-deep/seed-3`. Within an experiment it
/// names one run, unless two agents have names that differ in signs alone.
pub fn run_name(spec: &RunSpec) -> String {
    format!("{}/{}/seed-{}", plain(&spec.env), plain(&spec.agent), spec.seed)
}

/// Small letters, digits and points; every other stretch of signs is one hyphen.
fn plain(text: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() || letter == '.' { letter } else { '-' };
    let text: String = text.to_lowercase().chars().map(letter).collect();
    text.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_names_that_can_be_typed() {
        let name = |env: &str, agent: &str| {
            let config = Config::default();
            let (env, agent, budget) = (env.into(), agent.into(), Budget::Episodes(1));
            run_name(&RunSpec { env, agent, config, seed: 3, budget, until_solved: false })
        };
        assert_eq!(name("Chain-25", "duvn-deep"), "chain-25/duvn-deep/seed-3");
        assert_eq!(
            name("FrozenLake-v1?map=8x8&slippery=false", "egreedy, epsilon 0.05"),
            "frozenlake-v1-map-8x8-slippery-false/egreedy-epsilon-0.05/seed-3"
        );
    }
}
