//! Statistics over seeds, never over episodes: one run gives one score a task.
//!
//! Pure functions, one file a subject. Scores of several tasks are a slice of tasks, each the scores of
//! its runs; tasks may have different numbers of runs. Every function answers `None` where there is
//! nothing to say: no runs, or a score that is not finite (a diverged run must be given a score by whoever
//! knows what it is worth; leaving it out would flatter the method).

mod aggregate;
mod bootstrap;
mod bsuite;
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
pub use bootstrap::{Bootstrap, Interval};
pub use bsuite::{DeepSeaRun, deep_sea_score};
pub use difference::difference_interval;
pub use improvement::{improvement_interval, probability_of_improvement};
pub use ks::{KsTest, ks_two_sample};
pub use normal::{normal_cdf, normal_density};
pub use profile::{performance_profile, score_above};
pub use proportion::wilson;
pub use survival::{KaplanMeier, Outcome, SurvivalStep};

/// The 97.5 % point of the standard normal distribution: a two-sided 95 % interval is this many standard
/// errors to each side.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// The values, if there are any and all are finite.
fn finite(values: &[f64]) -> Option<&[f64]> {
    (!values.is_empty() && values.iter().all(|value| value.is_finite())).then_some(values)
}
