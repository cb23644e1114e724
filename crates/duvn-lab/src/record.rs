//! What is recorded of an episode.

use crate::spec::RunSpec;
use duvn::config::PosteriorKind;
use duvn::{Agent, Config, Episode, LearnError};
use duvn_envs::Environment;
use duvn_envs::registry::{self, MakeError, Registered};

/// One finished episode of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Its number, counted from 1.
    pub episode: u64,
    /// The sum of its rewards.
    pub ret: f64,
    /// What it would have earned without noise in its rewards, where the environment tells.
    pub denoised: Option<f64>,
    /// Its steps.
    pub length: u64,
    /// Environment steps of the run when it ended.
    pub steps: u64,
    /// The mean loss of the last update.
    pub loss: f64,
    /// What the agent believes of the start, where it was looked at.
    pub start: Option<StartView>,
}

/// What an agent believes of the state in which the environment starts.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StartView {
    /// The best mean return of an action.
    pub value: f64,
    /// Return uncertainty: sigma, the mean over actions.
    pub sigma: f64,
    /// Parametric uncertainty: the standard deviation of mu over draws of the parameters, the mean over actions.
    pub spread: f64,
}

/// Environment steps between two looks at the start: a look costs about as much as half a step of
/// training, so that looking takes well under a hundredth of the time.
const LOOK_EVERY: u64 = 200;

/// Draws of the parameters in a look.
const DRAWS: usize = 8;

/// Looks at what an agent believes of one state, the environment's start under the run's seed, again and
/// again while it learns. Looking changes nothing.
pub struct Probe {
    env: Registered,
    draws: usize,
    last: Option<u64>,
}

impl Probe {
    /// A probe for the run `spec`.
    pub fn new(spec: &RunSpec) -> Result<Self, MakeError> {
        let mut env = registry::make(&spec.env, spec.seed)?;
        env.reset(Some(spec.seed));
        Ok(Probe { env, draws: Probe::draws(&spec.config), last: None })
    }

    /// Draws of the parameters in a look at an agent of this configuration.
    pub fn draws(config: &Config) -> usize {
        if config.posterior == PosteriorKind::Point { 1 } else { DRAWS }
    }

    /// The steps of the run at the last look.
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    /// Goes on as if the last look had been at `last`.
    pub fn set_last(&mut self, last: Option<u64>) {
        self.last = last;
    }

    /// The record of an episode that `agent` has just finished.
    pub fn record(
        &mut self,
        number: u64,
        episode: &Episode,
        denoised: Option<f64>,
        agent: &mut Agent,
    ) -> Result<Record, LearnError> {
        let counters = agent.counters();
        let due = self.last.is_none_or(|last| counters.steps - last >= LOOK_EVERY);
        let start = if due {
            self.last = Some(counters.steps);
            Some(self.look(agent)?)
        } else {
            None
        };
        Ok(Record {
            episode: number,
            ret: episode.ret,
            denoised,
            length: episode.length,
            steps: counters.steps,
            loss: counters.loss,
            start,
        })
    }

    /// What `agent` believes of the start now.
    pub fn look(&self, agent: &mut Agent) -> Result<StartView, LearnError> {
        let views = agent.inspect(self.env.observation(), self.draws)?;
        let count = views.len().max(1) as f64;
        Ok(StartView {
            value: views.iter().map(|view| view.mean).fold(f64::NEG_INFINITY, f64::max),
            sigma: views.iter().map(|view| view.sigma).sum::<f64>() / count,
            spread: views.iter().map(|view| view.spread).sum::<f64>() / count,
        })
    }
}
