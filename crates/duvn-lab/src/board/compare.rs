//! Two agents side by side: how much better, how surely, and how their runs are spread.

use super::Board;
use super::number::{maybe, maybes, numbers};
use crate::results::{Ended, Results};
use crate::stats::{
    Bootstrap, FEWEST_RUNS, Interval, difference_interval, improvement_interval, mean, mean_interval,
    probability_of_improvement, profile_interval, score_at_least,
};
use crate::store::Status;
use serde_json::{Value, json};
use std::collections::HashMap;

fn with(estimate: Option<f64>, interval: Option<Interval>) -> Value {
    json!({
        "estimate": maybe(estimate), "low": maybe(interval.map(|interval| interval.low)),
        "high": maybe(interval.map(|interval| interval.high)),
    })
}

impl Board {
    /// What came of the runs that are over, by task and agent.
    fn results(&self) -> Vec<Vec<Results>> {
        let mut all: Vec<Vec<Results>> = self.tasks.iter().map(|_| Vec::new()).collect();
        for run in &self.runs {
            let (row, task, list) = (&run.row, &self.tasks[run.task], &mut all[run.task]);
            let at = list.iter().position(|known| known.agent == row.spec.agent).unwrap_or_else(|| {
                list.push(task.results(&row.spec.agent));
                list.len() - 1
            });
            list[at].planned += 1;
            if matches!(row.status, Status::Done | Status::Failed) {
                let outcome = row.outcome.as_ref();
                list[at].runs.push(Ended {
                    failed: row.status == Status::Failed,
                    stopped: row.ended_solved(),
                    last_return: outcome.and_then(|outcome| outcome.mean_return_last_100),
                    solved_episode: outcome.and_then(|outcome| outcome.solved_episode),
                    episodes: outcome.map_or(0, |outcome| outcome.episodes),
                    ..Ended::default()
                });
            }
        }
        all
    }
}

/// Compares agents; the interval of each mean is made once.
pub struct Comparison {
    all: Vec<Vec<Results>>,
    intervals: HashMap<(String, String), Option<Interval>>,
}

impl Comparison {
    /// Of the runs of a board that are over.
    pub fn new(board: &Board) -> Self {
        Comparison { all: board.results(), intervals: HashMap::new() }
    }

    /// How agent `a` compares with agent `b` on every task that both have tried.
    pub fn of(&mut self, a: &str, b: &str) -> Value {
        let Comparison { all, intervals } = self;
        let mut interval = |known: &Results| {
            let make = || mean_interval(&known.returns(), known.bounds, &Bootstrap::default());
            *intervals.entry((known.env.clone(), known.agent.clone())).or_insert_with(make)
        };
        compare(all, a, b, &mut interval)
    }
}

fn compare(
    all: &[Vec<Results>],
    a: &str,
    b: &str,
    interval: &mut dyn FnMut(&Results) -> Option<Interval>,
) -> Value {
    let (mut rows, mut pairs) = (Vec::new(), Vec::new());
    for task in all {
        let of = |agent: &str| task.iter().find(|known| known.agent == agent);
        let (Some(one), Some(other)) = (of(a), of(b)) else { continue };
        let comparable = [one, other].iter().all(|known| known.runs.len() > 1 && !known.stopped());
        if comparable {
            pairs.push((one, other));
        }
        let ends = (interval(one), interval(other));
        rows.push(row(one, other, comparable, ends));
    }
    let (x, y): (Vec<_>, Vec<_>) = pairs.iter().map(|(one, other)| (one.returns(), other.returns())).unzip();
    let overall = match pairs.is_empty() {
        true => Value::Null,
        false => with(probability_of_improvement(&x, &y), improvement_interval(&x, &y)),
    };
    json!({
        "a": a, "b": b, "rows": rows, "tasks": pairs.len(), "probability": overall, "fewest": FEWEST_RUNS,
        "profile": profile(all, a, b),
    })
}

fn row(
    one: &Results,
    other: &Results,
    comparable: bool,
    (interval_one, interval_other): (Option<Interval>, Option<Interval>),
) -> Value {
    let side = |known: &Results, interval: Option<Interval>| {
        let (solved, over) = known.solved();
        let returns = known.returns();
        let mean = mean(&returns).filter(|mean| mean.is_finite() && !known.stopped());
        json!({
            "runs": known.runs.len(), "planned": known.planned, "failed": known.failed(), "solved": solved,
            "over": over, "stopped": known.stopped(),
            "mean": with(mean, interval.filter(|_| mean.is_some())),
            "returns": numbers(returns),
        })
    };
    let few = one.runs.len().min(other.runs.len()) < FEWEST_RUNS;
    let (mut difference, mut probability) = (Value::Null, Value::Null);
    if comparable {
        let estimate = mean(&one.returns()).zip(mean(&other.returns())).map(|(x, y)| x - y);
        let ends = interval_one.zip(interval_other).map(|(x, y)| difference_interval(&x, &y));
        difference = with(estimate.filter(|estimate| estimate.is_finite()), ends);
        let (x, y) = ([one.returns()], [other.returns()]);
        probability = with(probability_of_improvement(&x, &y), improvement_interval(&x, &y));
    }
    json!({
        "env": one.env, "a": side(one, interval_one), "b": side(other, interval_other), "difference": difference, "probability": probability,
        "few": few,
    })
}

/// The share of runs whose score is at least τ, for both agents over the tasks that both have tried. A score is 0 at the
/// worst run on the task (or at a return of 0), 1 at its threshold, or at the best run where it has none.
fn profile(all: &[Vec<Results>], a: &str, b: &str) -> Value {
    let scale = |task: &[Results]| {
        let returns = || task.iter().flat_map(Results::returns).filter(|x| x.is_finite());
        let threshold = task.first().and_then(|known| known.threshold);
        let high = threshold.unwrap_or_else(|| returns().fold(f64::NEG_INFINITY, f64::max));
        let low = returns().fold(f64::INFINITY, f64::min);
        let low = if threshold.is_some_and(|threshold| threshold > 0.0) { low.min(0.0) } else { low };
        (low.is_finite() && low < high).then_some((low, high))
    };
    let both: Vec<(&Vec<Results>, (f64, f64))> = all
        .iter()
        .filter(|task| {
            [a, b].iter().all(|agent| task.iter().any(|r| r.agent == *agent && !r.runs.is_empty()))
        })
        .filter_map(|task| Some((task, scale(task)?)))
        .collect();
    if both.is_empty() {
        return Value::Null;
    }
    let taus: Vec<f64> = (0..=50).map(|at| f64::from(at) / 50.0).collect();
    let curve = |agent: &str| {
        let scores: Vec<Vec<f64>> = both
            .iter()
            .map(|(task, (low, high))| {
                let most = if task.iter().any(Results::stopped) { 1.0 } else { f64::INFINITY };
                let of = task.iter().filter(|known| known.agent == agent).flat_map(Results::returns);
                of.map(|x| ((x - low) / (high - low)).min(most)).collect()
            })
            .collect();
        let shares: Vec<Option<f64>> = taus.iter().map(|&tau| score_at_least(&scores, tau)).collect();
        let ends = |share: &Option<f64>| share.and_then(|share| profile_interval(&scores, share));
        let intervals: Vec<_> = shares.iter().map(ends).collect();
        json!({
            "agent": agent, "y": maybes(shares),
            "low": maybes(intervals.iter().map(|ends| ends.map(|ends| ends.low))),
            "high": maybes(intervals.iter().map(|ends| ends.map(|ends| ends.high))),
        })
    };
    json!({ "x": numbers(taus.iter().copied()), "agents": [curve(a), curve(b)], "tasks": both.len() })
}
