//! The records of an experiment, ordered by task and agent.

use crate::beliefs::Moment;
use crate::calibration::Calibration;
use crate::experiment::Show;
use crate::progress::WINDOW;
use crate::results::{Ended, Results, Task};
use crate::run::{Budget, Outcome};
use crate::stats::mean;
use crate::store::{BINS, CurvePoint, EvaluationRow, RunRow, Status, Store, StoreError};

/// What is known of an experiment.
pub struct Data {
    /// The experiment's name.
    pub name: String,
    /// How it is shown.
    pub show: Show,
    /// Its tasks, in order.
    pub tasks: Vec<TaskRuns>,
    /// Every run, in order.
    pub runs: Vec<RunRow>,
    /// The agents' names, in order.
    pub agents: Vec<String>,
    /// What watched runs believed of every state.
    pub watched: Vec<(RunRow, Vec<Moment>)>,
}

/// One environment, or one facet of it, with everyone who tried it.
pub struct TaskRuns {
    /// What is to be done.
    pub about: Task,
    /// The budget of its runs.
    pub budget: Budget,
    /// The agents that tried it, in order.
    pub agents: Vec<AgentRuns>,
}

/// The runs of one agent on one task.
pub struct AgentRuns {
    /// The agent's name.
    pub agent: String,
    /// Its name in the legend of its panel: without the value that the heading has already.
    pub label: String,
    /// Every run.
    pub runs: Vec<RunRow>,
    /// The curves of the runs that are over.
    pub curves: Vec<Vec<CurvePoint>>,
    /// The evaluations of the runs that are over.
    pub evaluations: Vec<Vec<EvaluationRow>>,
    /// What came of the runs that are over.
    pub results: Results,
}

impl Data {
    /// Reads what a report needs: runs and curves, not every episode.
    pub fn read(store: &Store) -> Result<Self, StoreError> {
        let runs = store.runs()?;
        let mut tasks: Vec<TaskRuns> = Vec::new();
        let mut agents: Vec<String> = Vec::new();
        for run in &runs {
            let at = tasks
                .iter()
                .position(|task| task.about.env == run.spec.env && task.about.panel == run.panel)
                .unwrap_or_else(|| {
                    tasks.push(TaskRuns::new(run));
                    tasks.len() - 1
                });
            if !agents.contains(&run.spec.agent) {
                agents.push(run.spec.agent.clone());
            }
            let of_agent = tasks[at].agent_mut(&run.spec.agent);
            of_agent.runs.push(run.clone());
            of_agent.results.planned += 1;
            if matches!(run.status, Status::Done | Status::Failed) {
                let evaluations = store.evaluations(run.number)?;
                of_agent.curves.push(store.curve(run)?);
                of_agent.results.runs.push(ended(run, &evaluations, store.recorded(run.number)?));
                of_agent.evaluations.push(evaluations);
            }
        }
        let mut watched = Vec::new();
        for run in runs.iter().filter(|run| !run.watch.is_empty()) {
            watched.push((run.clone(), store.moments(run.number)?));
        }
        Ok(Data { watched, name: store.name()?, show: store.show()?, tasks, runs, agents })
    }

    /// How many runs have this status.
    pub fn count(&self, status: Status) -> usize {
        self.runs.iter().filter(|run| run.status == status).count()
    }

    /// What came of every agent on every task, in order.
    pub fn results(&self) -> Vec<Results> {
        self.tasks.iter().flat_map(|task| &task.agents).map(|agent| agent.results.clone()).collect()
    }

    /// The names of the groups of tasks, in order.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for task in &self.tasks {
            if !groups.contains(&task.about.group.as_str()) {
                groups.push(&task.about.group);
            }
        }
        groups
    }
}

/// What came of a run that is over and has so many recorded episodes.
fn ended(run: &RunRow, evaluations: &[EvaluationRow], recorded: u64) -> Ended {
    let outcome = run.outcome.as_ref();
    Ended {
        failed: run.status == Status::Failed,
        stopped: run.ended_solved(),
        warned: outcome.is_some_and(|outcome| !outcome.judgement.warnings.is_empty()),
        episodes: outcome.map_or(recorded, |outcome| outcome.episodes),
        first_reward_episode: outcome.and_then(|outcome| outcome.first_reward_episode),
        solved_episode: outcome.and_then(|outcome| outcome.solved_episode),
        last_return: outcome.and_then(|outcome| outcome.mean_return_last_100),
        evaluated: evaluations.last().map(|row| row.mean_return),
    }
}

impl TaskRuns {
    fn new(run: &RunRow) -> Self {
        let about = Task::new(&run.spec.env, &run.panel, &run.group);
        TaskRuns { about, budget: run.spec.budget, agents: Vec::new() }
    }

    fn agent_mut(&mut self, name: &str) -> &mut AgentRuns {
        let at = self.agents.iter().position(|known| known.agent == name).unwrap_or_else(|| {
            let results = self.about.results(name);
            let (runs, curves, evaluations) = (Vec::new(), Vec::new(), Vec::new());
            let label = label(name, &self.about.panel);
            self.agents.push(AgentRuns { agent: name.into(), label, runs, curves, evaluations, results });
            self.agents.len() - 1
        });
        &mut self.agents[at]
    }

    /// The runs of `agent`.
    pub fn agent(&self, name: &str) -> Option<&AgentRuns> {
        self.agents.iter().find(|known| known.agent == name)
    }

    /// Where the right end of a part of the budget lies on the x axis.
    pub fn x(&self, bin: u64) -> f64 {
        (bin + 1) as f64 * self.amount() / BINS as f64
    }

    /// The budget as a number.
    pub fn amount(&self) -> f64 {
        match self.budget {
            Budget::Episodes(amount) | Budget::Steps(amount) => amount as f64,
        }
    }

    /// What the budget counts.
    pub fn unit(&self) -> &'static str {
        match self.budget {
            Budget::Episodes(_) => "episode",
            Budget::Steps(_) => "environment step",
        }
    }
}

/// The name of an agent from a grid, `egreedy, epsilon 0.05`, without the value that stands at the end of a facet's heading.
fn label(agent: &str, panel: &str) -> String {
    let mut parts: Vec<&str> = agent.split(", ").collect();
    let in_heading = |part: &&str| panel.strip_suffix(*part).is_some_and(|before| before.ends_with(", "));
    if let Some(at) = parts.iter().skip(1).position(in_heading) {
        parts.remove(at + 1);
    }
    parts.join(", ")
}

impl AgentRuns {
    /// The runs that are over: done or failed.
    pub fn over(&self) -> impl Iterator<Item = &RunRow> {
        self.runs.iter().filter(|run| matches!(run.status, Status::Done | Status::Failed))
    }

    /// The mean of the last 100 returns at the end of each part of the budget, one number a run. From the end of a
    /// run on it is what the run ended with, as in tables; a run that failed has the worst return from there on, or
    /// nothing where that is not known.
    pub fn returns(&self) -> Vec<Vec<f64>> {
        let worst = Some(self.results.worst()).filter(|worst| worst.is_finite());
        self.points(
            WINDOW as u64,
            |point| Some(point.mean_return),
            |outcome| outcome.mean_return_last_100,
            worst,
        )
    }

    /// What `value` was when it was last known at the end of each part of the budget, one number a run.
    pub fn latest(&self, value: impl Fn(&CurvePoint) -> Option<f64>) -> Vec<Vec<f64>> {
        self.points(1, value, |_| None, None)
    }

    /// What `value` has over the last `episodes` episodes at each part of the budget, one number a run: of the parts
    /// up to it, the earliest in proportion to how many of its episodes are among them. From the last part in which an
    /// episode of a run that is done ended, it is what `end` says, if it says anything; after the last of a run that
    /// failed it is `failed`.
    fn points(
        &self,
        episodes: u64,
        value: impl Fn(&CurvePoint) -> Option<f64>,
        end: impl Fn(&Outcome) -> Option<f64>,
        failed: Option<f64>,
    ) -> Vec<Vec<f64>> {
        let mut points = vec![Vec::new(); BINS as usize];
        for (run, curve) in self.over().zip(&self.curves) {
            let last_bin = curve.last().map_or(0, |last| last.bin);
            let ended_with = run.outcome.as_ref().and_then(&end);
            for (bin, values) in (0..).zip(&mut points) {
                let so_far = || latest(curve.iter().filter(|point| point.bin <= bin), episodes, &value);
                values.extend(match run.status {
                    Status::Failed if bin > last_bin || curve.is_empty() => failed,
                    Status::Done if bin >= last_bin => ended_with.or_else(so_far),
                    _ => so_far(),
                });
            }
        }
        points
    }

    /// The return in the `at`-th evaluation of each run that is over; a run that ended because it had solved the
    /// task keeps its last one, one that failed has the worst. `None` when a run has none left.
    pub fn evaluated(&self, at: usize) -> Option<Vec<f64>> {
        let worst = Some(self.results.worst()).filter(|worst| worst.is_finite());
        let of_run = |(run, rows): (&RunRow, &Vec<EvaluationRow>)| match rows.get(at) {
            Some(row) => Some(row.mean_return),
            None if run.status == Status::Failed => worst,
            None => rows.last().filter(|_| run.ended_solved()).map(|row| row.mean_return),
        };
        self.over().zip(&self.evaluations).map(of_run).collect()
    }

    /// What was believed beside what was earned in the `at`-th evaluation of each run that has one; a run that ended
    /// because it had solved the task keeps its last one.
    pub fn calibrated(&self, at: usize) -> Vec<Calibration> {
        let of_run = |(run, rows): (&RunRow, &Vec<EvaluationRow>)| {
            rows.get(at).or_else(|| rows.last().filter(|_| run.ended_solved()))?.calibration
        };
        self.over().zip(&self.evaluations).filter_map(of_run).collect()
    }

    /// The same in the last evaluation of each run that has one.
    pub fn last_calibrated(&self) -> Vec<Calibration> {
        self.evaluations.iter().filter_map(|rows| rows.last()?.calibration).collect()
    }

    /// When the `at`-th evaluation was, by the runs that used up their budget.
    pub fn evaluated_at(&self, at: usize, moment: impl Fn(&EvaluationRow) -> f64) -> Option<f64> {
        let whole = self.over().zip(&self.evaluations).filter(|(run, _)| !run.ended_solved());
        mean(&whole.filter_map(|(_, rows)| rows.get(at)).map(moment).collect::<Vec<_>>())
    }
}

/// The mean of `value` over the last `episodes` of the episodes in `points`.
fn latest<'a>(
    points: impl DoubleEndedIterator<Item = &'a CurvePoint>,
    episodes: u64,
    value: impl Fn(&CurvePoint) -> Option<f64>,
) -> Option<f64> {
    let (mut sum, mut left) = (0.0, episodes);
    for (number, held) in points.rev().filter_map(|point| Some((value(point)?, point.episodes))) {
        let taken = held.min(left);
        sum += number * taken as f64;
        left -= taken;
        if left == 0 {
            break;
        }
    }
    (left < episodes).then(|| sum / (episodes - left) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_facet_says_its_value_once() {
        assert_eq!(label("egreedy, epsilon 0.05", "Chain-10, epsilon 0.05"), "egreedy");
        assert_eq!(label("mine, epsilon 0.05, gamma 0.9", "Chain-10, epsilon 0.05"), "mine, gamma 0.9");
        assert_eq!(label("egreedy, epsilon 0.05", "Chain-10"), "egreedy, epsilon 0.05");
        assert_eq!(label("duvn", "duvn"), "duvn");
    }

    #[test]
    fn the_last_hundred_take_their_share_of_the_earliest_part() {
        let point = |bin, episodes, mean_return| CurvePoint {
            bin,
            episodes,
            mean_return,
            mean_length: 1.0,
            sigma: None,
            spread: None,
        };
        let curve = [point(0, 60, 1.0), point(1, 80, 2.0), point(5, 70, 4.0)];
        let of =
            |episodes, parts: usize| latest(curve[..parts].iter(), episodes, |point| Some(point.mean_return));
        // All 70 of the last part and 30 of the one before.
        assert_eq!(of(100, 3), Some((70.0 * 4.0 + 30.0 * 2.0) / 100.0));
        assert_eq!(of(100, 1), Some(1.0));
        assert_eq!((of(1, 2), of(100, 0)), (Some(2.0), None));
        assert_eq!(latest(curve.iter(), 1, |point| point.sigma), None);
    }
}
