use super::parameter::{COMMON, Kind, Parameter};
use super::{ENTRIES, Entry, own};

/// Why an id names no environment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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
    /// The maker of an environment of one's own failed.
    #[error("the environment '{id}' cannot be made: {error}")]
    Own {
        /// The id as it was given.
        id: String,
        /// What the maker says.
        error: String,
    },
}

/// A parsed id, on its way to becoming an environment.
pub(crate) struct Id {
    /// The id as it was given.
    pub(crate) text: String,
    /// The line of the registry that it names.
    pub(crate) entry: &'static Entry,
    /// The size of a family's member.
    pub(crate) size: usize,
    /// Seeds what an environment draws once and for all.
    pub(crate) seed: u64,
    /// The entry's threshold, which parameters that change the rewards change too.
    pub(crate) reward_threshold: Option<f64>,
    /// The entry's time limit, which may depend on the size.
    pub(crate) time_limit: Option<u32>,
    /// What is given and not yet taken, under the parameters' own names.
    given: Vec<(&'static Parameter, String)>,
}

impl Id {
    /// Reads an id and finds its entry.
    pub(crate) fn parse(text: &str, seed: u64) -> Result<Id, MakeError> {
        let (name, query) = split(text);
        let (entry, size) = find(text, name)?;
        let Entry { reward_threshold, time_limit, .. } = *entry;
        let given = Vec::new();
        let mut id = Id { text: text.into(), entry, size, seed, reward_threshold, time_limit, given };
        for written in query.split('&').filter(|written| !written.is_empty()) {
            let Some((key, value)) = written.split_once('=') else {
                return Err(id.refuse(written, "write key=value".into()));
            };
            let Some(parameter) = entry.parameter(key) else {
                let known: Vec<_> = entry.all_parameters().map(|parameter| parameter.name).collect();
                return Err(
                    id.refuse(written, format!("for {} write one of {}", entry.name, known.join(", ")))
                );
            };
            if id.given.iter().any(|(known, _)| known.name == parameter.name) {
                return Err(id.refuse(written, "it is given twice: leave one out".into()));
            }
            id.given.push((parameter, value.into()));
        }
        Ok(id)
    }

    /// Takes what is given for a parameter, as it is written.
    fn take(&mut self, name: &str) -> Option<(&'static Parameter, String)> {
        let position = self.given.iter().position(|(parameter, _)| parameter.name == name)?;
        Some(self.given.remove(position))
    }

    /// Takes what is given for a parameter and turns it into a value; `read` refuses it with `None`.
    fn take_as<T>(
        &mut self,
        name: &str,
        read: impl Fn(&str, Kind) -> Option<T>,
    ) -> Result<Option<T>, MakeError> {
        let Some((parameter, value)) = self.take(name) else { return Ok(None) };
        match read(&value, parameter.kind) {
            Some(value) => Ok(Some(value)),
            None => Err(self.refuse(&format!("{name}={value}"), parameter.hint())),
        }
    }

    /// The kind of a parameter that the entry lists.
    ///
    /// # Panics
    /// Where it lists no such parameter. Every entry's parameters are tried in the tests.
    fn kind(&self, name: &str) -> Kind {
        self.entry.parameter(name).expect("the entry lists the parameters that its maker takes").kind
    }

    /// Whether a parameter is given and not yet taken.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(parameter, _)| parameter.name == name)
    }

    /// Takes a [`Kind::Flag`].
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, MakeError> {
        let default = matches!(self.kind(name), Kind::Flag { default: true });
        Ok(self.take_as(name, |text, _| text.parse().ok())?.unwrap_or(default))
    }

    /// Takes a [`Kind::Number`].
    pub(crate) fn number(&mut self, name: &str) -> Result<f64, MakeError> {
        let Kind::Number { default, .. } = self.kind(name) else { return Ok(0.0) };
        let read = |text: &str, kind| {
            let Kind::Number { low, high, inclusive, .. } = kind else { return None };
            let x: f64 = text.parse().ok()?;
            let inside = if inclusive { low <= x && x <= high } else { low < x && x < high };
            inside.then_some(x)
        };
        Ok(self.take_as(name, read)?.unwrap_or(default))
    }

    /// Takes a [`Kind::Count`], if it is given or has a default.
    pub(crate) fn count(&mut self, name: &str) -> Result<Option<u64>, MakeError> {
        let Kind::Count { default, .. } = self.kind(name) else { return Ok(None) };
        let read = |text: &str, kind| {
            let Kind::Count { least, most, .. } = kind else { return None };
            text.parse().ok().filter(|count| (least..=most).contains(count))
        };
        Ok(self.take_as(name, read)?.or(default))
    }

    /// Takes a [`Kind::Choice`], if it is given or has a default.
    pub(crate) fn choice(&mut self, name: &str) -> Result<Option<&'static str>, MakeError> {
        let Kind::Choice { default, .. } = self.kind(name) else { return Ok(None) };
        let read = |text: &str, kind| {
            let Kind::Choice { among, .. } = kind else { return None };
            among.iter().copied().find(|word| *word == text)
        };
        Ok(self.take_as(name, read)?.or(default))
    }

    /// Takes a [`Kind::Text`], if it is given; `read` says what is wrong with it.
    pub(crate) fn text<T, E: std::fmt::Display>(
        &mut self,
        name: &str,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, MakeError> {
        let Some((_, value)) = self.take(name) else { return Ok(None) };
        read(&value).map(Some).map_err(|error| self.refuse(&format!("{name}={value}"), error.to_string()))
    }

    /// Refuses the parameters that nobody took: they have no effect beside the others.
    pub(crate) fn nothing_left(&self) -> Result<(), MakeError> {
        let Some((parameter, value)) = self.given.first() else { return Ok(()) };
        let hint = "it has no effect beside the other parameters: leave it out".into();
        Err(self.refuse(&format!("{}={value}", parameter.name), hint))
    }

    pub(crate) fn refuse(&self, parameter: &str, hint: String) -> MakeError {
        MakeError::Parameter { id: self.text.clone(), parameter: parameter.into(), hint }
    }
}

impl Entry {
    /// Its own parameters, then the common ones.
    pub fn all_parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        self.parameters.iter().chain(&COMMON)
    }

    /// The parameter of this name or alias.
    fn parameter(&self, key: &str) -> Option<&'static Parameter> {
        self.all_parameters().find(|parameter| parameter.name == key || parameter.alias == Some(key))
    }
}

/// The name and the parameters of an id.
fn split(id: &str) -> (&str, &str) {
    id.split_once('?').unwrap_or((id, ""))
}

/// Where a member of a family stands: `Chain-10?reward_scale=2` is the one of size 10 of the family `Chain` with
/// these parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// The family: the entry's name without `-N`.
    pub family: &'static str,
    /// The size.
    pub size: usize,
    /// The parameters as they are written in the id, without the question mark.
    pub parameters: &'a str,
}

/// The place of an id in its family; `None` where there is no such environment, or where it has no size. Members with
/// the same family and parameters differ in nothing but their size.
pub fn member(id: &str) -> Option<Member<'_>> {
    let (name, parameters) = split(id);
    let (entry, size) = find(id, name).ok()?;
    Some(Member { family: entry.family()?, size, parameters })
}

/// What kind of task an id names, without size, version and parameters: `CartPole` for `CartPole-v1?reward=sparse`.
///
/// ```
/// use duvn_envs::registry::stem;
///
/// assert_eq!(["Chain-10", "Taxi-v4?rain=true", "Toy"].map(stem), ["Chain", "Taxi", "Toy"]);
/// ```
pub fn stem(id: &str) -> &str {
    id.split(['-', '?']).next().unwrap_or(id)
}

fn find(id: &str, name: &str) -> Result<(&'static Entry, usize), MakeError> {
    if let Some(entry) = ENTRIES.iter().find(|entry| entry.sizes.is_none() && entry.name == name) {
        return Ok((entry, 0));
    }
    if let Some(entry) = own::find(name) {
        return Ok((entry, 0));
    }
    let (family, size) = name.rsplit_once('-').unwrap_or((name, ""));
    for entry in ENTRIES {
        let Some((least, most)) = entry.sizes else { continue };
        if entry.family() != Some(family) {
            continue;
        }
        return match size.parse() {
            Ok(size) if (least..=most).contains(&size) => Ok((entry, size)),
            _ => Err(MakeError::Size { id: id.into(), least, most, example: entry.example() }),
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
    let mut entries: Vec<_> = own::entries().map(|entry| (closeness(entry), entry)).collect();
    entries.sort_by(|a, b| b.0.total_cmp(&a.0));
    entries.into_iter().take(3).map(|(_, entry)| entry.example()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_knows_its_family_and_size() {
        let chain = Member { family: "Chain", size: 10, parameters: "reward_scale=2" };
        assert_eq!(member("Chain-10?reward_scale=2"), Some(chain));
        assert_eq!(member("CartPoleSwingup-0").map(|member| member.size), Some(0));
        for id in ["CartPole-v1", "Chain-0", "Chain", "Nothing-10"] {
            assert_eq!(member(id), None, "{id}");
        }
    }
}
