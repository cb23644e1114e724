//! What an agent believes of the states of its world: recorded while it learnt, or asked from a checkpoint.

use super::number::{number, numbers};
use super::{Board, names};
use crate::beliefs::Moment;
use crate::checkpoint::Slot;
use crate::saved;
use crate::spec::RunSpec;
use crate::store::{RunRow, Store};
use crate::values::Grid;
use duvn::{ActionView, Agent};
use duvn_envs::{Environment, Observation, Space, registry};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::SystemTime;

/// Draws of the parameters in a look at one state.
const DRAWS: usize = 20;

/// States along each side of a slice through a box.
const SIDE: usize = 32;

/// More states than a page can show.
const MOST_STATES: usize = 20_000;

/// Moments of one run that are kept of the checkpoints that came by.
const MOST_MOMENTS: usize = 30;

/// Agents that are kept for the next look.
const MOST_AGENTS: usize = 3;

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookError {
    /// What was asked for is not there.
    #[error("{0}")]
    Missing(String),
    /// Something went wrong.
    #[error("{0}")]
    Failed(String),
}

impl LookError {
    fn failed(error: impl std::fmt::Display) -> Self {
        LookError::Failed(error.to_string())
    }
}

/// Which run is looked at, taken from a [`Board`] so that looking does not hold it up.
pub struct Looking {
    row: RunRow,
    folder: PathBuf,
    recorded: Vec<u64>,
}

impl Board {
    /// The run `id`, to be looked at.
    pub fn looking(&self, id: &str) -> Result<Looking, LookError> {
        let row = self.run(id).ok_or_else(|| LookError::Missing("there is no such run".into()))?.clone();
        let recorded = self.store.moment_episodes(row.number).map_err(LookError::failed)?;
        Ok(Looking { folder: self.store.run_folder(id), row, recorded })
    }

    /// What a run believed of every state after `episode` episodes, as it was recorded.
    pub fn recorded_moment(&self, looking: &Looking, episode: u64) -> Result<Value, LookError> {
        let moment = self.store.moment(looking.row.number, episode).map_err(LookError::failed)?;
        let moment = moment.ok_or_else(|| LookError::Missing("there is no such moment".into()))?;
        let layout = layout(&looking.row.spec.env, moment.states.len());
        Ok(map(&looking.row.spec, &layout, &moment, None))
    }
}

impl Looking {
    /// What decides the run.
    pub fn spec(&self) -> &RunSpec {
        &self.row.spec
    }

    /// The run's id.
    pub fn id(&self) -> &str {
        &self.row.id
    }
}

/// An agent as its newest checkpoint has it.
struct Kept {
    run: String,
    written: SystemTime,
    agent: Agent,
    episodes: u64,
}

/// What checkpoints believe. It keeps the last agents, and what was believed at the checkpoints that were looked at.
#[derive(Default)]
pub struct Beliefs {
    agents: Vec<Kept>,
    seen: Vec<(String, u64, Value)>,
}

impl Beliefs {
    /// What can be looked at of a run: recorded moments, those that were seen, and whether there is a checkpoint.
    pub fn index(&mut self, looking: &Looking) -> Value {
        let spec = looking.spec();
        let env = registry::make(&spec.env, spec.seed).ok();
        let kind = match env.as_ref().map(|env| env.observation_space()) {
            Some(Space::Discrete(states)) if states <= MOST_STATES => "states",
            Some(Space::Box { low, .. }) if low.len() >= 2 => "box",
            _ => "none",
        };
        let dimensions = match env.as_ref().map(|env| env.observation_space()) {
            Some(Space::Box { low, .. }) => names::dimensions(&spec.env, low.len()),
            _ => Vec::new(),
        };
        let seen = self.seen.iter().filter(|(run, ..)| *run == looking.id());
        let mut moments: Vec<(u64, &str)> = looking.recorded.iter().map(|&at| (at, "recorded")).collect();
        for (_, episode, _) in seen {
            if !moments.iter().any(|(known, _)| known == episode) {
                moments.push((*episode, "seen"));
            }
        }
        moments.sort_unstable();
        let checkpoint = Slot::new(&looking.folder).newest().is_file();
        json!({
            "run": looking.id(), "env": spec.env, "agent": spec.agent, "seed": spec.seed.to_string(), "kind": kind,
            "dimensions": dimensions, "checkpoint": checkpoint,
            "moments": moments.iter().map(|(episode, source)| json!({ "episode": episode, "source": source }))
                .collect::<Vec<_>>(),
        })
    }

    /// The agent of the newest checkpoint of a run, and its episodes.
    pub fn agent(&mut self, looking: &Looking) -> Result<(&mut Agent, u64), LookError> {
        let slot = Slot::new(&looking.folder);
        let written = slot.newest().metadata().and_then(|file| file.modified());
        let written = written.map_err(|_| LookError::Missing("the run has no checkpoint yet".into()))?;
        let at = self.agents.iter().position(|kept| kept.run == looking.id() && kept.written == written);
        let kept = match at {
            Some(at) => self.agents.remove(at),
            None => {
                self.agents.retain(|kept| kept.run != looking.id());
                let found = slot.load(looking.id(), u64::MAX).map_err(LookError::failed)?;
                let none = || LookError::Missing("the run has no checkpoint yet".into());
                let checkpoint = found.checkpoint.ok_or_else(none)?;
                let agent = saved::agent(looking.spec(), &checkpoint).map_err(LookError::failed)?;
                Kept { run: looking.id().into(), written, agent, episodes: checkpoint.snapshot.episodes }
            }
        };
        self.agents.insert(0, kept);
        self.agents.truncate(MOST_AGENTS);
        let kept = self.agents.first_mut().ok_or_else(|| LookError::Failed("no agent was kept".into()))?;
        Ok((&mut kept.agent, kept.episodes))
    }

    /// What was believed of every state at a checkpoint that was looked at.
    pub fn seen_moment(&self, looking: &Looking, episode: u64) -> Option<Value> {
        let found = self.seen.iter().find(|(run, at, _)| run == looking.id() && *at == episode);
        found.map(|(.., value)| value.clone())
    }

    /// What the newest checkpoint believes of every state.
    pub fn states(&mut self, looking: &Looking) -> Result<Value, LookError> {
        let spec = looking.spec().clone();
        let env = registry::make(&spec.env, spec.seed).map_err(LookError::failed)?;
        let Space::Discrete(states @ 1..=MOST_STATES) = env.observation_space() else {
            return Err(LookError::Missing(format!("the states of {} cannot be listed", spec.env)));
        };
        let (agent, episode) = self.agent(looking)?;
        let mut views = Vec::with_capacity(states);
        for state in 0..states {
            views.push(agent.inspect(Observation::Index(state), DRAWS).map_err(LookError::failed)?);
        }
        let mut visits = vec![0.0; states];
        agent.remembered(|observation| {
            if let Observation::Index(state) = observation
                && let Some(count) = visits.get_mut(state)
            {
                *count += 1.0;
            }
        });
        let value = map(&spec, &layout(&spec.env, states), &Moment { episode, states: views }, Some(&visits));
        self.seen.retain(|(run, at, _)| (run.as_str(), *at) != (looking.id(), episode));
        self.seen.push((looking.id().into(), episode, value.clone()));
        let own = self.seen.iter().filter(|(run, ..)| run == looking.id()).count();
        if own > MOST_MOMENTS
            && let Some(first) = self.seen.iter().position(|(run, ..)| run == looking.id())
        {
            self.seen.remove(first);
        }
        while self.seen.len() > 4 * MOST_MOMENTS {
            self.seen.remove(0);
        }
        Ok(value)
    }

    /// What the newest checkpoint believes in a slice through a box: two numbers vary, the others are what they were on
    /// average in the states that the agent remembers.
    pub fn slice(&mut self, looking: &Looking, across: usize, up: usize) -> Result<Value, LookError> {
        let spec = looking.spec().clone();
        let env = registry::make(&spec.env, spec.seed).map_err(LookError::failed)?;
        let Space::Box { low, high } = env.observation_space() else {
            return Err(LookError::Missing(format!("{} has no numbers to slice through", spec.env)));
        };
        let width = low.len();
        if across >= width || up >= width || across == up {
            return Err(LookError::Missing(format!("choose two different numbers below {width}")));
        }
        let (agent, episode) = self.agent(looking)?;
        let places = Places::of(agent, &low, &high);
        let side = |dimension: usize| -> Vec<f64> {
            let (from, to) = places.range[dimension];
            (0..SIDE).map(|at| from + (at as f64 + 0.5) * (to - from) / SIDE as f64).collect()
        };
        let (xs, ys) = (side(across), side(up));
        let mut point: Vec<f32> = places.middle.iter().map(|&x| x as f32).collect();
        let mut views = Vec::with_capacity(SIDE * SIDE);
        // Rows from the top, as pictures have them.
        for &y in ys.iter().rev() {
            for &x in &xs {
                (point[across], point[up]) = (x as f32, y as f32);
                views.push(agent.inspect(Observation::Vector(&point), DRAWS).map_err(LookError::failed)?);
            }
        }
        let mut visits = vec![0.0; SIDE * SIDE];
        let cell = |value: f64, dimension: usize| {
            let (from, to) = places.range[dimension];
            let at = (value - from) / (to - from).max(f64::MIN_POSITIVE) * SIDE as f64;
            (at >= 0.0 && at < SIDE as f64).then_some(at as usize)
        };
        agent.remembered(|observation| {
            if let Observation::Vector(x) = observation
                && let (Some(column), Some(row)) =
                    (cell(f64::from(x[across]), across), cell(f64::from(x[up]), up))
            {
                visits[(SIDE - 1 - row) * SIDE + column] += 1.0;
            }
        });
        let names = names::dimensions(&spec.env, width);
        let cells =
            (0..SIDE).map(|row| (0..SIDE).map(|column| vec![row * SIDE + column]).collect()).collect();
        let layout = Layout {
            layers: vec![("slice".into(), cells)],
            across: names[across].clone(),
            down: names[up].clone(),
        };
        let mut value = map(&spec, &layout, &Moment { episode, states: views }, Some(&visits));
        value["xs"] = numbers(xs);
        value["ys"] = numbers(ys.iter().rev().copied());
        value["fixed"] = (0..width)
            .filter(|&at| at != across && at != up)
            .map(|at| json!({ "name": names[at], "value": number(places.middle[at]) }))
            .collect();
        Ok(value)
    }
}

/// Where an agent has been in a box: the middle, and the range of each number.
struct Places {
    middle: Vec<f64>,
    range: Vec<(f64, f64)>,
}

impl Places {
    fn of(agent: &Agent, low: &[f32], high: &[f32]) -> Self {
        let width = low.len();
        let (mut sums, mut count) = (vec![0.0; width], 0.0);
        let mut seen = vec![(f64::INFINITY, f64::NEG_INFINITY); width];
        agent.remembered(|observation| {
            if let Observation::Vector(x) = observation {
                count += 1.0;
                for (at, &x) in x.iter().enumerate().take(width) {
                    let x = f64::from(x);
                    sums[at] += x;
                    seen[at] = (seen[at].0.min(x), seen[at].1.max(x));
                }
            }
        });
        let range = |at: usize| {
            let (low, high) = (f64::from(low[at]), f64::from(high[at]));
            if high - low < 1e6 {
                return (low, high);
            }
            // No bounds to show: where the agent has been, and a little more.
            let (from, to) = seen[at];
            if from < to { (from - 0.1 * (to - from), to + 0.1 * (to - from)) } else { (-1.0, 1.0) }
        };
        let range: Vec<_> = (0..width).map(range).collect();
        let middle = (0..width).map(|at| match count {
            0.0 => 0.5 * (range[at].0 + range[at].1),
            count => sums[at] / count,
        });
        Places { middle: middle.collect(), range: range.clone() }
    }
}

/// Where states lie on a map. Several layers show the same cells with other states in them.
struct Layout {
    layers: Vec<(String, Vec<Vec<Vec<usize>>>)>,
    across: String,
    down: String,
}

/// More cells than fit into one row.
const WRAP: usize = 40;

fn layout(env: &str, states: usize) -> Layout {
    if let Some(grid) = Grid::of(env, states) {
        let (cells, down) = (grid.cells().to_vec(), grid.down().to_string());
        let mut layers = vec![("all".to_string(), cells.clone())];
        // Where a cell holds several states, each of them has a map of its own.
        let several = cells.iter().flatten().map(Vec::len).max().unwrap_or(0);
        if several > 1 && several <= 40 {
            for at in 0..several {
                let one = |states: &Vec<usize>| states.get(at).copied().into_iter().collect::<Vec<_>>();
                let rows = cells.iter().map(|row| row.iter().map(one).collect()).collect();
                layers.push((layer_name(env, at), rows));
            }
        }
        return Layout { layers, across: "column".into(), down };
    }
    // Nothing is decided at the end of a Chain: what is believed of it is what nobody ever looked at.
    let chain = matches!(env.split('-').next(), Some("Chain" | "ChainOrdered"));
    let states = if chain { states.saturating_sub(1) } else { states };
    // Rows of one length, as far as that goes.
    let rows = states.div_ceil(WRAP).max(1);
    let columns = states.div_ceil(rows).max(1);
    let place = |row: usize, column: usize| {
        let state = row * columns + column;
        if state < states { vec![state] } else { Vec::new() }
    };
    let rows = (0..rows).map(|row| (0..columns).map(|column| place(row, column)).collect());
    Layout { layers: vec![("all".into(), rows.collect())], across: "state".into(), down: String::new() }
}

/// What the `at`-th state of a cell is.
fn layer_name(env: &str, at: usize) -> String {
    if env.starts_with("Taxi") {
        let places = ["red", "green", "yellow", "blue", "the taxi"];
        return format!("passenger at {}, to {}", places[(at / 4).min(4)], places[at % 4])
            .replace("at the taxi", "in the taxi");
    }
    format!("state {at} of each cell")
}

/// A map as JSON: by state and action what is believed, and how often each state is remembered.
fn map(spec: &RunSpec, layout: &Layout, moment: &Moment, visits: Option<&[f64]>) -> Value {
    let actions = moment.states.iter().map(Vec::len).max().unwrap_or(0);
    let of = |value: fn(&ActionView) -> f64| numbers(moment.states.iter().flatten().map(value));
    let layers: Vec<Value> =
        layout.layers.iter().map(|(name, cells)| json!({ "name": name, "cells": cells })).collect();
    // Where an agent has both parts, and they say more than sigma and spread do.
    let any = |holds: fn(&ActionView) -> bool| moment.states.iter().flatten().any(holds);
    let apart = any(|view| view.epistemic > 0.0)
        && any(|view| view.aleatoric > 0.0)
        && any(|view| view.epistemic > 1.001 * view.spread);
    json!({
        "episode": moment.episode, "across": layout.across, "down": layout.down, "layers": layers,
        "actions": names::actions(&spec.env, actions), "mean": of(|view| view.mean),
        "sigma": of(|view| view.sigma), "spread": of(|view| view.spread),
        "probability": of(|view| view.probability),
        "epistemic": apart.then(|| of(|view| view.epistemic)), "aleatoric": apart.then(|| of(|view| view.aleatoric)),
        "visits": visits.map(|visits| numbers(visits.iter().copied())),
    })
}

/// What a run believed at the moments that were recorded, for a report: at most `most` numbers.
pub fn recorded(store: &Store, row: &RunRow, most: usize) -> Vec<(u64, Value)> {
    let Ok(episodes) = store.moment_episodes(row.number) else { return Vec::new() };
    let (mut taken, mut found) = (0, Vec::new());
    for episode in episodes {
        let Ok(Some(moment)) = store.moment(row.number, episode) else { continue };
        taken += 4 * moment.states.iter().map(Vec::len).sum::<usize>();
        if taken > most {
            break;
        }
        found.push((episode, map(&row.spec, &layout(&row.spec.env, moment.states.len()), &moment, None)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::layout;

    #[test]
    fn states_in_a_line_have_rows_of_one_length_and_a_chain_is_shown_without_its_end() {
        for (env, states, rows, columns, shown) in [
            ("Chain-25", 26, 1, 25, 25),
            ("RiverSwim-6", 6, 1, 6, 6),
            ("Chain-100", 101, 3, 34, 100),
            ("Toy", 4, 1, 4, 4),
        ] {
            let layout = layout(env, states);
            let cells = &layout.layers[0].1;
            assert_eq!((cells.len(), cells[0].len()), (rows, columns), "{env}");
            let held: Vec<usize> = cells.iter().flatten().flatten().copied().collect();
            assert_eq!(held, (0..shown).collect::<Vec<_>>(), "{env}");
        }
    }
}
