//! From what is written in a file to the list of its runs.

mod facet;
mod names;

use super::file::{Agent, Count, Environment, File, Quick, Source, Watch, read};
use super::grid::{Layers, Point, points};
use super::{Evaluation, Experiment, ExperimentError, Planned, Show, Variant, run_id};
use crate::beliefs;
use crate::run::{Run, RunError};
use crate::spec::{Budget, RunSpec};
use duvn::config::preset_for;
use duvn_envs::{Environment as _, registry};
use toml::Spanned;

const DEFAULT_EPISODES: u64 = 1000;

/// More runs than one folder is good for: a slip of the finger.
pub(super) const MOST_RUNS: usize = 50_000;

const QUICK_NOTE: &str =
    "Shortened version (--quick): fewer seeds, episodes or tasks than the full experiment.";

impl Experiment {
    /// Reads an experiment file and checks all of it: every run of the list can be started.
    pub fn parse(text: &str, variant: &Variant) -> Result<Self, ExperimentError> {
        let file = read(text)?;
        let mut plan = Plan { source: Source(text), file: &file, quick: quick(&file, variant)?, facet: None };
        plan.check_names()?;
        plan.facet = plan.facet()?;
        let mut runs = Vec::new();
        for environment in plan.environments()? {
            let mut names: Vec<String> = Vec::new();
            for agent in file.agents.get_ref() {
                let of_agent = plan.runs(environment, agent, variant)?;
                let twice = of_agent.iter().find(|run| names.contains(&run.spec.agent));
                if let Some(Planned { spec, .. }) = twice {
                    let what =
                        format!("two agents are named '{}': give one of them another name", spec.agent);
                    return Err(plan.source.wrong(agent.name(), what));
                }
                names.extend(of_agent.iter().map(|run| run.spec.agent.clone()));
                names.dedup();
                runs.extend(of_agent);
                if runs.len() > MOST_RUNS {
                    let what =
                        format!("there are more than {MOST_RUNS} runs: split the file, or leave seeds out");
                    return Err(plan.source.wrong(&file.seeds, what));
                }
            }
        }
        for (place, run) in runs.iter_mut().enumerate() {
            run.place = place as u64;
        }
        plan.watch(&mut runs)?;
        Ok(Experiment { name: plan.name(), show: plan.show(), runs })
    }
}

/// The `[quick]` of a file, if it is asked for.
fn quick<'a>(file: &'a File, variant: &Variant) -> Result<Option<&'a Quick>, ExperimentError> {
    match &file.quick {
        Some(quick) if variant.quick => Ok(Some(quick)),
        None if variant.quick => Err(ExperimentError::Wrong {
            line: 1,
            what: "the file has no shortened version: write one as [quick] with episodes = …".into(),
        }),
        _ => Ok(None),
    }
}

struct Plan<'a> {
    source: Source<'a>,
    file: &'a File,
    quick: Option<&'a Quick>,
    /// The setting with a grid whose values have panels of their own.
    facet: Option<String>,
}

impl<'a> Plan<'a> {
    fn name(&self) -> String {
        let name = self.file.name.get_ref();
        if self.quick.is_some() { format!("{name} (quick)") } else { name.clone() }
    }

    fn show(&self) -> Show {
        let File { name, title, about, figure, .. } = self.file;
        let title = if title.is_empty() { name.get_ref() } else { title };
        let columns = figure.columns.as_ref().map_or(2, |columns| columns.get_ref().0 as usize);
        let note = if self.quick.is_some() { QUICK_NOTE.into() } else { figure.note.clone() };
        Show { title: title.clone(), about: about.clone(), columns, note, rerun: String::new() }
    }

    /// The environments that are run.
    fn environments(&self) -> Result<Vec<&'a Environment>, ExperimentError> {
        let all = self.file.environments.get_ref();
        let Some(chosen) = self.quick.and_then(|quick| quick.environments.as_ref()) else {
            return Ok(all.iter().collect());
        };
        let find = |id: &Spanned<String>| {
            all.iter().find(|entry| entry.id.get_ref() == id.get_ref()).ok_or_else(|| {
                let what =
                    format!("'{}' is not among the environments above: write one that is", id.get_ref());
                self.source.wrong(id, what)
            })
        };
        chosen.iter().map(find).collect()
    }

    fn runs(
        &self,
        environment: &Environment,
        agent: &Agent,
        variant: &Variant,
    ) -> Result<Vec<Planned>, ExperimentError> {
        let budget = self.budget(environment)?;
        let evaluation = self.evaluation()?;
        let seeds = match (&variant.seeds, self.quick.and_then(|quick| quick.seeds.as_ref())) {
            (Some(seeds), _) => seeds.clone(),
            (None, Some(seeds)) => self.source.seeds(seeds)?,
            (None, None) => self.source.seeds(&self.file.seeds)?,
        };
        let planned = |point: &Point, seed| {
            let id = environment.id.get_ref();
            let agent = point.name(agent.name().get_ref());
            let (env, config, until_solved) = (id.clone(), point.config.clone(), self.file.until_solved);
            let spec = RunSpec { env, agent, config, seed, budget, until_solved };
            let mut panel = environment.title.clone().unwrap_or_else(|| id.clone());
            panel.extend(self.facet.as_ref().and_then(|facet| point.heading(facet)));
            let group = environment.group.clone();
            let id = run_id(&spec, evaluation);
            Planned { id, spec, place: 0, panel, group, evaluation, watch: Vec::new() }
        };
        let mut runs: Vec<Planned> = Vec::new();
        for point in self.points(environment, agent)? {
            let of_point: Vec<_> = seeds.iter().map(|&seed| planned(&point, seed)).collect();
            self.check_run(environment, agent, of_point.first())?;
            runs.extend(of_point);
            if runs.len() > MOST_RUNS {
                break;
            }
        }
        Ok(runs)
    }

    /// Whether a run can be started.
    fn check_run(
        &self,
        environment: &Environment,
        agent: &Agent,
        first: Option<&Planned>,
    ) -> Result<(), ExperimentError> {
        // The first seed stands for all: what an environment or an agent cannot take does not depend on it.
        if let Some(first) = first {
            Run::check(&first.spec).map_err(|error| match error {
                RunError::Make(_) | RunError::NoThreshold { .. } => self.source.wrong(&environment.id, error),
                _ => self.source.wrong(&agent.preset, format!("on {}: {error}", first.spec.env)),
            })?;
        }
        Ok(())
    }

    /// Has the first seed of the runs that `[[watch]]` names watched.
    fn watch(&self, runs: &mut [Planned]) -> Result<(), ExperimentError> {
        for Watch { environment, agent, episodes } in &self.file.watch {
            let named = |run: &&mut Planned| {
                run.spec.env == *environment.get_ref() && run.spec.agent == *agent.get_ref()
            };
            let Some(run) = runs.iter_mut().find(named) else {
                if self.quick.is_some() {
                    continue;
                }
                let (env, agent) = (environment.get_ref(), agent.get_ref());
                let what =
                    format!("there is no run of '{agent}' on '{env}' to watch: write names from above");
                return Err(self.source.wrong(environment, what));
            };
            if episodes.get_ref().is_empty()
                || episodes.get_ref().windows(2).any(|pair| pair[0].0 >= pair[1].0)
            {
                let what = "write episodes in rising order, such as [0, 100, 400]";
                return Err(self.source.wrong(episodes, what));
            }
            beliefs::states(environment.get_ref()).map_err(|error| self.source.wrong(environment, error))?;
            run.watch = episodes.get_ref().iter().map(|&Count(episode)| episode).collect();
        }
        Ok(())
    }

    /// The preset, then the settings of the whole file, of the environment, and of the agent: once for each
    /// combination of their grids.
    fn points(&self, environment: &Environment, agent: &Agent) -> Result<Vec<Point>, ExperimentError> {
        let wrong = |error| self.source.wrong(&agent.preset, error);
        let made = registry::make(environment.id.get_ref(), 0);
        let observations =
            made.map_err(|error| self.source.wrong(&environment.id, error))?.observation_space();
        let before = preset_for(agent.preset.get_ref(), &observations).map_err(wrong)?;
        let layers = Layers {
            common: [&self.file.settings, &environment.settings],
            own: &agent.settings,
            shared: self.file.agents.get_ref().len() > 1,
        };
        let points = points(self.source, &before, &layers)?;
        for point in &points {
            point.config.check().map_err(wrong)?;
        }
        Ok(points)
    }

    fn budget(&self, environment: &Environment) -> Result<Budget, ExperimentError> {
        let places = [
            self.quick.map(|quick| (&quick.episodes, &quick.steps)),
            Some((&environment.episodes, &environment.steps)),
            Some((&self.file.episodes, &self.file.steps)),
        ];
        for (episodes, steps) in places.into_iter().flatten() {
            let (amount, budget) = match (episodes, steps) {
                (None, None) => continue,
                (Some(_), Some(steps)) => {
                    let what = "'episodes' and 'steps' are both given: leave one of them out";
                    return Err(self.source.wrong(steps, what));
                }
                (Some(amount), None) => (amount, Budget::Episodes(amount.get_ref().0)),
                (None, Some(amount)) => (amount, Budget::Steps(amount.get_ref().0)),
            };
            if amount.get_ref().0 == 0 {
                return Err(self.source.wrong(amount, "the budget cannot be 0: write 1 or more"));
            }
            return Ok(budget);
        }
        Ok(Budget::Episodes(DEFAULT_EPISODES))
    }

    fn evaluation(&self) -> Result<Evaluation, ExperimentError> {
        let default = Evaluation::default();
        if let Some(place) = self.file.evaluation_episodes.as_ref().filter(|n| n.get_ref().0 == 0) {
            let what = "'evaluation_episodes' cannot be 0: write 1 or more, or evaluations = 0 for none";
            return Err(self.source.wrong(place, what));
        }
        let episodes = self.file.evaluation_episodes.as_ref().map_or(default.episodes, |n| n.get_ref().0);
        Ok(Evaluation { times: self.file.evaluations.map_or(default.times, |count| count.0), episodes })
    }
}

impl Agent {
    fn name(&self) -> &Spanned<String> {
        self.name.as_ref().unwrap_or(&self.preset)
    }
}

#[cfg(test)]
mod tests;
