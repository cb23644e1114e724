//! Curves over training: the mean or the interquartile mean over runs with its 95 % band, and single runs.

use super::number::{maybe, maybes, numbers};
use super::track::{self, Bin};
use super::{Board, Looked, Task};
use crate::progress::WINDOW;
use crate::spec::Budget;
use crate::stats::{Bootstrap, Bounds, iqm, iqm_interval, mean, mean_interval};
use crate::store::{BINS, Status, StoreError};
use serde_json::{Value, json};
use std::collections::HashMap;

/// What a curve shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// The return of episodes, the mean of the last hundred.
    Return,
    /// The length of episodes, the mean of the last hundred.
    Length,
    /// The loss of updates.
    Loss,
    /// The value that is believed of the start.
    Value,
    /// The believed value less the earned return.
    Bias,
    /// Return uncertainty at the start.
    Sigma,
    /// Parametric uncertainty at the start.
    Spread,
}

impl Metric {
    /// Every metric, in order.
    pub const ALL: [Metric; 7] = [
        Metric::Return,
        Metric::Length,
        Metric::Loss,
        Metric::Value,
        Metric::Bias,
        Metric::Sigma,
        Metric::Spread,
    ];

    /// The name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Return => "return",
            Metric::Length => "length",
            Metric::Loss => "loss",
            Metric::Value => "value",
            Metric::Bias => "bias",
            Metric::Sigma => "sigma",
            Metric::Spread => "spread",
        }
    }

    /// What it is, for people.
    pub fn label(self) -> &'static str {
        match self {
            Metric::Return => "return (mean of the last 100 episodes)",
            Metric::Length => "episode length (mean of the last 100)",
            Metric::Loss => "loss of the updates",
            Metric::Value => "believed value of the start (discounted)",
            Metric::Bias => "believed value less earned return",
            Metric::Sigma => "sigma at the start (uncertainty of the return)",
            Metric::Spread => "spread at the start (uncertainty of the parameters)",
        }
    }

    /// The metric of this name.
    pub fn named(name: &str) -> Option<Self> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Whether the curve that is kept of a finished run lacks it.
    fn needs_episodes(self) -> bool {
        matches!(self, Metric::Loss | Metric::Value | Metric::Bias)
    }
}

/// What a curve runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Episodes.
    Episodes,
    /// Environment steps.
    Steps,
}

impl Axis {
    /// The axis of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "episodes" => Some(Axis::Episodes),
            "steps" => Some(Axis::Steps),
            _ => None,
        }
    }

    /// What a budget counts.
    pub fn of(budget: Budget) -> Self {
        match budget {
            Budget::Episodes(_) => Axis::Episodes,
            Budget::Steps(_) => Axis::Steps,
        }
    }

    /// The name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Episodes => "episodes",
            Axis::Steps => "steps",
        }
    }
}

/// The middle of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Centre {
    /// The mean.
    Mean,
    /// The interquartile mean.
    Iqm,
}

impl Centre {
    /// The centre of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "mean" => Some(Centre::Mean),
            "iqm" => Some(Centre::Iqm),
            _ => None,
        }
    }

    /// The name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Centre::Mean => "mean",
            Centre::Iqm => "iqm",
        }
    }
}

/// Which curves are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CurveQuery {
    /// The task, by its place.
    pub task: usize,
    /// What they show.
    pub metric: Metric,
    /// What they run over.
    pub axis: Axis,
    /// The middle of the runs.
    pub centre: Centre,
    /// Whether every run is given as well.
    pub seeds: bool,
    /// Every so many points one is given: 1 is all.
    pub every: usize,
    /// Whether the 95 % band is given.
    pub bands: bool,
}

/// As many draws as for the bands of figures, so that both show the same.
const BAND: Bootstrap = Bootstrap { resamples: 1_999, seed: 0 };

/// Intervals that were made before: most of a curve does not change any more while it grows.
#[derive(Default)]
pub struct Memo {
    known: HashMap<(u128, Centre), Option<(f64, f64)>>,
}

/// More than this are forgotten all at once.
const MOST_KNOWN: usize = 200_000;

impl Memo {
    fn interval(&mut self, runs: &[f64], bounds: Option<Bounds>, centre: Centre) -> Option<(f64, f64)> {
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        let bounds = bounds.filter(|_| centre == Centre::Mean);
        let edges = bounds.map_or([f64::NAN; 2], |bounds| [bounds.low, bounds.high]);
        // FNV-1a over 128 bits: two lists of runs never meet.
        let mut key = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
        for value in edges.iter().chain(runs) {
            key = (key ^ u128::from(value.to_bits())).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        *self.known.entry((key, centre)).or_insert_with(|| {
            let interval = match centre {
                Centre::Mean => mean_interval(runs, bounds, &BAND),
                Centre::Iqm => iqm_interval(runs, &BAND),
            };
            interval.map(|interval| (interval.low, interval.high))
        })
    }
}

/// What a run says at each point.
type Series = Vec<Point>;

/// What a run says at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Point {
    /// A number.
    Known(f64),
    /// It has not come there yet, or says nothing.
    Missing,
    /// It failed before and has no number to count with, so that no mean can be told.
    Failed,
}

impl Point {
    fn of(value: Option<f64>) -> Self {
        value.filter(|value| value.is_finite()).map_or(Point::Missing, Point::Known)
    }

    fn known(self) -> Option<f64> {
        match self {
            Point::Known(value) => Some(value),
            _ => None,
        }
    }
}

impl Board {
    /// The curves that `query` asks for; none where there is no such task. May read every episode of the task the first
    /// time that losses, values or the other counter are asked for.
    pub fn curves(&mut self, query: &CurveQuery) -> Result<Option<Value>, StoreError> {
        let Some(first) = self.runs.iter().find(|run| run.task == query.task) else { return Ok(None) };
        let own = Axis::of(first.row.spec.budget) == query.axis;
        let amount = match first.row.spec.budget {
            Budget::Episodes(amount) | Budget::Steps(amount) => amount as f64,
        };
        if !own || query.metric.needs_episodes() {
            self.take_whole(query.task)?;
        }
        let Board { runs, tasks, memo, .. } = self;
        let task = &tasks[query.task];
        let of_task = || runs.iter().filter(|run| run.task == query.task);
        let every = query.every.max(1);
        let (all, at): (Vec<(&Looked, Vec<Bin>)>, Vec<f64>) = if own {
            let bins = of_task().map(|run| (run, run.track.budgeted().to_vec())).collect();
            (bins, (0..BINS).map(|bin| (bin + 1) as f64 * amount / BINS as f64).collect())
        } else {
            let width = of_task().map(|run| run.track.other().width()).max().unwrap_or(1).max(1);
            let bins: Vec<_> = of_task().map(|run| (run, run.track.other().at_width(width))).collect();
            let most = bins.iter().map(|(_, bins)| bins.len()).max().unwrap_or(0);
            (bins, (0..most).map(|bin| ((bin + 1) as u64 * width) as f64).collect())
        };
        let kept: Vec<usize> = (0..at.len()).filter(|place| (at.len() - 1 - place) % every == 0).collect();
        let mut agents: Vec<(&str, Vec<(&Looked, Series)>)> = Vec::new();
        for &(run, ref bins) in &all {
            let series = series(run, bins, &kept, query.metric, task);
            let agent = run.row.spec.agent.as_str();
            match agents.iter_mut().find(|(known, _)| *known == agent) {
                Some((_, list)) => list.push((run, series)),
                None => agents.push((agent, vec![(run, series)])),
            }
        }
        let shown: Vec<Value> = agents
            .iter()
            .filter(|(_, runs)| says_something(query.metric, runs))
            .map(|(agent, runs)| shown(agent, runs, kept.len(), task, query, memo))
            .collect();
        let threshold = task.threshold.filter(|_| query.metric == Metric::Return);
        Ok(Some(json!({
            "env": task.env, "unit": query.axis.name(), "metric": query.metric.name(),
            "label": query.metric.label(), "centre": query.centre.name(),
            "x": numbers(kept.iter().map(|&place| at[place])), "agents": shown, "threshold": maybe(threshold),
        })))
    }

    /// Takes in every episode of the runs of a task, where only their kept curves are known.
    fn take_whole(&mut self, task: usize) -> Result<(), StoreError> {
        for run in self.runs.iter_mut().filter(|run| run.task == task && !run.track.whole()) {
            run.track.take_new(&self.store, run.row.number)?;
        }
        Ok(())
    }
}

/// An agent without an uncertainty says 0 of it all along: that is no curve.
fn says_something(metric: Metric, runs: &[(&Looked, Series)]) -> bool {
    let mut known = runs.iter().flat_map(|(_, series)| series).filter_map(|point| point.known());
    match metric {
        Metric::Sigma | Metric::Spread => known.any(|value| value > 0.0),
        _ => known.next().is_some(),
    }
}

fn shown(
    agent: &str,
    runs: &[(&Looked, Series)],
    points: usize,
    task: &Task,
    query: &CurveQuery,
    memo: &mut Memo,
) -> Value {
    // What agents believe has no bounds that returns have.
    let bounds = task.bounds.filter(|_| query.metric == Metric::Return);
    let (mut counts, mut line, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for place in 0..points {
        let failed = runs.iter().any(|(_, series)| series[place] == Point::Failed);
        let values: Vec<f64> = runs.iter().filter_map(|(_, series)| series[place].known()).collect();
        let values = if failed { Vec::new() } else { values };
        let centre = match query.centre {
            Centre::Mean => mean(&values),
            Centre::Iqm => iqm(&values),
        };
        let interval = if query.bands { memo.interval(&values, bounds, query.centre) } else { None };
        counts.push(values.len() as f64);
        line.push(centre);
        low.push(interval.map(|interval| interval.0));
        high.push(interval.map(|interval| interval.1));
    }
    let seed = |(run, series): &(&Looked, Series)| {
        let values = series.iter().map(|point| point.known());
        json!({ "seed": run.row.spec.seed.to_string(), "run": run.row.id, "y": maybes(values) })
    };
    let seeds = if query.seeds { runs.iter().map(seed).collect() } else { Vec::new() };
    json!({
        "agent": agent, "planned": runs.len(), "n": numbers(counts), "y": maybes(line), "low": maybes(low),
        "high": maybes(high), "seeds": seeds,
    })
}

/// What a run says at each of the points `kept` of `bins`.
fn series(run: &Looked, bins: &[Bin], kept: &[usize], metric: Metric, task: &Task) -> Series {
    let row = &run.row;
    let ended_with = row.outcome.as_ref().and_then(|outcome| outcome.mean_return_last_100);
    let last = bins.len().saturating_sub(1);
    let worst = task.bounds.map(|bounds| bounds.low);
    let so_far = |place: usize| {
        let bins = &bins[..(place + 1).min(bins.len())];
        let window = WINDOW as u64;
        match metric {
            Metric::Return => latest(bins, track::RETURN, window),
            Metric::Length => latest(bins, track::LENGTH, window),
            Metric::Loss => latest(bins, track::LOSS, 1),
            Metric::Value => latest(bins, track::VALUE, 1),
            Metric::Sigma => latest(bins, track::SIGMA, 1),
            Metric::Spread => latest(bins, track::SPREAD, 1),
            Metric::Bias => {
                let (value, earned) = (latest(bins, track::VALUE, 1), latest(bins, track::RETURN, window));
                value.zip(earned).map(|(value, earned)| value - earned)
            }
        }
    };
    let at = |&place: &usize| match row.status {
        Status::Done if place >= last && metric == Metric::Return => {
            Point::of(ended_with.or_else(|| so_far(place)))
        }
        Status::Done => Point::of(so_far(place)),
        Status::Failed if place > last || bins.is_empty() => match (metric, worst) {
            (Metric::Return, Some(worst)) => Point::of(Some(worst)),
            (Metric::Return, None) => Point::Failed,
            _ => Point::Missing,
        },
        _ if bins.is_empty() || place > last => Point::Missing,
        _ => Point::of(so_far(place)),
    };
    kept.iter().map(at).collect()
}

/// The mean of a kind over the last `episodes` of the episodes in `bins`.
fn latest(bins: &[Bin], kind: usize, episodes: u64) -> Option<f64> {
    let (mut sum, mut left) = (0.0, episodes);
    for bin in bins.iter().rev() {
        let Some(mean) = bin.mean(kind) else { continue };
        let taken = bin.count(kind).min(left);
        sum += mean * taken as f64;
        left -= taken;
        if left == 0 {
            break;
        }
    }
    (left < episodes).then(|| sum / (episodes - left) as f64)
}
