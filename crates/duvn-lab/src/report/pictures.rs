//! The figures of a report.

use super::data::{AgentRuns, Data, TaskRuns};
use super::{ReportError, believed, scaling, write};
use crate::beliefs::Moment;
use crate::figures::{Axis, Curve, Figure, Mark, Panel, Rule, Series};
use crate::stats::{Bootstrap, mean, mean_interval, profile_interval, score_at_least};
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
const CURVE: Bootstrap = Bootstrap { resamples: 1_999, seed: 0 };

/// Every figure that the data have something to show for.
pub fn pictures(data: &Data) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for group in data.groups() {
        let tasks: Vec<_> = data.tasks.iter().filter(|task| task.about.group == group).collect();
        let named =
            |name: &str| if group.is_empty() { name.into() } else { format!("{name}-{}", file_name(group)) };
        let all = [
            learning_curves(data, &tasks, group, named("learning-curves")),
            evaluations(data, &tasks, group, named("evaluations")),
            scaling::solved_by_size(data, &tasks, group, named("solved")),
            scaling::scaling(data, &tasks, group, named("scaling")),
            uncertainty(data, &tasks, group, named("uncertainty")),
            believed::picture(data, &tasks, group, named("believed")),
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

pub(super) fn seeds(data: &Data) -> String {
    let most = data.tasks.iter().flat_map(|task| &task.agents).map(|agent| agent.results.runs.len()).max();
    match most {
        Some(1) => "one seed".into(),
        most => format!("{} seeds", most.unwrap_or(0)),
    }
}

/// What a caption says of curves that go on after the end of their runs.
pub(super) fn carried_on(tasks: &[&TaskRuns]) -> &'static str {
    let runs = tasks.iter().flat_map(|task| &task.agents).flat_map(|agent| &agent.runs);
    if runs.into_iter().any(RunRow::ended_solved) {
        " A run ends with the episode that solves its task; from there on it counts with what it ended with."
    } else {
        ""
    }
}

/// What a caption says of runs that failed.
fn failures(tasks: &[&TaskRuns]) -> &'static str {
    let failed = |task: &&&TaskRuns| task.agents.iter().any(|agent| agent.results.failed() > 0);
    match tasks.iter().find(failed) {
        None => "",
        Some(_) if tasks.iter().filter(failed).all(|task| task.about.bounds.is_some()) => {
            " A run that failed counts with the worst return there is from then on."
        }
        Some(_) => {
            " A run that failed counts with the worst return there is from then on; where that is not known, the \
             curve of its agent ends there."
        }
    }
}

/// What captions say of bands.
const BANDS: &str = "Bands are 95 % intervals of the mean, point by point (exact where episodes succeed or fail, else \
                     bootstrap-t with 1,999 draws); there is none with fewer than 5 runs or where the runs cannot tell.";

/// A curve of the mean over runs with its 95 % band: x and what every run has there. It is interrupted where a
/// run has nothing.
fn curve(task: &TaskRuns, agent: &AgentRuns, points: &[(f64, Vec<f64>)]) -> Option<Mark> {
    let full = agent.results.runs.len();
    let at = |(x, runs): &(f64, Vec<f64>)| {
        let mean = mean(runs).filter(|_| runs.len() == full)?;
        Some((*x, mean, mean_interval(runs, task.about.bounds, &CURVE)))
    };
    let estimates: Vec<_> = points.iter().filter_map(at).collect();
    (!estimates.is_empty())
        .then(|| Mark::Curve(Curve::of_estimates(Series::method(&agent.label), &estimates)))
}

/// An axis that holds what every run has, and the threshold. Bands may leave it: with few runs they are wide.
fn axis<'a>(label: &str, task: &TaskRuns, runs: impl Iterator<Item = &'a Vec<f64>>) -> Axis {
    let all = runs.flatten().copied().chain(task.about.threshold);
    let (low, high) =
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low < high {
        let room = 0.05 * (high - low);
        return Axis::new(label).from_to(low - room, high + room);
    }
    Axis::new(label)
}

fn threshold(task: &TaskRuns) -> Option<Mark> {
    let at = task.about.threshold?;
    Some(Mark::Rule(Rule::horizontal(at, "solved")))
}

/// A panel of a task with a curve for each agent.
fn panel(task: &TaskRuns, label: &str, points: impl Fn(&AgentRuns) -> Vec<(f64, Vec<f64>)>) -> Panel {
    let agents: Vec<_> = task.agents.iter().map(|agent| (agent, points(agent))).collect();
    let mut marks: Vec<Mark> = threshold(task).into_iter().collect();
    marks.extend(agents.iter().filter_map(|(agent, points)| curve(task, agent, points)));
    let x = Axis::new(task.unit()).from_to(0.0, task.amount());
    let y = axis(label, task, agents.iter().flat_map(|(_, points)| points).map(|(_, runs)| runs));
    Panel { title: task.about.panel.clone(), marks, ..Panel::new(x, y) }
}

/// Numbers by part of the budget, at the right ends of the parts.
fn by_part(task: &TaskRuns, parts: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    (0..).zip(parts).map(|(bin, runs)| (task.x(bin), runs)).collect()
}

fn learning_curves(data: &Data, tasks: &[&TaskRuns], group: &str, name: String) -> Option<Picture> {
    let panels: Vec<_> =
        tasks.iter().map(|task| panel(task, "return", |agent| by_part(task, agent.returns()))).collect();
    has_curves(&panels).then(|| Picture {
        name,
        caption: format!(
            "Return in training: the mean of the last 100 episodes up to each point, or of all where there are fewer \
             (of a 200th of the budget where that holds more), so that a curve ends at the number in the table. Lines \
             are means over {}. {BANDS}{}{}",
            seeds(data),
            carried_on(tasks),
            failures(tasks)
        ),
        figure: figure(data, group, "learning curves", panels),
    })
}

pub(super) fn has_curves(panels: &[Panel]) -> bool {
    panels.iter().any(|panel| panel.marks.iter().any(|mark| !matches!(mark, Mark::Rule(_))))
}

fn evaluations(data: &Data, tasks: &[&TaskRuns], group: &str, name: String) -> Option<Picture> {
    let of_task = |task: &&TaskRuns| {
        let points = |agent: &AgentRuns| {
            let times = agent.runs.first().map_or(0, |run| run.evaluation.times);
            let at = |at: u64| Some((task.evaluated_at(agent, at, times), agent.evaluated(at as usize)?));
            (0..times).map_while(at).collect()
        };
        panel(task, "return of the mean policy", points)
    };
    let panels: Vec<_> = tasks.iter().map(of_task).collect();
    has_curves(&panels).then(|| Picture {
        name,
        caption: format!(
            "Return of the policy that takes the action of the best mean and explores no more. Lines are means over \
             {}. {BANDS}{}{}",
            seeds(data),
            carried_on(tasks),
            failures(tasks)
        ),
        figure: figure(data, group, "the mean policy", panels),
    })
}

/// How the two uncertainties about the start go down with training.
fn uncertainty(data: &Data, tasks: &[&TaskRuns], group: &str, name: String) -> Option<Picture> {
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
            let marks: Vec<_> =
                task.agents.iter().filter(known).filter_map(|agent| belief(task, agent, value)).collect();
            let x = Axis::new(task.unit()).from_to(0.0, task.amount());
            panels.push(Panel { title: task.about.panel.clone(), marks, ..Panel::new(x, Axis::new(label)) });
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

/// A curve of the mean over runs of what agents believe; no interval, for it has no truth to hold.
fn belief(task: &TaskRuns, agent: &AgentRuns, value: fn(&CurvePoint) -> Option<f64>) -> Option<Mark> {
    let points = by_part(task, agent.latest(value));
    let line: Vec<_> = points.iter().filter_map(|(x, runs)| Some((*x, mean(runs)?))).collect();
    (!line.is_empty()).then(|| Mark::Curve(Curve::new(Series::method(&agent.label), line)))
}

/// Performance profiles, where there are several tasks.
fn profile(data: &Data) -> Option<Picture> {
    let scores = |agent: &String| -> Option<Vec<Vec<f64>>> {
        let of_task = |task: &TaskRuns| {
            let (low, high) = task.scale()?;
            // Where runs end when solved, being solved is all that can be told.
            let most = if task.stops() { 1.0 } else { f64::INFINITY };
            let scores: Vec<f64> = task.agent(agent)?.results.returns();
            let scores: Vec<f64> = scores.iter().map(|x| ((x - low) / (high - low)).min(most)).collect();
            (!scores.is_empty()).then_some(scores)
        };
        data.tasks.iter().map(of_task).collect()
    };
    if data.tasks.len() < 2 || data.agents.len() < 2 {
        return None;
    }
    let taus: Vec<f64> = (0..=50).map(|i| f64::from(i) / 50.0).collect();
    let mark = |agent: &String| {
        let scores = scores(agent)?;
        let at = |tau: f64| {
            let share = score_at_least(&scores, tau)?;
            Some((tau, share, profile_interval(&scores, share)))
        };
        let points: Vec<_> = taus.iter().copied().filter_map(at).collect();
        Some(Mark::Curve(Curve::of_estimates(Series::method(agent), &points)))
    };
    let marks: Vec<_> = data.agents.iter().filter_map(mark).collect();
    if marks.is_empty() {
        return None;
    }
    let x = Axis::new("score τ").from_to(0.0, 1.0);
    let y = Axis::new("share of runs at τ or above").from_to(-0.03, 1.03);
    let panel = Panel { marks, ..Panel::new(x, y) };
    Some(Picture {
        name: "profile".into(),
        caption: "Performance profiles over all tasks: the share of runs whose score is at least τ, averaged over \
                  tasks. The score is the mean of a run's last 100 returns, with 1 at the task's threshold (the best run \
                  where there is none) and 0 at the worst run on the task, or at a return of 0 where the threshold is \
                  above 0 and no run is below 0. Where runs end when they are solved, 1 is the highest score. A run \
                  that failed has the worst return there is, or none at all. Bands are exact 95 % intervals of a share \
                  (Clopper-Pearson, of as many runs as have the variance of the average), point by point; none with \
                  fewer than 5 runs a task."
            .into(),
        figure: Figure { size: (380.0, 200.0), ..figure(data, "", "performance profiles", vec![panel]) },
    })
}

impl TaskRuns {
    /// Where the `at`-th of `times` evaluations of `agent` lies on the x axis.
    pub(super) fn evaluated_at(&self, agent: &AgentRuns, at: u64, times: u64) -> f64 {
        let usual = (at + 1) as f64 * self.amount() / times as f64;
        agent.evaluated_at(at as usize, |row| self.moment(row)).unwrap_or(usual)
    }

    fn moment(&self, row: &crate::store::EvaluationRow) -> f64 {
        if self.unit() == "episode" { row.episode as f64 } else { row.steps as f64 }
    }

    /// Whether a run of the task ended because it had solved it.
    fn stops(&self) -> bool {
        self.agents.iter().any(|agent| agent.results.stopped())
    }

    /// The returns that score 0 and 1.
    fn scale(&self) -> Option<(f64, f64)> {
        let all = || self.agents.iter().flat_map(|agent| agent.results.returns()).filter(|x| x.is_finite());
        let high = self.about.threshold.unwrap_or_else(|| all().fold(f64::NEG_INFINITY, f64::max));
        let low = all().fold(f64::INFINITY, f64::min);
        let low =
            if self.about.threshold.is_some_and(|threshold| threshold > 0.0) { low.min(0.0) } else { low };
        (low.is_finite() && low < high).then_some((low, high))
    }
}
