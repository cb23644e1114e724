//! Pictures of what an agent believes of every state, at chosen moments of its training: how uncertainty narrows
//! and travels back from the goal.

mod densities;
mod grids;

use crate::beliefs::Moment;
use crate::figures::{Axis, Curve, Dash, Figure, Mark, Panel, Series};
use crate::spec::RunSpec;
use duvn::ActionView;
use duvn_envs::envs::Chain;
use duvn_envs::registry;
pub(crate) use grids::Grid;
use grids::grids;

pub use densities::{Distributions, densities, watch_distributions};

/// The picture of the moments: maps of colours for worlds that are grids, curves over the states for the others.
pub fn figure(spec: &RunSpec, moments: &[Moment]) -> Figure {
    let states = moments.first().map_or(0, |moment| moment.states.len());
    let mut figure = match Grid::of(&spec.env, states) {
        Some(grid) => grids(&grid, moments),
        None => curves(spec, moments),
    };
    figure.title = format!("{} on {}, seed {}", spec.agent, spec.env, spec.seed);
    figure
}

fn heading(moment: &Moment) -> String {
    heading_of(moment.episode)
}

fn heading_of(episode: u64) -> String {
    match episode {
        0 => "before the first episode".into(),
        episode => format!("after episode {episode}"),
    }
}

/// Above: mu with a band of sigma; below: return uncertainty (sigma) and parametric uncertainty (spread), as far as the
/// agent has them.
/// Colours tell actions apart, dashes what is shown of them.
fn curves(spec: &RunSpec, moments: &[Moment]) -> Figure {
    let Lanes { lanes, states } = lanes(spec, moments);
    let points = |moment: &Moment, lane: &Lane, value: &dyn Fn(&ActionView) -> f64| -> Vec<(f64, f64)> {
        (0..states).map(|state| (state as f64, value(&moment.states[state][(lane.action)(state)]))).collect()
    };
    // The same axes at every moment, so that moments can be compared.
    let views = || moments.iter().flat_map(|moment| &moment.states[..states]).flatten();
    let low = views().map(|view| view.mean - view.sigma).fold(0.0, f64::min);
    let high = views().map(|view| view.mean + view.sigma).fold(0.1, f64::max);
    // An uncertainty that the agent does not have is 0 all along: that is no line.
    let (sigmas, spreads) = (views().any(|view| view.sigma > 0.0), views().any(|view| view.spread > 0.0));
    let label = if sigmas { "μ, with a band of ±σ" } else { "μ" };
    let widest = views().map(|view| view.sigma.max(view.spread)).fold(0.1, f64::max);
    // States are whole numbers: where they are few, each has its tick.
    let axis = || match states {
        2..=12 => Axis::new("state").with_ticks((0..states).map(|at| (at as f64, at.to_string())).collect()),
        _ => Axis::new("state"),
    };
    let mut values = Vec::new();
    let mut uncertainties = Vec::new();
    for moment in moments {
        let mut value = Panel::new(axis(), Axis::new(label).from_to(low, high));
        let mut uncertainty = Panel::new(axis(), Axis::new("uncertainty").from_to(0.0, widest));
        value.title = heading(moment);
        for (index, lane) in lanes.iter().enumerate() {
            let mu = points(moment, lane, &|view| view.mean);
            let sigma = points(moment, lane, &|view| view.sigma);
            let spread = points(moment, lane, &|view| view.spread);
            let band =
                mu.iter().zip(&sigma).map(|(&(x, mu), &(_, sigma))| (x, mu - sigma, mu + sigma)).collect();
            let dashed = |what: &str, dash| {
                let mut series = Series::nth(format!("{what}{}", lane.name), index);
                series.style.dash = dash;
                series
            };
            let mean = Curve::new(dashed("", Dash::Solid), mu);
            value.marks.push(Mark::Curve(if sigmas { mean.with_band(band) } else { mean }));
            if sigmas {
                let sigma = Curve::new(dashed("σ (return), ", Dash::Dashed), sigma);
                uncertainty.marks.push(Mark::Curve(sigma));
            }
            if spreads {
                let spread = Curve::new(dashed("spread (parametric), ", Dash::Short), spread);
                uncertainty.marks.push(Mark::Curve(spread));
            }
        }
        values.push(value);
        uncertainties.push(uncertainty);
    }
    if sigmas || spreads {
        values.extend(uncertainties);
    }
    let mut figure = Figure::new(values, moments.len());
    figure.share_x = true;
    figure.share_y = true;
    figure
}

/// The curves of a picture.
struct Lanes {
    lanes: Vec<Lane>,
    /// How many states they run over.
    states: usize,
}

/// One curve over the states: which action it shows in each.
struct Lane {
    name: String,
    action: Box<dyn Fn(usize) -> usize>,
}

/// The correct and the wrong action of a Chain, in all states but its end; elsewhere each action for itself.
fn lanes(spec: &RunSpec, moments: &[Moment]) -> Lanes {
    let Some(first) = moments.first() else { return Lanes { lanes: Vec::new(), states: 0 } };
    let states = first.states.len();
    let correct = match registry::stem(&spec.env) {
        "Chain" => Chain::unordered(states - 1, spec.seed).correct().to_vec(),
        "ChainOrdered" => Chain::ordered(states - 1).correct().to_vec(),
        _ => {
            let actions = first.states.first().map_or(0, Vec::len);
            let lane =
                |action: usize| Lane { name: format!("action {action}"), action: Box::new(move |_| action) };
            return Lanes { lanes: (0..actions).map(lane).collect(), states };
        }
    };
    let states = correct.len();
    let wrong: Vec<_> = correct.iter().map(|action| 1 - action).collect();
    let lane = |name: &str, actions: Vec<u8>| Lane {
        name: name.into(),
        action: Box::new(move |state| usize::from(actions[state])),
    };
    Lanes { lanes: vec![lane("correct action", correct), lane("wrong action", wrong)], states }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beliefs::watch;
    use crate::spec::Budget;
    use std::sync::atomic::AtomicBool;

    fn spec(env: &str, agent: &str) -> RunSpec {
        let mut config = duvn::preset(agent).unwrap();
        config.hidden = vec![16];
        let (budget, until_solved) = (Budget::Episodes(40), false);
        RunSpec { env: env.into(), agent: agent.into(), config, seed: 3, budget, until_solved }
    }

    fn go() -> AtomicBool {
        AtomicBool::new(false)
    }

    #[test]
    fn each_moment_shows_every_state_and_uncertainty_falls_where_the_agent_was() {
        let spec = spec("Chain-4", "duvn-deep");
        let moments = watch(&spec, &[0, 40], 5, &go()).unwrap();
        assert_eq!(moments.len(), 2);
        assert!(moments.iter().all(|moment| moment.states.len() == 5 && moment.states[0].len() == 2));
        let wrong = 1 - usize::from(Chain::unordered(4, 3).correct()[0]);
        assert!(moments[1].states[0][wrong].sigma < moments[0].states[0][wrong].sigma);
        let figure = figure(&spec, &moments);
        assert_eq!(figure.panels.len(), 4);
        assert!(figure.to_svg().contains("correct action"));
    }

    #[test]
    fn deep_sea_is_a_grid_whose_unreachable_half_is_blank() {
        let spec = spec("DeepSea-3", "duvn-deep");
        let figure = figure(&spec, &watch(&spec, &[1], 1, &go()).unwrap());
        let Mark::Heat(heat) = &figure.panels[0].marks[0] else { panic!("{:?}", figure.panels[0]) };
        let blank: Vec<Vec<bool>> =
            heat.rows.iter().map(|row| row.iter().map(|value| value.is_nan()).collect()).collect();
        assert_eq!(blank, [[false, true, true], [false, false, true], [false, false, false]]);
    }

    #[test]
    fn each_kind_of_uncertainty_that_an_agent_has_is_a_row_of_grids() {
        for (agent, labels) in [
            ("duvn", &["μ", "σ", "spread"][..]),
            ("return", &["μ", "σ"]),
            ("bootdqn", &["μ", "spread"]),
            ("egreedy", &["μ"]),
        ] {
            let spec = spec("DeepSea-3", agent);
            let figure = figure(&spec, &watch(&spec, &[0, 1], 9, &go()).unwrap());
            let label = |panel: &Panel| match &panel.marks[0] {
                Mark::Heat(heat) => heat.label.split(' ').next().unwrap().to_string(),
                mark => panic!("{mark:?}"),
            };
            let expected: Vec<_> = labels.iter().flat_map(|&label| [label, label]).collect();
            assert_eq!(figure.panels.iter().map(label).collect::<Vec<_>>(), expected, "{agent}");
        }
    }

    #[test]
    fn curves_of_many_actions_all_look_different_and_cover_every_state() {
        let spec = spec("Taxi-v4", "duvn");
        let figure = curves(&spec, &watch(&spec, &[0], 2, &go()).unwrap());
        let curves: Vec<_> = figure.panels.iter().flat_map(|panel| &panel.marks).collect();
        let mut looks = Vec::new();
        for mark in &curves {
            let Mark::Curve(curve) = mark else { panic!("{mark:?}") };
            assert_eq!(curve.points.len(), 500);
            assert!(!looks.contains(&curve.series.style), "{}", curve.series.name);
            looks.push(curve.series.style);
        }
        assert_eq!(looks.len(), 18);
    }

    #[test]
    fn no_line_is_drawn_for_an_uncertainty_that_an_agent_does_not_have() {
        for (agent, panels, sigma) in [("egreedy", 1, false), ("parametric", 2, false), ("return", 2, true)] {
            let spec = spec("Chain-4", agent);
            let figure = figure(&spec, &watch(&spec, &[3], 9, &go()).unwrap());
            let svg = figure.to_svg();
            assert_eq!((figure.panels.len(), svg.contains('σ')), (panels, sigma), "{agent}");
        }
    }
}
