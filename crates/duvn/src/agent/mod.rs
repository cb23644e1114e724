//! The agent: a learner and the actors that it serves.

mod file;
mod snapshot;

pub use file::{FileError, Keep, read, write};
pub use snapshot::Snapshot;

use crate::actor::Actor;
use crate::config::{CheckedConfig, Config};
use crate::error::{AgentError, LearnError};
use crate::inspect::ActionView;
use crate::learner::{Axes, Counters, Explorer, Learner};
use crate::net::Tensor;
use crate::posterior::Posterior;
use duvn_envs::{Observation, Space, Step};

/// An agent that acts, remembers and learns.
///
/// In one environment, [`begin`](Agent::begin) starts an episode and gives the first action, and
/// [`observe`](Agent::observe) takes what came of it, learns, and gives the next:
///
/// ```
/// use duvn::{Agent, preset};
/// use duvn_envs::{Observation, Space, Step};
///
/// let config = preset("duvn")?.check()?;
/// let mut agent = Agent::new(&config, &Space::Discrete(3), &Space::Discrete(2), 0)?;
/// let action = agent.begin(Observation::Index(0))?;
/// let step = Step { reward: action as f64, terminated: true, truncated: false };
/// assert_eq!(agent.observe(&step, Observation::Index(1))?, None, "the episode is over");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// In several environments at once (`actors` of the configuration), every actor is told what happened
/// ([`begin_at`](Agent::begin_at), [`observe_at`](Agent::observe_at)); then all that wait decide together
/// ([`decide`](Agent::decide), [`chosen`](Agent::chosen)), and the agent [learns](Agent::learn). [`Training`](crate::Training)
/// does that.
pub struct Agent {
    learner: Learner,
    actors: Vec<Actor>,
    seed: u64,
}

impl Agent {
    /// An agent for environments with these spaces. One `config` and one `seed` make one agent, to the bit.
    pub fn new(
        config: &CheckedConfig,
        observations: &Space,
        actions: &Space,
        seed: u64,
    ) -> Result<Self, AgentError> {
        let axes = Axes::new(config, observations, actions, seed)?;
        Self::with_axes(config, axes, observations, seed)
    }

    /// An agent with axes of one's own. `config` says all else.
    pub fn with_axes(
        config: &CheckedConfig,
        axes: Axes,
        observations: &Space,
        seed: u64,
    ) -> Result<Self, AgentError> {
        let learner = Learner::new(config, axes, observations, seed)?;
        let actors = (0..config.actors).map(|number| Actor::new(seed, number)).collect();
        Ok(Agent { learner, actors, seed })
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.learner.config
    }

    /// What it has counted.
    pub fn counters(&self) -> Counters {
        self.learner.counters()
    }

    /// The least and the greatest reward that it has learnt from; none before the first.
    pub fn rewards(&self) -> Option<(f64, f64)> {
        self.learner.rewards()
    }

    /// Where what it sees lies.
    pub fn observation_space(&self) -> &Space {
        self.learner.space()
    }

    /// How many actions it chooses from.
    pub fn actions(&self) -> usize {
        self.learner.actions()
    }

    /// How many environments it acts in.
    pub fn actors(&self) -> usize {
        self.actors.len()
    }

    /// What it believes about the parameters of its networks.
    pub fn posterior(&self) -> &dyn Posterior {
        &*self.learner.axes().posterior
    }

    /// The weights that it has learnt.
    pub fn weights(&self) -> Vec<Tensor> {
        self.posterior().weights()
    }

    /// Whether it remembers and learns from now on. An agent that does not acts as it would in training, and nothing that
    /// it knows changes.
    pub fn set_learning(&mut self, learning: bool) {
        self.learner.set_learning(learning);
    }

    /// Starts an episode of the first actor; gives the first action. An episode that was going on counts as cut off.
    pub fn begin(&mut self, observation: Observation<'_>) -> Result<usize, LearnError> {
        self.begin_at(0, observation)?;
        self.decide();
        Ok(usize::from(self.actors[0].action))
    }

    /// Takes what came of the first actor's last action, learns from it, and gives the next action, unless the episode
    /// is over.
    pub fn observe(
        &mut self,
        step: &Step,
        observation: Observation<'_>,
    ) -> Result<Option<usize>, LearnError> {
        self.observe_at(0, step, observation)?;
        self.decide();
        self.learn()?;
        Ok(self.chosen(0))
    }

    /// As [`observe`](Agent::observe), where `action` was done in the place of the one that the agent had chosen.
    pub fn observe_action(
        &mut self,
        action: usize,
        step: &Step,
        observation: Observation<'_>,
    ) -> Result<Option<usize>, LearnError> {
        self.replace_action(0, action)?;
        self.observe(step, observation)
    }

    /// Starts an episode of one actor, who will decide with the others.
    pub fn begin_at(&mut self, actor: usize, observation: Observation<'_>) -> Result<(), LearnError> {
        let actors = self.actors.len();
        let actor = self.actors.get_mut(actor).ok_or(LearnError::NoActor { actor, actors })?;
        self.learner.begin(actor, observation)
    }

    /// Says that an actor did something else than it had chosen.
    pub fn replace_action(&mut self, actor: usize, action: usize) -> Result<(), LearnError> {
        let (actors, actions) = (self.actors.len(), self.learner.actions());
        let actor = self.actors.get_mut(actor).ok_or(LearnError::NoActor { actor, actors })?;
        if action >= actions {
            return Err(LearnError::ForeignAction { action, actions });
        }
        actor.action = action as u8;
        Ok(())
    }

    /// Takes what came of one actor's last action.
    pub fn observe_at(
        &mut self,
        actor: usize,
        step: &Step,
        observation: Observation<'_>,
    ) -> Result<(), LearnError> {
        let (number, actors) = (actor, self.actors.len());
        let actor = self.actors.get_mut(actor).ok_or(LearnError::NoActor { actor, actors })?;
        self.learner.take(actor, number, step, observation)
    }

    /// Lets every actor that has seen something new choose its action.
    pub fn decide(&mut self) {
        self.learner.decide(&mut self.actors);
    }

    /// The action that an actor has chosen, until what came of it is observed.
    pub fn chosen(&self, actor: usize) -> Option<usize> {
        self.actors.get(actor).and_then(Actor::chosen)
    }

    /// Makes the updates that are due after what was observed since the last call.
    pub fn learn(&mut self) -> Result<(), LearnError> {
        self.learner.learn(&self.actors)
    }

    /// The action of the best mean, with the mean of the parameters: the policy for evaluation.
    pub fn greedy(&mut self, observation: Observation<'_>) -> Result<usize, LearnError> {
        Ok(self.learner.greedy(&[observation])?[0])
    }

    /// [`greedy`](Agent::greedy) for several states at once.
    pub fn greedy_all(&mut self, observations: &[Observation<'_>]) -> Result<Vec<usize>, LearnError> {
        self.learner.greedy(observations)
    }

    /// What the networks by themselves say with the mean of the parameters: mean and standard deviation of the return, for every
    /// state and action. Local uncertainty is not in it.
    pub fn central(&mut self, observations: &[Observation<'_>]) -> Result<(Vec<f64>, Vec<f64>), LearnError> {
        self.learner.central(observations)
    }

    /// An actor that explores and leaves no trace; `number` makes one unlike another.
    pub fn explorer(&self, number: u64) -> Explorer {
        Explorer::new(self.seed ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// An episode of `explorer` begins: it commits itself anew.
    pub fn begin_exploring(&self, explorer: &mut Explorer) {
        self.learner.begin_exploring(explorer);
    }

    /// The action that `explorer` takes in a state.
    pub fn explore(
        &mut self,
        explorer: &mut Explorer,
        observation: Observation<'_>,
    ) -> Result<usize, LearnError> {
        Ok(self.learner.explore(explorer, &[observation])?[0])
    }

    /// [`explore`](Agent::explore) for several states at once, as if they came one after the other.
    pub fn explore_all(
        &mut self,
        explorer: &mut Explorer,
        observations: &[Observation<'_>],
    ) -> Result<Vec<usize>, LearnError> {
        self.learner.explore(explorer, observations)
    }

    /// Gives every state that the replay memory holds to `each`, in no order that means anything: where the agent
    /// has been lately. The numbers of boxes are those of the environment, but for rounding.
    pub fn remembered(&self, each: impl FnMut(Observation<'_>)) {
        self.learner.remembered(each);
    }

    /// What the agent believes of every action in a state, over `draws` draws of the parameters. Looking
    /// changes nothing: the agent acts and learns as if it had not been looked at.
    pub fn inspect(
        &mut self,
        observation: Observation<'_>,
        draws: usize,
    ) -> Result<Vec<ActionView>, LearnError> {
        self.learner.inspect(observation, draws)
    }

    /// By action, what the return's own distribution is believed to be: its quantiles at each of `levels`
    /// (from 0 to 1) with the mean of the parameters. A model without a distribution has its mean at every
    /// level. Looking changes nothing.
    pub fn quantiles(
        &mut self,
        observation: Observation<'_>,
        levels: &[f64],
    ) -> Result<Vec<Vec<f64>>, LearnError> {
        self.learner.quantiles(observation, levels)
    }
}

#[cfg(test)]
mod tests;
