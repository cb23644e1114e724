//! Experiments with duvn agents: runs, records, statistics, figures.

pub mod figures;
pub mod illustration;
pub mod ire;
pub mod stats;
