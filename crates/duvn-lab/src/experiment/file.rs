//! What may be written in an experiment file.

use super::ExperimentError;
use crate::seeds;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Settings of agents, each key with its place in the file.
pub type Settings = BTreeMap<Spanned<String>, toml::Value>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub name: Spanned<String>,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub about: String,
    pub seeds: Spanned<Seeds>,
    pub episodes: Option<Spanned<u64>>,
    pub steps: Option<Spanned<u64>>,
    #[serde(default)]
    pub until_solved: bool,
    pub evaluations: Option<u64>,
    pub evaluation_episodes: Option<Spanned<u64>>,
    #[serde(default)]
    pub settings: Settings,
    pub environments: Spanned<Vec<Environment>>,
    pub agents: Spanned<Vec<Agent>>,
    #[serde(default)]
    pub figure: Figure,
    pub quick: Option<Quick>,
    #[serde(default)]
    pub watch: Vec<Watch>,
}

/// A run whose beliefs about every state are recorded at some moments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watch {
    pub environment: Spanned<String>,
    pub agent: Spanned<String>,
    pub episodes: Spanned<Vec<u64>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "write seeds such as \"0..5\" (0 to 4) or [0, 1, 2]")]
pub enum Seeds {
    Text(String),
    List(Vec<u64>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    pub id: Spanned<String>,
    pub title: Option<String>,
    #[serde(default)]
    pub group: String,
    pub episodes: Option<Spanned<u64>>,
    pub steps: Option<Spanned<u64>>,
    #[serde(default)]
    pub settings: Settings,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    pub preset: Spanned<String>,
    pub name: Option<Spanned<String>>,
    #[serde(default)]
    pub settings: Settings,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    pub columns: Option<Spanned<usize>>,
    #[serde(default)]
    pub note: String,
}

/// The shortened version of an experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    pub seeds: Option<Spanned<Seeds>>,
    pub episodes: Option<Spanned<u64>>,
    pub steps: Option<Spanned<u64>>,
    pub environments: Option<Vec<Spanned<String>>>,
}

/// Reads the text of a file.
pub fn read(text: &str) -> Result<File, ExperimentError> {
    toml::from_str(text).map_err(|error| {
        let place = Spanned::new(error.span().unwrap_or(0..0), ());
        Source(text).wrong(&place, error.message().lines().collect::<Vec<_>>().join(", "))
    })
}

/// The places of a file, for errors that say where.
#[derive(Clone, Copy)]
pub struct Source<'a>(pub &'a str);

impl Source<'_> {
    /// The error `what`, at the line of `place`.
    pub fn wrong<T>(&self, place: &Spanned<T>, what: impl ToString) -> ExperimentError {
        let before = self.0.get(..place.span().start).unwrap_or(self.0);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        ExperimentError::Wrong { line, what: what.to_string() }
    }

    /// The seeds, of which there must be one, none twice.
    pub fn seeds(&self, written: &Spanned<Seeds>) -> Result<Vec<u64>, ExperimentError> {
        let text = match written.get_ref() {
            Seeds::Text(text) => text.clone(),
            Seeds::List(list) if list.is_empty() => {
                return Err(self.wrong(written, "there are no seeds: write for example seeds = \"0..5\""));
            }
            Seeds::List(list) => list.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        };
        seeds::parse(&text).map_err(|error| self.wrong(written, error))
    }
}
