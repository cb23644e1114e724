//! bsuite (Osband et al. 2020): its experiments as a plan of runs, its scores, its radar plot.
//!
//! Of its 23 experiments these are the 18 that need neither memory nor pictures: 368 settings, each one run.

mod plan;
mod radar;
mod reference;
mod score;

pub use plan::{Choice, Part, Plan, PlanError};
pub use radar::radar;
pub use reference::{ReferenceError, reference};
pub use score::{Levels, Rule, Tally};

use crate::stats::mean;
use crate::store::{Status, Store, StoreError};
use duvn_envs::registry::bsuite::{EXPERIMENTS, Tag};
use std::collections::HashMap;

/// What an agent has reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The agent.
    pub agent: String,
    /// Its experiments, in bsuite's order.
    pub experiments: Vec<Scored>,
}

/// The score of an agent in an experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// bsuite's name of the experiment.
    pub name: &'static str,
    /// What it is to show.
    pub tags: &'static [Tag],
    /// From 0 to 1, once a run has finished an episode.
    pub score: Option<f64>,
    /// Runs that are planned.
    pub runs: usize,
    /// Runs that are over.
    pub over: usize,
}

impl Report {
    /// The mean score of the experiments with this tag. None where one of them was never meant to be run: the others alone
    /// would be another score.
    pub fn tag(&self, tag: Tag) -> Option<f64> {
        let tagged = || self.experiments.iter().filter(|experiment| experiment.tags.contains(&tag));
        if tagged().any(|experiment| experiment.runs == 0) {
            return None;
        }
        mean(&tagged().filter_map(|experiment| experiment.score).collect::<Vec<_>>())
    }

    /// Whether every run is over.
    pub fn finished(&self) -> bool {
        self.experiments.iter().all(|experiment| experiment.over == experiment.runs)
    }
}

/// The scores of every agent of a plan, from what is recorded so far.
pub fn reports(store: &Store, plan: &Plan) -> Result<Vec<Report>, StoreError> {
    let rows: HashMap<String, _> = store.runs()?.into_iter().map(|row| (row.id.clone(), row)).collect();
    let mut reports = Vec::new();
    for agent in &plan.agents {
        let mut experiments = Vec::new();
        for experiment in &EXPERIMENTS {
            let parts = plan.parts.iter().zip(&plan.experiment.runs);
            let own =
                parts.filter(|(part, run)| part.experiment == experiment.name && run.spec.agent == *agent);
            let (mut tallies, mut over) = (Vec::new(), 0);
            for (part, run) in own {
                let mut tally = part.tally();
                if let Some(row) = rows.get(&run.id) {
                    store.each_episode(row.number, |record| {
                        tally.add(record.denoised.unwrap_or(record.ret) / part.scale);
                        Ok::<_, StoreError>(())
                    })?;
                    if row.status == Status::Failed {
                        tally.fail(part.episodes.saturating_sub(tally.episodes));
                    }
                    over += usize::from(matches!(row.status, Status::Done | Status::Failed));
                }
                tallies.push(tally);
            }
            if !tallies.is_empty() {
                let score = Rule::of(experiment.name).and_then(|rule| rule.score(&tallies));
                let (name, tags) = (experiment.name, experiment.tags);
                experiments.push(Scored { name, tags, score, runs: tallies.len(), over });
            }
        }
        reports.push(Report { agent: agent.clone(), experiments });
    }
    Ok(reports)
}
