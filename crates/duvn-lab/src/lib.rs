//! Experiments with duvn agents: runs, records, statistics, figures.

pub mod actions;
pub mod beliefs;
pub mod bench;
pub mod board;
mod bounds;
pub mod bsuite;
pub mod calibration;
pub mod check;
pub mod checkpoint;
pub use duvn::disk;
mod escape;
pub mod evaluate;
pub mod exact;
pub mod experiment;
pub mod export;
pub mod figures;
pub mod fingerprint;
pub mod illustration;
pub mod ire;
pub mod judgement;
pub mod machine;
pub mod merge;
pub mod parallel;
pub mod progress;
pub mod record;
pub mod report;
pub mod reproduce;
mod results;
pub mod room;
pub mod run;
pub mod saved;
pub mod seeds;
pub mod settings;
pub mod shard;
pub mod spec;
pub mod standing;
pub mod stats;
pub mod store;
pub mod sweep;
pub mod values;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
