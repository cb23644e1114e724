//! What an experiment is and how far it is: tasks, agents, every run.

use super::number::{maybe, number};
use super::{Board, Looked};
use crate::figures::{Colour, Series};
use crate::spec::Budget;
use crate::stats::FEWEST_RUNS;
use crate::store::Status;
use serde_json::{Value, json};

impl Board {
    /// Everything but curves and beliefs.
    pub fn overview(&self) -> Value {
        let mut sets: Vec<Value> = Vec::new();
        let rates = self.rates();
        let runs: Vec<Value> = self.runs.iter().map(|run| self.run_json(run, &mut sets, &rates)).collect();
        let mut agents: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !agents.contains(&run.row.spec.agent.as_str()) {
                agents.push(&run.row.spec.agent);
            }
        }
        json!({
            "version": self.version, "name": self.name, "title": self.show.title, "about": self.show.about,
            "note": self.show.note, "rerun": self.show.rerun, "fewest": FEWEST_RUNS,
            "standing": self.standing(), "seconds_left": maybe(self.seconds_left(&rates)),
            "agents": agents.iter().map(|agent| agent_json(agent)).collect::<Vec<_>>(),
            "tasks": self.tasks_json(), "runs": runs, "settings": sets,
        })
    }

    fn standing(&self) -> Value {
        let (mut done, mut running, mut failed, mut left) = (0, 0, 0, 0);
        for run in &self.runs {
            let count = match run.row.status {
                Status::Done => &mut done,
                Status::Failed if !run.row.open() => &mut failed,
                _ if run.at_work => &mut running,
                _ => &mut left,
            };
            *count += 1;
        }
        json!({ "planned": self.runs.len(), "done": done, "running": running, "failed": failed, "left": left })
    }

    fn tasks_json(&self) -> Vec<Value> {
        let task = |(place, task): (usize, &super::Task)| {
            let of_task = || self.runs.iter().filter(|run| run.task == place);
            let (unit, amount) = match of_task().next().map(|run| run.row.spec.budget) {
                Some(Budget::Steps(amount)) => ("steps", amount),
                Some(Budget::Episodes(amount)) => ("episodes", amount),
                None => ("episodes", 0),
            };
            let mut agents: Vec<&str> = Vec::new();
            for run in of_task() {
                if !agents.contains(&run.row.spec.agent.as_str()) {
                    agents.push(&run.row.spec.agent);
                }
            }
            json!({
                "env": task.env, "panel": task.panel, "group": task.group, "unit": unit, "amount": amount,
                "threshold": maybe(task.threshold), "agents": agents,
            })
        };
        self.tasks.iter().enumerate().map(task).collect()
    }

    /// Seconds of a whole run by agent and task, from those that have come some way.
    fn rates(&self) -> Vec<(String, usize, f64)> {
        let mut rates: Vec<(String, usize, Vec<f64>)> = Vec::new();
        for run in &self.runs {
            let Some(whole) = whole_seconds(run) else { continue };
            let alike =
                |rate: &&mut (String, usize, Vec<f64>)| rate.0 == run.row.spec.agent && rate.1 == run.task;
            match rates.iter_mut().find(alike) {
                Some((_, _, list)) => list.push(whole),
                None => rates.push((run.row.spec.agent.clone(), run.task, vec![whole])),
            }
        }
        let mean = |list: Vec<f64>| list.iter().sum::<f64>() / list.len() as f64;
        rates.into_iter().map(|(agent, task, list)| (agent, task, mean(list))).collect()
    }

    /// Seconds that a run has left, as far as that can be told.
    fn left(&self, run: &Looked, rates: &[(String, usize, f64)]) -> Option<f64> {
        if !run.row.open() {
            return None;
        }
        let whole = whole_seconds(run).or_else(|| {
            let alike =
                rates.iter().find(|(agent, task, _)| *agent == run.row.spec.agent && *task == run.task);
            let any = || rates.iter().map(|rate| rate.2).sum::<f64>() / rates.len() as f64;
            alike.map(|rate| rate.2).or_else(|| (!rates.is_empty()).then(any))
        })?;
        Some(whole * (1.0 - share(run)).max(0.0))
    }

    /// Seconds until all runs are done, if as many are worked on all along as now.
    fn seconds_left(&self, rates: &[(String, usize, f64)]) -> Option<f64> {
        let at_work = self.runs.iter().filter(|run| run.at_work).count();
        let open: Vec<f64> = self.runs.iter().filter_map(|run| self.left(run, rates)).collect();
        (at_work > 0 && !open.is_empty()).then(|| open.iter().sum::<f64>() / at_work as f64)
    }

    fn run_json(&self, run: &Looked, sets: &mut Vec<Value>, rates: &[(String, usize, f64)]) -> Value {
        let row = &run.row;
        let place = sets.iter().position(|known| *known == run.settings).unwrap_or_else(|| {
            sets.push(run.settings.clone());
            sets.len() - 1
        });
        let status = match row.status {
            Status::Done => "done",
            Status::Failed => "failed",
            _ if run.at_work => "running",
            Status::Running => "stopped",
            Status::Pending => "pending",
        };
        let outcome = row.outcome.as_ref();
        let (episodes, steps) = outcome
            .map_or((run.track.episodes(), run.track.steps()), |outcome| (outcome.episodes, outcome.steps));
        let recent = outcome.and_then(|outcome| outcome.mean_return_last_100).or_else(|| run.track.recent());
        let judgement = outcome.map(|outcome| &outcome.judgement);
        json!({
            "id": row.id, "task": run.task, "env": row.spec.env, "agent": row.spec.agent,
            "seed": row.spec.seed.to_string(), "status": status, "share": number(share(run)),
            "episodes": episodes, "steps": steps, "recent": maybe(recent),
            "first_reward": outcome.and_then(|outcome| outcome.first_reward_episode),
            "solved": outcome.and_then(|outcome| outcome.solved_episode),
            "best": maybe(judgement.and_then(|judgement| judgement.best_return)),
            "start_value": maybe(judgement.and_then(|judgement| judgement.start_value)),
            "start_sigma": maybe(judgement.and_then(|judgement| judgement.start_sigma)),
            "warnings": judgement.map_or_else(Vec::new, |judgement| judgement.warnings.clone()),
            "error": row.error, "again": row.again, "isa": row.isa, "machine": row.machine, "program": row.version,
            "seconds": number(run.seconds), "left": maybe(self.left(run, rates)), "settings": place,
            "until_solved": row.spec.until_solved, "weights": outcome.map(|outcome| &outcome.weights_sha256),
            "watched": row.watch,
        })
    }
}

fn share(run: &Looked) -> f64 {
    if run.row.status == Status::Done { 1.0 } else { run.track.share().min(1.0) }
}

/// The seconds that a run takes in all, told from how far it is.
fn whole_seconds(run: &Looked) -> Option<f64> {
    let share = share(run);
    (share > 0.01 && run.seconds > 0.0).then(|| run.seconds / share)
}

/// An agent's name and colours: those of the figures, and lighter ones for a dark page where they would be lost.
pub fn agent_json(agent: &str) -> Value {
    let series = Series::method(agent);
    let hex = |Colour(red, green, blue): Colour| format!("#{red:02x}{green:02x}{blue:02x}");
    let colour = series.style.colour;
    json!({
        "id": agent, "name": series.name, "colour": hex(colour), "dark": hex(lighter(colour)),
        "dash": series.style.dash.lengths(),
    })
}

/// The colour on a dark page: mixed with white until it is bright enough to be read.
fn lighter(Colour(red, green, blue): Colour) -> Colour {
    let [r, g, b] = [red, green, blue].map(f64::from);
    let light = (0.299 * r + 0.587 * g + 0.114 * b) / 255.0;
    let share = ((0.55 - light) / (1.0 - light)).clamp(0.0, 1.0);
    // What has no colour at all becomes nearly white, so that it stays the one that stands out.
    let share = if red == green && green == blue && light < 0.2 { 0.92 } else { share };
    let mix = |x: f64| (x + share * (255.0 - x)).round() as u8;
    Colour(mix(r), mix(g), mix(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dark_pages_get_bright_colours() {
        let bright = |agent: &str| {
            let Colour(r, g, b) = lighter(Series::method(agent).style.colour);
            (0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b)) / 255.0
        };
        for agent in ["egreedy", "return", "duvn", "duvn-deep", "bootdqn", "something else"] {
            assert!(bright(agent) > 0.5, "{agent}: {}", bright(agent));
        }
        assert_eq!(agent_json("duvn")["colour"], "#d55e00");
    }
}
