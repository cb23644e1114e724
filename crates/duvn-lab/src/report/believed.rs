//! Believed against earned: whether what agents believe at the start is what their policy then brings.

use super::data::{AgentRuns, Data, TaskRuns};
use super::pictures::{Picture, carried_on, figure, has_curves, seeds};
use super::table::{Cell, Table};
use crate::calibration::Calibration;
use crate::figures::{Axis, Curve, Dash, Figure, Mark, Panel, Series, Style};
use crate::stats::mean;

/// A quantity of an evaluation.
type Value = fn(&Calibration) -> Option<f64>;

/// The mean over runs of `value` at each evaluation; where no run has it there is no point.
fn line(task: &TaskRuns, agent: &AgentRuns, value: Value) -> Vec<(f64, f64)> {
    let times = agent.runs.first().map_or(0, |run| run.evaluation.times);
    let point = |at: u64| {
        let found: Vec<f64> = agent.calibrated(at as usize).iter().filter_map(value).collect();
        Some((task.evaluated_at(agent, at, times), mean(&found)?))
    };
    (0..times).filter_map(point).collect()
}

const TITLE: &str = "believed against earned";

/// What is believed and what is earned, by agent, and how often the one lies around the other.
pub fn picture(data: &Data, tasks: &[&TaskRuns], group: &str, name: String) -> Option<Picture> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for task in tasks {
        let x = || Axis::new(task.unit()).from_to(0.0, task.amount());
        let (mut values, mut shares) = (Vec::new(), Vec::new());
        for agent in &task.agents {
            let series = Series::method(&agent.agent);
            // One colour, so that one sees what belongs together: a line for what is believed, dots for what is earned.
            let named = |what: &str, dash: Dash, width: f64| Series {
                name: format!("{}: {what}", series.name),
                style: Style { dash, width, ..series.style },
            };
            let (believed, earned) =
                (named("believed", Dash::Solid, 1.6), named("earned", Dash::Dotted, 1.2));
            let of = |series: Series, markers: bool, value: Value| {
                let points = line(task, agent, value);
                (!points.is_empty()).then(|| Mark::Curve(Curve { markers, ..Curve::new(series, points) }))
            };
            values.extend(of(earned, false, |known| Some(known.earned)));
            values.extend(of(believed.clone(), true, |known| Some(known.believed)));
            shares.extend(of(believed, true, |known| known.covered));
        }
        let y = Axis::new("discounted return");
        left.push(Panel { title: task.about.panel.clone(), marks: values, ..Panel::new(x(), y) });
        let y = Axis::new("share within mean ± 2 sigma").from_to(-0.03, 1.03);
        right.push(Panel { title: task.about.panel.clone(), marks: shares, ..Panel::new(x(), y) });
    }
    // Where no agent has a sigma there is nothing to show on the right.
    let figure = if has_curves(&right) {
        let panels = left.into_iter().zip(right).flat_map(|(left, right)| [left, right]).collect();
        Figure { columns: 2, ..figure(data, group, TITLE, panels) }
    } else {
        figure(data, group, TITLE, left)
    };
    has_curves(&figure.panels).then(|| Picture {
        name,
        caption: format!(
            "Left: the mean return that agents believe in at the starts of evaluation episodes, beside the discounted \
             return that the policy of the mean then earns from there; a line above its dots believes too much. Right: \
             how often that return lies within the believed mean ± 2 sigma, for agents that have a sigma (95.4 % for a \
             Gaussian that is true). Means over {}. An episode that its time limit cuts off earns less than the value of \
             its start.{}",
            seeds(data),
            carried_on(tasks)
        ),
        figure,
    })
}

/// The last evaluation of every agent on every task, the mean over runs. `None` where none is recorded.
pub fn table(data: &Data) -> Option<Table> {
    let head =
        ["task", "agent", "runs", "believed", "earned, discounted", "bias", "sigma", "within mean ± 2 sigma"];
    let mut rows = Vec::new();
    for task in &data.tasks {
        for agent in &task.agents {
            let last = agent.last_calibrated();
            if last.is_empty() {
                continue;
            }
            let cell = |value: Value| {
                let found: Vec<f64> = last.iter().filter_map(value).collect();
                mean(&found).map_or(Cell::Nothing, Cell::Number)
            };
            rows.push(vec![
                Cell::Text(task.about.env.clone()),
                Cell::Text(Series::method(&agent.agent).name),
                Cell::Text(last.len().to_string()),
                cell(|known| Some(known.believed)),
                cell(|known| Some(known.earned)),
                cell(|known| Some(known.bias())),
                // An agent without a sigma says 0.
                cell(|known| Some(known.sigma).filter(|sigma| *sigma > 0.0)),
                cell(|known| known.covered),
            ]);
        }
    }
    (!rows.is_empty()).then_some(Table { head: head.map(String::from).to_vec(), rows })
}
