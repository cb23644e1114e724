//! The figures of a report.

use super::data::{AgentRuns, Data, Task};
use super::{ReportError, scaling, write};
use crate::beliefs::Moment;
use crate::figures::{Axis, Curve, Figure, Mark, Panel, Rule, Series};
use crate::stats::{Bootstrap, mean, performance_profile};
use crate::store::{CurvePoint, RunRow};
use crate::values;
use std::path::Path;

/// A figure with its name and its caption.
pub struct Picture {
    /// The name of its files.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The figure.
    pub figure: Figure,
}

impl Picture {
    /// Writes it as SVG and as PNG.
    pub fn write(&self, folder: &Path) -> Result<(), ReportError> {
        write(&folder.join(format!("{}.svg", self.name)), self.figure.to_svg().as_bytes())?;
        write(&folder.join(format!("{}.png", self.name)), &self.figure.to_png(2.0)?)
    }
}

/// Fewer draws than for tables: a band has hundreds of intervals and is read by eye.
const CURVE: Bootstrap = Bootstrap { resamples: 1000, confidence: 0.95, seed: 0 };

/// Every figure that the data have something to show for.
pub fn pictures(data: &Data) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for group in data.groups() {
        let tasks: Vec<_> = data.tasks.iter().filter(|task| task.group == group).collect();
        let named =
            |name: &str| if group.is_empty() { name.into() } else { format!("{name}-{}", file_name(group)) };
        let all = [
            learning_curves(data, &tasks, group, named("learning-curves")),
            evaluations(data, &tasks, group, named("evaluations")),
            scaling::solved_by_size(data, &tasks, group, named("solved")),
            scaling::scaling(data, &tasks, group, named("scaling")),
            uncertainty(data, &tasks, group, named("uncertainty")),
        ];
        pictures.extend(all.into_iter().flatten());
    }
    pictures.extend(profile(data));
    pictures.extend(data.watched.iter().filter_map(|(run, moments)| beliefs(data, run, moments)));
    pictures
}

/// What a watched run believed of every state.
fn beliefs(data: &Data, run: &RunRow, moments: &[Moment]) -> Option<Picture> {
    let spec = &run.spec;
    let figure = Figure { footer: data.show.note.clone(), ..values::figure(spec, moments) };
    (!moments.is_empty()).then(|| Picture {
        name: file_name(&format!("beliefs-{}-{}", spec.env, spec.agent)),
        caption: "What one agent believes of every state and action at some moments of its training: how \
                  uncertainty narrows and travels back from the goal."
            .into(),
        figure,
    })
}

fn file_name(group: &str) -> String {
    group.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect()
}

/// A figure of panels of a group, with the heading and the remark of the experiment.
pub fn figure(data: &Data, group: &str, title: &str, panels: Vec<Panel>) -> Figure {
    let (show, count) = (&data.show, panels.len());
    let title = match group {
        "" => format!("{}: {title}", show.title),
        group => format!("{}, {group}: {title}", show.title),
    };
    Figure { title, footer: show.note.clone(), ..Figure::new(panels, show.columns.min(count.max(1))) }
}

fn seeds(data: &Data) -> String {
    let most = data.tasks.iter().flat_map(|task| &task.agents).map(|agent| agent.curves.len()).max();
    match most {
        Some(1) => "one seed".into(),
        most => format!("{} seeds", most.unwrap_or(0)),
    }
}

/// What a caption says of curves that go on after the end of their runs.
fn carried_on(tasks: &[&Task]) -> &'static str {
    let runs = tasks.iter().flat_map(|task| &task.agents).flat_map(|agent| &agent.runs);
    if runs.into_iter().any(RunRow::ended_solved) {
        " A run ends with the episode that solves its task; from there on it counts with what it ended with."
    } else {
        ""
    }
}

/// A curve of the mean over runs with its 95 % band.
fn curve(task: &Task, agent: &AgentRuns, points: &[Vec<f64>]) -> Option<Mark> {
    let full = agent.curves.len();
    let shown: Vec<Vec<f64>> =
        points.iter().map(|runs| if runs.len() == full { runs.clone() } else { Vec::new() }).collect();
    let (mut line, mut band) = (Vec::new(), Vec::new());
    for (bin, interval) in CURVE.of_curve(&shown, mean).into_iter().enumerate() {
        let Some(interval) = interval else { continue };
        let x = task.x(bin as u64);
        line.push((x, interval.estimate));
        band.push((x, interval.low, interval.high));
    }
    let curve = Curve::new(Series::method(&agent.agent), line);
    let curve = if full > 1 { curve.with_band(band) } else { curve };
    (!curve.points.is_empty()).then_some(Mark::Curve(curve))
}

fn threshold(task: &Task) -> Option<Mark> {
    let at = task.threshold?;
    Some(Mark::Rule(Rule::horizontal(at, "solved")))
}

fn learning_curves(data: &Data, tasks: &[&Task], group: &str, name: String) -> Option<Picture> {
    let panel = |task: &&Task| {
        let points = |agent: &AgentRuns| {
            agent.points(
                task.window(),
                |point| Some(point.mean_return),
                |outcome| outcome.mean_return_last_100,
            )
        };
        let mut marks: Vec<Mark> = threshold(task).into_iter().collect();
        marks.extend(task.agents.iter().filter_map(|agent| curve(task, agent, &points(agent))));
        let x = Axis::new(task.unit()).from_to(0.0, task.amount());
        Panel { title: task.panel.clone(), marks, ..Panel::new(x, Axis::new("return")) }
    };
    let panels: Vec<_> = tasks.iter().map(panel).collect();
    has_curves(&panels).then(|| Picture {
        name,
        caption: format!(
            "Return in training, averaged over {} up to each point. Lines are means over {}; bands are 95 % \
             bootstrap intervals of the mean.{}",
            if tasks.iter().all(|task| task.unit() == "episode") {
                "about 100 episodes"
            } else {
                "a twentieth of the run (about 100 episodes where the budget is in episodes)"
            },
            seeds(data),
            carried_on(tasks)
        ),
        figure: figure(data, group, "learning curves", panels),
    })
}

fn has_curves(panels: &[Panel]) -> bool {
    panels.iter().any(|panel| panel.marks.iter().any(|mark| !matches!(mark, Mark::Rule(_))))
}

fn evaluations(data: &Data, tasks: &[&Task], group: &str, name: String) -> Option<Picture> {
    let panel = |task: &&Task| {
        let of_agent = |agent: &AgentRuns| {
            let times = agent.runs.first()?.evaluation.times;
            let (mut line, mut band) = (Vec::new(), Vec::new());
            for at in 0..times as usize {
                let Some(rows) = agent.evaluated(at) else { break };
                let returns: Vec<f64> = rows.iter().map(|row| row.mean_return).collect();
                let whole = agent.done().zip(&rows).filter(|(run, _)| !run.ended_solved());
                let xs: Vec<f64> = whole.map(|(_, row)| task.moment(row)).collect();
                let x = mean(&xs).unwrap_or((at + 1) as f64 * task.amount() / times as f64);
                let Some(interval) = CURVE.of_runs(&returns, mean) else { continue };
                line.push((x, interval.estimate));
                band.push((x, interval.low, interval.high));
            }
            let curve = Curve::new(Series::method(&agent.agent), line);
            let curve = if agent.evaluations.len() > 1 { curve.with_band(band) } else { curve };
            (!curve.points.is_empty()).then_some(Mark::Curve(curve))
        };
        let mut marks: Vec<Mark> = threshold(task).into_iter().collect();
        marks.extend(task.agents.iter().filter_map(of_agent));
        let x = Axis::new(task.unit()).from_to(0.0, task.amount());
        Panel { title: task.panel.clone(), marks, ..Panel::new(x, Axis::new("return of the mean policy")) }
    };
    let panels: Vec<_> = tasks.iter().map(panel).collect();
    has_curves(&panels).then(|| Picture {
        name,
        caption: format!(
            "Return of the policy that takes the action of the best mean and explores no more. Means over {} \
             with 95 % bootstrap intervals.{}",
            seeds(data),
            carried_on(tasks)
        ),
        figure: figure(data, group, "the mean policy", panels),
    })
}

/// How the two uncertainties about the start go down with training.
fn uncertainty(data: &Data, tasks: &[&Task], group: &str, name: String) -> Option<Picture> {
    type Value = fn(&CurvePoint) -> Option<f64>;
    let kinds: [(&str, Value); 2] = [
        ("sigma (of the return)", |point| point.sigma),
        ("spread (of the parameters)", |point| point.spread),
    ];
    let mut panels = Vec::new();
    for task in tasks {
        for (label, value) in kinds {
            // An agent without this uncertainty says 0 all along: that is no curve.
            let known = |agent: &&AgentRuns| {
                agent.curves.iter().flatten().any(|point| value(point).is_some_and(|number| number > 0.0))
            };
            let line = |agent: &AgentRuns| curve(task, agent, &agent.points(1, value, |_| None));
            let marks: Vec<_> = task.agents.iter().filter(known).filter_map(line).collect();
            let x = Axis::new(task.unit()).from_to(0.0, task.amount());
            panels.push(Panel { title: task.panel.clone(), marks, ..Panel::new(x, Axis::new(label)) });
        }
    }
    let figure = Figure { columns: 2, ..figure(data, group, "uncertainty about the start", panels) };
    has_curves(&figure.panels).then(|| Picture {
        name,
        caption: format!(
            "What agents are uncertain of in the state where the task starts: on the left the standard \
             deviation of the return, on the right that of its mean over draws of the parameters; means over \
             actions and seeds.{}",
            carried_on(tasks)
        ),
        figure,
    })
}

/// Performance profiles, where there are several tasks.
fn profile(data: &Data) -> Option<Picture> {
    let scores = |agent: &String| -> Option<Vec<Vec<f64>>> {
        let of_task = |task: &Task| {
            let scale = task.scale()?;
            let returns = task.agent(agent)?.last_returns();
            (!returns.is_empty())
                .then(|| returns.iter().map(|x| (x - scale.0) / (scale.1 - scale.0)).collect())
        };
        data.tasks.iter().map(of_task).collect()
    };
    if data.tasks.len() < 2 || data.agents.len() < 2 {
        return None;
    }
    let taus: Vec<f64> = (0..=50).map(|i| f64::from(i) / 50.0).collect();
    let mark = |agent: &String| {
        let profile = performance_profile(&scores(agent)?, &taus, &CURVE)?;
        let points = taus.iter().zip(&profile).map(|(tau, at)| (*tau, at.estimate)).collect();
        let band = taus.iter().zip(&profile).map(|(tau, at)| (*tau, at.low, at.high)).collect();
        Some(Mark::Curve(Curve::new(Series::method(agent), points).with_band(band)))
    };
    let marks: Vec<_> = data.agents.iter().filter_map(mark).collect();
    if marks.is_empty() {
        return None;
    }
    let x = Axis::new("score τ").from_to(0.0, 1.0);
    let y = Axis::new("share of runs above τ").from_to(-0.03, 1.03);
    let panel = Panel { marks, ..Panel::new(x, y) };
    Some(Picture {
        name: "profile".into(),
        caption: "Performance profiles over all tasks: the share of runs whose score is above τ. The score is the \
                  mean of the last 100 returns, 0 at the worst run on the task and 1 at its threshold (at the best \
                  run where there is none), with 95 % stratified bootstrap bands."
            .into(),
        figure: Figure { size: (380.0, 200.0), ..figure(data, "", "performance profiles", vec![panel]) },
    })
}

impl Task {
    fn moment(&self, row: &crate::store::EvaluationRow) -> f64 {
        if self.unit() == "episode" { row.episode as f64 } else { row.steps as f64 }
    }

    /// The returns that score 0 and 1.
    fn scale(&self) -> Option<(f64, f64)> {
        let all: Vec<f64> = self.agents.iter().flat_map(AgentRuns::last_returns).collect();
        let low = all.iter().copied().fold(f64::INFINITY, f64::min);
        let best = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let high = self.threshold.unwrap_or(best);
        let low = if self.threshold.is_some_and(|threshold| threshold > 0.0) { low.min(0.0) } else { low };
        (low.is_finite() && low < high).then_some((low, high))
    }
}
