//! How much memory an agent will take, told before any of it is taken.

use crate::config::{BackupKind, CheckedConfig, LocalKind, PosteriorKind, PriorityKind};
use crate::error::AgentError;
use crate::learner::{count, input, seen};
use crate::returns::return_model;
use crate::value::shape;
use duvn_envs::Space;

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
    let observations = &seen(config, observations);
    let shape = shape(config, input(observations), actions, &*model);
    let number = std::mem::size_of::<f32>() as f64;

    // Weights, target, two moments, and a gradient; layers are padded to whole vectors.
    let parameters = 1.15 * shape.parameters() as f64;
    let mut network = 5.0 * parameters * number;
    if model.prior_scales(config).iter().any(|&scale| scale > 0.0) {
        network += 4.0 * parameters * number;
        if let Space::Discrete(states) = observations {
            network += (*states * actions * outputs) as f64 * number;
        }
    }
    let networks = if config.posterior == PosteriorKind::Ensemble { config.members } else { 1 };

    let observation = match observations {
        Space::Discrete(_) => number,
        Space::Box { low, .. } => low.len() as f64 * number,
    };
    // Beside the two states: action, reward, ending, episode, what followed, bootstrap sample, place in the queue.
    let mut replay = config.replay as f64 * (2.0 * observation + 1.0 + 4.0 + 1.0 + 8.0 + 4.0 + 8.0 + 12.0);
    if config.priority == PriorityKind::Proportional {
        replay += 2.0 * config.replay.next_power_of_two() as f64 * 8.0;
    }

    let steps = if config.lambda > 0.0 { config.trace_steps } else { 1 };
    let rows = config.batch as f64 * steps as f64;
    let parts = config.mc_samples * if config.backup == BackupKind::Expected { actions } else { 1 };
    let units: usize = shape.trunk.iter().chain(&shape.head).sum();
    let row = (2 * actions * outputs + parts * (outputs + 1) + 2 * units + 16 * config.draws.min(2)) as f64;
    let targets =
        rows * (row * number + observation) + config.batch as f64 * model.target_width() as f64 * number;

    let local = match (config.local, observations) {
        (LocalKind::None, _) => 0.0,
        (LocalKind::Visits, Space::Discrete(states)) => (*states * actions) as f64 * number,
        // Visits, changes, the last next state, and two numbers for rewards.
        (LocalKind::Outcomes, Space::Discrete(states)) => 5.0 * (*states * actions) as f64 * number,
        (LocalKind::Visits | LocalKind::Outcomes, Space::Box { .. }) => {
            (config.features * config.features * actions) as f64 * number
        }
    };
    Ok((networks as f64 * network + replay + targets + local) as u64)
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
