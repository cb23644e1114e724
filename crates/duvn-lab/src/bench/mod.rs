//! How fast things are on this machine: the measurements behind `duvn bench`.
//!
//! Work is timed in CPU time of its one thread, so that other programs take nothing from it, and every repetition
//! of it stands beside a burst of multiply-adds, so that a slow moment of the machine slows both. Of the
//! repetitions the median is reported, with the least and the greatest.

mod compare;
mod environments;
mod loops;
mod meter;
mod network;
mod program;
mod recording;

pub use compare::{CompareError, Earlier};

use duvn::config::{PRESETS, ReturnKind};
use duvn::net::{Isa, Shape, isa};
use duvn::{AgentError, Config, TrainingError};
use duvn_envs::StepError;
use duvn_envs::registry::{ENTRIES, MakeError};
use serde::Serialize;
use std::path::PathBuf;

/// How to measure.
pub struct Options {
    /// Fewer and shorter repetitions.
    pub quick: bool,
    /// How often this program has asked for memory so far.
    pub allocations: fn() -> u64,
    /// The program whose start-up is measured, if any.
    pub program: Option<PathBuf>,
}

/// Something measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// The benchmark's name.
    pub name: String,
    /// The median of the repetitions, in `unit`.
    pub rate: f64,
    /// What `rate` and `spread` are counted in.
    pub unit: &'static str,
    /// The least and the greatest of the repetitions.
    pub spread: [f64; 2],
    /// How many repetitions there were.
    pub repetitions: usize,
    /// Floating-point operations of one unit of work.
    pub flops: Option<f64>,
    /// These operations as a share of what the core makes with the instruction set in use, in percent.
    pub percent_of_peak: Option<f64>,
    /// The same share of what the core makes with AVX2, in percent.
    pub percent_of_avx2_peak: Option<f64>,
    /// Requests for memory of one unit of work.
    pub allocations: Option<f64>,
    /// Bytes that one unit of work reads and writes, as an estimate.
    pub bytes: Option<f64>,
    /// The instruction set in use, where it matters.
    pub isa: Option<String>,
}

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum BenchError {
    /// There is no such benchmark.
    #[error("there is no benchmark '{name}': write the beginning of one of {}", known.join(", "))]
    Unknown {
        /// What was written.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The environment does not exist.
    Make(#[from] MakeError),
    /// The agent does not fit.
    Agent(#[from] AgentError),
    /// Training stopped.
    Training(#[from] TrainingError),
    /// The environment refused an action.
    Step(#[from] StepError),
    /// A program could not be run.
    #[error("cannot run {program}: {error}")]
    Program {
        /// The program.
        program: String,
        /// What happened.
        error: std::io::Error,
    },
    /// Records could not be written.
    #[error("cannot record: {0}")]
    Recording(String),
    /// A thread of the measurement ended in a panic.
    #[error("a thread of the measurement failed")]
    Thread,
}

type Measure = Box<dyn Fn(&Options) -> Result<Measurement, BenchError>>;

/// A benchmark.
pub struct Bench {
    /// Its name, in the form group-what.
    pub name: String,
    measure: Measure,
}

impl Bench {
    fn new(
        name: impl Into<String>,
        measure: impl Fn(&str, &Options) -> Result<Measurement, BenchError> + 'static,
    ) -> Self {
        let name = name.into();
        let label = name.clone();
        Bench { name, measure: Box::new(move |options| measure(&label, options)) }
    }

    /// Measures.
    pub fn run(&self, options: &Options) -> Result<Measurement, BenchError> {
        (self.measure)(options)
    }
}

/// The tasks whose bare speed is measured.
const TASKS: [&str; 6] =
    ["CartPole-v1", "MountainCar-v0", "FrozenLake-v1", "Taxi-v4", "Acrobot-v1", "LunarLander-v3"];

/// How many environments an agent learns from side by side.
const ACTORS: [usize; 3] = [1, 8, 32];

/// Steps for each update where updates are seldom: acting is then most of the work.
const SELDOM: usize = 32;

/// The training steps that are measured: what is special about the network, how many rows, and its shape.
fn trained() -> Vec<(&'static str, usize, Shape)> {
    let normalised = Shape { layer_norm: true, ..network::paper(2) };
    let quantiles = Shape { outputs: 51, ..network::paper(2) };
    vec![
        ("", 32, network::paper(2)),
        ("", 64, network::paper(2)),
        ("", 256, network::paper(2)),
        ("", 32, network::paper(4)),
        ("norm-", 32, normalised),
        ("quantiles-", 32, quantiles),
        ("shared-", 128, network::shared()),
    ]
}

/// Every benchmark that this machine and this build can run, in order.
pub fn benches(options: &Options) -> Vec<Bench> {
    let mut benches = vec![Bench::new("peak", |name, options| Ok(network::peak(name, isa(), options)))];
    if isa() != Isa::Avx2 && Isa::Avx2.is_available() {
        benches.push(Bench::new("peak-avx2", |name, options| Ok(network::peak(name, Isa::Avx2, options))));
    }
    for (kind, rows, shape) in trained() {
        benches.push(Bench::new(format!("train-{kind}{rows}x{}", shape.actions), move |name, options| {
            network::train(name, rows, &shape, options)
        }));
    }
    benches.push(Bench::new("act-network", network::act));
    benches.push(Bench::new("act-agent", loops::act));
    for preset in PRESETS {
        benches.push(Bench::new(format!("loop-{}-Chain-10", preset.name), |name, options| {
            loops::whole(name, "Chain-10", preset.config(), options)
        }));
    }
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == "return") {
        // Beside the Gaussian of the preset itself: what 51 quantiles cost.
        benches.push(Bench::new("loop-return-quantiles-Chain-10", |name, options| {
            let config = Config { returns: ReturnKind::Quantile, ..preset.config() };
            loops::whole(name, "Chain-10", config, options)
        }));
    }
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == "bootdqn") {
        benches.push(Bench::new("loop-bootdqn-DeepSea-20", |name, options| {
            loops::whole(name, "DeepSea-20", preset.config(), options)
        }));
    }
    for (env, actors) in
        ["CartPole-v1", "LunarLander-v3"].into_iter().flat_map(|env| ACTORS.map(|k| (env, k)))
    {
        for (group, steps) in [("actors", 1), ("seldom", SELDOM)] {
            benches.push(Bench::new(format!("{group}-{actors}-{env}"), move |name, options| {
                loops::actors(name, env, actors, steps, options)
            }));
        }
    }
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= 2) {
        benches.push(Bench::new("two-cores", loops::two_cores));
    }
    for task in TASKS.into_iter().filter(|task| ENTRIES.iter().any(|entry| entry.name == *task)) {
        benches.push(Bench::new(format!("env-{task}"), move |name, options| {
            environments::random(name, task, options)
        }));
    }
    benches.push(Bench::new("recording-duvn-Chain-25", recording::cost));
    if let Some(path) = &options.program {
        for (name, argument) in [("start-help", "--help"), ("start-envs", "envs")] {
            let path = path.clone();
            benches
                .push(Bench::new(name, move |name, options| program::start(name, &path, argument, options)));
        }
        if cfg!(target_os = "linux") {
            let path = path.clone();
            benches.push(Bench::new("memory-duvn-Chain-100", move |name, options| {
                program::memory(name, &path, options)
            }));
        }
    }
    benches
}

/// Those of `benches` whose names begin with `only`.
pub fn select(benches: Vec<Bench>, only: &str) -> Result<Vec<Bench>, BenchError> {
    let known: Vec<_> = benches.iter().map(|bench| bench.name.clone()).collect();
    let selected: Vec<_> = benches.into_iter().filter(|bench| bench.name.starts_with(only)).collect();
    if selected.is_empty() { Err(BenchError::Unknown { name: only.into(), known }) } else { Ok(selected) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options { quick: true, allocations: || 0, program: None }
    }

    #[test]
    fn benchmarks_are_chosen_by_the_beginning_of_their_names() {
        let names = |only| -> Vec<String> {
            select(benches(&options()), only).unwrap().into_iter().map(|bench| bench.name).collect()
        };
        assert_eq!(names("train-3"), ["train-32x2", "train-32x4"]);
        assert_eq!(names("actors-8"), ["actors-8-CartPole-v1", "actors-8-LunarLander-v3"]);
        assert_eq!(names("seldom-32"), ["seldom-32-CartPole-v1", "seldom-32-LunarLander-v3"]);
        assert_eq!(names("loop-duvn-Chain-10"), ["loop-duvn-Chain-10"]);
        let error = select(benches(&options()), "trian").err().unwrap().to_string();
        assert!(error.contains("'trian'") && error.contains("train-32x2"), "{error}");
    }

    #[test]
    fn names_are_different() {
        let mut names: Vec<_> = benches(&options()).into_iter().map(|bench| bench.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
