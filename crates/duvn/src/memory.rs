//! How much memory an agent will take, told before any of it is taken.

use crate::config::{
    BackupKind, CheckedConfig, Decider, LocalKind, LoopKind, MemberTargets, PosteriorKind, PriorityKind,
    ReplayUnit,
};
use crate::error::AgentError;
use crate::learner::{count, input, seen};
use crate::net::Numbers;
use crate::policy::policy;
use crate::prior::BLOCK;
use crate::returns::return_model;
use crate::value::{activation, shape};
use duvn_envs::Space;

/// Buffers grow to twice what they had where a batch needs more, so that they have room for up to twice the largest.
const GROWTH: f64 = 2.0;

/// Bytes of a layer beside its numbers: where it lies, what it is called, its buffers.
const OF_A_LAYER: f64 = 512.0;

/// Bytes of a network beside its layers: what Adam's moments are kept apart by, and all that has one size.
const OF_A_NETWORK: f64 = 8192.0;

/// Bytes of an actor beside what it saw.
const OF_AN_ACTOR: f64 = 2048.0;

/// Bytes of an agent beside its parts.
const OF_AN_AGENT: f64 = 32768.0;

/// An estimate of the bytes that an agent for these spaces holds once its replay is full. Each part is taken at its largest, so
/// that what is allowed by the estimate fits.
///
/// ```
/// use duvn::{memory, preset};
/// use duvn_envs::Space;
///
/// let config = preset("duvn")?.check()?;
/// let bytes = memory(&config, &Space::Discrete(11), &Space::Discrete(2))?;
/// assert!((2_000_000..20_000_000).contains(&bytes));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn memory(config: &CheckedConfig, observations: &Space, actions: &Space) -> Result<u64, AgentError> {
    let model = return_model(config);
    let (actions, outputs) = (count(actions)?, model.outputs());
    let observations = &seen(config, observations)?;
    let shape = shape(config, input(observations), actions, &*model);
    let number = std::mem::size_of::<f32>() as f64;

    // Weights, target, two moments, and a gradient.
    let activation = activation(config);
    let numbers = Numbers::new(&shape, activation);
    let steps = if config.lambda > 0.0 { config.trace_steps } else { 1 };
    let rows = (config.batch as f64 * steps as f64).max(config.actors as f64);
    // Of a trace that is not cut, only the end is valued.
    let valued = if config.lambda == 1.0 { (config.batch as f64).max(config.actors as f64) } else { rows };
    // A target network without masks is asked about each state once, whoever else asks about all rows.
    let asked = match observations {
        Space::Discrete(states)
            if config.posterior != PosteriorKind::Dropout && config.decider == Decider::Target =>
        {
            rows.min(*states as f64).max(config.batch as f64).max(config.actors as f64)
        }
        _ => rows,
    };
    let mut network = 5.0 * numbers.parameters + numbers.beside + GROWTH * asked * numbers.row;
    if config.anchor > 0.0 {
        // Its first weights.
        network += numbers.parameters;
    }
    if model.prior_scales(config).iter().any(|&scale| scale > 0.0) {
        // Its weights, and its inputs, units and outputs: of a batch, or of the states that its table is made of.
        let values = (actions * outputs) as f64;
        network += numbers.parameters + numbers.beside;
        network += match observations {
            Space::Discrete(states) => {
                *states as f64 * values + GROWTH * BLOCK as f64 * (numbers.row + values)
            }
            Space::Box { .. } => GROWTH * rows * (numbers.row + values),
        };
    }
    if let Space::Discrete(states) = observations {
        // What the target network has said of each state; of a batch, what it is asked.
        let values = (actions * outputs) as f64;
        network += *states as f64 * (values + 0.25) + GROWTH * valued * (values + 1.0);
    }
    let layers = actions * (shape.head.len() + 1) + shape.trunk.len();
    let members = if config.posterior == PosteriorKind::Ensemble { config.members } else { 1 };
    let networks = members as f64 * (network * number + OF_A_LAYER * layers as f64 + OF_A_NETWORK);

    let observation = match observations {
        Space::Discrete(_) => number,
        Space::Box { low, .. } => low.len() as f64 * number,
    };
    // Beside the two states: action, reward, ending, episode, what followed, bootstrap sample, place in the queue.
    let mut replay = config.replay as f64 * (2.0 * observation + 1.0 + 4.0 + 1.0 + 8.0 + 4.0 + 8.0 + 12.0);
    if config.replay_unit == ReplayUnit::Trace {
        replay += config.replay as f64 * 24.0;
    }
    if config.train_episodes > 0 {
        // Steps that wait to be learnt from.
        replay += (config.replay + config.actors) as f64 * 24.0;
    }
    if config.priority == PriorityKind::Proportional {
        replay += 2.0 * config.replay.next_power_of_two() as f64 * 8.0;
    }

    // Beliefs and values of next states; parts of mixtures; what further draws say; masks; where the trace goes.
    let parts = (config.mc_samples * if config.backup == BackupKind::Expected { actions } else { 1 }) as f64;
    let further = (policy(config).draws() - 1) as f64;
    let values = (actions * outputs) as f64;
    let units: f64 = shape.trunk.iter().chain(&shape.head).map(|&units| units as f64 + 16.0).sum();
    let row = 3.0 * values
        + parts * (outputs + 1) as f64
        + (further + 1.0) * values
        + actions as f64 * (units / 32.0 + 3.0);
    // Observations once as they were, once on the scale that a network sees, at the most.
    let shared = config.member_targets == MemberTargets::Mean;
    let row = if shared { row + values } else { row };
    let targets = GROWTH * valued * row * number
        + GROWTH * rows * (2.0 * observation + 64.0)
        + GROWTH * config.batch as f64 * (model.target_width() as f64 * number + 2.0 * observation + 96.0);

    let pairs = |states: usize| (states * actions) as f64;
    let looked = rows.max(config.actors as f64) * actions as f64 * 3.0;
    let local = match (config.local, observations) {
        (LocalKind::None, _) => 0.0,
        (LocalKind::Visits, Space::Discrete(states)) => looked + pairs(*states),
        // Visits, changes, the last next state, and two numbers for rewards.
        (LocalKind::Outcomes, Space::Discrete(states)) => looked + 5.0 * pairs(*states),
        // Covariances, of every action; features of a batch, and their products with each of them.
        (LocalKind::Visits | LocalKind::Outcomes, Space::Box { low, .. }) => {
            let features = config.features as f64 + 16.0;
            looked
                + features * (features * actions as f64 + low.len() as f64 + 1.0)
                + GROWTH * rows * features * (actions as f64 + 1.0)
        }
    } * number;
    // Where each actor has been; what it saw.
    let trail = match observations {
        Space::Discrete(states) if config.loops != LoopKind::Ignore => *states as f64 * 8.0,
        _ => 0.0,
    };
    let actors = config.actors as f64 * (trail + 4.0 * observation + OF_AN_ACTOR);
    Ok((networks + replay + targets + local + actors + OF_AN_AGENT) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// Two members of 1,000,000 x 64 x 2 actions are four floats a weight and a gradient each.
    #[test]
    fn every_member_counts() {
        let bytes = |members| {
            let config = Config {
                posterior: PosteriorKind::Ensemble,
                members,
                hidden: vec![64],
                replay: 100,
                ..Config::default()
            };
            memory(&config.check().unwrap(), &Space::Discrete(1_000_000), &Space::Discrete(2)).unwrap() as f64
        };
        let one = 5.0 * 4.0 * 64e6 * 2.0;
        assert!((1.0..1.3).contains(&(bytes(1) / one)), "{}", bytes(1));
        assert!((19.0..20.1).contains(&(bytes(20) / bytes(1))), "{} {}", bytes(1), bytes(20));
    }
}
