//! Experiments: environments x agents x seeds, each with its budget, from a small TOML file.
//!
//! ```
//! use duvn_lab::experiment::{Experiment, Variant};
//!
//! let text = r#"
//! name = "chain"
//! seeds = "0..5"
//! episodes = 3000
//!
//! [[environments]]
//! id = "Chain-10"
//!
//! [[agents]]
//! preset = "egreedy"
//!
//! [[agents]]
//! name = "duvn, keep 0.8"
//! preset = "duvn"
//! settings = { keep = 0.8 }
//! "#;
//! let experiment = Experiment::parse(text, &Variant::default())?;
//! assert_eq!(experiment.runs.len(), 10);
//! # Ok::<(), duvn_lab::experiment::ExperimentError>(())
//! ```

mod file;
mod grid;
mod id;
mod plan;
mod reference;
mod schema;

pub use id::run_id;
pub use reference::reference;

/// An experiment file with remarks, to start from.
pub const TEMPLATE: &str = include_str!("template.toml");

use crate::record::Record;
use crate::spec::{Budget, RunSpec};
use serde::{Deserialize, Serialize};

/// What is to be run, and how it is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The name, by which a folder knows whose it is.
    pub name: String,
    /// How it is shown.
    pub show: Show,
    /// Every run, in the order in which they are started.
    pub runs: Vec<Planned>,
}

/// How an experiment is shown in its report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Show {
    /// The heading.
    pub title: String,
    /// What it is about, in a sentence or two.
    pub about: String,
    /// Panels side by side.
    pub columns: usize,
    /// A remark under every figure, such as that this is a shortened version.
    pub note: String,
    /// The command that runs it again.
    pub rerun: String,
}

/// One run of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// What [`run_id`] gives.
    pub id: String,
    /// What decides it.
    pub spec: RunSpec,
    /// Its place among the runs of the whole experiment, from 0.
    pub place: u64,
    /// The heading of its panel.
    pub panel: String,
    /// The group of panels that make one figure.
    pub group: String,
    /// How it is evaluated.
    pub evaluation: Evaluation,
    /// The episodes after which its beliefs about every state are recorded.
    pub watch: Vec<u64>,
}

/// How a run is evaluated on the policy of the mean while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Evaluations in the whole of a run, evenly spread over its budget; 0 is never.
    pub times: u64,
    /// Episodes of each.
    pub episodes: u64,
}

impl Evaluation {
    /// Whether the episode of `record` is the first to end in a new part of the budget. The one before it ended when the
    /// run had made `steps_before` steps.
    pub fn due(&self, budget: Budget, record: &Record, steps_before: u64) -> bool {
        let (budget, before, now) = match budget {
            Budget::Episodes(budget) => (budget, record.episode - 1, record.episode),
            Budget::Steps(budget) => (budget, steps_before, record.steps),
        };
        let part = |at: u64| u128::from(at) * u128::from(self.times) / u128::from(budget.max(1));
        part(now) > part(before)
    }
}

impl Default for Evaluation {
    fn default() -> Self {
        Evaluation { times: 20, episodes: 5 }
    }
}

/// What is run of a file, where it is not all of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// These seeds instead of the file's.
    pub seeds: Option<Vec<u64>>,
    /// The shortened version that the file's `[quick]` describes.
    pub quick: bool,
}

/// Why a file is not an experiment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// What is written there cannot be used.
    #[error("line {line}: {what}")]
    Wrong {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong and what to write.
        what: String,
    },
}

/// The runs of an agent on Toy with these seeds.
#[cfg(test)]
pub(crate) fn toy(seeds: &str) -> Vec<Planned> {
    let text = format!(
        "name = 'a'\nseeds = '{seeds}'\n[[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'"
    );
    Experiment::parse(&text, &Variant::default()).unwrap().runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three evaluations in ten episodes: after 10/3, 20/3 and 10 of them, rounded up. By steps: at the end of the episode in
    /// which a part of the budget ends.
    #[test]
    fn evaluations_are_due_where_a_part_of_the_budget_ends() {
        let evaluation = Evaluation { times: 3, episodes: 1 };
        let record = |episode, steps| Record {
            episode,
            ret: 0.0,
            denoised: None,
            length: 1,
            steps,
            loss: 0.0,
            start: None,
        };
        let due: Vec<u64> = (1..=10)
            .filter(|&episode| evaluation.due(Budget::Episodes(10), &record(episode, 0), 0))
            .collect();
        assert_eq!(due, [4, 7, 10]);
        let by_steps = |before, now| evaluation.due(Budget::Steps(300), &record(5, now), before);
        assert!(!by_steps(0, 99) && by_steps(99, 100) && !by_steps(100, 199) && by_steps(50, 290));
        let never = Evaluation { times: 0, episodes: 1 };
        assert!(!never.due(Budget::Episodes(10), &record(10, 0), 0));
    }
}
