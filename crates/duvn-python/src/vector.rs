//! Several environments at once.

use crate::convert::{describe, fill, observation, value_error};
use crate::env::step_error;
use duvn_envs::registry::{self, Registered};
use duvn_envs::{Action, Environment, Observation, Space, Step};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::sync::{Mutex, PoisonError};

/// When an environment whose episode is over begins the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reset {
    NextStep,
    SameStep,
    Disabled,
}

/// Observations, rewards, terminations, truncations and infos, as Gymnasium's vector environments answer.
type Outcome<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyDict>,
);

/// Observations of several environments, as they are gathered.
enum Seen {
    Indices(Vec<i64>),
    Numbers(Vec<f32>),
}

impl Seen {
    fn new(space: &Space, count: usize) -> Self {
        match space {
            Space::Discrete(_) => Seen::Indices(Vec::with_capacity(count)),
            Space::Box { .. } => Seen::Numbers(Vec::with_capacity(count * space.width())),
        }
    }

    fn add(&mut self, observation: Observation<'_>) {
        match (self, observation) {
            (Seen::Indices(all), Observation::Index(index)) => all.push(index as i64),
            (Seen::Numbers(all), Observation::Vector(numbers)) => all.extend_from_slice(numbers),
            // An environment answers as its space says.
            (Seen::Indices(_), Observation::Vector(_)) | (Seen::Numbers(_), Observation::Index(_)) => {}
        }
    }

    /// A NumPy array that owns these numbers, one row an environment.
    fn into_array(self, py: Python<'_>, count: usize) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Seen::Indices(all) => Ok(PyArray1::from_vec(py, all).into_any()),
            Seen::Numbers(all) => {
                let width = all.len() / count;
                let rows = Array2::from_shape_vec((count, width), all).map_err(value_error)?;
                Ok(PyArray2::from_owned_array(py, rows).into_any())
            }
        }
    }
}

/// Environments of one kind side by side.
#[pyclass(module = "duvn._duvn", name = "VectorCore")]
pub struct VectorCore {
    envs: Mutex<Vec<Registered>>,
    observations: Space,
    actions: Space,
    reset: Reset,
    /// Whose episode is over.
    over: Vec<bool>,
    /// The discrete actions of a step, and the numbers of continuous ones.
    indices: Vec<usize>,
    numbers: Vec<f32>,
}

impl VectorCore {
    fn envs(&mut self) -> &mut Vec<Registered> {
        self.envs.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let count = self.over.len();
        let mut seen = Seen::new(&self.observations, count);
        self.envs().iter().for_each(|env| seen.add(env.observation()));
        seen.into_array(py, count)
    }

    /// Reads the actions of all environments, so that one that cannot be taken is found before any environment moves.
    fn take(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let (count, width) = (self.over.len(), self.actions.width());
        match &self.actions {
            Space::Discrete(n) => {
                self.indices.clear();
                let Ok(array) = actions.cast::<PyArray1<i64>>() else {
                    let array = py.import("numpy")?.call_method1("asarray", (actions, "int64"))?;
                    let array = array.cast_into::<PyArray1<i64>>().map_err(|_| {
                        value_error(format!("write one action for each of the {count} environments"))
                    })?;
                    return self.take(py, array.as_any());
                };
                let array = array.try_readonly()?;
                let array = array.as_array();
                if array.len() != count {
                    let what = format!("there are {} actions for {count} environments", array.len());
                    return Err(value_error(what));
                }
                for &action in &array {
                    let index = usize::try_from(action).ok().filter(|index| index < n);
                    self.indices.push(index.ok_or_else(|| {
                        let (space, example) = (&self.actions, self.actions.example());
                        value_error(format!(
                            "action {action} is outside the action space {space}: write {example}"
                        ))
                    })?);
                }
            }
            Space::Box { low, high } => {
                self.numbers.resize(count * width, 0.0);
                fill(py, actions, &mut self.numbers)?;
                for (at, number) in self.numbers.iter_mut().enumerate() {
                    if number.is_nan() {
                        let what = format!("an action has a NaN in it: write {}", self.actions.example());
                        return Err(value_error(what));
                    }
                    *number = number.clamp(low[at % width], high[at % width]);
                }
            }
        }
        Ok(())
    }
}

#[pymethods]
impl VectorCore {
    #[new]
    fn new(id: &str, map_seed: u64, count: usize, autoreset: &str) -> PyResult<Self> {
        if count == 0 {
            return Err(value_error("num_envs cannot be 0: write 1 or more"));
        }
        let made = |_| registry::make(id, map_seed).map_err(value_error);
        let envs = (0..count).map(made).collect::<PyResult<Vec<_>>>()?;
        let reset = match autoreset {
            "NextStep" => Reset::NextStep,
            "SameStep" => Reset::SameStep,
            "Disabled" => Reset::Disabled,
            other => {
                let what =
                    format!("there is no autoreset mode '{other}': write NextStep, SameStep or Disabled");
                return Err(value_error(what));
            }
        };
        let (observations, actions) = (envs[0].observation_space(), envs[0].action_space());
        let (over, indices, numbers) = (vec![false; count], Vec::with_capacity(count), Vec::new());
        Ok(VectorCore { envs: Mutex::new(envs), observations, actions, reset, over, indices, numbers })
    }

    #[getter]
    fn full_id(&mut self) -> String {
        self.envs()[0].id.clone()
    }

    fn spaces<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyTuple>)> {
        Ok((describe(py, &self.observations)?, describe(py, &self.actions)?))
    }

    /// Begins episodes in those that `mask` names, or in all.
    #[pyo3(signature = (seeds, mask = None))]
    fn begin<'py>(
        &mut self,
        py: Python<'py>,
        seeds: Vec<Option<u64>>,
        mask: Option<Vec<bool>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for (at, seed) in seeds.into_iter().enumerate().take(self.over.len()) {
            if mask.as_ref().is_none_or(|mask| mask.get(at) == Some(&true)) {
                self.envs()[at].reset(seed);
                self.over[at] = false;
            }
        }
        self.seen(py)
    }

    /// Acts everywhere. An action that cannot be taken is found before any environment moves.
    fn step<'py>(&mut self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Outcome<'py>> {
        self.take(py, actions)?;
        let VectorCore { envs, over, indices, numbers, reset, .. } = self;
        let envs = envs.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (count, reset, width) = (over.len(), *reset, self.actions.width());
        let discrete = matches!(self.actions, Space::Discrete(_));
        if reset == Reset::Disabled && over.contains(&true) {
            let what =
                "an episode is over: call reset(options={\"reset_mask\": terminations | truncations}) first";
            return Err(value_error(what));
        }
        let mut rewards = Vec::with_capacity(count);
        let (mut terminations, mut truncations) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut seen = Seen::new(&self.observations, count);
        // The last observations of episodes after which the next one begins at once.
        let mut last: Option<Bound<'_, PyList>> = None;
        for (at, (env, over)) in envs.iter_mut().zip(over).enumerate() {
            let step = if *over && reset == Reset::NextStep {
                env.reset(None);
                Step { reward: 0.0, terminated: false, truncated: false }
            } else {
                let action = if discrete {
                    Action::Index(indices[at])
                } else {
                    Action::Vector(&numbers[at * width..(at + 1) * width])
                };
                env.step(action).map_err(|error| step_error(py, &error))?
            };
            *over = step.done();
            if *over && reset == Reset::SameStep {
                let ended = (at, observation(py, env.observation())?);
                last.get_or_insert_with(|| PyList::empty(py)).append(ended)?;
                env.reset(None);
                *over = false;
            }
            rewards.push(step.reward);
            terminations.push(step.terminated);
            truncations.push(step.truncated);
            seen.add(env.observation());
        }
        let infos = match last {
            None => PyDict::new(py),
            Some(last) => {
                py.import("duvn.envs")?.call_method1("final_infos", (last, count))?.cast_into::<PyDict>()?
            }
        };
        let flags = |flags| PyArray1::from_vec(py, flags);
        let (terminations, truncations) = (flags(terminations), flags(truncations));
        Ok((seen.into_array(py, count)?, PyArray1::from_vec(py, rewards), terminations, truncations, infos))
    }

    /// Everything that decides the future of each environment.
    fn freeze<'py>(&mut self, py: Python<'py>) -> PyResult<(Vec<Bound<'py, PyBytes>>, Vec<bool>)> {
        let frozen = self.envs().iter().map(|env| {
            let state = env.save().ok_or_else(|| value_error("this environment cannot be frozen"))?;
            Ok(PyBytes::new(py, &state))
        });
        Ok((frozen.collect::<PyResult<_>>()?, self.over.clone()))
    }

    fn thaw(&mut self, states: Vec<Vec<u8>>, over: Vec<bool>) -> PyResult<()> {
        if states.len() != self.over.len() || over.len() != self.over.len() {
            return Err(value_error("the frozen state is of another number of environments"));
        }
        for (env, state) in self.envs().iter_mut().zip(&states) {
            env.restore(state).map_err(value_error)?;
        }
        self.over = over;
        Ok(())
    }
}
