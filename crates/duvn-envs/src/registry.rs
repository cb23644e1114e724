//! Environments by name: `make("Chain-10", seed)`.
//!
//! An id is `Name`, `Name-SIZE` where the entry is a family (`Chain-N`), and parameters after a question
//! mark: `Name?key=value&key=value`.

use crate::envs::{Chain, LunarLander, Toy};
use crate::wrappers::Episodes;
use crate::{Action, Environment, Observation, Space, StateError, Step, StepError};

/// One line of the registry.
pub struct Entry {
    /// The name, with `N` in the place of the size of a family: `Chain-N`.
    pub name: &'static str,
    /// What the task is, in one line.
    pub about: &'static str,
    /// The smallest and the largest size of a family.
    pub sizes: Option<(usize, usize)>,
    /// Steps after which an episode is truncated.
    pub time_limit: Option<u32>,
    /// The mean return over 100 episodes from which the task counts as solved.
    pub reward_threshold: Option<f64>,
    make: fn(&mut Id) -> Result<Box<dyn Environment>, MakeError>,
}

/// Every environment that [`make`] knows.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "Chain-N",
        about: "N correct actions in a row, drawn at random for each state, then reward 1 (paper, App. D)",
        sizes: Some((1, 100_000)),
        time_limit: None,
        reward_threshold: Some(0.95),
        make: |id| Ok(Box::new(Chain::unordered(id.size, id.seed))),
    },
    Entry {
        name: "ChainOrdered-N",
        about: "the Chain whose correct action is always 1 (paper, App. D.1)",
        sizes: Some((1, 100_000)),
        time_limit: None,
        reward_threshold: Some(0.95),
        make: |id| Ok(Box::new(Chain::ordered(id.size))),
    },
    Entry {
        name: "LunarLander-v3",
        about: "land a craft with three engines gently between two flags (Gymnasium)",
        sizes: None,
        time_limit: Some(1000),
        reward_threshold: Some(200.0),
        make: |id| Ok(Box::new(LunarLander::new(id.seed))),
    },
    Entry {
        name: "Toy",
        about: "two steps, four returns: small enough to work out by hand",
        sizes: None,
        time_limit: None,
        reward_threshold: Some(2.9),
        make: |_| Ok(Box::new(Toy::default())),
    },
];

/// An environment from the registry, with what the registry knows of it.
pub struct Registered {
    inner: Box<dyn Environment>,
    /// The id it was made from.
    pub id: String,
    /// The mean return over 100 episodes from which the task counts as solved.
    pub reward_threshold: Option<f64>,
}

/// Why an id names no environment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MakeError {
    /// No entry has this name.
    #[error("there is no environment '{id}': did you mean {}?", nearest.join(" or "))]
    Unknown {
        /// The id as it was given.
        id: String,
        /// The names that come closest.
        nearest: Vec<String>,
    },
    /// The size of a family is missing or out of range.
    #[error("'{id}' needs a size from {least} to {most}: write for example {example}")]
    Size {
        /// The id as it was given.
        id: String,
        /// The smallest size.
        least: usize,
        /// The largest size.
        most: usize,
        /// An id that works.
        example: String,
    },
    /// A parameter is unknown, repeated or has a bad value.
    #[error("'{id}': parameter '{parameter}' is not understood: {hint}")]
    Parameter {
        /// The id as it was given.
        id: String,
        /// The parameter as it was given.
        parameter: String,
        /// What to write instead.
        hint: String,
    },
}

/// A parsed id, on its way to becoming an environment.
pub(crate) struct Id {
    text: String,
    size: usize,
    seed: u64,
    parameters: Vec<(String, String)>,
}

impl Id {
    /// Takes the parameter `key` if it is given: `parse` turns its text into a value, or into `None`
    /// where it is not one of `allowed` (a phrase for the error message).
    #[allow(dead_code)]
    pub(crate) fn take<T>(
        &mut self,
        key: &str,
        allowed: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, MakeError> {
        let Some(position) = self.parameters.iter().position(|(name, _)| name == key) else {
            return Ok(None);
        };
        let (name, value) = self.parameters.remove(position);
        match parse(&value) {
            Some(value) => Ok(Some(value)),
            None => Err(self.parameter_error(&format!("{name}={value}"), format!("write {key}={allowed}"))),
        }
    }

    fn parameter_error(&self, parameter: &str, hint: String) -> MakeError {
        MakeError::Parameter { id: self.text.clone(), parameter: parameter.into(), hint }
    }
}

/// Makes the environment `id`. What an environment draws once and for all (the Chain's correct actions)
/// comes from `seed`; episodes are seeded by `reset`.
pub fn make(id: &str, seed: u64) -> Result<Registered, MakeError> {
    let (name, query) = id.split_once('?').unwrap_or((id, ""));
    let (entry, size) = find(id, name)?;
    let mut parsed = Id { text: id.into(), size, seed, parameters: Vec::new() };
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let Some((key, value)) = parameter.split_once('=') else {
            return Err(parsed.parameter_error(parameter, "write key=value".into()));
        };
        if parsed.parameters.iter().any(|(known, _)| known == key) {
            return Err(parsed.parameter_error(parameter, "it is given twice: leave one out".into()));
        }
        parsed.parameters.push((key.into(), value.into()));
    }
    let inner = (entry.make)(&mut parsed)?;
    if let Some((key, value)) = parsed.parameters.first() {
        let parameter = format!("{key}={value}");
        return Err(parsed.parameter_error(&parameter, format!("{} has no such parameter", entry.name)));
    }
    Ok(Registered {
        inner: Box::new(Episodes::new(inner, entry.time_limit)),
        id: id.into(),
        reward_threshold: entry.reward_threshold,
    })
}

fn find(id: &str, name: &str) -> Result<(&'static Entry, usize), MakeError> {
    if let Some(entry) = ENTRIES.iter().find(|entry| entry.sizes.is_none() && entry.name == name) {
        return Ok((entry, 0));
    }
    let (family, size) = name.rsplit_once('-').unwrap_or((name, ""));
    for entry in ENTRIES {
        let Some((least, most)) = entry.sizes else { continue };
        if entry.name.strip_suffix("-N") != Some(family) {
            continue;
        }
        return match size.parse() {
            Ok(size) if (least..=most).contains(&size) => Ok((entry, size)),
            _ => Err(MakeError::Size {
                id: id.into(),
                least,
                most,
                example: format!("{family}-{}", 10.clamp(least, most)),
            }),
        };
    }
    Err(MakeError::Unknown { id: id.into(), nearest: nearest(name) })
}

/// The three known names closest to `name`.
fn nearest(name: &str) -> Vec<String> {
    let closeness = |entry: &Entry| {
        let (name, known) = (name.to_lowercase(), entry.name.to_lowercase());
        strsim::jaro_winkler(&name, &known)
    };
    let mut names: Vec<_> = ENTRIES.iter().map(|entry| (closeness(entry), entry.name)).collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    names.into_iter().take(3).map(|(_, name)| name.replace("-N", "-10")).collect()
}

impl Environment for Registered {
    fn observation_space(&self) -> Space {
        self.inner.observation_space()
    }

    fn action_space(&self) -> Space {
        self.inner.action_space()
    }

    fn reset(&mut self, seed: Option<u64>) {
        self.inner.reset(seed);
    }

    fn observation(&self) -> Observation<'_> {
        self.inner.observation()
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        self.inner.step(action)
    }

    fn save(&self) -> Vec<u8> {
        self.inner.save()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.inner.restore(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_typing_error_is_answered_with_the_nearest() {
        let error = make("Chian-10", 0).err().unwrap();
        assert!(error.to_string().contains("Chain-10"), "{error}");
    }

    #[test]
    fn sizes_and_parameters_are_checked() {
        for id in ["Chain", "Chain-", "Chain-0", "Chain-x", "Chain-99999999999999999999"] {
            assert!(matches!(make(id, 0), Err(MakeError::Size { .. })), "{id}");
        }
        for id in ["Toy?colour=red", "Toy?colour", "Toy?a=1&a=2"] {
            assert!(matches!(make(id, 0), Err(MakeError::Parameter { .. })), "{id}");
        }
        for id in ["", "?", "-", "Toy-3", "Chain--5"] {
            assert!(matches!(make(id, 0), Err(MakeError::Unknown { .. })), "{id}");
        }
    }
}
