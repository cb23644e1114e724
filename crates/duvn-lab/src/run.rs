//! One run: a configuration, an environment and a seed, from the first step to the end of its budget, or
//! until it has solved its task.

use crate::fingerprint::weights_sha256;
use crate::judgement::{Judge, Judgement, local_sigma};
use crate::machine;
use crate::progress::Progress;
use crate::record::{Probe, Record};
use duvn::{Agent, AgentError, LearnError, RestoreError, Training, TrainingError, TrainingSnapshot};
use duvn_envs::registry::{self, MakeError};
use duvn_envs::{Environment, StateError, freeze, thaw};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub use crate::spec::{Budget, RunSpec};

/// Why a run could not be made or finished.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum RunError {
    /// There is no such environment.
    Make(#[from] MakeError),
    /// It is to end once solved, in an environment where nothing counts as solved.
    #[error(
        "{env} has no threshold from which it counts as solved, so no run can end there: leave \
         until_solved (--until-solved) out, or choose another environment"
    )]
    NoThreshold {
        /// The environment's id.
        env: String,
    },
    /// The agent needs more memory than there is.
    #[error(
        "the agent would need {:.1} GB of memory, and this machine has {:.1}: write a smaller replay, batch, trace_steps, \
         mc_samples or members, smaller layers, or choose a smaller environment",
        *bytes as f64 / 1e9, *most as f64 / 1e9
    )]
    Memory {
        /// What it would need.
        bytes: u64,
        /// What there is.
        most: u64,
    },
    /// A step of the agent would take too long.
    #[error(
        "one step of the agent would take {multiplications:.0e} multiplications, minutes in which it could not be stopped: \
         write smaller updates, batch, trace_steps, mc_samples, members or actors, or smaller layers"
    )]
    Work {
        /// What it would take.
        multiplications: f64,
    },
    /// The agent does not fit.
    Agent(#[from] AgentError),
    /// Training stopped.
    #[error("seed {seed}: {error}")]
    Training {
        /// The run's seed.
        seed: u64,
        /// What happened.
        error: TrainingError,
    },
    /// It cannot go on from where it was.
    #[error("cannot go on from the checkpoint: {0}")]
    Restore(#[from] RestoreError),
}

impl RunError {
    /// Whether the fault lies in what was asked for, not in what happened.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            RunError::Make(_)
                | RunError::NoThreshold { .. }
                | RunError::Agent(_)
                | RunError::Memory { .. }
                | RunError::Work { .. }
        )
    }
}

/// What came of a run. The fields are the keys of `duvn train --json`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Outcome {
    /// The environment's id.
    pub env: String,
    /// The agent's name.
    pub agent: String,
    /// The run's seed.
    pub seed: u64,
    /// Finished episodes.
    pub episodes: u64,
    /// Environment steps.
    pub steps: u64,
    /// Updates of the network.
    pub updates: u64,
    /// The first episode, counted from 1, in which a reward above zero came.
    pub first_reward_episode: Option<u64>,
    /// The first episode, counted from 1, after which the mean of the last 100 returns was at the threshold.
    pub solved_episode: Option<u64>,
    /// The mean return of the last 100 episodes, or of all where there are fewer.
    pub mean_return_last_100: Option<f64>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Environment steps a second.
    pub steps_per_second: f64,
    /// The fingerprint of the final weights.
    pub weights_sha256: String,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// What its beliefs amount to.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// A run in progress.
pub struct Run {
    spec: RunSpec,
    training: Training<registry::Registered>,
    progress: Progress,
    probe: Probe,
    judge: Judge,
    started: Instant,
    /// Seconds before `started`, in earlier lives of the run.
    before: f64,
    /// Warnings that nobody was told of yet.
    news: Vec<String>,
}

/// Everything that decides how a run goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSnapshot {
    /// Agent and environment.
    pub training: TrainingSnapshot,
    /// What the run itself remembers: progress, measurements, time.
    pub state: Vec<u8>,
    /// Finished episodes.
    pub episodes: u64,
    /// Environment steps.
    pub steps: u64,
}

/// No step may take more multiplications: portable code does as many in a minute or so, which is what a scheduler leaves a
/// program that it has warned.
const LONGEST_STEP: f64 = 2e11;

impl Run {
    /// Whether such a run can be made; found out without making its networks.
    pub fn check(spec: &RunSpec) -> Result<(), RunError> {
        let bytes = Run::memory(spec)?;
        if let Some(most) = machine::memory().filter(|&most| bytes > most) {
            return Err(RunError::Memory { bytes, most });
        }
        let multiplications = Run::work(spec)?;
        if multiplications > LONGEST_STEP {
            return Err(RunError::Work { multiplications });
        }
        Ok(())
    }

    /// An estimate of the bytes that such a run takes; found out without taking them.
    pub fn memory(spec: &RunSpec) -> Result<u64, RunError> {
        let env = Run::environment(spec)?;
        let config = spec.config.check().map_err(AgentError::from)?;
        Ok(duvn::memory(&config, &env.observation_space(), &env.action_space())?)
    }

    /// An estimate of the multiplications of one step, between two moments at which it can be stopped.
    pub fn work(spec: &RunSpec) -> Result<f64, RunError> {
        let env = Run::environment(spec)?;
        let config = spec.config.check().map_err(AgentError::from)?;
        Ok(duvn::work(&config, &env.observation_space(), &env.action_space())?)
    }

    fn environment(spec: &RunSpec) -> Result<registry::Registered, RunError> {
        let env = registry::make(&spec.env, spec.seed)?;
        if spec.until_solved && env.reward_threshold.is_none() {
            return Err(RunError::NoThreshold { env: spec.env.clone() });
        }
        Ok(env)
    }

    /// A run at its start.
    pub fn new(spec: RunSpec) -> Result<Self, RunError> {
        Run::check(&spec)?;
        let env = Run::environment(&spec)?;
        let config = spec.config.check().map_err(AgentError::from)?;
        let (observations, actions) = (env.observation_space(), env.action_space());
        let agent = Agent::new(&config, &observations, &actions, spec.seed)?;
        let progress = Progress::new(env.reward_threshold);
        let probe = Probe::new(&spec)?;
        let mut envs = vec![env];
        for _ in 1..config.actors {
            envs.push(registry::make(&spec.env, spec.seed)?);
        }
        let training = Training::side_by_side(envs, agent, spec.seed);
        let judge = Judge::new(config.gamma);
        let (started, before, news) = (Instant::now(), 0.0, Vec::new());
        Ok(Run { spec, training, progress, probe, judge, started, before, news })
    }

    /// What decides it.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// What its episodes amount to.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Environment steps so far.
    pub fn steps(&self) -> u64 {
        self.training.agent().counters().steps
    }

    /// The agent, to look into it.
    pub fn agent_mut(&mut self) -> &mut Agent {
        self.training.agent_mut()
    }

    /// Whether it is at its end: its budget is used up, or it was to end once solved and is.
    pub fn finished(&self) -> bool {
        if self.spec.until_solved && self.progress.solved_episode.is_some() {
            return true;
        }
        match self.spec.budget {
            Budget::Episodes(episodes) => self.progress.episodes >= episodes,
            Budget::Steps(steps) => self.steps() >= steps,
        }
    }

    /// The share of its budget that is used up, from 0 to 1.
    pub fn share(&self) -> f64 {
        match self.spec.budget {
            Budget::Episodes(episodes) => self.progress.episodes as f64 / episodes.max(1) as f64,
            Budget::Steps(steps) => self.steps() as f64 / steps.max(1) as f64,
        }
    }

    /// Makes one environment step; gives the record of the episode that it ended, if it did.
    pub fn step(&mut self) -> Result<Option<Record>, RunError> {
        let seed = self.spec.seed;
        let failed = |error| RunError::Training { seed, error };
        let Some(episode) = self.training.step().map_err(failed)? else { return Ok(None) };
        self.progress.add(&episode);
        let number = self.progress.episodes;
        self.judge.add(&episode);
        let denoised = self.training.denoised_return();
        let record = self.probe.record(number, &episode, denoised, self.training.agent_mut());
        let record = record.map_err(|error: LearnError| failed(error.into()))?;
        if let Some(view) = record.start {
            let local = local_sigma(&self.spec.config);
            self.news.extend(self.judge.look(view, self.training.agent().rewards(), local));
        }
        Ok(Some(record))
    }

    /// Goes on until the run is at its end, which gives `true`, or until `stop` is raised. After every step `each`
    /// is told of it, with the record of the episode that it ended, if it did. Whoever trains, trains by this loop.
    pub fn drive<E: From<RunError>>(
        &mut self,
        stop: &AtomicBool,
        mut each: impl FnMut(&mut Run, Option<Record>) -> Result<(), E>,
    ) -> Result<bool, E> {
        while !self.finished() {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let record = self.step()?;
            each(self, record)?;
        }
        self.news.extend(self.judge.last_words());
        Ok(true)
    }

    /// What has turned out to be wrong with its beliefs since this was last asked.
    pub fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    /// Seconds of work so far.
    pub fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    /// Everything that decides how the run goes on.
    pub fn snapshot(&self) -> RunSnapshot {
        RunSnapshot {
            training: self.training.snapshot(),
            state: freeze(&(&self.progress, self.probe.last(), &self.judge, self.seconds())),
            episodes: self.progress.episodes,
            steps: self.steps(),
        }
    }

    /// Goes on from a snapshot of the same run, to the bit. On an error, make the run anew.
    pub fn restore(&mut self, snapshot: &RunSnapshot) -> Result<(), RestoreError> {
        let (progress, probed, judge, seconds): (Progress, Option<u64>, Judge, f64) = thaw(&snapshot.state)?;
        self.training.restore(&snapshot.training)?;
        let steps = self.training.agent().counters().steps;
        if !progress.is_sound() || probed.is_some_and(|probed| probed > steps) {
            return Err(StateError::Misfit("its progress cannot have come about".into()).into());
        }
        self.progress = progress;
        self.judge = judge;
        self.probe.set_last(probed);
        if !self.training.resumes_exactly() {
            self.news.extend(self.judge.resumed_anew());
        }
        (self.before, self.started) = (seconds, Instant::now());
        Ok(())
    }

    /// What has come of it so far.
    pub fn outcome(&self) -> Outcome {
        let seconds = self.seconds();
        let counters = self.training.agent().counters();
        Outcome {
            env: self.spec.env.clone(),
            agent: self.spec.agent.clone(),
            seed: self.spec.seed,
            episodes: self.progress.episodes,
            steps: counters.steps,
            updates: counters.updates,
            first_reward_episode: self.progress.first_reward_episode,
            solved_episode: self.progress.solved_episode,
            mean_return_last_100: self.progress.recent_mean(),
            seconds,
            steps_per_second: counters.steps as f64 / seconds.max(1e-9),
            weights_sha256: weights_sha256(self.training.agent()),
            interrupted: !self.finished(),
            judgement: self.judge.judgement(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed 0 of a chain so short that it is solved long before its budget ends.
    fn spec(budget: u64, until_solved: bool) -> RunSpec {
        let mut config = duvn::preset("parametric").expect("a preset");
        config.hidden = vec![16];
        let (env, agent, budget) = ("Chain-3".into(), "parametric".into(), Budget::Episodes(budget));
        RunSpec { env, agent, config, seed: 0, budget, until_solved }
    }

    /// The outcome, without the time it took.
    fn end(mut run: Run) -> Outcome {
        while !run.finished() {
            run.step().unwrap();
        }
        Outcome { seconds: 0.0, steps_per_second: 0.0, ..run.outcome() }
    }

    #[test]
    fn a_run_until_solved_ends_with_the_episode_that_solves_it() {
        let whole = end(Run::new(spec(400, false)).unwrap());
        let solved = whole.solved_episode.expect("Chain-3 is solved within 400 episodes");
        assert!((100..400).contains(&solved), "{whole:?}");
        let ended = end(Run::new(spec(400, true)).unwrap());
        assert_eq!((ended.episodes, ended.interrupted), (solved, false));
        assert_eq!(ended, end(Run::new(spec(solved, false)).unwrap()), "it is the start of the whole run");
        let unsolved = end(Run::new(spec(solved - 1, true)).unwrap());
        assert_eq!((unsolved.episodes, unsolved.solved_episode), (solved - 1, None));
    }

    #[test]
    fn a_run_until_solved_is_resumed_to_the_same_end() {
        let ended = end(Run::new(spec(400, true)).unwrap());
        let mut first = Run::new(spec(400, true)).unwrap();
        while first.progress().episodes < ended.episodes - 1 {
            first.step().unwrap();
        }
        let mut second = Run::new(spec(400, true)).unwrap();
        second.restore(&first.snapshot()).unwrap();
        while !second.finished() {
            second.step().unwrap();
        }
        let mut third = Run::new(spec(400, true)).unwrap();
        third.restore(&second.snapshot()).unwrap();
        assert!(third.finished(), "there is nothing left to do for it");
        assert_eq!((end(second), end(third)), (ended.clone(), ended));
    }

    #[test]
    fn nothing_is_solved_without_a_threshold() {
        let spec = RunSpec { env: "CliffWalking-v1".into(), ..spec(10, true) };
        let error = Run::new(spec.clone()).err().expect("it is refused");
        assert_eq!(error, RunError::NoThreshold { env: "CliffWalking-v1".into() });
        assert!(error.is_usage());
        assert!(Run::new(RunSpec { until_solved: false, ..spec }).is_ok());
    }
}
