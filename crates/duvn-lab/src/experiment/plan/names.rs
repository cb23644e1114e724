//! The names of a file: that there are some, and none twice.

use super::super::ExperimentError;
use super::super::file::Agent;
use super::Plan;
use toml::Spanned;

impl Plan<'_> {
    pub(super) fn check_names(&self) -> Result<(), ExperimentError> {
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
}

/// The first name that was there before.
fn repeated<'a>(names: &[&'a Spanned<String>]) -> Option<&'a Spanned<String>> {
    names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)).map(|(_, name)| *name)
}
