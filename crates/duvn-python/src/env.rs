//! One environment.

use crate::convert::{describe, failed, fill, observation, value_error};
use duvn_envs::raster::Raster;
use duvn_envs::registry::{self, Registered};
use duvn_envs::{Action, Environment, Space, StepError};
use duvn_lab::figures;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::{Mutex, PoisonError};

/// An observation, the reward, terminated, truncated, and what else there is to know.
type Outcome<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

/// An environment of the registry. `Mutex` only because environments may move between threads but not be shared.
#[pyclass(subclass, module = "duvn._duvn", name = "EnvCore")]
pub struct EnvCore {
    inner: Mutex<Registered>,
    actions: Space,
    /// The numbers of a continuous action.
    numbers: Vec<f32>,
}

impl EnvCore {
    fn env(&mut self) -> &mut Registered {
        self.inner.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The exception of a step that was refused: Gymnasium's where it has one.
pub fn step_error(py: Python<'_>, error: &StepError) -> PyErr {
    let needed = || {
        let class = py.import("gymnasium.error")?.getattr("ResetNeeded")?;
        Ok::<_, PyErr>(PyErr::from_value(class.call1((error.to_string(),))?))
    };
    match error {
        StepError::NotRunning => needed().unwrap_or_else(|error| error),
        other => value_error(other),
    }
}

/// The index of a discrete action, given as any kind of whole number.
pub fn index(action: &Bound<'_, PyAny>, space: &Space) -> PyResult<usize> {
    action.extract::<usize>().map_err(|_| {
        let example = space.example();
        PyValueError::new_err(format!("action {action} is outside the action space {space}: write {example}"))
    })
}

/// Puts a continuous action into `numbers`, clipped to its bounds as Gymnasium does.
pub fn clipped(
    py: Python<'_>,
    action: &Bound<'_, PyAny>,
    space: &Space,
    numbers: &mut [f32],
) -> PyResult<()> {
    fill(py, action, numbers)?;
    if let Space::Box { low, high } = space {
        for ((number, &low), &high) in numbers.iter_mut().zip(low).zip(high) {
            if number.is_nan() {
                return Err(value_error(format!("an action has a NaN in it: write {}", space.example())));
            }
            *number = number.clamp(low, high);
        }
    }
    Ok(())
}

#[pymethods]
impl EnvCore {
    /// Makes the environment `id`; what it draws once and for all comes from `map_seed`. Further arguments are for the
    /// classes made of this one.
    #[new]
    #[pyo3(signature = (id, map_seed = 0, *_args, **_kwargs))]
    fn new(
        id: &str,
        map_seed: u64,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let inner = registry::make(id, map_seed).map_err(value_error)?;
        let actions = inner.action_space();
        let numbers = vec![0.0; if matches!(actions, Space::Box { .. }) { actions.width() } else { 0 }];
        Ok(EnvCore { inner: Mutex::new(inner), actions, numbers })
    }

    /// Becomes another environment with the same spaces; no episode is running then.
    fn remake(&mut self, id: &str, map_seed: u64) -> PyResult<()> {
        let fresh = registry::make(id, map_seed).map_err(value_error)?;
        if fresh.observation_space() != self.env().observation_space() || fresh.action_space() != self.actions
        {
            return Err(value_error("the other environment has other spaces"));
        }
        *self.env() = fresh;
        Ok(())
    }

    /// The id with its parameters.
    #[getter]
    fn full_id(&mut self) -> String {
        self.env().id.clone()
    }

    #[getter]
    fn time_limit(&mut self) -> Option<u32> {
        self.env().time_limit
    }

    #[getter]
    fn reward_threshold(&mut self) -> Option<f64> {
        self.env().reward_threshold
    }

    /// The observation space and the action space.
    fn spaces<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyTuple>)> {
        let (observations, actions) = (self.env().observation_space(), self.actions.clone());
        Ok((describe(py, &observations)?, describe(py, &actions)?))
    }

    /// Begins an episode.
    #[pyo3(signature = (seed = None))]
    fn begin<'py>(&mut self, py: Python<'py>, seed: Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        let env = self.env();
        env.reset(seed);
        observation(py, env.observation())
    }

    /// Acts.
    fn step<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<Outcome<'py>> {
        let EnvCore { inner, actions, numbers } = self;
        let env = inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        let action = if matches!(actions, Space::Discrete(_)) {
            Action::Index(index(action, actions)?)
        } else {
            clipped(py, action, actions, numbers)?;
            Action::Vector(numbers)
        };
        let step = env.step(action).map_err(|error| step_error(py, &error))?;
        let seen = observation(py, env.observation())?;
        Ok((seen, step.reward, step.terminated, step.truncated, PyDict::new(py)))
    }

    /// What is seen now.
    fn observe<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        observation(py, self.env().observation())
    }

    /// Everything that decides the future.
    fn freeze<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let state = self.env().save().ok_or_else(|| failed("this environment cannot be frozen"))?;
        Ok(PyBytes::new(py, &state))
    }

    /// Goes on from where `freeze` was called.
    fn thaw(&mut self, state: &[u8]) -> PyResult<()> {
        self.env().restore(state).map_err(value_error)
    }

    /// The present state as text.
    fn text(&mut self) -> String {
        let env = self.env();
        env.render_text().unwrap_or_else(|| match env.observation() {
            duvn_envs::Observation::Index(index) => format!("state {index}\n"),
            duvn_envs::Observation::Vector(numbers) => format!("{numbers:?}\n"),
        })
    }

    /// The present state as pixels: height x width x 3.
    #[pyo3(signature = (width = 600, height = 400))]
    fn pixels<'py>(
        &mut self,
        py: Python<'py>,
        width: u32,
        height: u32,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let mut raster = Raster::new(width, height).map_err(value_error)?;
        let (rgba, width, height) = if self.env().draw(&mut raster) {
            (raster.rgba().to_vec(), width, height)
        } else {
            let text = self.text();
            figures::terminal(&text).map_err(failed)?
        };
        let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        PyArray1::from_vec(py, rgb).reshape([height as usize, width as usize, 3])
    }
}
