//! Experiments with duvn agents: runs, records, statistics, figures.

pub mod stats;
