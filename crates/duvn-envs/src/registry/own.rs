//! Environments of one's own among the registered ones.

use super::{ENTRIES, Entry, Id, MakeError, makers::Made};
use crate::Environment;
use std::sync::{Arc, PoisonError, RwLock};

type Maker = Arc<dyn Fn(u64) -> Result<Box<dyn Environment>, String> + Send + Sync>;

/// An environment of one's own, on its way into a [`Registry`].
pub struct Own {
    name: String,
    about: String,
    time_limit: Option<u32>,
    reward_threshold: Option<f64>,
    make: Maker,
}

impl Own {
    /// The environment that `make` makes. Its argument is the seed of what an environment draws once and for all.
    pub fn new<E: Environment + 'static>(
        name: impl Into<String>,
        make: impl Fn(u64) -> E + Send + Sync + 'static,
    ) -> Self {
        Own::fallible(name, move |seed| Ok(Box::new(make(seed)) as Box<dyn Environment>))
    }

    /// As [`new`](Own::new), where making it can fail.
    pub fn fallible(
        name: impl Into<String>,
        make: impl Fn(u64) -> Result<Box<dyn Environment>, String> + Send + Sync + 'static,
    ) -> Self {
        Own {
            name: name.into(),
            about: String::new(),
            time_limit: None,
            reward_threshold: None,
            make: Arc::new(make),
        }
    }

    /// What the task is, in one line.
    pub fn about(self, about: impl Into<String>) -> Self {
        Own { about: about.into(), ..self }
    }

    /// Episodes are truncated after so many steps.
    pub fn time_limit(self, steps: u32) -> Self {
        Own { time_limit: Some(steps), ..self }
    }

    /// The mean return over 100 episodes from which the task counts as solved.
    pub fn reward_threshold(self, threshold: f64) -> Self {
        Own { reward_threshold: Some(threshold), ..self }
    }
}

/// Why an environment of one's own cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnError {
    /// The name is that of a built-in environment.
    #[error("'{0}' is built in: give your environment another name")]
    Taken(String),
    /// The name cannot stand in an id.
    #[error("'{0}' cannot name an environment: write letters, digits, - and _, for example Corridor-v0")]
    Name(String),
}

/// Environments of one's own, by name.
///
/// ```
/// use duvn_envs::registry::{self, Own, Registry};
/// use duvn_envs::{Environment, envs::Chain};
///
/// let registry = Registry::new().with(Own::new("ShortChain", |seed| Chain::unordered(3, seed)).time_limit(9))?;
/// registry.install();
/// let env = registry::make("ShortChain?reward_scale=2", 0)?;
/// assert_eq!(env.time_limit, Some(9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Registry(Vec<Own>);

impl Registry {
    /// A registry of the built-in environments alone.
    pub fn new() -> Self {
        Registry::default()
    }

    /// One more environment. A later one of the same name takes the place of an earlier one.
    pub fn with(mut self, own: Own) -> Result<Self, OwnError> {
        let letters = |letter: char| letter.is_ascii_alphanumeric() || "-_./:".contains(letter);
        if own.name.is_empty() || !own.name.chars().all(letters) {
            return Err(OwnError::Name(own.name));
        }
        let family = own.name.rsplit_once('-').map_or(own.name.as_str(), |(family, _)| family);
        if ENTRIES.iter().any(|entry| entry.name == own.name || entry.family() == Some(family)) {
            return Err(OwnError::Taken(own.name));
        }
        self.0.push(own);
        Ok(self)
    }

    /// Lets [`make`](super::make), and so all of the program, know these environments from now on.
    pub fn install(self) {
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        for own in self.0 {
            known.retain(|(entry, _)| entry.name != own.name);
            // An entry lives as long as the program, as the built-in ones do; there are few of them.
            let entry: &'static Entry = Box::leak(Box::new(Entry {
                about: own.about.leak(),
                time_limit: own.time_limit,
                reward_threshold: own.reward_threshold,
                ..Entry::new(own.name.leak(), make)
            }));
            known.push((entry, own.make));
        }
    }
}

static KNOWN: RwLock<Vec<(&'static Entry, Maker)>> = RwLock::new(Vec::new());

/// Every entry: the built-in ones, then those of one's own.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let own: Vec<&'static Entry> = known.iter().map(|(entry, _)| *entry).collect();
    ENTRIES.iter().chain(own)
}

pub(super) fn find(name: &str) -> Option<&'static Entry> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    known.iter().find(|(entry, _)| entry.name == name).map(|(entry, _)| *entry)
}

fn make(id: &mut Id) -> Made {
    let maker = {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(entry, _)| entry.name == id.entry.name).map(|(_, maker)| Arc::clone(maker))
    };
    let failed = |error| MakeError::Own { id: id.text.clone(), error };
    let maker = maker.ok_or_else(|| failed("it is registered no more".into()))?;
    maker(id.seed).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envs::Chain;
    use crate::registry;

    #[test]
    fn ones_own_environments_are_made_by_name() {
        let own = Own::new("OwnChain-v0", |seed| Chain::unordered(4, seed)).reward_threshold(0.9);
        Registry::new().with(own).unwrap().install();
        let env = registry::make("OwnChain-v0?time_limit=7&reward_scale=2", 3).unwrap();
        assert_eq!((env.time_limit, env.reward_threshold), (Some(7), Some(1.8)));
        let built_in = registry::make("Chain-4", 3).unwrap();
        assert_eq!(env.observation_space(), built_in.observation_space());
        assert!(entries().any(|entry| entry.name == "OwnChain-v0"));
        let unknown = registry::make("OwnChan-v0", 0).err().unwrap().to_string();
        assert!(unknown.contains("OwnChain-v0"), "{unknown}");
        assert!(registry::make("OwnChain-v0?size=3", 0).is_err());
    }

    #[test]
    fn names_that_cannot_be_told_apart_are_refused() {
        let own = |name: &str| Registry::new().with(Own::new(name, |_| Chain::ordered(2))).err();
        assert_eq!(own("CartPole-v1"), Some(OwnError::Taken("CartPole-v1".into())));
        assert_eq!(own("Chain-7"), Some(OwnError::Taken("Chain-7".into())));
        for name in ["", "a?b", "a b", "a&b=1"] {
            assert_eq!(own(name), Some(OwnError::Name(name.into())));
        }
        assert_eq!(own("Corridor-v0"), None);
    }

    #[test]
    fn a_maker_that_fails_says_why() {
        let own = Own::fallible("Broken-v0", |_| Err("no such file".into()));
        Registry::new().with(own).unwrap().install();
        let error = registry::make("Broken-v0", 0).err().unwrap().to_string();
        assert_eq!(error, "the environment 'Broken-v0' cannot be made: no such file");
    }
}
