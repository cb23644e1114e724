//! Evaluation: episodes in which an agent acts on what it has learnt, and learns nothing.

use crate::agent::Agent;
use crate::training::{Episode, TrainingError};
use duvn_envs::Environment;

/// Plays `episodes` episodes of at most `longest` steps with the action of the best mean in every state. The first is reset with
/// `seed`, the others go on with the environment's random numbers. Nothing changes in the agent.
///
/// ```
/// use duvn::{Agent, evaluate, preset};
/// use duvn_envs::{Environment, registry};
///
/// let mut env = registry::make("Chain-3", 0)?;
/// let config = preset("duvn")?.check()?;
/// let mut agent = Agent::new(&config, &env.observation_space(), &env.action_space(), 0)?;
/// let episodes = evaluate(&mut agent, &mut env, 5, 1000, 7)?;
/// let mean = episodes.iter().map(|episode| episode.ret).sum::<f64>() / 5.0;
/// assert!((0.0..=1.0).contains(&mean));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate<E: Environment>(
    agent: &mut Agent,
    env: &mut E,
    episodes: usize,
    longest: u64,
    seed: u64,
) -> Result<Vec<Episode>, TrainingError> {
    let gamma = agent.config().gamma;
    let mut played = Vec::new();
    for number in 0..episodes {
        env.reset((number == 0).then_some(seed));
        let mut episode = Episode::default();
        while episode.length < longest {
            let action = agent.greedy(env.observation())?;
            let step = env.step(action.into())?;
            episode.add(step.reward, gamma);
            if step.done() {
                break;
            }
        }
        played.push(episode);
    }
    Ok(played)
}
