//! From what is written in a file to the list of its runs.

use super::file::{Agent, Count, Environment, File, Quick, Source, Watch, read};
use super::grid::{Layers, Point, points};
use super::{Evaluation, Experiment, ExperimentError, Planned, Show, Variant, run_id};
use crate::beliefs;
use crate::run::{Run, RunError};
use crate::spec::{Budget, RunSpec};
use duvn::config::preset;
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

    fn check_names(&self) -> Result<(), ExperimentError> {
        let (source, file) = (&self.source, self.file);
        if file.name.get_ref().trim().is_empty() {
            return Err(source.wrong(&file.name, "the name is empty: write for example name = \"chain\""));
        }
        let name = file.name.get_ref();
        let leads_away =
            name.contains(['/', '\\']) || name.starts_with('.') || name.contains(char::is_control);
        if leads_away || !name.contains(char::is_alphanumeric) {
            let what =
                "the name names a folder, too: write letters, digits, spaces and -, for example \"chain\"";
            return Err(source.wrong(&file.name, what));
        }
        if file.environments.get_ref().is_empty() {
            let what = "there are no environments: write [[environments]] and id = \"Chain-10\" below it";
            return Err(source.wrong(&file.environments, what));
        }
        if file.agents.get_ref().is_empty() {
            let what = "there are no agents: write [[agents]] and preset = \"duvn\" below it";
            return Err(source.wrong(&file.agents, what));
        }
        if let Some(columns) = file.figure.columns.as_ref().filter(|columns| columns.get_ref().0 == 0) {
            return Err(source.wrong(columns, "'columns' cannot be 0: write 1 or more"));
        }
        let agents: Vec<_> = file.agents.get_ref().iter().map(Agent::name).collect();
        if let Some(place) = repeated(&agents) {
            let what = format!(
                "two agents are named '{0}': give one of them another name, for example name = \"{0} 2\"",
                place.get_ref()
            );
            return Err(source.wrong(place, what));
        }
        let environments: Vec<_> = file.environments.get_ref().iter().map(|entry| &entry.id).collect();
        if let Some(place) = repeated(&environments) {
            let what = format!("the environment '{}' is there twice: leave one out", place.get_ref());
            return Err(source.wrong(place, what));
        }
        Ok(())
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
        let before = preset(agent.preset.get_ref()).map_err(wrong)?;
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

    /// The setting whose grid makes facets: what the file says, or with several grids the one with the fewest values.
    fn facet(&self) -> Result<Option<String>, ExperimentError> {
        let mut grids: Vec<(String, Vec<String>)> = Vec::new();
        let mut most = 0;
        for environment in self.file.environments.get_ref() {
            for agent in self.file.agents.get_ref() {
                for point in self.points(environment, agent)? {
                    most = most.max(point.values.len());
                    for (key, value) in point.values {
                        match grids.iter_mut().find(|(known, _)| *known == key) {
                            None => grids.push((key, vec![value])),
                            Some((_, values)) if !values.contains(&value) => values.push(value),
                            Some(_) => {}
                        }
                    }
                }
            }
        }
        match &self.file.figure.facet {
            None if most < 2 => Ok(None),
            None => Ok(grids.into_iter().min_by_key(|(_, values)| values.len()).map(|(key, _)| key)),
            Some(facet) if grids.iter().any(|(key, _)| key == facet.get_ref()) => {
                Ok(Some(facet.get_ref().clone()))
            }
            Some(facet) => {
                let name = facet.get_ref();
                let what = match &grids[..] {
                    [] => format!(
                        "'{name}' has no grid to make facets of: write {name} = {{ grid = [0.1, 0.2] }} as a setting"
                    ),
                    grids => {
                        let known: Vec<_> = grids.iter().map(|(key, _)| key.as_str()).collect();
                        format!("'{name}' has no grid to make facets of: write {}", known.join(" or "))
                    }
                };
                Err(self.source.wrong(facet, what))
            }
        }
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

/// The first name that was there before.
fn repeated<'a>(names: &[&'a Spanned<String>]) -> Option<&'a Spanned<String>> {
    names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"name = "test"
seeds = "0..3"
episodes = 50

[settings]
hidden = [8]

[[environments]]
id = "Chain-5"
group = "short"

[[environments]]
id = "Toy"
steps = 70
settings = { gamma = 0.5, keep = 0.7 }

[[agents]]
preset = "egreedy"

[[agents]]
name = "mine"
preset = "duvn"
settings = { keep = 0.8 }

[quick]
seeds = [7]
episodes = 5
environments = ["Toy"]

[[watch]]
environment = "Chain-5"
agent = "mine"
episodes = [0, 20]
"#;

    fn parse(text: &str) -> Result<Experiment, ExperimentError> {
        Experiment::parse(text, &Variant::default())
    }

    #[test]
    fn a_file_is_the_product_of_its_lists() {
        let experiment = parse(GOOD).unwrap();
        assert_eq!(experiment.runs.len(), 2 * 2 * 3);
        let run = &experiment.runs[4];
        assert_eq!((run.spec.env.as_str(), run.spec.agent.as_str(), run.spec.seed), ("Chain-5", "mine", 1));
        assert_eq!((run.spec.budget, run.group.as_str()), (Budget::Episodes(50), "short"));
        let toy = &experiment.runs[9].spec;
        assert_eq!((toy.budget, toy.config.gamma), (Budget::Steps(70), 0.5));
        // The agent's own setting comes after the environment's, and that after the file's.
        assert_eq!((toy.config.keep, toy.config.hidden.clone()), (0.8, vec![8]));
        let watched: Vec<_> = experiment.runs.iter().filter(|run| !run.watch.is_empty()).collect();
        assert_eq!((watched.len(), &watched[0].spec.agent[..], watched[0].spec.seed), (1, "mine", 0));
        let mut ids: Vec<_> = experiment.runs.iter().map(|run| &run.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 12);
    }

    #[test]
    fn the_shortened_version_says_so() {
        let variant = Variant { quick: true, seeds: None };
        let experiment = Experiment::parse(GOOD, &variant).unwrap();
        let specs: Vec<_> =
            experiment.runs.iter().map(|run| (run.spec.env.as_str(), run.spec.seed)).collect();
        assert_eq!(specs, [("Toy", 7), ("Toy", 7)]);
        assert_eq!(experiment.runs[0].spec.budget, Budget::Episodes(5));
        assert!(experiment.show.note.contains("Shortened"));
        let seeds = Variant { seeds: Some(vec![1, 2]), ..variant };
        assert_eq!(Experiment::parse(GOOD, &seeds).unwrap().runs.len(), 4);
        let without = GOOD.split("[quick]").next().unwrap();
        assert!(Experiment::parse(without, &seeds).unwrap_err().to_string().contains("[quick]"));
    }

    #[test]
    fn a_grid_is_the_product_of_its_values() {
        let own = "settings = { keep = { grid = [0.8, 0.9] }, gamma = { grid = [0.5, 0.6, 0.7] } }";
        let text =
            GOOD.replace("settings = { keep = 0.8 }", own).replace("agent = \"mine\"", "agent = \"egreedy\"");
        let experiment = parse(&text).unwrap();
        assert_eq!(experiment.runs.len(), 2 * (1 + 6) * 3);
        let names: Vec<_> = experiment.runs.iter().map(|run| run.spec.agent.as_str()).collect();
        assert_eq!(
            names[3..7],
            ["mine, gamma 0.5, keep 0.8"; 3]
                .into_iter()
                .chain(["mine, gamma 0.5, keep 0.9"])
                .collect::<Vec<_>>()[..]
        );
        let run = &experiment.runs[3 + 5 * 3];
        assert_eq!((run.spec.config.gamma, run.spec.config.keep), (0.7, 0.9));
        // Of two grids, the one with fewer values makes the facets.
        assert_eq!((run.panel.as_str(), experiment.runs[0].panel.as_str()), ("Chain-5, keep 0.9", "Chain-5"));
        let facet = format!("{text}[figure]\nfacet = \"gamma\"\n");
        assert_eq!(parse(&facet).unwrap().runs[3 + 5 * 3].panel, "Chain-5, gamma 0.7");
    }

    #[test]
    fn a_grid_that_agents_share_multiplies_those_that_look_at_it() {
        let text = GOOD.replace("hidden = [8]", "hidden = [8]\nepsilon = { grid = [0.1, 0.2] }");
        let experiment = parse(&text).unwrap();
        let mut names: Vec<_> = experiment.runs.iter().map(|run| run.spec.agent.as_str()).collect();
        names.dedup();
        assert_eq!(names[..3], ["egreedy, epsilon 0.1", "egreedy, epsilon 0.2", "mine"]);
        assert_eq!(experiment.runs[6].spec.config.epsilon, 0.05, "it is not set where it has no effect");
        assert!(experiment.runs.iter().all(|run| !run.panel.contains("epsilon")), "one grid needs no facets");
    }

    #[test]
    fn counts_are_written_as_people_do() {
        for (written, episodes) in [("1e3", 1_000), ("\"10k\"", 10_000), ("1_000", 1_000)] {
            let experiment = parse(&GOOD.replace("episodes = 50", &format!("episodes = {written}"))).unwrap();
            assert_eq!(experiment.runs[0].spec.budget, Budget::Episodes(episodes), "{written}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (from, to, line, part) in [
            ("name = \"test\"", "nam = \"test\"", 1, "did you mean name?"),
            ("name = \"test\"", "name = \" \"", 1, "name is empty"),
            ("name = \"test\"", "name = \"..\"", 1, "names a folder"),
            ("name = \"test\"", "name = \"../x/y\"", 1, "names a folder"),
            ("name = \"test\"", "name = \"a/b\"", 1, "names a folder"),
            ("name = \"test\"", "name = '\\\\x'", 1, "names a folder"),
            ("name = \"test\"", "name = \"---\"", 1, "names a folder"),
            ("\"0..3\"", "\"3..0\"", 2, "0..5"),
            ("\"0..3\"", "[]", 2, "no seeds"),
            ("\"0..3\"", "[1, 1]", 2, "twice"),
            ("\"0..3\"", "true", 2, "seeds such as"),
            ("episodes = 50", "episodes = 0", 3, "1 or more"),
            ("episodes = 50", "episodes = 50\nsteps = 4", 4, "leave one"),
            ("episodes = 50", "episodes = 50\nuntil_solved = 1", 4, "write true or false"),
            (
                "id = \"Toy\"",
                "id = \"CliffWalking-v1\"\nuntil_solved = true",
                14,
                "there is no key 'until_solved' in [[environments]]",
            ),
            ("hidden = [8]", "hiden = [8]", 6, "hidden"),
            ("hidden = [8]", "hidden = \"wide\"", 6, "list"),
            ("Chain-5", "Chan-5", 9, "Chain"),
            ("group", "grup", 10, "did you mean group?"),
            ("preset = \"egreedy\"", "preset = \"greedy\"", 18, "egreedy"),
            ("name = \"mine\"", "name = \"egreedy\"", 21, "another name"),
            ("keep = 0.8", "keep = 8.0", 22, "keep"),
            ("keep = 0.8", "members = 3", 23, "has no effect here"),
            ("keep = 0.8", "keep = { a = 1 }", 23, "flat"),
            ("id = \"Toy\"", "id = \"Chain-5\"", 13, "twice"),
            ("agent = \"mine\"", "agent = \"yours\"", 31, "names from above"),
            ("[0, 20]", "[20, 0]", 33, "rising order"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let error = parse(&GOOD.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(part), "{to}: {error}");
            assert!(error.contains(&format!("line {line}")), "{to}: {error}");
        }
        let text = GOOD.replace("episodes = 50", "episodes = 50\nuntil_solved = true");
        assert!(parse(&text).unwrap().runs.iter().all(|run| run.spec.until_solved));
        let endless = parse(&text.replace("\"Toy\"", "\"CliffWalking-v1\"")).unwrap_err().to_string();
        assert!(endless.starts_with("line 14: CliffWalking-v1 has no threshold"), "{endless}");
        let nothing = parse("name = \"a\"\nseeds = \"0\"\nenvironments = []\nagents = []").unwrap_err();
        assert!(nothing.to_string().contains("[[environments]]"), "{nothing}");
        assert!(parse("").is_err());
    }
}
