//! What may be written in an experiment file.

use super::ExperimentError;
use super::schema::check;
use crate::seeds;
use duvn::config::parse_count;
use serde::Deserialize;
use serde::de::{Error, Visitor};
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
    pub episodes: Option<Spanned<Count>>,
    pub steps: Option<Spanned<Count>>,
    #[serde(default)]
    pub until_solved: bool,
    pub evaluations: Option<Count>,
    pub evaluation_episodes: Option<Spanned<Count>>,
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
    pub episodes: Spanned<Vec<Count>>,
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
    pub episodes: Option<Spanned<Count>>,
    pub steps: Option<Spanned<Count>>,
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
    pub columns: Option<Spanned<Count>>,
    #[serde(default)]
    pub note: String,
    pub facet: Option<Spanned<String>>,
}

/// The shortened version of an experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    pub seeds: Option<Spanned<Seeds>>,
    pub episodes: Option<Spanned<Count>>,
    pub steps: Option<Spanned<Count>>,
    pub environments: Option<Vec<Spanned<String>>>,
}

/// A whole number, also as people write it: `1e6`, `"10k"`.
#[derive(Clone, Copy)]
pub struct Count(pub u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = Count;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(duvn::config::COUNT)
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Count, E> {
                number.try_into().map(Count).map_err(E::custom)
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
                Ok(Count(number))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Count, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Count, E> {
                parse_count(text).map(Count).ok_or_else(|| E::custom(duvn::config::COUNT))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

/// Reads the text of a file.
pub fn read(text: &str) -> Result<File, ExperimentError> {
    check(Source(text))?;
    toml::from_str(text).map_err(|error| {
        // What the check lets pass fits; this is for what nobody thought of, without the parser's own words.
        let place = Spanned::new(error.span().unwrap_or(0..0), ());
        Source(text).wrong(&place, "what is written there does not fit: `duvn init` writes a file that does")
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
