//! An agent in a Gymnasium vector environment: one actor for each of its environments.

use crate::convert::{failed, fill, value_error};
use crate::foreign::Plan;
use duvn::{Agent, Episode};
use duvn_envs::{Observation, Space, Step};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// When an environment whose episode is over begins the next: Gymnasium's three modes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Autoreset {
    NextStep,
    SameStep,
    Disabled,
}

/// One environment of the vector, and where its episode stands.
#[derive(Clone, Default)]
struct Lane {
    index: usize,
    numbers: Vec<f32>,
    so_far: Episode,
    /// The next step is a reset.
    over: bool,
}

pub struct Lanes {
    pub agent: Agent,
    step: Py<PyAny>,
    reset: Py<PyAny>,
    plan: Plan,
    autoreset: Autoreset,
    lanes: Vec<Lane>,
    seed: u64,
    begun: bool,
}

impl Lanes {
    pub fn new(
        agent: Agent,
        env: &Bound<'_, PyAny>,
        plan: Plan,
        autoreset: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let autoreset = match autoreset {
            "NextStep" => Autoreset::NextStep,
            "SameStep" => Autoreset::SameStep,
            "Disabled" => Autoreset::Disabled,
            other => return Err(value_error(format!("there is no autoreset mode '{other}'"))),
        };
        let width =
            if matches!(plan.observations, Space::Box { .. }) { plan.observations.width() } else { 0 };
        let lane = Lane { numbers: vec![0.0; width], ..Lane::default() };
        Ok(Lanes {
            step: env.getattr("step")?.unbind(),
            reset: env.getattr("reset")?.unbind(),
            lanes: vec![lane; agent.actors()],
            agent,
            plan,
            autoreset,
            seed,
            begun: false,
        })
    }

    /// One step of every environment; the episodes that ended.
    pub fn turn(&mut self, py: Python<'_>) -> PyResult<Vec<Episode>> {
        if !self.begun {
            let arguments = PyDict::new(py);
            arguments.set_item("seed", self.seed)?;
            let result = self.reset.bind(py).call((), Some(&arguments))?;
            let all = vec![true; self.lanes.len()];
            self.begin(py, &result.get_item(0)?, &all)?;
            self.agent.decide();
            self.begun = true;
        }
        let chosen = |at| self.agent.chosen(at).unwrap_or(0) as i64 + self.plan.action_start;
        let actions: Vec<i64> = (0..self.lanes.len()).map(chosen).collect();
        let result = self.step.bind(py).call1((PyArray1::from_vec(py, actions),))?;
        let result = result.cast_into::<PyTuple>().map_err(value_error)?;
        let (seen, infos) = (result.get_item(0)?, result.get_item(4)?);
        let rewards: Vec<f64> =
            result.get_item(1)?.try_iter()?.map(|x| x?.extract()).collect::<PyResult<_>>()?;
        let flags = |at| -> PyResult<Vec<bool>> {
            result.get_item(at)?.try_iter()?.map(|flag| flag?.is_truthy()).collect()
        };
        let (terminations, truncations) = (flags(2)?, flags(3)?);
        let (mut ended, mut fresh) = (Vec::new(), vec![false; self.lanes.len()]);
        let mut over = vec![false; self.lanes.len()];
        for at in 0..self.lanes.len() {
            if self.lanes[at].over {
                fresh[at] = true;
                continue;
            }
            let step = Step { reward: rewards[at], terminated: terminations[at], truncated: truncations[at] };
            if step.done() && self.autoreset == Autoreset::SameStep {
                let last = infos.get_item("final_obs")?.get_item(at)?;
                self.see(py, at, &last)?;
                fresh[at] = true;
            } else {
                self.see(py, at, &seen.get_item(at)?)?;
            }
            self.count(at, step.reward);
            self.observe(at, &step)?;
            if step.done() {
                over[at] = true;
                ended.push(std::mem::take(&mut self.lanes[at].so_far));
                self.lanes[at].over = self.autoreset == Autoreset::NextStep;
            }
        }
        self.agent.decide();
        self.agent.learn().map_err(failed)?;
        if self.autoreset == Autoreset::Disabled && over.contains(&true) {
            let (arguments, options) = (PyDict::new(py), PyDict::new(py));
            options.set_item("reset_mask", PyArray1::from_slice(py, &over))?;
            arguments.set_item("options", options)?;
            let result = self.reset.bind(py).call((), Some(&arguments))?;
            self.begin(py, &result.get_item(0)?, &over)?;
        } else {
            self.begin(py, &seen, &fresh)?;
        }
        self.agent.decide();
        Ok(ended)
    }

    /// Episodes begin in the environments that `which` names.
    fn begin(&mut self, py: Python<'_>, seen: &Bound<'_, PyAny>, which: &[bool]) -> PyResult<()> {
        for (at, _) in which.iter().enumerate().filter(|(_, begins)| **begins) {
            self.see(py, at, &seen.get_item(at)?)?;
            self.lanes[at].over = false;
            self.lanes[at].so_far = Episode::default();
            let Lanes { agent, lanes, plan, .. } = self;
            agent.begin_at(at, seen_by(&lanes[at], &plan.observations)).map_err(failed)?;
        }
        Ok(())
    }

    fn observe(&mut self, at: usize, step: &Step) -> PyResult<()> {
        let Lanes { agent, lanes, plan, .. } = self;
        agent.observe_at(at, step, seen_by(&lanes[at], &plan.observations)).map_err(failed)
    }

    fn see(&mut self, py: Python<'_>, at: usize, seen: &Bound<'_, PyAny>) -> PyResult<()> {
        if matches!(self.plan.observations, Space::Discrete(_)) {
            let index = seen.extract::<i64>()? - self.plan.observation_start;
            self.lanes[at].index = usize::try_from(index).unwrap_or(usize::MAX);
            return Ok(());
        }
        if let Ok(row) = seen.extract::<PyReadonlyArray1<'_, f32>>()
            && row.as_array().len() == self.lanes[at].numbers.len()
        {
            self.lanes[at].numbers.iter_mut().zip(row.as_array()).for_each(|(x, y)| *x = *y);
            return Ok(());
        }
        fill(py, seen, &mut self.lanes[at].numbers)
    }

    fn count(&mut self, at: usize, reward: f64) {
        let gamma = self.agent.config().gamma;
        let so_far = &mut self.lanes[at].so_far;
        so_far.discounted += gamma.powf(so_far.length as f64) * reward;
        so_far.ret += reward;
        so_far.length += 1;
        so_far.rewarded |= reward > 0.0;
    }
}

fn seen_by<'a>(lane: &'a Lane, space: &Space) -> Observation<'a> {
    match space {
        Space::Discrete(_) => Observation::Index(lane.index),
        Space::Box { .. } => Observation::Vector(&lane.numbers),
    }
}
