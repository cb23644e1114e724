//! The paper's figures, each from one name.

use crate::illustration::{self, SCENARIOS};
use crate::ire::{self, Ird, IreError};
use crate::report::{Cell, Picture, Plain, Table};
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// One of the paper's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The unordered Chain.
    Chain,
    /// The ordered Chain.
    ChainOrdered,
    /// The Gym tasks.
    Gym,
    /// The initial return distributions of App. B.
    Ire,
    /// The two scenarios of App. C.
    Illustration,
}

impl Target {
    /// Every one.
    pub const ALL: [Target; 5] =
        [Target::Illustration, Target::Ire, Target::Chain, Target::ChainOrdered, Target::Gym];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Target::Chain => "chain",
            Target::ChainOrdered => "chain-ordered",
            Target::Gym => "gym",
            Target::Ire => "ire",
            Target::Illustration => "illustration",
        }
    }

    /// The experiment file that makes it, if it is made by training.
    pub fn experiment(self) -> Option<&'static str> {
        match self {
            Target::Chain => Some(include_str!("../experiments/chain.toml")),
            Target::ChainOrdered => Some(include_str!("../experiments/chain-ordered.toml")),
            Target::Gym => Some(include_str!("../experiments/gym.toml")),
            Target::Ire | Target::Illustration => None,
        }
    }
}

/// Eight Gym tasks and the Chain.
pub const IRE_TASKS: [&str; 9] = [
    "CartPole-v1",
    "MountainCar-v0",
    "Acrobot-v1",
    "LunarLander-v3",
    "Pendulum-v1",
    "FrozenLake-v1",
    "FrozenLake8x8-v1",
    "Taxi-v4",
    "Chain-10",
];

/// The initial return distributions, with `traces` traces a task. `each` is told of every task that is done.
pub fn ire(
    traces: usize,
    threads: usize,
    stop: &AtomicBool,
    mut each: impl FnMut(&Ird),
) -> Result<Plain, IreError> {
    let full = ire::Options::default();
    let options = ire::Options { traces, threads, ..full };
    let mut irds = Vec::new();
    for task in IRE_TASKS {
        let ird = ire::run(task, &options, stop, &AtomicUsize::new(0))?;
        each(&ird);
        irds.push(ird);
    }
    let head = ["task", "traces", "mean", "sd", "entropy (nats)", "estimator"];
    let row = |ird: &Ird| {
        let summary = ird.summary()?;
        let cells = [
            ird.env.clone(),
            summary.traces.to_string(),
            format!("{:.4}", summary.mean),
            format!("{:.4}", summary.sd),
            format!("{:.4}", summary.entropy.nats),
            format!("{:?}", summary.entropy.estimator),
        ];
        Some(cells.map(Cell::Text).to_vec())
    };
    let note = if traces < full.traces {
        format!("Shortened version (--quick): {traces} traces a task, where the paper has {}.", full.traces)
    } else {
        String::new()
    };
    let mut figure = ire::figure(&irds);
    figure.footer = note.clone();
    Ok(Plain {
        title: "Initial return distributions".into(),
        about: "What returns the uniform random policy finds (paper, App. B). A spiked distribution, and so a low \
                entropy, makes a task hard to explore: nearly all first traces look alike."
            .into(),
        note,
        pictures: vec![Picture {
            name: "ird".into(),
            caption: format!(
                "Returns of {traces} traces of at most {} steps under the uniform random policy, with a kernel \
                 density estimate, the mean, and the initial return entropy.",
                options.max_steps
            ),
            figure,
        }],
        table: Table { head: head.map(String::from).to_vec(), rows: irds.iter().filter_map(row).collect() },
        rerun: "duvn reproduce ire".into(),
    })
}

/// The illustration of App. C.
pub fn illustration() -> Plain {
    let head = ["scenario", "ε-greedy", "Boltzmann", "Thompson"];
    let row = |scenario: &illustration::Scenario| {
        let chosen = scenario.probabilities();
        let number = |number: f64| Cell::Text(format!("{number:.4}"));
        vec![
            Cell::Text(scenario.name.into()),
            number(chosen.egreedy),
            number(chosen.boltzmann),
            number(chosen.thompson),
        ]
    };
    Plain {
        title: "Undirected and directed exploration".into(),
        about: "How probably each policy takes action 1 in the two scenarios of the paper’s App. C (with the mean of \
                the difference at -2, which the printed numbers need)."
            .into(),
        note: String::new(),
        pictures: vec![Picture {
            name: "illustration".into(),
            caption: "Beliefs about two actions, and below them the probability that each policy takes action 1.".into(),
            figure: illustration::figure(),
        }],
        table: Table { head: head.map(String::from).to_vec(), rows: SCENARIOS.iter().map(row).collect() },
        rerun: "duvn reproduce illustration".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, Variant};

    #[test]
    fn every_experiment_can_be_run_in_full_and_shortened() {
        for target in Target::ALL {
            let Some(text) = target.experiment() else { continue };
            let full = Experiment::parse(text, &Variant::default()).unwrap();
            let quick = Experiment::parse(text, &Variant { quick: true, seeds: None }).unwrap();
            assert_eq!(full.name, target.name());
            assert!(quick.runs.len() < full.runs.len() && !quick.show.note.is_empty());
            let agents: Vec<_> = full.runs.iter().map(|run| run.spec.agent.as_str()).collect();
            assert!(["egreedy", "parametric", "return", "duvn"].iter().all(|name| agents.contains(name)));
        }
    }

    #[test]
    fn the_paper_s_numbers_come_out() {
        let rows = illustration().table.rows;
        assert_eq!(rows[0][3], Cell::Text("0.0786".into()));
        assert_eq!(rows[1][3], Cell::Text("0.3474".into()));
    }
}
