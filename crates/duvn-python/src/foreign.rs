//! An environment written in Python, as ours are.

use crate::convert::{fill, understand, value_error};
use duvn_envs::{Action, Environment, Observation, Space, StateError, Step, StepError};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What went wrong in Python, on its way to whoever called.
#[derive(Clone, Default)]
pub struct Trouble(Arc<Mutex<Option<PyErr>>>);

impl Trouble {
    fn put(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The first error since the last call.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A Gymnasium environment and how its spaces are ours.
pub struct Foreign {
    env: Py<PyAny>,
    step: Py<PyAny>,
    reset: Py<PyAny>,
    plan: Plan,
    index: usize,
    numbers: Vec<f32>,
    trouble: Trouble,
    /// Whether it may be frozen with pickle.
    pickle: Arc<AtomicBool>,
    /// Why no episode could begin.
    broken: Option<String>,
}

/// The spaces of a Gymnasium environment, and where its whole numbers begin.
#[derive(Clone)]
pub struct Plan {
    pub observations: Space,
    pub observation_start: i64,
    pub actions: Space,
    pub action_start: i64,
    /// The shape of a continuous action.
    pub action_shape: Vec<usize>,
    /// Nobody looks at the observations, whatever they are.
    pub blind: bool,
}

impl Plan {
    /// From `(observations, start, actions, start, shape)`.
    pub fn understand(plan: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let space = |at| understand(plan.get_item(at)?.cast::<PyTuple>().map_err(value_error)?);
        Ok(Plan {
            observations: space(0)?,
            observation_start: plan.get_item(1)?.extract()?,
            actions: space(2)?,
            action_start: plan.get_item(3)?.extract()?,
            action_shape: plan.get_item(4)?.extract()?,
            blind: plan.get_item(0)?.get_item(0)?.eq("none")?,
        })
    }
}

impl Foreign {
    pub fn new(
        env: &Bound<'_, PyAny>,
        plan: Plan,
        trouble: Trouble,
        pickle: Arc<AtomicBool>,
    ) -> PyResult<Self> {
        let numbers = match &plan.observations {
            Space::Discrete(_) => Vec::new(),
            Space::Box { low, .. } => vec![0.0; low.len()],
        };
        Ok(Foreign {
            step: env.getattr("step")?.unbind(),
            reset: env.getattr("reset")?.unbind(),
            env: env.clone().unbind(),
            plan,
            index: 0,
            numbers,
            trouble,
            pickle,
            broken: None,
        })
    }

    fn see(&mut self, py: Python<'_>, seen: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.plan.blind {
            return Ok(());
        }
        if matches!(self.plan.observations, Space::Discrete(_)) {
            let index = seen.extract::<i64>()? - self.plan.observation_start;
            // What lies below the first index is outside, as what lies above the last one is.
            self.index = usize::try_from(index).unwrap_or(usize::MAX);
            return Ok(());
        }
        fill(py, seen, &mut self.numbers)
    }

    fn begin(&mut self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        let arguments = PyDict::new(py);
        if let Some(seed) = seed {
            arguments.set_item("seed", seed)?;
        }
        let result = self.reset.bind(py).call((), Some(&arguments))?;
        let seen = result.get_item(0)?;
        self.see(py, &seen)
    }

    fn act(&mut self, py: Python<'_>, action: Action<'_>) -> PyResult<Step> {
        let action = match action {
            Action::Index(index) => (index as i64 + self.plan.action_start).into_pyobject(py)?.into_any(),
            Action::Vector(numbers) => {
                PyArray1::from_slice(py, numbers).reshape(self.plan.action_shape.clone())?.into_any()
            }
        };
        let result = self.step.bind(py).call1((action,))?;
        let result = result.cast_into::<PyTuple>().map_err(|_| {
            PyTypeError::new_err(
                "step() must return a tuple: observation, reward, terminated, truncated, info",
            )
        })?;
        if result.len() != 5 {
            let what = format!(
                "step() returned {} values: write observation, reward, terminated, truncated, info",
                result.len()
            );
            return Err(value_error(what));
        }
        let seen = result.get_item(0)?;
        self.see(py, &seen)?;
        Ok(Step {
            reward: result.get_item(1)?.extract()?,
            terminated: result.get_item(2)?.is_truthy()?,
            truncated: result.get_item(3)?.is_truthy()?,
        })
    }

    fn report(&self, error: PyErr) -> String {
        let said = error.to_string();
        self.trouble.put(error);
        said
    }
}

impl Environment for Foreign {
    fn observation_space(&self) -> Space {
        self.plan.observations.clone()
    }

    fn action_space(&self) -> Space {
        self.plan.actions.clone()
    }

    /// A failure is told by the next step, which has a way to say so.
    fn reset(&mut self, seed: Option<u64>) {
        let begun = Python::attach(|py| self.begin(py, seed));
        self.broken = begun.err().map(|error| self.report(error));
    }

    fn observation(&self) -> Observation<'_> {
        match self.plan.observations {
            Space::Discrete(_) => Observation::Index(self.index),
            Space::Box { .. } => Observation::Vector(&self.numbers),
        }
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        if let Some(said) = &self.broken {
            return Err(StepError::Failed(said.clone()));
        }
        let step = Python::attach(|py| self.act(py, action));
        step.map_err(|error| StepError::Failed(self.report(error)))
    }

    fn save(&self) -> Option<Vec<u8>> {
        if !self.pickle.load(Ordering::Relaxed) {
            return None;
        }
        Python::attach(|py| {
            let bytes = py.import("pickle")?.call_method1("dumps", (self.env.bind(py),))?;
            let seen = (self.index, self.numbers.clone(), bytes.extract::<Vec<u8>>()?);
            Ok::<_, PyErr>(duvn_envs::freeze(&seen))
        })
        .ok()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (index, numbers, bytes): (usize, Vec<f32>, Vec<u8>) = duvn_envs::thaw(state)?;
        if numbers.len() != self.numbers.len() {
            return Err(StateError::Misfit("its observations have another width".into()));
        }
        let taken = Python::attach(|py| {
            let env = py.import("pickle")?.call_method1("loads", (bytes,))?;
            self.step = env.getattr("step")?.unbind();
            self.reset = env.getattr("reset")?.unbind();
            self.env = env.unbind();
            Ok::<_, PyErr>(())
        });
        taken.map_err(|error| StateError::Misfit(self.report(error)))?;
        (self.index, self.numbers) = (index, numbers);
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        Python::attach(|py| {
            let shown = self.env.bind(py).call_method0("render").ok()?;
            shown.extract().ok()
        })
    }
}

/// Makes environments by calling a Python function: `(plan, make)` where `make(seed)` gives an environment.
pub fn maker(
    plan: Plan,
    make: Py<PyAny>,
) -> impl Fn(u64) -> Result<Box<dyn Environment>, String> + Send + Sync + 'static {
    move |seed| {
        Python::attach(|py| {
            let env = make.bind(py).call1((seed,))?;
            let env = Foreign::new(&env, plan.clone(), Trouble::default(), Arc::default())?;
            Ok::<_, PyErr>(Box::new(env) as Box<dyn Environment>)
        })
        .map_err(|error| error.to_string())
    }
}
