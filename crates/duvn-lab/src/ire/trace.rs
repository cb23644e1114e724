use super::Ird;
use duvn_envs::registry::{self, MakeError};
use duvn_envs::{Action, Environment, Space, StepError};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How an initial return distribution is sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of traces.
    pub traces: usize,
    /// The number of the first trace: those of several programs with one seed can be put together.
    pub first: usize,
    /// The steps after which a trace is cut off.
    pub max_steps: u32,
    /// The seed of everything: what the environment draws once, its episodes, and the actions.
    pub seed: u64,
    /// The number of threads, which does not change the result; 0 for one a core.
    pub threads: usize,
}

impl Default for Options {
    /// The paper's 50,000 traces of at most 500 steps.
    fn default() -> Self {
        Options { traces: 50_000, first: 0, max_steps: 500, seed: 0, threads: 0 }
    }
}

/// Why no initial return distribution was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IreError {
    /// There is no such environment.
    #[error(transparent)]
    Make(#[from] MakeError),
    /// There is nothing to sample.
    #[error(
        "a return distribution needs at least one trace of one step: write traces and max-steps from 1 on"
    )]
    Empty,
    /// The uniform policy does not exist.
    #[error("'{0}' has actions without bounds, on which no policy is uniform: choose another environment")]
    Unbounded(String),
    /// The environment refused an action of its own action space.
    #[error("the environment refused an action: {0}")]
    Step(#[from] StepError),
    /// A return is not a number.
    #[error(
        "trace {trace} of '{env}' has the return {value}: the environment gives a reward that is no number"
    )]
    NotFinite {
        /// The environment's id.
        env: String,
        /// The trace.
        trace: usize,
        /// Its return.
        value: f64,
    },
    /// The stop flag was raised.
    #[error("stopped before all traces were run")]
    Stopped,
    /// A thread of traces ended in a panic.
    #[error("a worker thread failed")]
    Worker,
}

/// Traces that a worker takes at a time.
const BLOCK: usize = 64;

/// Samples the initial return distribution of `env`: the undiscounted returns of traces under the uniform
/// random policy.
///
/// Trace `i` depends on `options.seed` and `i` alone, so the number of threads changes nothing. `done`
/// counts finished traces for whoever shows progress; raising `stop` ends the work soon, with
/// [`IreError::Stopped`].
pub fn run(env: &str, options: &Options, stop: &AtomicBool, done: &AtomicUsize) -> Result<Ird, IreError> {
    let &Options { traces, first: from, max_steps, seed, threads } = options;
    if traces == 0 || max_steps == 0 {
        return Err(IreError::Empty);
    }
    if let Space::Box { low, high } = registry::make(env, seed)?.action_space()
        && low.iter().chain(&high).any(|bound| !bound.is_finite())
    {
        return Err(IreError::Unbounded(env.into()));
    }
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = if threads == 0 { cores() } else { threads }.min(traces.div_ceil(BLOCK));
    let next = AtomicUsize::new(0);
    // Each worker takes the next block until none is left, and hands back the returns of its blocks.
    let work = || -> Result<Vec<(usize, Vec<f64>)>, IreError> {
        let mut env = registry::make(env, seed)?;
        let actions = env.action_space();
        let mut blocks = Vec::new();
        loop {
            let first = next.fetch_add(1, Ordering::Relaxed) * BLOCK;
            if first >= traces {
                return Ok(blocks);
            }
            let mut returns = Vec::with_capacity(BLOCK);
            for index in first..(first + BLOCK).min(traces) {
                if stop.load(Ordering::Relaxed) {
                    return Err(IreError::Stopped);
                }
                returns.push(trace(&mut env, &actions, max_steps, seed, (from + index) as u64)?);
                done.fetch_add(1, Ordering::Relaxed);
            }
            blocks.push((first, returns));
        }
    };
    let mut blocks = std::thread::scope(|scope| {
        // This thread works too; where the system gives no more threads, those that there are suffice.
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..threads).map_while(spawn).collect();
        let mut blocks = work()?;
        for worker in workers {
            blocks.extend(worker.join().map_err(|_| IreError::Worker)??);
        }
        Ok::<_, IreError>(blocks)
    })?;
    blocks.sort_unstable_by_key(|(first, _)| *first);
    let returns: Vec<f64> = blocks.into_iter().flat_map(|(_, returns)| returns).collect();
    match returns.iter().position(|value| !value.is_finite()) {
        Some(trace) => Err(IreError::NotFinite { env: env.into(), trace, value: returns[trace] }),
        None => Ok(Ird { env: env.into(), returns, max_steps }),
    }
}

/// The return of one trace. Its own stream of random numbers seeds the episode and then draws the actions.
fn trace(
    env: &mut impl Environment,
    actions: &Space,
    max_steps: u32,
    seed: u64,
    index: u64,
) -> Result<f64, StepError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    env.reset(Some(rng.next_u64()));
    let mut numbers = vec![0.0; if let Space::Box { low, .. } = actions { low.len() } else { 0 }];
    let mut total = 0.0;
    for _ in 0..max_steps {
        let step = env.step(uniform(actions, &mut rng, &mut numbers))?;
        total += step.reward;
        if step.done() {
            break;
        }
    }
    Ok(total)
}

/// A uniform action; the numbers of a continuous one are put into `numbers`.
fn uniform<'a>(actions: &Space, rng: &mut ChaCha8Rng, numbers: &'a mut [f32]) -> Action<'a> {
    match actions {
        Space::Discrete(n) => Action::Index(((u64::from(rng.next_u32()) * *n as u64) >> 32) as usize),
        Space::Box { low, high } => {
            for ((number, &low), &high) in numbers.iter_mut().zip(low).zip(high) {
                let share = f64::from(rng.next_u32()) / f64::from(u32::MAX);
                let value = f64::from(low) + share * (f64::from(high) - f64::from(low));
                *number = (value as f32).clamp(low, high);
            }
            Action::Vector(numbers)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duvn_envs::{Observation, Step};

    fn sample(env: &str, options: &Options) -> Result<Ird, IreError> {
        run(env, options, &AtomicBool::new(false), &AtomicUsize::new(0))
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        for env in ["Toy", "Chain-3"] {
            let with = |threads| {
                // Enough work that every thread gets some.
                sample(env, &Options { traces: 100_000, threads, seed: 5, ..Options::default() }).unwrap()
            };
            let one = with(1);
            assert_eq!(one.returns.len(), 100_000);
            for threads in [0, 2, 3, 7, 1000] {
                assert_eq!(with(threads), one, "{threads} threads");
            }
        }
    }

    /// One step, whose reward is the seed of its episode.
    struct Echo(Option<u64>);

    impl Environment for Echo {
        fn observation_space(&self) -> Space {
            Space::Discrete(1)
        }

        fn action_space(&self) -> Space {
            Space::Discrete(1)
        }

        fn reset(&mut self, seed: Option<u64>) {
            self.0 = seed;
        }

        fn observation(&self) -> Observation<'_> {
            Observation::Index(0)
        }

        fn step(&mut self, _action: Action<'_>) -> Result<Step, StepError> {
            let seed = self.0.ok_or(StepError::NotRunning)?;
            Ok(Step { reward: (seed >> 12) as f64, terminated: true, truncated: false })
        }
    }

    #[test]
    fn every_trace_seeds_its_episode_anew() {
        let seed = |seed, index| trace(&mut Echo(None), &Space::Discrete(1), 5, seed, index).unwrap();
        assert_eq!(seed(1, 7), seed(1, 7));
        assert!(seed(1, 7) != seed(1, 8) && seed(1, 7) != seed(2, 7));
    }

    #[test]
    fn more_traces_go_on_from_the_same_ones_and_another_seed_does_not() {
        let returns =
            |traces, seed| sample("Toy", &Options { traces, seed, ..Options::default() }).unwrap().returns;
        assert_eq!(returns(500, 1)[..200], returns(200, 1));
        let rest = Options { traces: 300, first: 200, seed: 1, ..Options::default() };
        assert_eq!(returns(500, 1)[200..], sample("Toy", &rest).unwrap().returns);
        assert_ne!(returns(200, 1), returns(200, 2));
    }

    #[test]
    fn the_toy_has_its_four_returns_in_equal_shares() {
        // Returns 0, 1, 2, 3: mean 1.5, sd sqrt(5/4), entropy ln 4.
        let summary = sample("Toy", &Options::default()).unwrap().summary().unwrap();
        assert_eq!(summary.traces, 50_000);
        assert!((summary.mean - 1.5).abs() < 0.02, "{summary:?}");
        assert!((summary.sd - 1.25f64.sqrt()).abs() < 0.02, "{summary:?}");
        assert!((summary.entropy.nats - 4f64.ln()).abs() < 1e-3, "{summary:?}");
    }

    #[test]
    fn the_chain_pays_once_in_two_to_the_n() {
        let summary = sample("Chain-4", &Options::default()).unwrap().summary().unwrap();
        assert!((summary.mean - 1.0 / 16.0).abs() < 0.004, "{summary:?}");
        let (p, q) = (1.0 / 16.0, 15.0f64 / 16.0);
        let entropy = -p * f64::ln(p) - q * q.ln();
        assert!((summary.entropy.nats - entropy).abs() < 0.012, "{summary:?}");
    }

    #[test]
    fn traces_are_cut_off() {
        // One step into the Toy pays -1 or 1.
        let options = Options { traces: 100, max_steps: 1, ..Options::default() };
        let returns = sample("Toy", &options).unwrap().returns;
        assert!(returns.iter().all(|&value| value == 1.0 || value == -1.0));
        assert!(returns.contains(&1.0) && returns.contains(&-1.0));
    }

    #[test]
    fn continuous_actions_fill_their_box() {
        let space = Space::Box { low: vec![-2.0, 0.0], high: vec![2.0, f32::MAX] };
        let (mut rng, mut numbers) = (ChaCha8Rng::seed_from_u64(0), [0.0; 2]);
        let mut mean = 0.0;
        for _ in 0..10_000 {
            let action = uniform(&space, &mut rng, &mut numbers);
            assert!(space.contains_action(action), "{action:?}");
            mean += f64::from(numbers[0]) / 10_000.0;
        }
        assert!(mean.abs() < 0.05, "{mean}");
    }

    #[test]
    fn what_cannot_be_sampled_is_named() {
        assert!(matches!(sample("Chian-3", &Options::default()), Err(IreError::Make(_))));
        let none = Options { traces: 0, ..Options::default() };
        assert_eq!(sample("Toy", &none), Err(IreError::Empty));
        let done = AtomicUsize::new(0);
        let stopped = run("Toy", &Options::default(), &AtomicBool::new(true), &done);
        assert_eq!((stopped, done.into_inner()), (Err(IreError::Stopped), 0));
    }
}
