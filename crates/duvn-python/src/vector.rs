//! Several environments at once.

use crate::convert::{describe, fill, observation, value_error};
use crate::env::step_error;
use duvn_envs::registry::{self, Registered};
use duvn_envs::{Action, Environment, Observation, Space, Step};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::sync::{Mutex, PoisonError};

/// When an environment whose episode is over begins the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reset {
    NextStep,
    SameStep,
    Disabled,
}

/// Observations, rewards, terminations, truncations, and the last observations of the episodes that this step ended.
type Outcome<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyList>,
);

/// Environments of one kind side by side.
#[pyclass(module = "duvn._duvn", name = "VectorCore")]
pub struct VectorCore {
    envs: Mutex<Vec<Registered>>,
    observations: Space,
    actions: Space,
    reset: Reset,
    /// Whose episode is over.
    over: Vec<bool>,
}

impl VectorCore {
    fn envs(&mut self) -> &mut Vec<Registered> {
        self.envs.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (count, width) = (self.over.len(), self.observations.width());
        if matches!(self.observations, Space::Discrete(_)) {
            let index = |env: &Registered| match env.observation() {
                Observation::Index(index) => index as i64,
                Observation::Vector(_) => 0,
            };
            let indices: Vec<i64> = self.envs().iter().map(index).collect();
            return Ok(PyArray1::from_vec(py, indices).into_any());
        }
        let mut numbers = Vec::with_capacity(count * width);
        for env in self.envs().iter() {
            if let Observation::Vector(x) = env.observation() {
                numbers.extend_from_slice(x);
            }
        }
        Ok(PyArray1::from_vec(py, numbers).reshape([count, width])?.into_any())
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
        Ok(VectorCore { envs: Mutex::new(envs), observations, actions, reset, over: vec![false; count] })
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
        let (count, space, reset) = (self.over.len(), self.actions.clone(), self.reset);
        let (mut indices, mut numbers, width) = (Vec::new(), Vec::new(), space.width());
        match &space {
            Space::Discrete(n) => {
                let array: PyReadonlyArray1<'_, i64> = actions.extract()?;
                let array = array.as_array();
                if array.len() != count {
                    let what = format!("there are {} actions for {count} environments", array.len());
                    return Err(value_error(what));
                }
                for &action in &array {
                    let index = usize::try_from(action).ok().filter(|index| index < n);
                    indices.push(index.ok_or_else(|| {
                        let example = space.example();
                        value_error(format!(
                            "action {action} is outside the action space {space}: write {example}"
                        ))
                    })?);
                }
            }
            Space::Box { low, high } => {
                numbers = vec![0.0; count * width];
                fill(py, actions, &mut numbers)?;
                for (at, number) in numbers.iter_mut().enumerate() {
                    if number.is_nan() {
                        let what = format!("an action has a NaN in it: write {}", space.example());
                        return Err(value_error(what));
                    }
                    *number = number.clamp(low[at % width], high[at % width]);
                }
            }
        }
        let VectorCore { envs, over, .. } = self;
        let envs = envs.get_mut().unwrap_or_else(PoisonError::into_inner);
        if reset == Reset::Disabled && over.contains(&true) {
            let what =
                "an episode is over: call reset(options={\"reset_mask\": terminations | truncations}) first";
            return Err(value_error(what));
        }
        let mut rewards = Vec::with_capacity(count);
        let (mut terminations, mut truncations) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let last = PyList::empty(py);
        for at in 0..count {
            let env = &mut envs[at];
            if over[at] && reset == Reset::NextStep {
                env.reset(None);
                over[at] = false;
                rewards.push(0.0);
                terminations.push(false);
                truncations.push(false);
                continue;
            }
            let action = match &space {
                Space::Discrete(_) => Action::Index(indices[at]),
                Space::Box { .. } => Action::Vector(&numbers[at * width..(at + 1) * width]),
            };
            let step = env.step(action).map_err(|error| step_error(py, &error))?;
            let Step { reward, terminated, truncated } = step;
            rewards.push(reward);
            terminations.push(terminated);
            truncations.push(truncated);
            over[at] = step.done();
            if step.done() && reset == Reset::SameStep {
                last.append((at, observation(py, env.observation())?))?;
                env.reset(None);
                over[at] = false;
            }
        }
        let seen = self.seen(py)?;
        let flags = |flags| PyArray1::from_vec(py, flags);
        Ok((seen, PyArray1::from_vec(py, rewards), flags(terminations), flags(truncations), last))
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
