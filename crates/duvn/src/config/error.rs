use super::{Config, closest};

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// There is no such knob.
    #[error("there is no setting '{key}': did you mean {}?", nearest.join(" or "))]
    UnknownKey {
        /// What was written.
        key: String,
        /// The names that come closest.
        nearest: Vec<String>,
    },
    /// There is no such preset.
    #[error("there is no agent '{name}': write one of {}", known.join(", "))]
    UnknownPreset {
        /// What was written.
        name: String,
        /// The presets, closest first.
        known: Vec<String>,
    },
    /// The text is not a value of the knob's type.
    #[error("'{key}' cannot be '{text}': write {expects}")]
    Value {
        /// The knob.
        key: String,
        /// What was written.
        text: String,
        /// What to write.
        expects: String,
    },
    /// The value is outside the knob's range, or does not fit another knob's.
    #[error("'{key}' cannot be {value}: {hint}")]
    Range {
        /// The knob.
        key: &'static str,
        /// Its value.
        value: String,
        /// What to write.
        hint: String,
    },
    /// The knob was set, but nothing looks at it.
    #[error("'{key}' has no effect here: it needs {needs}; write that too, or leave it out")]
    Inert {
        /// The knob.
        key: String,
        /// What to write with it.
        needs: &'static str,
    },
}

impl ConfigError {
    pub(super) fn unknown_key(key: &str) -> Self {
        let names: Vec<_> = Config::knobs().iter().map(|knob| knob.name).collect();
        ConfigError::UnknownKey { key: key.into(), nearest: closest(key, &names, 3) }
    }
}
