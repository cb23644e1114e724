//! What came of the runs of one agent on one task: all that tables need, from records or from a file of runs.

use crate::bounds::bounds;
use crate::stats::{self, Bounds};
use duvn_envs::registry;

/// One environment of an experiment, or one facet of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The environment's id.
    pub env: String,
    /// The heading of its panel.
    pub panel: String,
    /// The figure it is part of.
    pub group: String,
    /// The mean return from which it counts as solved.
    pub threshold: Option<f64>,
    /// What the return of an episode cannot leave, where that is known.
    pub bounds: Option<Bounds>,
}

impl Task {
    /// The task in `env`, shown in a panel of a group.
    pub fn new(env: &str, panel: &str, group: &str) -> Self {
        let threshold = registry::make(env, 0).ok().and_then(|env| env.reward_threshold);
        Task { env: env.into(), panel: panel.into(), group: group.into(), threshold, bounds: bounds(env) }
    }

    /// The results of an agent that has none yet.
    pub(crate) fn results(&self, agent: &str) -> Results {
        Results {
            env: self.env.clone(),
            agent: agent.into(),
            threshold: self.threshold,
            bounds: self.bounds,
            planned: 0,
            runs: Vec::new(),
        }
    }
}

/// The runs of one agent on one task.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The environment's id.
    pub env: String,
    /// The agent's name.
    pub agent: String,
    /// The mean return from which the task counts as solved.
    pub threshold: Option<f64>,
    /// What the return of an episode cannot leave, where that is known.
    pub bounds: Option<Bounds>,
    /// How many runs there are to be.
    pub planned: usize,
    /// The runs that are over.
    pub runs: Vec<Ended>,
}

/// A run that is over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ended {
    /// Whether it ended with an error.
    pub failed: bool,
    /// Whether it ended because it had solved its task: its last returns are at the threshold by construction.
    pub stopped: bool,
    /// Whether its beliefs could not be true.
    pub warned: bool,
    /// Finished episodes.
    pub episodes: u64,
    /// The first episode with a reward above zero.
    pub first_reward_episode: Option<u64>,
    /// The episode that solved the task.
    pub solved_episode: Option<u64>,
    /// The mean of its last 100 returns.
    pub last_return: Option<f64>,
    /// The return of the mean policy when it was last evaluated.
    pub evaluated: Option<f64>,
}

impl Results {
    /// How many runs failed.
    pub fn failed(&self) -> usize {
        self.runs.iter().filter(|run| run.failed).count()
    }

    /// Whether a run ended because it had solved its task, so that returns cannot be compared.
    pub fn stopped(&self) -> bool {
        self.runs.iter().any(|run| run.stopped)
    }

    /// What a run that has no return counts with: the worst return there is, or less than any.
    pub fn worst(&self) -> f64 {
        self.bounds.map_or(f64::NEG_INFINITY, |bounds| bounds.low)
    }

    /// The mean of the last 100 returns of each run, the worst for those that failed.
    pub fn returns(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.last_return.filter(|_| !run.failed).unwrap_or(self.worst())).collect()
    }

    /// The return of each run's mean policy, the worst for those that failed. Empty where none was evaluated.
    pub fn evaluated(&self) -> Vec<f64> {
        if self.runs.iter().all(|run| run.evaluated.is_none()) {
            return Vec::new();
        }
        self.runs.iter().map(|run| run.evaluated.filter(|_| !run.failed).unwrap_or(self.worst())).collect()
    }

    /// How many runs solved the task, of how many. A run that failed did not.
    pub fn solved(&self) -> (usize, usize) {
        let solved = |run: &&Ended| !run.failed && run.solved_episode.is_some();
        (self.runs.iter().filter(solved).count(), self.runs.len())
    }

    /// When the event that `when` looks up happened in each run. Runs in which it did not are censored at their
    /// last episode, and those that failed as late as any run lasted, so that they never make an agent look sooner.
    pub fn times(&self, when: impl Fn(&Ended) -> Option<u64>) -> Vec<stats::Outcome> {
        let last = self.runs.iter().map(|run| run.episodes).max().unwrap_or(1).max(1);
        let time = |run: &Ended| match when(run).filter(|_| !run.failed) {
            Some(episode) => stats::Outcome { time: episode as f64, solved: true },
            None if run.failed => stats::Outcome { time: last as f64, solved: false },
            None => stats::Outcome { time: run.episodes as f64, solved: false },
        };
        self.runs.iter().map(time).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::KaplanMeier;

    fn results(bounds: Option<Bounds>, runs: Vec<Ended>) -> Results {
        let (env, agent) = ("Chain-5".into(), "duvn".into());
        Results { env, agent, threshold: Some(0.95), bounds, planned: runs.len(), runs }
    }

    const SOLVED: Ended = Ended {
        failed: false,
        stopped: false,
        warned: false,
        episodes: 100,
        first_reward_episode: Some(7),
        solved_episode: Some(100),
        last_return: Some(1.0),
        evaluated: None,
    };

    #[test]
    fn a_failed_run_counts_with_the_worst_return() {
        let failed = Ended { failed: true, ..SOLVED };
        let bounds = Bounds { low: 0.0, high: 1.0, share: true };
        let known = results(Some(bounds), vec![SOLVED, failed, SOLVED]);
        assert_eq!((known.returns(), known.solved(), known.failed()), (vec![1.0, 0.0, 1.0], (2, 3), 1));
        let unknown = results(None, vec![SOLVED, failed]);
        assert_eq!(unknown.returns(), [1.0, f64::NEG_INFINITY]);
        assert_eq!(crate::stats::mean(&unknown.returns()), None);
        assert_eq!(known.evaluated(), Vec::<f64>::new());
    }

    #[test]
    fn a_run_that_failed_makes_no_agent_sooner() {
        let failed = Ended { failed: true, episodes: 3, ..SOLVED };
        let times = results(None, vec![SOLVED, failed, failed]).times(|run| run.solved_episode);
        assert_eq!(times.iter().filter(|outcome| !outcome.solved && outcome.time == 100.0).count(), 2);
        assert_eq!(KaplanMeier::new(&times).unwrap().median(), None);
    }
}
