//! The distribution of the return itself, as an agent believes it: densities by state and action, through
//! training.

use crate::beliefs::ValuesError;
use crate::figures::{Axis, Curve, Figure, Mark, Panel, Series};
use crate::ire::Kde;
use crate::run::{Run, RunError};
use crate::spec::{Budget, RunSpec};
use crate::stats::normal_density;
use duvn_envs::Observation;
use std::sync::atomic::{AtomicBool, Ordering};

/// Levels at which a distribution is asked for its quantiles.
const LEVELS: usize = 200;

/// Places at which a density is drawn.
const PLACES: usize = 240;

/// What an agent believes of the returns in some states, at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Distributions {
    /// After so many episodes.
    pub episode: u64,
    /// By state, then action: quantiles at evenly spaced levels.
    pub states: Vec<Vec<Vec<f64>>>,
}

/// Trains as `spec` says and looks at the returns in `states` after each of the episodes in `at`, which rise
/// (0 is before the first). When `stop` is raised, it gives the moments that were reached.
pub fn watch_distributions(
    spec: &RunSpec,
    at: &[u64],
    states: &[usize],
    stop: &AtomicBool,
) -> Result<Vec<Distributions>, ValuesError> {
    let all = crate::beliefs::states(&spec.env)?;
    if let Some(&state) = states.iter().find(|&&state| state >= all) {
        return Err(ValuesError::NoState { state, last: all.saturating_sub(1) });
    }
    let last = *at.last().ok_or(ValuesError::Moments)?;
    if at.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(ValuesError::Moments);
    }
    let mut run = Run::new(RunSpec { budget: Budget::Episodes(last), until_solved: false, ..spec.clone() })?;
    let mut moments = Vec::new();
    if at[0] == 0 && !stop.load(Ordering::Relaxed) {
        moments.push(look(&mut run, states)?);
    }
    run.drive(stop, |run, record| {
        if record.is_some_and(|record| at.contains(&record.episode)) {
            moments.push(look(run, states)?);
        }
        Ok::<_, ValuesError>(())
    })?;
    Ok(moments)
}

fn look(run: &mut Run, states: &[usize]) -> Result<Distributions, RunError> {
    let (seed, episode) = (run.spec().seed, run.progress().episodes);
    let levels: Vec<f64> = (0..LEVELS).map(|i| (i as f64 + 0.5) / LEVELS as f64).collect();
    let of = |&state: &usize| {
        let quantiles = run.agent_mut().quantiles(Observation::Index(state), &levels);
        quantiles.map_err(|error| RunError::Training { seed, error: error.into() })
    };
    let states = states.iter().map(of).collect::<Result<_, _>>()?;
    Ok(Distributions { episode, states })
}

/// A row of panels for each state, a column for each moment; in each panel a density for each action.
pub fn densities(spec: &RunSpec, states: &[usize], moments: &[Distributions]) -> Figure {
    let mut panels = Vec::new();
    for (row, state) in states.iter().enumerate() {
        let quantiles = || moments.iter().flat_map(|moment| &moment.states[row]).flatten().copied();
        let low = quantiles().fold(f64::INFINITY, f64::min);
        let high = quantiles().fold(f64::NEG_INFINITY, f64::max);
        // Room for the kernels at the ends, and for a return that is certain.
        let margin = (0.1 * (high - low)).max(0.05);
        let (low, high) = (low - margin, high + margin);
        for moment in moments {
            let curve = |(action, quantiles): (usize, &Vec<f64>)| {
                let points = density(quantiles, (low, high));
                let band = points.iter().map(|&(x, y)| (x, 0.0, y)).collect();
                let curve = Curve::new(Series::nth(format!("action {action}"), action), points);
                Mark::Curve(Curve { markers: false, ..curve.with_band(band) })
            };
            let marks: Vec<_> = moment.states[row].iter().enumerate().map(curve).collect();
            panels.push(Panel {
                title: format!("state {state}, {}", super::heading_of(moment.episode)),
                marks,
                ..Panel::new(Axis::new("return").from_to(low, high), Axis::new("density"))
            });
        }
    }
    Figure {
        title: format!("Returns as {} believes them on {}, seed {}", spec.agent, spec.env, spec.seed),
        size: (200.0, 110.0),
        ..Figure::new(panels, moments.len())
    }
}

/// The density of quantiles at evenly spaced levels, over a range. What is narrower than a picture can show
/// is drawn as wide as it can.
fn density(quantiles: &[f64], (low, high): (f64, f64)) -> Vec<(f64, f64)> {
    let least = (high - low) / 80.0;
    let kde = Kde::new(quantiles).map(|kde| kde.no_narrower_than(least));
    let at = |i: usize| low + (high - low) * i as f64 / (PLACES - 1) as f64;
    let value = |x: f64| match &kde {
        Some(kde) => kde.density(x),
        None => quantiles.first().map_or(0.0, |&only| normal_density(x, only, least)),
    };
    (0..PLACES).map(|i| (at(i), value(at(i)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(agent: &str) -> RunSpec {
        let mut config = duvn::preset(agent).unwrap();
        config.learning_starts = 32;
        let (env, budget) = ("Toy".into(), Budget::Episodes(5));
        RunSpec { env, agent: agent.into(), config, seed: 3, budget, until_solved: false }
    }

    #[test]
    fn a_density_integrates_to_one_and_stands_where_the_quantiles_are() {
        for quantiles in [vec![1.0; 200], (0..200).map(|i| f64::from(i % 2) * 2.0).collect::<Vec<_>>()] {
            let points = density(&quantiles, (-2.0, 4.0));
            let area: f64 =
                points.windows(2).map(|two| 0.5 * (two[0].1 + two[1].1) * (two[1].0 - two[0].0)).sum();
            assert!((area - 1.0).abs() < 0.02, "{area}");
        }
        let two = density(&[vec![0.0; 100], vec![3.0; 100]].concat(), (-2.0, 5.0));
        let at = |x: f64| two.iter().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())).unwrap().1;
        assert!(at(0.0) > 3.0 * at(1.5) && at(3.0) > 3.0 * at(1.5), "two humps with a valley between them");
    }

    #[test]
    fn every_state_and_moment_has_a_panel_with_a_curve_for_each_action() {
        let go = AtomicBool::new(false);
        for agent in ["qrdqn", "c51", "mixture", "dqn"] {
            let spec = spec(agent);
            let moments = watch_distributions(&spec, &[0, 5], &[0, 1], &go).unwrap();
            let figure = densities(&spec, &[0, 1], &moments);
            assert_eq!((figure.panels.len(), figure.columns), (4, 2), "{agent}");
            assert!(figure.panels.iter().all(|panel| panel.marks.len() == 2));
            assert!(figure.to_svg().contains("state 1, after episode 5"));
        }
        let refused = watch_distributions(&spec("qrdqn"), &[5], &[4], &go).unwrap_err();
        assert_eq!(refused.to_string(), "there is no state 4: write numbers from 0 to 3");
    }
}
