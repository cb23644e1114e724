//! The agent: the three axes put together. It acts, remembers and learns.

mod snapshot;

pub use snapshot::{RestoreError, Snapshot};

use crate::config::{Config, ConfigError};
use crate::inputs::Inputs;
use crate::inspect::{ActionView, Draw};
use crate::local::Local;
use crate::net::{Extent, Input, Rows, ShapeError, Which};
use crate::policy::{Beliefs, Moment, Policy, best_of, policy};
use crate::posterior::{Posterior, members};
use crate::replay::{Ending, Gathered, Replay, Transition};
use crate::returns::Error;
use crate::rng::Stream;
use crate::target::{Fresh, Sources, Targets};
use crate::value::{TrainingBatch, ValueNetwork};
use duvn_envs::{Observation, Space, Step};

/// Why an agent cannot be made for an environment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AgentError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The action space is not one that the agent can choose from.
    #[error("the action space is {0}: these agents need Discrete(n) with n from 1 to 256")]
    ActionSpace(Space),
    /// The network cannot be made.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Why learning had to stop.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// The loss is NaN or infinite, and so are, or soon will be, the weights.
    #[error(
        "the loss became {loss} at environment step {step} (update {update}): try a smaller learning_rate, \
         max_gradient_norm=10, smaller rewards, or (with dropout) decider=online"
    )]
    Diverged {
        /// The loss.
        loss: f64,
        /// Environment steps so far.
        step: u64,
        /// Updates so far.
        update: u64,
    },
    /// The environment gave a reward that is NaN or infinite.
    #[error("the environment gave the reward {reward} at step {step}: rewards must be finite")]
    Reward {
        /// The reward.
        reward: f64,
        /// Environment steps so far.
        step: u64,
    },
    /// The environment gave an observation that is not in the space the agent was made for.
    #[error("the environment gave an observation outside {space} at step {step}")]
    Observation {
        /// The space.
        space: Space,
        /// Environment steps so far.
        step: u64,
    },
}

/// What an agent counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Counters {
    /// Environment steps.
    pub steps: u64,
    /// Updates of the network.
    pub updates: u64,
    /// The mean loss of the last update.
    pub loss: f64,
}

/// An agent. [`begin`](Agent::begin) starts an episode and gives the first action;
/// [`observe`](Agent::observe) takes what came of it, learns, and gives the next.
pub struct Agent {
    config: Config,
    seed: u64,
    space: Space,
    inputs: Inputs,
    /// One network, or the members of an ensemble.
    values: Vec<ValueNetwork>,
    policy: Box<dyn Policy>,
    posterior: Posterior,
    local: Local,
    replay: Replay,
    targets: Targets,
    acting: Stream,
    sampling: Stream,
    backing_up: Stream,
    bootstrapping: Stream,
    counters: Counters,
    episode: Episode,
    batch: Batch,
    /// What came of the last action.
    arrived: Gathered,
    beliefs: Vec<f32>,
}

/// Where the agent stands in its episode.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Episode {
    /// The index z that the policy is committed to, if it is.
    index: Option<f64>,
    /// What was seen last.
    seen: Gathered,
    /// What was chosen on it.
    action: u8,
}

/// Buffers for an update.
#[derive(Default)]
struct Batch {
    slots: Vec<u32>,
    rows: Gathered,
    actions: Vec<u8>,
    /// By row: the members that learn from it, as bits.
    members: Vec<u64>,
    /// Of one member, as are weights and errors.
    targets: Vec<f32>,
    weights: Vec<f32>,
    errors: Vec<Error>,
    /// Mean over the members.
    mean_errors: Vec<Error>,
}

impl Gathered {
    /// As the network takes them.
    pub(crate) fn as_rows(&self) -> Rows<'_> {
        if self.numbers.is_empty() { Rows::Index(&self.indices) } else { Rows::Dense(&self.numbers) }
    }

    fn only(&self) -> Observation<'_> {
        match self.indices.first() {
            Some(&index) => Observation::Index(index as usize),
            None => Observation::Vector(&self.numbers),
        }
    }
}

impl Agent {
    /// An agent for environments with these spaces. One `config` and one `seed` make one agent, to the bit.
    pub fn new(
        config: &Config,
        observations: &Space,
        actions: &Space,
        seed: u64,
    ) -> Result<Self, AgentError> {
        config.check()?;
        let actions = match actions {
            Space::Discrete(n @ 1..=256) => *n,
            other => return Err(AgentError::ActionSpace(other.clone())),
        };
        let (input, width) = match observations {
            Space::Discrete(n) => (Input::OneHot(*n), 0),
            Space::Box { low, .. } => (Input::Dense(low.len()), low.len()),
        };
        let inputs = Inputs::new(config, observations);
        let mut weights = Stream::new(seed, "weights");
        let mut values = Vec::new();
        for _ in 0..members(config) {
            values.push(ValueNetwork::new(config, input, actions, &mut weights)?);
        }
        Ok(Agent {
            policy: policy(config),
            posterior: Posterior::new(config, Stream::new(seed, "parameters")),
            local: Local::new(
                config,
                &inputs.space(observations),
                actions,
                &mut Stream::new(seed, "features"),
            ),
            replay: Replay::new(config.replay, width, config.prioritised),
            targets: Targets::new(config),
            acting: Stream::new(seed, "acting"),
            sampling: Stream::new(seed, "sampling"),
            backing_up: Stream::new(seed, "backing up"),
            bootstrapping: Stream::new(seed, "bootstrapping"),
            counters: Counters::default(),
            episode: Episode::default(),
            batch: Batch::default(),
            arrived: Gathered::default(),
            beliefs: vec![0.0; actions * values[0].model.outputs()],
            config: config.clone(),
            space: observations.clone(),
            inputs,
            seed,
            values,
        })
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What it has counted.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Its value network, or the members of its ensemble.
    pub fn values(&self) -> &[ValueNetwork] {
        &self.values
    }

    /// Starts an episode; gives the first action.
    pub fn begin(&mut self, observation: Observation<'_>) -> Result<usize, LearnError> {
        self.check(observation)?;
        self.commit();
        self.inputs.see(observation, &mut self.arrived);
        Ok(self.act())
    }

    /// Draws what the agent stays committed to: parameters and index.
    fn commit(&mut self) {
        self.posterior.begin_episode(self.values[0].net.shape());
        self.episode.index = self.policy.draw_index(&mut self.acting);
    }

    /// Takes what came of the last action, learns from it, and gives the next action, unless the episode
    /// is over.
    pub fn observe(
        &mut self,
        step: &Step,
        observation: Observation<'_>,
    ) -> Result<Option<usize>, LearnError> {
        self.counters.steps += 1;
        self.check(observation)?;
        if !step.reward.is_finite() {
            return Err(LearnError::Reward { reward: step.reward, step: self.counters.steps });
        }
        let ending = match step {
            Step { terminated: true, .. } => Ending::Terminated,
            Step { truncated: true, .. } => Ending::Truncated,
            _ => Ending::No,
        };
        self.local.visit(self.episode.seen.only(), usize::from(self.episode.action));
        let members = self.bootstrap_sample();
        self.inputs.see(observation, &mut self.arrived);
        self.replay.push(&Transition {
            observation: self.episode.seen.only(),
            action: self.episode.action,
            reward: step.reward as f32,
            next: self.arrived.only(),
            ending,
            members,
        });
        if !step.done() && self.config.redraw > 0.0 && self.acting.uniform() < self.config.redraw {
            self.commit();
        }
        let next = (!step.done()).then(|| self.act());
        let due = self.counters.steps.is_multiple_of(self.config.train_every as u64);
        if due && self.replay.ring().len() >= self.config.learning_starts.max(1) {
            for _ in 0..self.config.updates {
                self.update(next)?;
            }
        }
        Ok(next)
    }

    /// The members whose bootstrap sample the next transition belongs to, as bits.
    fn bootstrap_sample(&mut self) -> u64 {
        if self.config.bootstrap >= 1.0 || self.values.len() == 1 {
            return u64::MAX;
        }
        let drawn = (0..self.values.len())
            .map(|member| u64::from(self.bootstrapping.uniform() < self.config.bootstrap) << member);
        drawn.fold(0, |bits, bit| bits | bit)
    }

    /// The action of the best mean, with the mean of the parameters: the policy for evaluation.
    pub fn greedy(&mut self, observation: Observation<'_>) -> Result<usize, LearnError> {
        self.check(observation)?;
        let mut seen = Gathered::default();
        self.inputs.see(observation, &mut seen);
        let mut means = vec![0.0; self.beliefs.len() / self.values[0].model.outputs()];
        for value in &mut self.values {
            value.beliefs(Which::Online, seen.as_rows(), None, None, &mut self.beliefs);
            self.local.widen(&*value.model, seen.as_rows(), None, &mut self.beliefs);
            let beliefs = Beliefs { model: &*value.model, parameters: &self.beliefs };
            means.iter_mut().enumerate().for_each(|(action, mean)| *mean += beliefs.mean(action));
        }
        let mut ties = Stream::new(self.seed, "greedy");
        Ok(best_of(means.len(), &mut ties, |action, _| means[action]))
    }

    /// What the agent believes of every action in a state, over `draws` draws of the parameters. Looking
    /// changes nothing: the agent acts and learns as if it had not been looked at.
    pub fn inspect(
        &mut self,
        observation: Observation<'_>,
        draws: usize,
    ) -> Result<Vec<ActionView>, LearnError> {
        self.check(observation)?;
        let mut seen = Gathered::default();
        self.inputs.see(observation, &mut seen);
        let mut stream = Stream::new(self.seed, "inspection");
        let mut posterior = Posterior::new(&self.config, Stream::new(self.seed, "inspected parameters"));
        let views = (0..draws.max(1)).map(|_| {
            posterior.begin_episode(self.values[0].net.shape());
            believe(&mut self.values, &mut self.local, &mut posterior, &seen, &mut self.beliefs);
            let beliefs = Beliefs { model: &*self.values[0].model, parameters: &self.beliefs };
            let moment = Moment { step: self.counters.steps, index: self.policy.draw_index(&mut stream) };
            let mut probabilities = vec![0.0; beliefs.actions()];
            self.policy.probabilities(beliefs, moment, 1, &mut stream, &mut probabilities);
            let draw = |(action, &probability): (usize, &f32)| Draw {
                mu: beliefs.mean(action),
                sigma: beliefs.model.sd(beliefs.of(action)),
                probability: f64::from(probability),
            };
            probabilities.iter().enumerate().map(draw).collect()
        });
        Ok(ActionView::over(&views.collect::<Vec<_>>()))
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
        Err(LearnError::Observation { space: self.space.clone(), step: self.counters.steps })
    }

    /// Chooses on what has arrived.
    fn act(&mut self) -> usize {
        std::mem::swap(&mut self.episode.seen, &mut self.arrived);
        let seen = &self.episode.seen;
        believe(&mut self.values, &mut self.local, &mut self.posterior, seen, &mut self.beliefs);
        let beliefs = Beliefs { model: &*self.values[0].model, parameters: &self.beliefs };
        let moment = Moment { step: self.counters.steps, index: self.episode.index };
        let action = self.policy.choose(beliefs, moment, &mut self.acting);
        self.episode.action = action as u8;
        action
    }

    /// One update: a batch, its targets, a step of Adam for each network, new priorities, and the target
    /// network's turn.
    fn update(&mut self, next_action: Option<usize>) -> Result<(), LearnError> {
        let fresh = self.sample(next_action);
        let Batch { slots, rows, actions, members, targets, weights, errors, mean_errors } = &mut self.batch;
        self.targets.follow(slots, fresh, self.replay.ring());
        let size = slots.len();
        let share = 1.0 / self.values.len() as f64;
        mean_errors.clear();
        mean_errors.resize(size, Error::default());
        errors.resize(size, Error::default());
        for (member, value) in self.values.iter_mut().enumerate() {
            targets.resize(size * value.model.target_width(), 0.0);
            let mut sources = Sources {
                value,
                policy: &*self.policy,
                posterior: &mut self.posterior,
                local: &mut self.local,
                stream: &mut self.backing_up,
                step: self.counters.steps,
            };
            self.targets.make(&mut sources, targets);

            weights.clear();
            weights.extend(members.iter().map(|bits| (bits >> member & 1) as f32));
            let masks = self.posterior.for_batch(value.net.shape(), Extent::TakenAction, size);
            let batch = TrainingBatch { rows: rows.as_rows(), actions, targets, weights };
            value.train(batch, masks, errors);
            for (mean, error) in mean_errors.iter_mut().zip(errors.iter()) {
                mean.loss += share * error.loss;
                mean.temporal_difference += share * error.temporal_difference;
            }
        }

        self.counters.updates += 1;
        self.counters.loss = mean_errors.iter().map(|error| error.loss).sum::<f64>() / size as f64;
        if !self.counters.loss.is_finite() {
            let Counters { loss, steps: step, updates: update } = self.counters;
            return Err(LearnError::Diverged { loss, step, update });
        }
        for (&slot, error) in slots.iter().zip(mean_errors.iter()) {
            self.replay.learnt(slot, error.temporal_difference as f32);
        }
        if self.counters.updates.is_multiple_of(self.config.target_sync as u64) {
            let tau = self.config.target_tau as f32;
            self.values.iter_mut().for_each(|value| value.net.sync_target(tau));
        }
        Ok(())
    }

    /// Fills the batch with remembered transitions; tells which is the newest and what followed it.
    fn sample(&mut self, next_action: Option<usize>) -> Option<Fresh> {
        let Batch { slots, rows, actions, members, .. } = &mut self.batch;
        slots.resize(self.config.batch, 0);
        let newest = self.replay.ring().newest().filter(|_| self.config.fresh);
        let fresh = newest.map(|slot| Fresh { slot, next_action: next_action.map(|action| action as u8) });
        let replayed = match newest {
            Some(slot) => {
                slots[0] = slot;
                &mut slots[1..]
            }
            None => &mut slots[..],
        };
        self.replay.sample(replayed, &mut self.sampling);
        rows.clear();
        actions.clear();
        members.clear();
        for &slot in slots.iter() {
            let transition = self.replay.ring().get(slot);
            rows.push(transition.observation);
            actions.push(transition.action);
            members.push(transition.members);
        }
        fresh
    }
}

/// Fills `beliefs` with what one draw of the parameters, and local uncertainty, say of a state.
fn believe(
    values: &mut [ValueNetwork],
    local: &mut Local,
    posterior: &mut Posterior,
    seen: &Gathered,
    beliefs: &mut [f32],
) {
    let (member, masks) = posterior.for_decision(values[0].net.shape());
    let value = &mut values[member];
    value.beliefs(Which::Online, seen.as_rows(), None, masks, beliefs);
    local.widen(&*value.model, seen.as_rows(), None, beliefs);
}
