//! Which of bsuite's settings are run, and for how long.

use super::score::Tally;
use crate::experiment::{Evaluation, Experiment, Planned, Show, run_id};
use crate::run::{Run, RunError};
use crate::settings::{self, SettingsError};
use crate::spec::{Budget, RunSpec};
use crate::stats::DeepSeaRun;
use duvn_envs::Environment;
use duvn_envs::registry::{self, MakeError, bsuite};

/// What is to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The agents.
    pub agents: Vec<String>,
    /// The runs, agent by agent.
    pub experiment: Experiment,
    /// What each run is a part of, in the same order.
    pub parts: Vec<Part>,
}

/// What a run is a part of.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// bsuite's name of the experiment.
    pub experiment: &'static str,
    /// bsuite's id of the setting.
    pub id: String,
    /// The noise, scale, height, length or size, as it is written in the environment's id.
    pub level: String,
    /// Rewards are multiplied by this; scores are not.
    pub scale: f64,
    /// Episodes of the run.
    pub episodes: u64,
}

/// What of bsuite is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// All settings at their full length.
    pub full: bool,
    /// Only experiments of these names, if there are any.
    pub only: Vec<String>,
    /// No run has more episodes than this.
    pub most_episodes: Option<u64>,
}

/// Why there is no such plan.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum PlanError {
    /// There is no such experiment.
    #[error("bsuite has no experiment '{name}' here: write one of {known}")]
    Experiment {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// An agent is named twice.
    #[error("the agent '{0}' is named twice: leave one out")]
    Twice(String),
    /// There is no such agent.
    Settings(#[from] SettingsError),
    /// An environment cannot be made.
    Make(#[from] MakeError),
    /// A run cannot be started.
    #[error("on {env}: {error}")]
    Run {
        /// The environment.
        env: String,
        /// Why.
        error: RunError,
    },
}

/// The shortened version takes a tenth of the episodes.
const SHORTER: u64 = 10;

impl Part {
    /// The tally of its run before the first episode.
    pub fn tally(&self) -> Tally {
        let sea = match self.experiment {
            "deep_sea_stochastic" => DeepSeaRun::stochastic(),
            _ => DeepSeaRun::default(),
        };
        Tally::new(self.level.clone(), sea)
    }
}

impl Plan {
    /// The runs of these agents, one after another.
    pub fn new(agents: &[String], choice: &Choice) -> Result<Self, PlanError> {
        for name in &choice.only {
            if !bsuite::EXPERIMENTS.iter().any(|experiment| experiment.name == name) {
                let known = bsuite::EXPERIMENTS.map(|experiment| experiment.name).join(", ");
                return Err(PlanError::Experiment { name: name.clone(), known });
            }
        }
        let (mut runs, mut parts) = (Vec::new(), Vec::new());
        for (at, agent) in agents.iter().enumerate() {
            if agents[..at].contains(agent) {
                return Err(PlanError::Twice(agent.clone()));
            }
            for part in bsuite::EXPERIMENTS.iter().flat_map(|experiment| of_experiment(experiment, choice)) {
                let (setting, part) = part;
                let spec = spec(agent, &setting, part.episodes)?;
                // One setting of an experiment stands for all: they differ in numbers, not in spaces.
                if parts.last().is_none_or(|last: &Part| last.experiment != part.experiment) {
                    Run::check(&spec).map_err(|error| PlanError::Run { env: spec.env.clone(), error })?;
                }
                let evaluation = Evaluation { times: 0, ..Evaluation::default() };
                runs.push(Planned {
                    id: run_id(&spec, evaluation),
                    place: runs.len() as u64,
                    panel: part.id.clone(),
                    group: part.experiment.into(),
                    spec,
                    evaluation,
                    watch: Vec::new(),
                });
                parts.push(part);
            }
        }
        let whole = choice.full && choice.only.is_empty() && choice.most_episodes.is_none();
        let note = if whole { "" } else { "A part of bsuite: scores of the whole differ." };
        let show = Show {
            title: "bsuite".into(),
            about: "bsuite's settings that need neither memory nor pictures (Osband et al. 2020).".into(),
            columns: 3,
            note: note.into(),
            rerun: String::new(),
        };
        Ok(Plan {
            agents: agents.to_vec(),
            experiment: Experiment { name: "bsuite".into(), show, runs },
            parts,
        })
    }
}

/// The settings of an experiment that are run, and what they are parts of.
fn of_experiment(experiment: &bsuite::Experiment, choice: &Choice) -> Vec<(bsuite::Setting, Part)> {
    if !choice.only.is_empty() && !choice.only.iter().any(|name| name == experiment.name) {
        return Vec::new();
    }
    let whole = u64::from(experiment.episodes);
    let episodes = if choice.full { whole } else { whole / SHORTER };
    let episodes = choice.most_episodes.map_or(episodes, |most| most.min(episodes));
    let quick = quick(experiment.name);
    let part = |setting: bsuite::Setting| {
        let scale = parameter(&setting.env, "reward_scale");
        let level = scale.or(parameter(&setting.env, "reward_noise")).map_or_else(
            || registry::member(&setting.env).map_or(String::new(), |member| member.size.to_string()),
            String::from,
        );
        let scale = scale.and_then(|scale| scale.parse().ok()).unwrap_or(1.0);
        let (name, id) = (experiment.name, setting.id.clone());
        (setting, Part { experiment: name, id, level, scale, episodes })
    };
    let wanted = |setting: &bsuite::Setting| choice.full || quick.contains(&setting.number);
    experiment.settings().into_iter().filter(wanted).map(part).collect()
}

/// The numbers of the settings of the shortened version: the first, the middle and the last kind, or the first alone where
/// settings differ in chance alone.
fn quick(experiment: &str) -> &'static [u64] {
    match experiment {
        "bandit" | "catch" | "cartpole" | "mountain_car" => &[0],
        "discounting_chain" => &[0, 2, 4],
        // Sizes 10, 20 and 30.
        "deep_sea" | "deep_sea_stochastic" => &[0, 5, 10],
        "cartpole_swingup" => &[0, 10],
        // Lengths and distractors 1, 10 and 50.
        "umbrella_length" | "umbrella_distract" => &[0, 9, 17],
        // Noise and scale: one run of the least, the middle and the largest.
        _ => &[0, 8, 16],
    }
}

/// What an environment's id says of a parameter.
fn parameter<'a>(env: &'a str, name: &str) -> Option<&'a str> {
    let (_, parameters) = env.split_once('?')?;
    let pairs = parameters.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next()
}

fn spec(agent: &str, setting: &bsuite::Setting, episodes: u64) -> Result<RunSpec, PlanError> {
    let observations = registry::make(&setting.env, setting.number)?.observation_space();
    Ok(RunSpec {
        env: setting.env.clone(),
        agent: agent.into(),
        config: settings::resolve(agent, &observations, None, &[])?,
        seed: setting.number,
        budget: Budget::Episodes(episodes),
        until_solved: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(choice: &Choice) -> Plan {
        Plan::new(&["dqn".into()], choice).unwrap()
    }

    #[test]
    fn the_whole_has_368_runs_and_each_its_level() {
        let whole = plan(&Choice { full: true, ..Choice::default() });
        assert_eq!((whole.parts.len(), whole.experiment.runs.len()), (368, 368));
        let mut ids: Vec<_> = whole.experiment.runs.iter().map(|run| &run.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 368);
        let find = |id: &str| whole.parts.iter().find(|part| part.id == id).unwrap();
        let level = |id: &str| (find(id).level.as_str(), find(id).scale, find(id).episodes);
        assert_eq!(level("bandit_scale/19"), ("1000", 1000.0, 10_000));
        assert_eq!(level("catch_noise/0"), ("0.1", 1.0, 10_000));
        assert_eq!(level("deep_sea/20"), ("50", 1.0, 10_000));
        assert_eq!(level("cartpole_swingup/7"), ("7", 1.0, 1000));
        assert_eq!(level("umbrella_length/22"), ("100", 1.0, 10_000));
        let levels = |name: &str| {
            let own = whole.parts.iter().filter(|part| part.experiment == name);
            let mut levels: Vec<_> = own.map(|part| &part.level).collect();
            levels.dedup();
            levels.len()
        };
        assert_eq!((levels("cartpole_noise"), levels("cartpole_swingup"), levels("deep_sea")), (5, 20, 21));
    }

    #[test]
    fn the_shortened_version_has_every_experiment() {
        let quick = plan(&Choice::default());
        assert_eq!(quick.parts.len(), 45);
        for experiment in &bsuite::EXPERIMENTS {
            let own = quick.parts.iter().filter(|part| part.experiment == experiment.name);
            let episodes: Vec<_> = own.map(|part| part.episodes * SHORTER).collect();
            assert!(!episodes.is_empty() && episodes.iter().all(|&n| n == u64::from(experiment.episodes)));
        }
        let some = Choice { only: vec!["catch".into()], most_episodes: Some(3), full: true };
        let some = plan(&some);
        assert_eq!((some.parts.len(), some.parts[0].episodes), (20, 3));
        assert!(some.experiment.show.note.contains("part of bsuite"));
    }

    #[test]
    fn what_cannot_be_is_named() {
        let wrong = |agents: &[&str], only: &[&str]| {
            let own = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
            let choice = Choice { only: own(only), ..Choice::default() };
            Plan::new(&own(agents), &choice).unwrap_err().to_string()
        };
        assert!(wrong(&["dqm"], &[]).starts_with("there is no agent 'dqm': write one of"));
        assert_eq!(wrong(&["dqn", "dqn"], &["catch"]), "the agent 'dqn' is named twice: leave one out");
        let unknown = wrong(&["dqn"], &["memory_len"]);
        assert!(unknown.starts_with("bsuite has no experiment 'memory_len' here: write one of bandit, "));
    }
}
