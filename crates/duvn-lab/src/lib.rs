//! Experiments with duvn agents: runs, records, statistics, figures.

pub mod bench;
pub mod checkpoint;
pub mod evaluate;
pub mod experiment;
pub mod export;
pub mod figures;
pub mod fingerprint;
pub mod illustration;
pub mod ire;
pub mod machine;
pub mod parallel;
pub mod progress;
pub mod record;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod saved;
pub mod seeds;
pub mod settings;
pub mod stats;
pub mod store;
pub mod sweep;
pub mod values;
