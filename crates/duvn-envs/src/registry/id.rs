use super::{ENTRIES, Entry};

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
    /// The id as it was given.
    pub(crate) text: String,
    /// The size of a family's member.
    pub(crate) size: usize,
    /// Seeds what an environment draws once and for all.
    pub(crate) seed: u64,
    /// The entry's threshold, which parameters that change the rewards change too.
    pub(crate) reward_threshold: Option<f64>,
    /// The entry's time limit, which may depend on the size.
    pub(crate) time_limit: Option<u32>,
    parameters: Vec<(String, String)>,
}

impl Id {
    /// Reads an id and finds its entry.
    pub(crate) fn parse(text: &str, seed: u64) -> Result<(&'static Entry, Id), MakeError> {
        let (name, query) = text.split_once('?').unwrap_or((text, ""));
        let (entry, size) = find(text, name)?;
        let Entry { reward_threshold, time_limit, .. } = *entry;
        let parameters = Vec::new();
        let mut id = Id { text: text.into(), size, seed, reward_threshold, time_limit, parameters };
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let Some((key, value)) = parameter.split_once('=') else {
                return Err(id.parameter_error(parameter, "write key=value".into()));
            };
            if id.parameters.iter().any(|(known, _)| known == key) {
                return Err(id.parameter_error(parameter, "it is given twice: leave one out".into()));
            }
            id.parameters.push((key.into(), value.into()));
        }
        Ok((entry, id))
    }

    /// Takes the parameter `key` if it is given: `parse` turns its text into a value, or into `None`
    /// where it is not one of `allowed` (a phrase for the error message).
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

    /// Takes `key=true` or `key=false`.
    pub(crate) fn take_boolean(&mut self, key: &str) -> Result<Option<bool>, MakeError> {
        self.take(key, &format!("true or {key}=false"), |text| text.parse().ok())
    }

    /// Takes `reward=sparse`, which asks for the rewards that the paper's authors used.
    pub(crate) fn take_sparse(&mut self) -> Result<bool, MakeError> {
        let sparse = |text: &str| (text == "sparse").then_some(());
        Ok(self.take("reward", "sparse, or leave it out", sparse)?.is_some())
    }

    /// Refuses the parameters that nobody took.
    pub(crate) fn nothing_left(&self, entry: &Entry) -> Result<(), MakeError> {
        let Some((key, value)) = self.parameters.first() else { return Ok(()) };
        let known: Vec<_> = entry.parameters.iter().chain(&COMMON_PARAMETERS).copied().collect();
        let hint = format!("{} has {}", entry.name, known.join(", "));
        Err(self.parameter_error(&format!("{key}={value}"), hint))
    }

    pub(crate) fn parameter_error(&self, parameter: &str, hint: String) -> MakeError {
        MakeError::Parameter { id: self.text.clone(), parameter: parameter.into(), hint }
    }
}

/// What every environment takes.
const COMMON_PARAMETERS: [&str; 3] =
    ["time_limit=n", "reward_scale=x", "normalise=true (vector observations)"];

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
