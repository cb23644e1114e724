//! The keys of experiment files: one list, from which files are checked and the reference is written.

use super::ExperimentError;
use super::file::Source;
use duvn::config::{Config, parse_count};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key that may be written.
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What stands behind it.
    pub kind: Kind,
    /// What holds where it is not written; `None` where it must be.
    pub default: Option<&'static str>,
    /// What it says, in a sentence.
    pub about: &'static str,
    /// A line that works.
    pub example: &'static str,
}

/// What stands behind a key.
pub enum Kind {
    /// Text in quotes.
    Text,
    /// A list of texts.
    Texts,
    /// A whole number, also `"10k"` or `1e6`.
    Count,
    /// A list of whole numbers.
    Counts,
    /// `true` or `false`.
    Flag,
    /// Seeds, as a range or a list.
    Seeds,
    /// Settings of agents.
    Settings,
    /// A table.
    One(&'static [Key]),
    /// One table or more.
    Many(&'static [Key]),
}

impl Kind {
    /// The kind in a word or two.
    pub fn says(&self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Texts => "list of texts",
            Kind::Count => "count",
            Kind::Counts => "list of counts",
            Kind::Flag => "true or false",
            Kind::Seeds => "seeds",
            Kind::Settings => "settings",
            Kind::One(_) => "table",
            Kind::Many(_) => "tables",
        }
    }

    /// What to write, as the end of "write …".
    fn write(&self) -> &'static str {
        match self {
            Kind::Text => "text in double quotes",
            Kind::Texts => "a list of texts in double quotes",
            Kind::Count => "a whole number such as 500, 1e6 or \"10k\"",
            Kind::Counts => "a list of whole numbers such as [0, 100, 400]",
            Kind::Flag => "true or false",
            Kind::Seeds => "seeds such as \"0..5\" (0 to 4) or [0, 1, 2]",
            Kind::Settings => "settings, one 'key = value' a line below [settings]",
            Kind::One(_) => "a table: its name in brackets, its keys below",
            Kind::Many(_) => "tables: the name in double brackets, once for each",
        }
    }
}

const fn key(name: &'static str, kind: Kind, about: &'static str, example: &'static str) -> Key {
    Key { name, kind, default: None, about, example }
}

impl Key {
    const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }
}

use Kind::*;

/// The keys of a file.
pub const FILE: &[Key] = &[
    key(
        "name",
        Text,
        "The experiment's name. Its folder is `results/NAME` unless `--out` says otherwise.",
        "name = \"mine\"",
    ),
    key("title", Text, "The heading of the report.", "title = \"My first experiment\"").or("the name"),
    key(
        "about",
        Text,
        "A sentence or two under the heading of the report.",
        "about = \"Who finds the reward?\"",
    )
    .or("nothing"),
    key(
        "seeds",
        Seeds,
        "The seeds. Every agent runs in every environment once for each.",
        "seeds = \"0..5\"",
    ),
    key("episodes", Count, "The budget of a run, in episodes.", "episodes = 500")
        .or("1000, where `steps` is not given"),
    key("steps", Count, "The budget of a run, in environment steps, instead of episodes.", "steps = \"50k\"")
        .or("none"),
    key(
        "until_solved",
        Flag,
        "Whether a run ends with the episode that solves its task.",
        "until_solved = true",
    )
    .or("false"),
    key(
        "evaluations",
        Count,
        "How often a run is evaluated on the policy of the best mean; 0 is never.",
        "evaluations = 20",
    )
    .or("20"),
    key("evaluation_episodes", Count, "Episodes of each evaluation.", "evaluation_episodes = 5").or("5"),
    key(
        "settings",
        Settings,
        "Settings of every agent, written over those of the preset.",
        "settings = { gamma = 0.99 }",
    )
    .or("none"),
    key("environments", Many(ENVIRONMENT), "The environments.", "[[environments]]"),
    key("agents", Many(AGENT), "The agents.", "[[agents]]"),
    key("figure", One(FIGURE), "How figures are laid out.", "[figure]").or("none"),
    key("quick", One(QUICK), "The shortened version that `duvn sweep FILE --quick` runs.", "[quick]")
        .or("none"),
    key("watch", Many(WATCH), "Runs whose beliefs about every state are recorded and drawn.", "[[watch]]")
        .or("none"),
];

/// The keys of `[[environments]]`.
pub const ENVIRONMENT: &[Key] = &[
    key("id", Text, "The environment; `duvn envs` lists them.", "id = \"Chain-10\""),
    key("title", Text, "The heading of its panel.", "title = \"A chain of ten\"").or("the id"),
    key("group", Text, "Environments of one group share a figure.", "group = \"small\"")
        .or("one figure for all"),
    key("episodes", Count, "Its own budget, in episodes.", "episodes = 200").or("the file's"),
    key("steps", Count, "Its own budget, in environment steps.", "steps = 20000").or("the file's"),
    key("settings", Settings, "Settings of every agent in this environment.", "settings = { gamma = 0.9 }")
        .or("none"),
];

/// The keys of `[[agents]]`.
pub const AGENT: &[Key] = &[
    key("preset", Text, "The agent to start from; `duvn agents` lists them.", "preset = \"duvn-deep\""),
    key("name", Text, "Its name in tables and figures. Two agents need two names.", "name = \"mine\"")
        .or("the preset"),
    key(
        "settings",
        Settings,
        "Settings of this agent, written over all others.",
        "settings = { keep = 0.8 }",
    )
    .or("none"),
];

/// The keys of `[figure]`.
pub const FIGURE: &[Key] = &[
    key("columns", Count, "Panels side by side.", "columns = 2").or("2"),
    key("note", Text, "A remark under every figure.", "note = \"Tuned on seeds 50 to 99.\"").or("nothing"),
    key(
        "facet",
        Text,
        "A setting with a grid: each of its values gets panels of its own.",
        "facet = \"epsilon\"",
    )
    .or("with two grids or more, the one with the fewest values"),
];

/// The keys of `[quick]`.
pub const QUICK: &[Key] = &[
    key("seeds", Seeds, "Seeds of the shortened version.", "seeds = [0]").or("the file's"),
    key("episodes", Count, "Its budget, in episodes.", "episodes = 50").or("the file's"),
    key("steps", Count, "Its budget, in environment steps.", "steps = 5000").or("the file's"),
    key(
        "environments",
        Texts,
        "The environments of the shortened version, by id.",
        "environments = [\"Chain-10\"]",
    )
    .or("all"),
];

/// The keys of `[[watch]]`.
pub const WATCH: &[Key] = &[
    key(
        "environment",
        Text,
        "An id from above whose observations are indices.",
        "environment = \"Chain-10\"",
    ),
    key("agent", Text, "An agent's name from above. Its first seed is watched.", "agent = \"duvn-deep\""),
    key("episodes", Counts, "After which episodes; 0 is before the first.", "episodes = [0, 20, 100]"),
];

/// Whether all that is written has the right names and kinds.
pub fn check(source: Source<'_>) -> Result<(), ExperimentError> {
    let table = DeTable::parse(source.0).map_err(|error| {
        let place = Spanned::new(error.span().unwrap_or(0..0), ());
        source.wrong(&place, not_toml(source.0, &error))
    })?;
    Check { source, text: source.0 }.table(&table, FILE, "the file")
}

/// What to write where a text is not TOML.
fn not_toml(text: &str, error: &toml::de::Error) -> String {
    let span = error.span().unwrap_or(0..0);
    let line = text.get(..span.start).and_then(|before| before.rsplit('\n').next()).unwrap_or("");
    let rest = text.get(span.start..).and_then(|after| after.lines().next()).unwrap_or("");
    let line = format!("{line}{rest}");
    if error.message().contains("duplicate key") {
        let key = text.get(span).unwrap_or("a key");
        return format!("'{key}' is there twice: leave one of them out");
    }
    match line.trim_start().starts_with('[') && !line.contains(']') {
        true => format!("the bracket is not closed: write {}]", line.trim()),
        false => "this is not TOML: write key = value, with text in double quotes".into(),
    }
}

struct Check<'a> {
    source: Source<'a>,
    text: &'a str,
}

impl Check<'_> {
    fn table(&self, table: &Spanned<DeTable<'_>>, keys: &[Key], of: &str) -> Result<(), ExperimentError> {
        for (name, value) in table.get_ref() {
            let Some(key) = keys.iter().find(|key| key.name == name.get_ref()) else {
                return Err(self.source.wrong(name, unknown(name.get_ref(), keys, of)));
            };
            self.value(key, value)?;
        }
        match keys.iter().find(|key| key.default.is_none() && !table.get_ref().contains_key(key.name)) {
            None => Ok(()),
            Some(Key { name, kind: Kind::Many(below), .. }) => {
                let first = below.first().map_or("", |key| key.example);
                let what = format!("there are no {name}: write [[{name}]] and {first} below it");
                Err(self.source.wrong(table, what))
            }
            Some(Key { name, example, .. }) => {
                let what = format!("{of} has no '{name}': write for example {example}");
                Err(self.source.wrong(table, what))
            }
        }
    }

    fn value(&self, key: &Key, value: &Spanned<DeValue<'_>>) -> Result<(), ExperimentError> {
        let at = |place: &Spanned<DeValue<'_>>| {
            let text = self.text.get(place.span()).unwrap_or_default();
            let mut short: String = text.lines().next().unwrap_or_default().chars().take(40).collect();
            if short.len() < text.len() {
                short.push('…');
            }
            let what = format!(
                "'{}' cannot be {short}: write {}, for example {}",
                key.name,
                key.kind.write(),
                key.example
            );
            self.source.wrong(place, what)
        };
        match (&key.kind, value.get_ref()) {
            (Text, DeValue::String(_)) | (Flag, DeValue::Boolean(_)) | (Seeds, DeValue::String(_)) => Ok(()),
            (Settings, DeValue::Table(_)) => Ok(()),
            (Count, written) if is_count(written) => Ok(()),
            (Texts, DeValue::Array(list)) => {
                list.iter().find(|item| !item.get_ref().is_str()).map_or(Ok(()), |x| Err(at(x)))
            }
            (Counts, DeValue::Array(list)) => {
                list.iter().find(|item| !is_count(item.get_ref())).map_or(Ok(()), |x| Err(at(x)))
            }
            (Seeds, DeValue::Array(list)) => {
                let wrong =
                    |item: &&Spanned<DeValue<'_>>| !item.get_ref().is_integer() || !is_count(item.get_ref());
                list.iter().find(wrong).map_or(Ok(()), |x| Err(at(x)))
            }
            (One(keys), DeValue::Table(table)) => {
                self.table(&Spanned::new(value.span(), table.clone()), keys, &format!("[{}]", key.name))
            }
            (Many(keys), DeValue::Array(list)) => {
                for item in list.iter() {
                    let DeValue::Table(table) = item.get_ref() else { return Err(at(item)) };
                    self.table(
                        &Spanned::new(item.span(), table.clone()),
                        keys,
                        &format!("[[{}]]", key.name),
                    )?;
                }
                Ok(())
            }
            (Many(_), DeValue::Table(_)) => {
                let what = format!("write [[{0}]] with double brackets, once for each of the {0}", key.name);
                Err(self.source.wrong(value, what))
            }
            _ => Err(at(value)),
        }
    }
}

/// What is said of a name that is no key.
fn unknown(name: &str, keys: &[Key], of: &str) -> String {
    let names: Vec<_> = keys.iter().map(|key| key.name).collect();
    if Config::knobs().iter().any(|knob| knob.name == name) {
        let place = if keys.iter().any(|key| key.name == "settings") { "" } else { " of the file" };
        return format!(
            "'{name}' is a setting of agents: write it below [settings], or as settings = {{ {name} = … }}{place}"
        );
    }
    let distance = |known: &&&str| strsim::damerau_levenshtein(name, known);
    let nearest = names.iter().min_by_key(distance).filter(|known| distance(known) <= 1 + known.len() / 3);
    match nearest {
        Some(nearest) => format!("there is no key '{name}' in {of}: did you mean {nearest}?"),
        None => format!("there is no key '{name}' in {of}: write one of {}", names.join(", ")),
    }
}

/// Whether a value is a count: a whole number, or one written as people do.
fn is_count(value: &DeValue<'_>) -> bool {
    let text = match value {
        DeValue::Integer(number) if number.radix() != 10 => return true,
        DeValue::Integer(number) => number.as_str(),
        DeValue::Float(number) => number.as_str(),
        DeValue::String(text) => text.as_ref(),
        _ => return false,
    };
    parse_count(text.trim_start_matches('+')).is_some_and(|count| i64::try_from(count).is_ok())
}
