//! What there is to choose from.

use crate::convert::{describe, value_error};
use duvn_envs::Environment;
use duvn_envs::registry::{self, Kind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Every environment: name, sizes, spaces of an example, parameters.
#[pyfunction]
pub fn entries(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for entry in registry::entries() {
        let line = PyDict::new(py);
        let example = registry::make(&entry.example(), 0).map_err(value_error)?;
        line.set_item("name", entry.name)?;
        line.set_item("family", entry.family())?;
        line.set_item("sizes", entry.sizes)?;
        line.set_item("about", entry.about)?;
        line.set_item("example", entry.example())?;
        line.set_item("time_limit", example.time_limit)?;
        line.set_item("reward_threshold", example.reward_threshold)?;
        line.set_item("observation_space", describe(py, &example.observation_space())?)?;
        line.set_item("action_space", describe(py, &example.action_space())?)?;
        let parameters = PyList::empty(py);
        for parameter in entry.all_parameters() {
            let row = PyDict::new(py);
            row.set_item("name", parameter.name)?;
            row.set_item("alias", parameter.alias)?;
            row.set_item("about", parameter.about)?;
            row.set_item("default", parameter.default())?;
            row.set_item("values", parameter.kind.to_string())?;
            row.set_item("is_text", matches!(parameter.kind, Kind::Text { .. }))?;
            parameters.append(row)?;
        }
        line.set_item("parameters", parameters)?;
        list.append(line)?;
    }
    Ok(list)
}

/// The names of the presets.
#[pyfunction]
pub fn presets() -> Vec<&'static str> {
    duvn::config::PRESETS.iter().map(|preset| preset.name).collect()
}

/// The instruction set that networks are computed with.
#[pyfunction]
pub fn isa() -> String {
    duvn::net::isa().to_string()
}
