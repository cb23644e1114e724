//! Grids: settings with several values, of which every combination is run.

use super::ExperimentError;
use super::file::{Settings, Source};
use super::plan::MOST_RUNS;
use crate::settings::check_effect;
use duvn::Config;
use toml::{Spanned, Value};

/// Settings as they are written: those of the whole file and of the environment may be for some agents alone, those of
/// an agent are its own.
pub struct Layers<'a> {
    /// The file's, then the environment's.
    pub common: [&'a Settings; 2],
    /// The agent's.
    pub own: &'a Settings,
    /// Whether other agents read the common ones too.
    pub shared: bool,
}

/// One combination: an agent to run.
#[derive(Debug)]
pub struct Point {
    /// The settings that have a grid, with the values they have here.
    pub values: Vec<(String, String)>,
    /// The whole configuration.
    pub config: Config,
}

impl Point {
    /// The agent's name with its values: `egreedy, epsilon 0.05`.
    pub fn name(&self, agent: &str) -> String {
        self.values.iter().fold(agent.into(), |name, (key, value)| format!("{name}, {key} {value}"))
    }

    /// What is added to the heading of a panel for the value of `facet`.
    pub fn heading(&self, facet: &str) -> Option<String> {
        let (key, value) = self.values.iter().find(|(key, _)| key == facet)?;
        Some(format!(", {key} {value}"))
    }
}

/// A setting with its value, or its values.
struct Written<'a> {
    key: &'a Spanned<String>,
    values: Vec<String>,
    grid: bool,
    own: bool,
}

/// Every combination of what `layers` set over the preset `before`.
pub fn points(
    source: Source<'_>,
    before: &Config,
    layers: &Layers<'_>,
) -> Result<Vec<Point>, ExperimentError> {
    let written = merge(source, before, layers)?;
    let combinations = written.iter().try_fold(1usize, |all, one| all.checked_mul(one.values.len()));
    let Some(combinations) = combinations.filter(|&count| count <= MOST_RUNS) else {
        let place = written.iter().find(|one| one.grid).map_or(0..0, |one| one.key.span());
        let what = format!("the grids have more than {MOST_RUNS} combinations: leave values out");
        return Err(source.wrong(&Spanned::new(place, ()), what));
    };
    let mut points: Vec<Point> = Vec::new();
    for number in 0..combinations {
        let point = point(source, before, layers, &written, number)?;
        // Combinations that differ only in what has no effect are one.
        if points.iter().all(|known| known.values != point.values) {
            points.push(point);
        }
    }
    Ok(points)
}

/// Each setting once, as the last layer has it; every value is read, so that none is wrong unnoticed.
fn merge<'a>(
    source: Source<'_>,
    before: &Config,
    layers: &Layers<'a>,
) -> Result<Vec<Written<'a>>, ExperimentError> {
    let mut written: Vec<Written<'a>> = Vec::new();
    let [first, second] = layers.common;
    for (settings, own) in [(first, !layers.shared), (second, !layers.shared), (layers.own, true)] {
        for (key, value) in settings {
            let (values, grid) = texts(source, key, value)?;
            for text in &values {
                before.clone().set(key.get_ref(), text).map_err(|error| {
                    let error = error.to_string();
                    // A list where no list can be: several values were meant.
                    let grid = match value {
                        Value::Array(_) if !error.contains("list") => {
                            format!(", or for several of them {} = {{ grid = {text} }}", key.get_ref())
                        }
                        _ => String::new(),
                    };
                    source.wrong(key, error + &grid)
                })?;
            }
            written.retain(|known| known.key.get_ref() != key.get_ref());
            written.push(Written { key, values, grid, own });
        }
    }
    Ok(written)
}

/// The `number`-th combination; the last setting changes fastest.
fn point(
    source: Source<'_>,
    before: &Config,
    layers: &Layers<'_>,
    written: &[Written<'_>],
    number: usize,
) -> Result<Point, ExperimentError> {
    let mut rest = number;
    let mut chosen: Vec<(&Written<'_>, &str)> = Vec::new();
    for one in written.iter().rev() {
        chosen.insert(0, (one, &one.values[rest % one.values.len()]));
        rest /= one.values.len();
    }
    let apply = |chosen: &[(&Written<'_>, &str)]| -> Result<Config, ExperimentError> {
        let mut config = before.clone();
        for (one, text) in chosen {
            config.set(one.key.get_ref(), text).map_err(|error| source.wrong(one.key, error))?;
        }
        Ok(config)
    };
    let all = apply(&chosen)?;
    // A grid that all agents share multiplies only those that it has an effect on.
    chosen.retain(|(one, _)| {
        one.own || !one.grid || !layers.shared || check_effect(before, &all, one.key.get_ref()).is_ok()
    });
    let config = apply(&chosen)?;
    for (one, _) in chosen.iter().filter(|(one, _)| one.own) {
        let effect = check_effect(before, &config, one.key.get_ref());
        effect.map_err(|error| source.wrong(one.key, error))?;
    }
    let values = chosen.iter().filter(|(one, _)| one.grid);
    let values = values.map(|(one, text)| (one.key.get_ref().clone(), text.to_string())).collect();
    Ok(Point { values, config })
}

/// The values of a setting, and whether it is a grid.
fn texts(
    source: Source<'_>,
    key: &Spanned<String>,
    value: &Value,
) -> Result<(Vec<String>, bool), ExperimentError> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let parts: Vec<_> = list.iter().map(ToString::to_string).collect();
            format!("[{}]", parts.join(","))
        }
        other => other.to_string(),
    };
    let Value::Table(table) = value else { return Ok((vec![text(value)], false)) };
    let name = key.get_ref();
    let wrong = |what: String| Err(source.wrong(key, what));
    match (table.len(), table.get("grid")) {
        (1, Some(Value::Array(list))) if !list.is_empty() => {
            let values: Vec<String> = list.iter().map(text).collect();
            match values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
                Some((_, twice)) => {
                    wrong(format!("the grid of '{name}' has {twice} twice: leave one of them out"))
                }
                None => Ok((values, true)),
            }
        }
        (1, Some(other)) if !other.is_array() => {
            let one = text(other);
            wrong(format!(
                "the grid of '{name}' is not a list: write {name} = {{ grid = [{one}] }}, with its other values"
            ))
        }
        (1, Some(_)) => {
            wrong(format!("the grid of '{name}' has no values: write {name} = {{ grid = [0.05, 0.1] }}"))
        }
        _ => wrong(format!(
            "'{name}' is a table: write it flat, {name} = value, or as a grid, {name} = {{ grid = [1, 2] }}"
        )),
    }
}
