//! The learner: what an agent knows, whoever acts for it. It remembers what its actors live through and learns from it.

mod look;
mod state;
mod update;

pub use look::Explorer;
use state::Course;
pub(crate) use state::LearnerState;

use crate::actor::{Actor, Phase};
use crate::config::{BoundKind, CheckedConfig, InputKind, LocalUnit, LoopKind, Scope};
use crate::error::{AgentError, LearnError};
use crate::inputs::Inputs;
use crate::local::Local;
use crate::net::Input;
use crate::policy::{Beliefs, Moment, Policy, policy};
use crate::posterior::{Normalised, Posterior, SeveralDraws, posterior};
use crate::replay::{Ending, Gathered, Replay, Transition};
use crate::returns::{ReturnModel, return_model};
use crate::rng::Stream;
use crate::target::Targets;
use duvn_envs::{Observation, Space, Step};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use update::Batch;

/// The three choices that make an agent. [`Axes::new`] makes those that a configuration names; any of them can be
/// replaced by one's own before the agent is made ([`Agent::with_axes`](crate::Agent::with_axes)).
pub struct Axes {
    /// What is believed about the network's parameters.
    pub posterior: Box<dyn Posterior>,
    /// What the network says about the return. The posterior's networks put out what this model takes.
    pub returns: Arc<dyn ReturnModel>,
    /// How to act on it.
    pub policy: Box<dyn Policy>,
}

impl Axes {
    /// The axes that `config` names, for environments with these spaces, with first weights from `seed`.
    pub fn new(
        config: &CheckedConfig,
        observations: &Space,
        actions: &Space,
        seed: u64,
    ) -> Result<Self, AgentError> {
        let returns = return_model(config);
        let (input, actions) = (input(&seen(config, observations)?), count(actions)?);
        let posterior = posterior(config, input, actions, Arc::clone(&returns), seed)?;
        Ok(Axes { posterior, returns, policy: policy(config) })
    }
}

/// The space of what the network sees of `observations`.
pub(crate) fn seen(config: &CheckedConfig, observations: &Space) -> Result<Space, AgentError> {
    match (config.inputs, observations) {
        (InputKind::Running, Space::Discrete(states)) => Err(AgentError::IndexInputs(*states)),
        _ => Ok(Inputs::new(config, observations).space(observations)),
    }
}

/// What the network is fed with for observations in `space`.
pub(crate) fn input(space: &Space) -> Input {
    match space {
        Space::Discrete(n) => Input::OneHot(*n),
        Space::Box { low, .. } => Input::Dense(low.len()),
    }
}

/// How many actions there are.
pub(crate) fn count(actions: &Space) -> Result<usize, AgentError> {
    match actions {
        Space::Discrete(n @ 1..=256) => Ok(*n),
        other => Err(AgentError::ActionSpace(other.clone())),
    }
}

/// What an agent counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Environment steps.
    pub steps: u64,
    /// Updates of the network.
    pub updates: u64,
    /// The mean loss of the last update.
    pub loss: f64,
}

/// A step that has been remembered and not yet learnt from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Pending {
    /// The number of the step.
    step: u64,
    slot: u32,
    actor: usize,
}

/// Knowledge, memory and the means to learn; no episode.
pub(crate) struct Learner {
    pub(crate) config: CheckedConfig,
    seed: u64,
    space: Space,
    inputs: Inputs,
    axes: Axes,
    local: Local,
    replay: Replay,
    targets: Targets,
    course: Course,
    learning: bool,
    batch: Batch,
    /// What came of an action.
    arrived: Gathered,
    /// What those who must decide have seen.
    waiting: Gathered,
    beliefs: Vec<f32>,
    several: SeveralDraws,
}

impl Learner {
    pub(crate) fn new(
        config: &CheckedConfig,
        mut axes: Axes,
        observations: &Space,
        seed: u64,
    ) -> Result<Self, AgentError> {
        let (shape, outputs) = (axes.posterior.shape(), axes.returns.outputs());
        let seen = seen(config, observations)?;
        if shape.input != input(&seen) || shape.outputs != outputs {
            return Err(AgentError::Axes {
                network: format!("{shape:?}"),
                outputs,
                space: observations.clone(),
            });
        }
        if config.local != crate::config::LocalKind::None && !axes.returns.has_spread() {
            return Err(AgentError::NoSpread);
        }
        let actions = shape.actions;
        if config.inputs == InputKind::Running {
            let steps = if config.lambda > 0.0 { config.trace_steps } else { 1 };
            let rows = (config.batch * steps).max(config.actors);
            axes.posterior = Box::new(Normalised::new(axes.posterior, observations.width(), rows));
        }
        let inputs = Inputs::new(config, observations);
        let width = match &seen {
            Space::Discrete(_) => 0,
            Space::Box { low, .. } => low.len(),
        };
        let mut features = Stream::new(seed, "features");
        Ok(Learner {
            local: Local::new(config, &seen, actions, &mut features),
            replay: Replay::new(config, width),
            targets: Targets::new(config),
            course: Course::new(config, seed),
            learning: true,
            batch: Batch::default(),
            arrived: Gathered::default(),
            waiting: Gathered::default(),
            beliefs: Vec::new(),
            several: SeveralDraws::default(),
            config: config.clone(),
            space: observations.clone(),
            inputs,
            axes,
            seed,
        })
    }

    pub(crate) fn axes(&self) -> &Axes {
        &self.axes
    }

    pub(crate) fn counters(&self) -> Counters {
        self.course.counters
    }

    /// The least and the greatest reward seen.
    pub(crate) fn rewards(&self) -> Option<(f64, f64)> {
        self.course.rewards
    }

    pub(crate) fn set_learning(&mut self, learning: bool) {
        self.learning = learning;
    }

    /// The observations that it was made for.
    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    /// How many actions there are.
    pub(crate) fn actions(&self) -> usize {
        self.axes.posterior.shape().actions
    }

    fn check(&self, observation: Observation<'_>) -> Result<(), LearnError> {
        let fits = match (&self.space, observation) {
            (Space::Discrete(n), Observation::Index(index)) => index < *n,
            (Space::Box { low, .. }, Observation::Vector(x)) => {
                x.len() == low.len() && x.iter().all(|number| number.is_finite())
            }
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(LearnError::Observation { space: self.space.clone(), step: self.course.counters.steps })
    }

    /// An episode of `actor` begins. One that was going on counts as cut off after its last step.
    pub(crate) fn begin(
        &mut self,
        actor: &mut Actor,
        observation: Observation<'_>,
    ) -> Result<(), LearnError> {
        self.check(observation)?;
        if let Some(last) = actor.last.take().filter(|_| actor.phase != Phase::Idle) {
            self.replay.cut_off(last, actor.episode);
        }
        actor.rewards.clear();
        actor.steps = 0;
        actor.episode = self.course.episodes;
        self.course.episodes += 1;
        self.commit(actor);
        self.see(observation);
        self.inputs.see(observation, &mut actor.seen);
        self.course.loops.arrive(&mut actor.trail, actor.episode, observation, self.space.width());
        actor.phase = Phase::Deciding;
        Ok(())
    }

    /// Shows an observation to the posterior, which may bring others to its scale.
    fn see(&mut self, observation: Observation<'_>) {
        if self.learning {
            self.axes.posterior.see(observation);
        }
    }

    /// Draws what an actor stays committed to: parameters and index.
    fn commit(&mut self, actor: &mut Actor) {
        if self.config.parameter_scope == Scope::Episode {
            self.axes.posterior.draw(&mut self.course.source, &mut actor.draw);
        }
        actor.index = self.axes.policy.draw_index(&mut actor.acting);
    }

    /// Takes what came of the action of `actor`, who is the `number`-th, and remembers it.
    pub(crate) fn take(
        &mut self,
        actor: &mut Actor,
        number: usize,
        step: &Step,
        observation: Observation<'_>,
    ) -> Result<(), LearnError> {
        if actor.phase != Phase::Acted {
            return Err(LearnError::NoAction { step: self.course.counters.steps });
        }
        self.course.counters.steps += u64::from(self.learning);
        self.check(observation)?;
        if !step.reward.is_finite() {
            return Err(LearnError::Reward { reward: step.reward, step: self.course.counters.steps });
        }
        self.see(observation);
        self.inputs.see(observation, &mut self.arrived);
        if !step.done() {
            self.course.loops.arrive(&mut actor.trail, actor.episode, observation, self.space.width());
        }
        actor.steps += 1;
        if self.learning {
            self.remember(actor, number, step);
        }
        if !step.done() && self.config.redraw > 0.0 && actor.acting.uniform() < self.config.redraw {
            self.commit(actor);
        }
        std::mem::swap(&mut actor.seen, &mut self.arrived);
        if step.done() {
            (actor.phase, actor.last) = (Phase::Idle, None);
        } else {
            actor.phase = Phase::Deciding;
        }
        Ok(())
    }

    fn remember(&mut self, actor: &mut Actor, number: usize, step: &Step) {
        let ending = match step {
            Step { terminated: true, .. } => Ending::Terminated,
            Step { truncated: true, .. } => Ending::Truncated,
            _ => Ending::No,
        };
        if ending == Ending::Truncated {
            self.course.loops.cut_off(actor.steps);
        }
        let next = (!step.terminated).then(|| self.arrived.only());
        self.local.visit(actor.seen.only(), usize::from(actor.action), step.reward as f32, next);
        let (least, most) = self.course.rewards.unwrap_or((step.reward, step.reward));
        self.course.rewards = Some((least.min(step.reward), most.max(step.reward)));
        let kept = self.config.bound == BoundKind::Returns
            || self.config.loops == LoopKind::Guard
            || self.config.local_unit == LocalUnit::Returns;
        if kept || self.axes.returns.learns_from_returns() {
            self.course.earned.add(&mut actor.rewards, step.reward as f32, step.done(), self.config.gamma);
            self.axes.returns.see_returns(self.course.earned.bounds());
            self.local.measure(self.course.earned.bounds());
        }
        let transition = Transition {
            observation: actor.seen.only(),
            action: actor.action,
            reward: step.reward as f32,
            next: self.arrived.only(),
            ending,
            episode: actor.episode,
        };
        let slot = self.replay.push(&transition, actor.last);
        self.axes.posterior.remember(slot);
        actor.last = Some(slot);
        self.course.pending.push(Pending { step: self.course.counters.steps, slot, actor: number });
    }

    /// Chooses an action for every actor that waits for one, all in one pass through the network.
    pub(crate) fn decide(&mut self, actors: &mut [Actor]) {
        let waits = |actor: &Actor| actor.phase == Phase::Deciding;
        let mut count = 0;
        for actor in actors.iter_mut().filter(|actor| waits(actor)) {
            count += 1;
            if self.config.parameter_scope == Scope::Step {
                self.axes.posterior.draw(&mut self.course.source, &mut actor.draw);
            }
        }
        if count == 0 {
            return;
        }
        let rows = match &*actors {
            // What a single actor has seen is a row already.
            [actor] => actor.seen.as_rows(),
            _ => {
                self.waiting.clear();
                let waiting = actors.iter().filter(|actor| waits(actor));
                waiting.for_each(|actor| self.waiting.push(actor.seen.only()));
                self.waiting.as_rows()
            }
        };
        let Axes { posterior, returns, policy } = &mut self.axes;
        let model = &**returns;
        let numbers = posterior.shape().actions * model.outputs();
        self.beliefs.resize(count * numbers, 0.0);
        if count == actors.len() {
            posterior.beliefs(rows, &|row| &actors[row].draw, &mut self.beliefs);
        } else {
            let nth = |row| actors.iter().filter(|actor| waits(actor)).nth(row).map(|actor| &actor.draw);
            posterior.beliefs(rows, &|row| nth(row).unwrap_or(&actors[0].draw), &mut self.beliefs);
        }
        self.local.widen(model, rows, None, &mut self.beliefs);
        let further = policy.draws() - 1;
        if further > 0 {
            self.several.look(
                &mut **posterior,
                &mut self.local,
                model,
                &mut self.course.source,
                rows,
                further,
            );
        }
        for (row, actor) in actors.iter_mut().filter(|actor| waits(actor)).enumerate() {
            let parameters = &self.beliefs[row * numbers..][..numbers];
            let others = if further > 0 { self.several.of(row) } else { &[] };
            let moment = Moment { step: self.course.counters.steps, index: actor.index };
            let beliefs = Beliefs { model, parameters, others };
            actor.action = policy.choose(beliefs, moment, &mut actor.acting) as u8;
            actor.phase = Phase::Acted;
        }
    }
}
