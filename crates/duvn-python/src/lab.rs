//! Experiments from Python: the same plans, records and reports as those of the command line.

use crate::convert::{failed, value_error};
use crate::foreign::{Plan, maker};
use duvn_envs::registry::{Own, Registry};
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::ire::{self as lab_ire, Ird, IreError};
use duvn_lab::shard::Shard;
use duvn_lab::spec::RunSpec;
use duvn_lab::store::{Growth, Store, StoreError};
use duvn_lab::sweep::{End, Options, Watch, sweep as lab_sweep};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How often the interpreter is asked for signals while the work goes on without it.
const LOOK: Duration = Duration::from_millis(50);

/// An environment of the user: `(name, plan, make, time_limit, reward_threshold)`.
type Written<'py> = (String, Bound<'py, PyTuple>, Py<PyAny>, Option<u32>, Option<f64>);

/// Lets the lab know the user's environments.
fn install(environments: Vec<Written<'_>>) -> PyResult<()> {
    let mut registry = Registry::new();
    for (name, plan, make, time_limit, threshold) in environments {
        let mut own = Own::fallible(name, maker(Plan::understand(&plan)?, make));
        if let Some(steps) = time_limit {
            own = own.time_limit(steps);
        }
        if let Some(threshold) = threshold {
            own = own.reward_threshold(threshold);
        }
        registry = registry.with(own).map_err(value_error)?;
    }
    registry.install();
    Ok(())
}

fn store_error(error: StoreError) -> PyErr {
    if error.is_usage() { value_error(error) } else { failed(error) }
}

fn read(text: &str, quick: bool) -> PyResult<Experiment> {
    Experiment::parse(text, &Variant { quick, seeds: None }).map_err(value_error)
}

/// Works without the interpreter, which is asked for signals meanwhile. A signal raises `stop`; its exception is raised once
/// the work has ended cleanly.
fn without_interpreter<R: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> R + Send,
    mut look: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<R> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            let mut raised = None;
            while !worker.is_finished() {
                std::thread::sleep(LOOK);
                if raised.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals().and_then(|()| look(py)))
                {
                    stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            let result = worker.join().map_err(|_| failed("a worker thread failed"))?;
            raised.map_or(Ok(result), Err)
        })
    })
}

/// What a sweep says while it runs.
#[derive(Default)]
struct Notes {
    done: AtomicUsize,
    warnings: Mutex<Vec<String>>,
}

impl Watch for Notes {
    fn ended(&self, _run: &RunSpec, _end: &End) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn warned(&self, run: &RunSpec, what: &str) {
        if let Ok(mut warnings) = self.warnings.lock() {
            warnings.push(format!("{} {} seed {}: {what}", run.env, run.agent, run.seed));
        }
    }
}

/// The runs of an experiment: place, id, environment, agent and seed of each; and its name.
#[pyfunction]
#[pyo3(signature = (text, quick, environments))]
pub fn plan<'py>(
    py: Python<'py>,
    text: &str,
    quick: bool,
    environments: Vec<Written<'py>>,
) -> PyResult<(String, Bound<'py, PyList>)> {
    install(environments)?;
    let experiment = read(text, quick)?;
    let runs = PyList::empty(py);
    for run in &experiment.runs {
        let row = PyDict::new(py);
        row.set_item("place", run.place)?;
        row.set_item("id", &run.id)?;
        row.set_item("env", &run.spec.env)?;
        row.set_item("agent", &run.spec.agent)?;
        row.set_item("seed", run.spec.seed)?;
        runs.append(row)?;
    }
    Ok((experiment.name, runs))
}

/// Runs an experiment, or a share of it, into a folder; ends cleanly after `seconds`. Gives how each run ended, and warnings.
#[pyfunction]
#[pyo3(signature = (
    text, out, jobs, quick, checkpoint_every, environments, shard = None, seconds = None, retry = false, extend = false,
    any_isa = false, rerun = "", progress = None
))]
#[allow(clippy::too_many_arguments)]
pub fn sweep<'py>(
    py: Python<'py>,
    text: &str,
    out: &str,
    jobs: usize,
    quick: bool,
    checkpoint_every: f64,
    environments: Vec<Written<'py>>,
    shard: Option<&str>,
    seconds: Option<f64>,
    retry: bool,
    extend: bool,
    any_isa: bool,
    rerun: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyList>, Vec<String>)> {
    install(environments)?;
    if jobs == 0 {
        return Err(value_error("jobs cannot be 0: write 1 or more"));
    }
    let checkpoint_every = Duration::try_from_secs_f64(checkpoint_every).map_err(|_| {
        value_error(format!(
            "checkpoint_every cannot be {checkpoint_every}: write a number of seconds, such as 20"
        ))
    })?;
    let mut experiment = read(text, quick)?;
    experiment.show.rerun = rerun.into();
    if let Some(shard) = shard {
        shard.parse::<Shard>().map_err(value_error)?.take(&mut experiment.runs);
    }
    let growth = if extend { Growth::Extend } else { Growth::Refused };
    let store = Store::open_to_grow(Path::new(out), &experiment, growth).map_err(store_error)?;
    let (stop, notes, total) = (AtomicBool::new(false), Notes::default(), experiment.runs.len());
    let begun = Instant::now();
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let work = || {
        let options = Options { jobs, checkpoint_every, retry, any_isa, stop: &stop };
        lab_sweep(&store, &experiment.runs, &options, &notes)
    };
    let mut said = usize::MAX;
    let look = |py: Python<'_>| {
        if limit.is_some_and(|limit| begun.elapsed() >= limit) {
            stop.store(true, Ordering::Relaxed);
        }
        let done = notes.done.load(Ordering::Relaxed);
        if let Some(progress) = progress.as_ref().filter(|_| done != said) {
            progress.bind(py).call1((done, total))?;
            said = done;
        }
        Ok(())
    };
    let ends = without_interpreter(py, &stop, work, look)?.map_err(store_error)?;
    let list = PyList::empty(py);
    for (run, end) in experiment.runs.iter().zip(ends) {
        let row = PyDict::new(py);
        row.set_item("id", &run.id)?;
        row.set_item("env", &run.spec.env)?;
        row.set_item("agent", &run.spec.agent)?;
        row.set_item("seed", run.spec.seed)?;
        let (status, error, outcome) = match end {
            End::Done(outcome) | End::DoneBefore(outcome) => ("done", None, Some(outcome)),
            End::Stopped(outcome) => ("stopped", None, Some(outcome)),
            End::NotBegun => ("left", None, None),
            End::Elsewhere => ("elsewhere", None, None),
            End::Failed(why) | End::FailedBefore(why) => ("failed", Some(why), None),
            End::Refused(why) => ("refused", Some(why), None),
        };
        row.set_item("status", status)?;
        row.set_item("error", error)?;
        if let Some(outcome) = outcome {
            let text = serde_json::to_string(&outcome).map_err(failed)?;
            let values = py.import("json")?.call_method1("loads", (text,))?;
            row.call_method1("update", (values,))?;
        }
        list.append(row)?;
    }
    Ok((list, notes.warnings.into_inner().unwrap_or_default()))
}

/// Puts shards together.
#[pyfunction]
pub fn merge(py: Python<'_>, out: &str, shards: Vec<PathBuf>) -> PyResult<(usize, usize, usize)> {
    let merged = py.detach(|| duvn_lab::merge::merge(Path::new(out), &shards));
    let merged = merged.map_err(|error| if error.is_usage() { value_error(error) } else { failed(error) })?;
    Ok((merged.added, merged.before, merged.unfinished))
}

/// Writes figures, tables and the page of an experiment; gives the page.
#[pyfunction]
pub fn report(py: Python<'_>, folder: &str) -> PyResult<PathBuf> {
    py.detach(|| {
        let store = Store::open(Path::new(folder)).map_err(store_error)?;
        let report = duvn_lab::report::report(&store).map_err(failed)?;
        Ok(report.page)
    })
}

/// The returns of random traces, in an environment of the registry or of the user.
#[pyfunction]
#[pyo3(signature = (env, environments, traces, max_steps, seed, threads, progress = None, first = 0))]
#[allow(clippy::too_many_arguments)]
pub fn ire<'py>(
    py: Python<'py>,
    env: &str,
    environments: Vec<Written<'py>>,
    traces: usize,
    max_steps: u32,
    seed: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
    first: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    install(environments)?;
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let options = lab_ire::Options { traces, first, max_steps, seed, threads };
    let look = |py: Python<'_>| match &progress {
        Some(progress) => progress.bind(py).call1((done.load(Ordering::Relaxed), traces)).map(drop),
        None => Ok(()),
    };
    let ird = without_interpreter(py, &stop, || lab_ire::run(env, &options, &stop, &done), look)?;
    let ird = ird.map_err(|error| match error {
        IreError::Step(_) | IreError::Worker | IreError::Stopped => failed(error),
        other => value_error(other),
    })?;
    Ok(PyArray1::from_vec(py, ird.returns))
}

/// Mean, standard deviation and entropy in nats of returns.
#[pyfunction]
pub fn ire_summary(returns: PyReadonlyArray1<'_, f64>) -> PyResult<(f64, f64, f64)> {
    let ird = Ird { env: String::new(), returns: returns.as_array().to_vec(), max_steps: 0 };
    let summary = ird.summary().ok_or_else(|| value_error("there are no returns, or some are no numbers"))?;
    Ok((summary.mean, summary.sd, summary.entropy.nats))
}

/// Draws initial return distributions, `(name, returns, max_steps)` each, into a file: SVG or PNG by its ending.
#[pyfunction]
pub fn ire_figure(
    irds: Vec<(String, PyReadonlyArray1<'_, f64>, u32)>,
    path: &str,
    footer: Option<String>,
) -> PyResult<()> {
    let ird = |(env, returns, max_steps): (String, PyReadonlyArray1<'_, f64>, u32)| Ird {
        env,
        returns: returns.as_array().to_vec(),
        max_steps,
    };
    let irds: Vec<Ird> = irds.into_iter().map(ird).collect();
    let mut figure = lab_ire::figure(&irds);
    if let Some(footer) = footer {
        figure.footer = footer;
    }
    let bytes = if path.ends_with(".png") {
        figure.to_png(2.0).map_err(failed)?
    } else {
        figure.to_svg().into_bytes()
    };
    std::fs::write(path, bytes).map_err(|error| PyOSError::new_err(format!("cannot write {path}: {error}")))
}
