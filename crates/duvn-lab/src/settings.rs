//! An agent's configuration from what a user writes: a preset, then a TOML file, then single settings.

use duvn::config::{Config, ConfigError, preset_for};
use duvn_envs::Space;

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A name or a value is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// `--set` without an equals sign.
    #[error("'{0}' sets nothing: write key=value, for example gamma=0.99")]
    NotAnAssignment(String),
    /// The text is not TOML.
    #[error(
        "line {line} of the settings is not TOML: write one 'key = value' a line, with text in double quotes"
    )]
    Toml {
        /// The line, counted from 1.
        line: usize,
    },
    /// A table where a value should stand.
    #[error("'{0}' is a table: settings are written flat, one 'key = value' a line")]
    Table(String),
}

/// Sets one `key=value`; gives the key.
fn assign<'a>(config: &mut Config, assignment: &'a str) -> Result<&'a str, SettingsError> {
    let parts = assignment.split_once('=').filter(|(key, _)| !key.trim().is_empty());
    let (key, value) = parts.ok_or_else(|| SettingsError::NotAnAssignment(assignment.into()))?;
    config.set(key.trim(), value)?;
    Ok(key.trim())
}

/// Sets every `key = value` of a TOML table.
pub fn assign_table(config: &mut Config, table: &toml::Table) -> Result<(), SettingsError> {
    for (key, value) in table {
        let text = match value {
            toml::Value::Table(_) => return Err(SettingsError::Table(key.clone())),
            toml::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        config.set(key, &text)?;
    }
    Ok(())
}

/// Reads a TOML text; what is wrong with it is said in one line.
fn parse(text: &str) -> Result<toml::Table, SettingsError> {
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or(text);
        SettingsError::Toml { line: before.matches('\n').count() + 1 }
    })
}

/// The preset `agent` for these observations, with the settings of a TOML text and of `key=value` assignments, in that
/// order. What is assigned must have an effect; a text may be one that several agents share.
pub fn resolve(
    agent: &str,
    observations: &Space,
    toml: Option<&str>,
    assignments: &[String],
) -> Result<Config, SettingsError> {
    let mut config = preset_for(agent, observations)?;
    if let Some(text) = toml {
        assign_table(&mut config, &parse(text)?)?;
    }
    let mut keys = Vec::new();
    for assignment in assignments {
        keys.push(assign(&mut config, assignment)?);
    }
    config.check()?;
    let before = preset_for(agent, observations)?;
    keys.into_iter().try_for_each(|key| check_effect(&before, &config, key))?;
    Ok(config)
}

/// Whether the setting `key`, by which `config` came from a preset, has an effect. To switch off what the preset has
/// switched on counts as one, though nothing is left of it.
pub fn check_effect(before: &Config, config: &Config, key: &str) -> Result<(), ConfigError> {
    let value = |config: &Config| config.entries().into_iter().find(|(name, _)| *name == key);
    if value(config) == value(&Config::default()) && value(config) != value(before) {
        return Ok(());
    }
    config.check_effect(key)
}

/// Reads back what [`to_toml`] wrote, which names every knob.
pub fn from_toml(text: &str) -> Result<Config, SettingsError> {
    let mut config = Config::default();
    assign_table(&mut config, &parse(text)?)?;
    config.check()?;
    Ok(config)
}

/// The settings as a TOML text that [`from_toml`] reads back.
pub fn to_toml(config: &Config) -> String {
    let quoted = |value: &str| {
        // A float without a point and with more digits than TOML's integers have is written as text.
        let float = value.contains('.') && value.parse::<f64>().is_ok();
        let plain =
            float || value.starts_with('[') || value.parse::<i64>().is_ok() || value.parse::<bool>().is_ok();
        if plain { value.to_string() } else { format!("\"{value}\"") }
    };
    config.entries().iter().map(|(key, value)| format!("{key} = {}\n", quoted(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDICES: Space = Space::Discrete(4);

    #[test]
    fn a_written_configuration_reads_back_the_same() {
        let config = resolve(
            "duvn",
            &INDICES,
            None,
            &["hidden=[64,32]".into(), "gamma=0.9".into(), "learning_rate=1e-38".into()],
        )
        .unwrap();
        assert_eq!(from_toml(&to_toml(&config)).unwrap(), config);
    }

    #[test]
    fn what_a_preset_has_can_be_switched_off() {
        let off =
            resolve("duvn-deep", &INDICES, None, &["local=none".into(), "shrink=false".into()]).unwrap();
        assert!(!off.shrink);
        assert!(resolve("egreedy", &INDICES, None, &["shrink=false".into()]).is_err(), "it was off before");
    }

    #[test]
    fn later_settings_win() {
        let config = resolve("duvn", &INDICES, Some("keep = 0.5\nbatch = 8"), &["keep=0.6".into()]).unwrap();
        assert_eq!((config.keep, config.batch), (0.6, 8));
    }

    #[test]
    fn bad_settings_are_named() {
        for (toml, assignment, part) in [
            (Some("keep = "), None, "TOML"),
            (Some("[agent]\nkeep = 1"), None, "flat"),
            (Some("kep = 1"), None, "keep"),
            (None, Some("keep"), "key=value"),
            (None, Some("keep=2"), "keep"),
            (None, Some("members=3"), "posterior=ensemble"),
        ] {
            let assignments: Vec<_> = assignment.iter().map(|text| text.to_string()).collect();
            let error = resolve("duvn", &INDICES, toml, &assignments).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
