//! Statistics over seeds, never over episodes: one run gives one score a task.
//!
//! Pure functions, one file a subject. Scores of several tasks are a slice of tasks, each the scores of
//! its runs; tasks may have different numbers of runs. Every function answers `None` where there is
//! nothing to say: no runs, a mean of a score that is not finite (a diverged run must be given a score by whoever
//! knows what it is worth; leaving it out would flatter the method), or an interval that would not hold what it says.
//!
//! Every interval is for 95 %. `tests/coverage.rs` measures how many of them hold the truth.

mod aggregate;
mod beta;
mod bootstrap;
mod bsuite;
mod centre;
mod difference;
mod improvement;
mod ks;
mod normal;
mod profile;
mod proportion;
mod survival;

pub use aggregate::{
    iqm, iqm_of_tasks, mean, mean_of_tasks, median, median_of_tasks, quantile, standard_deviation,
};
pub use bootstrap::{Bootstrap, Interval, Measured};
pub use bsuite::{DeepSeaRun, deep_sea_score};
pub use centre::{Bounds, iqm_and_error, iqm_interval, mean_and_error, mean_interval, median_interval};
pub use difference::difference_interval;
pub use improvement::{improvement_interval, probability_of_improvement};
pub use ks::{KsTest, ks_two_sample};
pub use normal::{normal_cdf, normal_density};
pub use profile::{profile_interval, score_at_least};
pub use proportion::share_interval;
pub use survival::{KaplanMeier, Outcome, SurvivalStep};

/// How many of all intervals are to hold the truth.
pub const CONFIDENCE: f64 = 0.95;

/// With fewer runs there is no interval: none would hold the truth as often as it says.
pub const FEWEST_RUNS: usize = 5;

/// The 97.5 % point of the standard normal distribution: a two-sided 95 % interval is this many standard
/// errors to each side.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// The values, if there are any and all are finite.
fn finite(values: &[f64]) -> Option<&[f64]> {
    (!values.is_empty() && values.iter().all(|value| value.is_finite())).then_some(values)
}
