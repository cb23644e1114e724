//! The extension module of the Python package `duvn`: environments, vector environments, agents and the lab, in the plainest
//! form. What users see is written in Python around it (`python/duvn`).

mod agent;
mod convert;
mod env;
mod export;
mod foreign;
mod lab;
mod lanes;
mod lists;
mod vector;

use pyo3::prelude::*;

#[pymodule]
mod _duvn {
    #[pymodule_export]
    use super::agent::AgentCore;
    #[pymodule_export]
    use super::env::EnvCore;
    #[pymodule_export]
    use super::lab::{ire, ire_figure, ire_summary, merge, plan, report, sweep};
    #[pymodule_export]
    use super::lists::{entries, isa, presets};
    #[pymodule_export]
    use super::vector::VectorCore;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
