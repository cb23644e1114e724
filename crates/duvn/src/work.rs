//! How much an agent has to compute for one step, told before any of it is done.

use crate::config::{CheckedConfig, PosteriorKind};
use crate::error::AgentError;
use crate::learner::{count, input, seen};
use crate::net::Input;
use crate::returns::return_model;
use crate::value::shape;
use duvn_envs::Space;

/// Episodes are taken to be so long where an agent learns after whole ones.
const EPISODE: f64 = 1000.0;

/// An estimate of the multiplications of one step (with several actors, of one turn of all of them), in which an agent can neither
/// be stopped nor saved. Each part is taken at its largest.
///
/// ```
/// use duvn::{preset, work};
/// use duvn_envs::Space;
///
/// let config = preset("duvn")?.check()?;
/// assert!(work(&config, &Space::Discrete(11), &Space::Discrete(2))? < 1e9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn work(config: &CheckedConfig, observations: &Space, actions: &Space) -> Result<f64, AgentError> {
    let model = return_model(config);
    let input = input(&seen(config, observations)?);
    let whole = shape(config, input, count(actions)?, &*model);
    // Of a table's rows, the first layer looks at one.
    let input = match input {
        Input::OneHot(_) => Input::OneHot(1),
        dense => dense,
    };
    let pass = shape(config, input, whole.actions, &*model).parameters() as f64;
    let networks = if config.posterior == PosteriorKind::Ensemble { config.members } else { 1 };

    let (batch, actors) = (config.batch as f64, config.actors as f64);
    let steps = if config.lambda > 0.0 { config.trace_steps } else { 1 };
    // Some policies look at several draws of the parameters to decide once.
    let deciding = config.draws.max(config.belief_draws) as f64;
    // Targets: a decision, and a pass for each draw of the parameters. Training: forward, and twice that back.
    let passes = steps as f64 * (deciding + config.mc_samples as f64) + 3.0;
    let update = networks as f64 * (batch * passes * pass + whole.parameters() as f64);
    let batches = match config.train_episodes {
        0 => actors,
        // As many are replayed.
        episodes => 2.0 * (EPISODE * episodes as f64).min(config.replay as f64) / batch + 2.0,
    };
    Ok(config.updates as f64 * batches * update + actors * deciding * pass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// One hidden layer of 10 on 3 numbers, for 2 actions of 1 output: 2 (4 * 10 + 11) weights.
    #[test]
    fn every_pass_of_every_update_counts() {
        let base = Config { hidden: vec![10], batch: 8, belief_draws: 2, ..Config::default() };
        let spaces = (Space::Box { low: vec![0.0; 3], high: vec![1.0; 3] }, Space::Discrete(2));
        let work = |config: &Config| work(&config.check().unwrap(), &spaces.0, &spaces.1).unwrap();
        let (weights, decision) = (102.0, 2.0 * 102.0);
        let update = |passes: f64| 8.0 * passes * weights + weights;
        assert_eq!(work(&base), update(3.0 + 3.0) + decision);
        let many = Config { updates: 7, ..base.clone() };
        assert_eq!(work(&many), 7.0 * update(3.0 + 3.0) + decision);
        let actors = Config { actors: 3, ..base.clone() };
        assert_eq!(work(&actors), 3.0 * (update(3.0 + 3.0) + decision));
        let ensemble = Config { posterior: PosteriorKind::Ensemble, members: 5, ..base.clone() };
        assert_eq!(work(&ensemble), 5.0 * update(3.0 + 3.0) + decision);
        let traces = Config { lambda: 0.5, trace_steps: 9, ..base.clone() };
        assert_eq!(work(&traces), update(9.0 * 3.0 + 3.0) + decision);
    }

    /// More states are more weights for Adam, and no more for a pass.
    #[test]
    fn the_rows_of_a_table_are_looked_at_one_at_a_time() {
        let config = crate::preset("duvn").unwrap().check().unwrap();
        let of = |states| work(&config, &Space::Discrete(states), &Space::Discrete(2)).unwrap();
        assert_eq!(of(10_000) - of(10), (2 * 9_990 * config.hidden[0]) as f64);
    }
}
