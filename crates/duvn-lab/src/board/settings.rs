//! The settings of runs, for finding out what differs between two of them.

use crate::settings::to_toml;
use crate::store::RunRow;
use serde_json::{Map, Value};

/// Every knob of a run with its value as it is written, beside what else decides the run.
pub fn settings(row: &RunRow) -> Value {
    let mut map = Map::new();
    let text = to_toml(&row.spec.config);
    for line in text.lines() {
        if let Some((key, value)) = line.split_once('=') {
            map.insert(key.trim().into(), Value::from(value.trim().trim_matches('"')));
        }
    }
    Value::Object(map)
}
