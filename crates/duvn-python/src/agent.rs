//! An agent and the environments that it learns in.

use crate::convert::{Rows, describe, failed, value_error};
use crate::export::{self, Network, Scale};
use crate::foreign::{Foreign, Plan, Trouble};
use crate::lanes::Lanes;
use duvn::archive::Archive;
use duvn::{Agent, AgentError, Episode, Explorer, FileError, Keep, Training, TrainingSnapshot};
use duvn_envs::{Environment, registry};
use duvn_lab::fingerprint::weights_sha256;
use duvn_lab::settings;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// Where an agent is.
#[expect(clippy::large_enum_variant, reason = "one for each object in Python")]
enum World {
    /// Nowhere: it can be looked at and asked.
    Alone(Agent),
    /// In environments of ours, or single ones of Gymnasium.
    Places(Box<Training<Box<dyn Environment>>>),
    /// In a vector environment of Gymnasium.
    Lanes(Box<Lanes>),
    /// It was lost on the way from one to the other.
    Nowhere,
}

impl World {
    fn agent(&self) -> PyResult<&Agent> {
        match self {
            World::Alone(agent) => Ok(agent),
            World::Places(training) => Ok(training.agent()),
            World::Lanes(lanes) => Ok(&lanes.agent),
            World::Nowhere => Err(failed("this agent was lost in a failed change of environment")),
        }
    }

    fn agent_mut(&mut self) -> PyResult<&mut Agent> {
        match self {
            World::Alone(agent) => Ok(agent),
            World::Places(training) => Ok(training.agent_mut()),
            World::Lanes(lanes) => Ok(&mut lanes.agent),
            World::Nowhere => Err(failed("this agent was lost in a failed change of environment")),
        }
    }

    /// The agent, taken out of its environments.
    fn leave(&mut self) -> PyResult<Agent> {
        match std::mem::replace(self, World::Nowhere) {
            World::Alone(agent) => Ok(agent),
            World::Lanes(lanes) => Ok(lanes.agent),
            other => {
                *self = other;
                Err(failed("this agent has environments already"))
            }
        }
    }
}

/// Files keep beside the agent where its environments stood, and what the Python side wants to know again.
const PLACES: &str = "places";
const NOTES: &str = "python";

#[pyclass(module = "duvn._duvn", name = "AgentCore")]
pub struct AgentCore {
    world: Mutex<World>,
    trouble: Trouble,
    pickle: Arc<AtomicBool>,
    /// Who explores for `predict(deterministic=False)`, one for each row.
    explorers: Mutex<Vec<Explorer>>,
    places: Mutex<Option<Vec<u8>>>,
    notes: String,
}

impl AgentCore {
    fn with(agent: Agent, places: Option<Vec<u8>>, notes: String) -> Self {
        AgentCore {
            world: Mutex::new(World::Alone(agent)),
            trouble: Trouble::default(),
            pickle: Arc::default(),
            explorers: Mutex::default(),
            places: Mutex::new(places),
            notes,
        }
    }

    /// Never waits: whoever holds the lock may wait for the interpreter that we hold.
    fn world(&self) -> PyResult<MutexGuard<'_, World>> {
        match self.world.try_lock() {
            Ok(world) => Ok(world),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(failed(
                "this agent is busy: it learns in another thread, or asks itself from its environment",
            )),
        }
    }

    fn settle(&self, envs: Vec<Box<dyn Environment>>, seed: u64) -> PyResult<()> {
        let mut world = self.world()?;
        let agent = world.leave()?;
        if envs.len() != agent.actors() {
            let what =
                format!("the agent has {} actors, and there are {} environments", agent.actors(), envs.len());
            *world = World::Alone(agent);
            return Err(value_error(what));
        }
        let snapshot = agent.snapshot();
        let mut training = Training::side_by_side(envs, agent, seed);
        let places = self.places.lock().map_err(failed)?.take();
        if let Some(state) = places {
            training.restore(&TrainingSnapshot { agent: snapshot, state }).map_err(value_error)?;
        }
        *world = World::Places(Box::new(training));
        Ok(())
    }
}

fn file_error(error: FileError) -> PyErr {
    let said = error.to_string();
    match error {
        FileError::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(said)
        }
        FileError::Io { .. } => PyOSError::new_err(said),
        _ => value_error(said),
    }
}

#[pymethods]
impl AgentCore {
    /// The preset with `key=value` settings, for these spaces.
    #[new]
    fn new(preset: &str, assignments: Vec<String>, plan: &Bound<'_, PyTuple>, seed: u64) -> PyResult<Self> {
        let Plan { observations, actions, .. } = Plan::understand(plan)?;
        let config = settings::resolve(preset, &observations, None, &assignments).map_err(value_error)?;
        let config = config.check().map_err(AgentError::from).map_err(value_error)?;
        let agent = Agent::new(&config, &observations, &actions, seed).map_err(value_error)?;
        Ok(AgentCore::with(agent, None, String::new()))
    }

    /// The agent in a file.
    #[staticmethod]
    fn load(path: &str) -> PyResult<Self> {
        let mut archive = duvn::read_agent(Path::new(path)).map_err(file_error)?;
        let places = archive.states.remove(PLACES);
        let notes = archive.metadata.remove(NOTES).unwrap_or_default();
        let agent = Agent::from_archive(Path::new(path), archive).map_err(file_error)?;
        Ok(AgentCore::with(agent, places, notes))
    }

    /// Writes it to a file, with `notes` beside it. Tells whether it will go on to the same bits.
    fn save(&self, path: &str, everything: bool, notes: &str, pickle: bool) -> PyResult<bool> {
        let world = self.world()?;
        let agent = world.agent()?;
        let keep = if everything { Keep::Everything } else { Keep::Knowledge };
        let mut archive: Archive = agent.archive(keep).map_err(file_error)?;
        let mut exact = everything;
        archive.metadata.insert(NOTES.into(), notes.into());
        match &*world {
            World::Places(training) if everything => {
                self.pickle.store(pickle, Ordering::Relaxed);
                exact = training.resumes_exactly();
                archive.states.insert(PLACES.into(), training.snapshot().state);
                self.pickle.store(false, Ordering::Relaxed);
            }
            World::Lanes(_) => exact = false,
            _ => {
                let places = self.places.lock().map_err(failed)?;
                archive.states.extend(places.clone().map(|state| (PLACES.to_string(), state)));
            }
        }
        duvn::write_agent(Path::new(path), &archive).map_err(file_error)?;
        Ok(exact)
    }

    /// What `save` was told to keep beside the agent.
    #[getter]
    fn notes(&self) -> &str {
        &self.notes
    }

    /// Puts the agent into environments of the registry.
    fn attach_native(&self, ids: Vec<String>, map_seed: u64, seed: u64) -> PyResult<()> {
        let made = |id: &String| {
            let env = registry::make(id, map_seed).map_err(value_error)?;
            Ok(Box::new(env) as Box<dyn Environment>)
        };
        let envs = ids.iter().map(made).collect::<PyResult<Vec<_>>>()?;
        self.settle(envs, seed)
    }

    /// Puts the agent into environments of Gymnasium, one for each actor.
    fn attach_foreign(
        &self,
        envs: Vec<Bound<'_, PyAny>>,
        plan: &Bound<'_, PyTuple>,
        seed: u64,
    ) -> PyResult<()> {
        let plan = Plan::understand(plan)?;
        let made = |env: &Bound<'_, PyAny>| {
            let env = Foreign::new(env, plan.clone(), self.trouble.clone(), Arc::clone(&self.pickle))?;
            Ok(Box::new(env) as Box<dyn Environment>)
        };
        let envs = envs.iter().map(made).collect::<PyResult<Vec<_>>>()?;
        self.settle(envs, seed)
    }

    /// Puts the agent into a vector environment of Gymnasium.
    fn attach_vector(
        &self,
        env: &Bound<'_, PyAny>,
        plan: &Bound<'_, PyTuple>,
        autoreset: &str,
        seed: u64,
    ) -> PyResult<()> {
        let plan = Plan::understand(plan)?;
        let mut world = self.world()?;
        let agent = world.leave()?;
        *world = World::Lanes(Box::new(Lanes::new(agent, env, plan, autoreset, seed)?));
        Ok(())
    }

    /// Learns until one of the limits is reached, without the interpreter where the environments do not need it. Gives
    /// return and length of every episode that ended.
    fn run(&self, py: Python<'_>, steps: u64, episodes: u64, seconds: f64) -> PyResult<Vec<(f64, u64)>> {
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let mut world = self.world()?;
        let world = &mut *world;
        let before = world.agent()?.counters().steps;
        let begun = Instant::now();
        let mut ended: Vec<Episode> = Vec::new();
        let over = |agent: &Agent, ended: &[Episode]| {
            agent.counters().steps - before >= steps
                || ended.len() as u64 >= episodes
                || begun.elapsed() >= limit
        };
        match world {
            World::Places(training) => {
                let result = py.detach(|| {
                    while !over(training.agent(), &ended) {
                        ended.extend(training.step()?);
                    }
                    Ok::<_, duvn::TrainingError>(())
                });
                let trouble = self.trouble.take();
                result.map_err(|error| trouble.unwrap_or_else(|| failed(error)))?;
            }
            World::Lanes(lanes) => {
                while !over(&lanes.agent, &ended) {
                    ended.extend(lanes.turn(py)?);
                }
            }
            World::Alone(_) | World::Nowhere => {
                return Err(value_error("the agent has no environment: write Agent.load(path, env=...)"));
            }
        }
        Ok(ended.into_iter().map(|episode| (episode.ret, episode.length)).collect())
    }

    /// The best action for each row; or, with `begun`, what exploration chooses, anew where an episode has begun.
    #[pyo3(signature = (observations, begun = None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        observations: &Bound<'py, PyAny>,
        begun: Option<Vec<bool>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let rows = Rows::new(observations)?;
        let rows = rows.observations()?;
        let mut world = self.world()?;
        let agent = world.agent_mut()?;
        let Some(begun) = begun else {
            let actions = agent.greedy_all(&rows).map_err(value_error)?;
            return Ok(PyArray1::from_iter(py, actions.into_iter().map(|action| action as i64)));
        };
        let mut explorers = self.explorers.lock().map_err(failed)?;
        let mut actions = Vec::with_capacity(rows.len());
        for (at, &seen) in rows.iter().enumerate() {
            let mut begins = begun.get(at).copied().unwrap_or(false);
            if at >= explorers.len() {
                explorers.push(agent.explorer(at as u64));
                begins = true;
            }
            if begins {
                agent.begin_exploring(&mut explorers[at]);
            }
            actions.push(agent.explore(&mut explorers[at], seen).map_err(value_error)? as i64);
        }
        Ok(PyArray1::from_vec(py, actions))
    }

    /// Mean, sigma, spread and probability of every action in every row.
    fn beliefs<'py>(
        &self,
        py: Python<'py>,
        observations: &Bound<'py, PyAny>,
        draws: usize,
    ) -> PyResult<[Bound<'py, PyArray2<f64>>; 4]> {
        let rows = Rows::new(observations)?;
        export::beliefs(py, &rows.observations()?, self.world()?.agent_mut()?, draws)
    }

    /// What the network itself says at the centre of its parameters: mean and sigma of every action in every row, without
    /// local uncertainty.
    fn outputs<'py>(
        &self,
        py: Python<'py>,
        observations: &Bound<'py, PyAny>,
    ) -> PyResult<[Bound<'py, PyArray2<f64>>; 2]> {
        let rows = Rows::new(observations)?;
        export::outputs(py, &rows.observations()?, self.world()?.agent_mut()?)
    }

    /// The weights by name.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        export::named(py, self.world()?.agent()?.weights())
    }

    /// The networks that `outputs` is the mean of: weights, and the fixed random network that is added with its factors.
    fn networks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Network<'py>>> {
        export::networks(py, self.world()?.agent()?)
    }

    /// Where observations come to the networks by their running statistics: mean and standard deviation of every component, and
    /// how many of them are the most that is seen.
    fn running(&self) -> PyResult<Option<Scale>> {
        Ok(export::running(self.world()?.agent()?))
    }

    #[getter]
    fn weights_sha256(&self) -> PyResult<String> {
        Ok(weights_sha256(self.world()?.agent()?))
    }

    /// Environment steps, updates and the last loss.
    #[getter]
    fn counters(&self) -> PyResult<(u64, u64, f64)> {
        let counters = self.world()?.agent()?.counters();
        Ok((counters.steps, counters.updates, counters.loss))
    }

    /// Every knob with its value.
    #[getter]
    fn config(&self) -> PyResult<Vec<(String, String)>> {
        let world = self.world()?;
        let entries = world.agent()?.config().entries();
        Ok(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    #[getter]
    fn actors(&self) -> PyResult<usize> {
        Ok(self.world()?.agent()?.actors())
    }

    /// The observation space and the number of actions.
    fn spaces<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, usize)> {
        let world = self.world()?;
        let agent = world.agent()?;
        Ok((describe(py, agent.observation_space())?, agent.actions()))
    }

    /// Whether it was saved in environments that go on where they stood.
    #[getter]
    fn has_places(&self) -> PyResult<bool> {
        Ok(self.places.lock().map_err(failed)?.is_some())
    }

    /// Forgets where its environments stood.
    fn drop_places(&self) -> PyResult<()> {
        self.places.lock().map_err(failed)?.take();
        Ok(())
    }
}
