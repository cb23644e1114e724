//! What can be written after the question mark of an id.

use std::fmt;

/// A parameter of an environment: `key=value` in an id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The key.
    pub name: &'static str,
    /// Another name that is understood: Gymnasium's or bsuite's, where it differs.
    pub alias: Option<&'static str>,
    /// What it does, in one line.
    pub about: &'static str,
    /// What its values are, and which one holds where none is given.
    pub kind: Kind,
}

/// The values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// `true` or `false`.
    Flag {
        /// What holds where none is given.
        default: bool,
    },
    /// A number between two bounds.
    Number {
        /// What holds where none is given.
        default: f64,
        /// The bounds.
        low: f64,
        /// The bounds.
        high: f64,
        /// Whether the bounds themselves are allowed.
        inclusive: bool,
    },
    /// A whole number between two bounds, which are allowed.
    Count {
        /// What holds where none is given; `None` where the environment decides.
        default: Option<u64>,
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// One of a few words.
    Choice {
        /// What holds where none is given; `None` where that has no word.
        default: Option<&'static str>,
        /// The words.
        among: &'static [&'static str],
    },
    /// A text of its own form.
    Text {
        /// What it may look like.
        example: &'static str,
    },
}

impl Parameter {
    pub(super) const fn new(name: &'static str, about: &'static str, kind: Kind) -> Self {
        Parameter { name, alias: None, about, kind }
    }

    pub(super) const fn or(self, alias: &'static str) -> Self {
        Parameter { alias: Some(alias), ..self }
    }

    /// What holds where the parameter is not given, as it would be written.
    pub fn default(&self) -> Option<String> {
        match self.kind {
            Kind::Flag { default } => Some(default.to_string()),
            Kind::Number { default, .. } => Some(default.to_string()),
            Kind::Count { default, .. } => default.map(|count| count.to_string()),
            Kind::Choice { default, .. } => default.map(Into::into),
            Kind::Text { .. } => None,
        }
    }

    /// Some values that are allowed: all where there are few, else the ends of their range.
    pub fn examples(&self) -> Vec<String> {
        match self.kind {
            Kind::Flag { .. } => vec!["true".into(), "false".into()],
            Kind::Number { low, high, inclusive: true, .. } => vec![low.to_string(), high.to_string()],
            Kind::Number { default, .. } => vec![(default * 1.125).to_string()],
            Kind::Count { least, most, .. } => vec![least.to_string(), most.min(least + 7).to_string()],
            Kind::Choice { among, .. } => among.iter().map(ToString::to_string).collect(),
            Kind::Text { example } => vec![example.into()],
        }
    }

    /// What to write, for an error message.
    pub(super) fn hint(&self) -> String {
        let name = self.name;
        match self.kind {
            Kind::Flag { .. } => format!("write {name}=true or {name}=false"),
            Kind::Choice { among, .. } => {
                let words: Vec<_> = among.iter().map(|word| format!("{name}={word}")).collect();
                format!("write {}, or leave it out", words.join(" or "))
            }
            Kind::Text { example } => format!("write for example {name}={example}"),
            Kind::Number { .. } | Kind::Count { .. } => format!("write {name}= and a {}", self.kind),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Kind::Flag { .. } => write!(f, "true|false"),
            Kind::Number { low, high: f64::INFINITY, .. } => write!(f, "number above {low}"),
            Kind::Number { low, high, inclusive: true, .. } => write!(f, "number from {low} to {high}"),
            Kind::Number { low, high, .. } => write!(f, "number above {low} and below {high}"),
            Kind::Count { least, most: u64::MAX, .. } => write!(f, "whole number from {least}"),
            Kind::Count { least, most, .. } => write!(f, "whole number from {least} to {most}"),
            Kind::Choice { among, .. } => write!(f, "{}", among.join("|")),
            Kind::Text { example } => write!(f, "text such as {example}"),
        }
    }
}

/// What every environment takes.
pub const COMMON: [Parameter; 4] = [
    Parameter::new(
        "time_limit",
        "episodes are truncated after so many steps",
        Kind::Count { default: None, least: 1, most: u32::MAX as u64 },
    )
    .or("max_episode_steps"),
    Parameter::new(
        "reward_scale",
        "rewards, and the threshold, are multiplied by it",
        Kind::Number { default: 1.0, low: 0.0, high: f64::INFINITY, inclusive: false },
    ),
    Parameter::new(
        "reward_noise",
        "the standard deviation of normal noise on every reward",
        Kind::Number { default: 0.0, low: 0.0, high: 1e6, inclusive: true },
    )
    .or("noise_scale"),
    Parameter::new("normalise", "vector observations are brought to [-1, 1]", Kind::Flag { default: false }),
];
