//! The records of an experiment, ordered by task and agent.

use crate::beliefs::Moment;
use crate::experiment::Show;
use crate::run::{Budget, Outcome};
use crate::stats;
use crate::store::{BINS, CurvePoint, EvaluationRow, RunRow, Status, Store, StoreError};
use duvn_envs::registry;

/// What is known of an experiment.
pub struct Data {
    /// The experiment's name.
    pub name: String,
    /// How it is shown.
    pub show: Show,
    /// Its tasks, in order.
    pub tasks: Vec<Task>,
    /// Every run, in order.
    pub runs: Vec<RunRow>,
    /// The agents' names, in order.
    pub agents: Vec<String>,
    /// What watched runs believed of every state.
    pub watched: Vec<(RunRow, Vec<Moment>)>,
}

/// One environment, with everyone who tried it.
pub struct Task {
    /// The environment's id.
    pub env: String,
    /// The heading of its panel.
    pub panel: String,
    /// The figure it is part of.
    pub group: String,
    /// The budget of its runs.
    pub budget: Budget,
    /// The mean return from which it counts as solved.
    pub threshold: Option<f64>,
    /// The agents that tried it, in order.
    pub agents: Vec<AgentRuns>,
}

/// The runs of one agent on one task.
pub struct AgentRuns {
    /// The agent's name.
    pub agent: String,
    /// Every run.
    pub runs: Vec<RunRow>,
    /// The curves of the runs that are done.
    pub curves: Vec<Vec<CurvePoint>>,
    /// The evaluations of the runs that are done.
    pub evaluations: Vec<Vec<EvaluationRow>>,
}

impl Data {
    /// Reads what a report needs: runs and curves, not every episode.
    pub fn read(store: &Store) -> Result<Self, StoreError> {
        let runs = store.runs()?;
        let mut tasks: Vec<Task> = Vec::new();
        let mut agents: Vec<String> = Vec::new();
        for run in &runs {
            let at = tasks.iter().position(|task| task.env == run.spec.env).unwrap_or_else(|| {
                tasks.push(Task::new(run));
                tasks.len() - 1
            });
            if !agents.contains(&run.spec.agent) {
                agents.push(run.spec.agent.clone());
            }
            let of_agent = tasks[at].agent_mut(&run.spec.agent);
            of_agent.runs.push(run.clone());
            if run.status == Status::Done {
                of_agent.curves.push(store.curve(run)?);
                of_agent.evaluations.push(store.evaluations(run.number)?);
            }
        }
        let mut watched = Vec::new();
        for run in runs.iter().filter(|run| !run.watch.is_empty()) {
            watched.push((run.clone(), store.moments(run.number)?));
        }
        Ok(Data { watched, name: store.name()?, show: store.show()?, tasks, runs, agents })
    }

    /// How many runs have this status.
    pub fn count(&self, status: Status) -> usize {
        self.runs.iter().filter(|run| run.status == status).count()
    }

    /// The names of the groups of tasks, in order.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for task in &self.tasks {
            if !groups.contains(&task.group.as_str()) {
                groups.push(&task.group);
            }
        }
        groups
    }
}

impl Task {
    fn new(run: &RunRow) -> Self {
        Task {
            env: run.spec.env.clone(),
            panel: run.panel.clone(),
            group: run.group.clone(),
            budget: run.spec.budget,
            threshold: registry::make(&run.spec.env, 0).ok().and_then(|env| env.reward_threshold),
            agents: Vec::new(),
        }
    }

    fn agent_mut(&mut self, name: &str) -> &mut AgentRuns {
        let at = self.agents.iter().position(|known| known.agent == name).unwrap_or_else(|| {
            let (runs, curves, evaluations) = (Vec::new(), Vec::new(), Vec::new());
            self.agents.push(AgentRuns { agent: name.into(), runs, curves, evaluations });
            self.agents.len() - 1
        });
        &mut self.agents[at]
    }

    /// The runs of `agent`.
    pub fn agent(&self, name: &str) -> Option<&AgentRuns> {
        self.agents.iter().find(|known| known.agent == name)
    }

    /// Where the right end of a part of the budget lies on the x axis.
    pub fn x(&self, bin: u64) -> f64 {
        (bin + 1) as f64 * self.amount() / BINS as f64
    }

    /// The budget as a number.
    pub fn amount(&self) -> f64 {
        match self.budget {
            Budget::Episodes(amount) | Budget::Steps(amount) => amount as f64,
        }
    }

    /// What the budget counts.
    pub fn unit(&self) -> &'static str {
        match self.budget {
            Budget::Episodes(_) => "episode",
            Budget::Steps(_) => "environment step",
        }
    }

    /// Parts of the budget over which returns are averaged: enough to hold about 100 episodes, or a
    /// twentieth of a budget of steps.
    pub fn window(&self) -> usize {
        match self.budget {
            Budget::Episodes(episodes) => (100 * BINS).div_ceil(episodes.max(1)).clamp(1, BINS / 10) as usize,
            Budget::Steps(_) => (BINS / 20) as usize,
        }
    }
}

impl AgentRuns {
    /// The runs that are over: done or failed.
    pub fn over(&self) -> impl Iterator<Item = &RunRow> {
        self.runs.iter().filter(|run| matches!(run.status, Status::Done | Status::Failed))
    }

    /// The runs that are done: those of which there are curves and evaluations.
    pub fn done(&self) -> impl Iterator<Item = &RunRow> {
        self.runs.iter().filter(|run| run.status == Status::Done)
    }

    /// The mean of the last 100 returns of each run that is done.
    pub fn last_returns(&self) -> Vec<f64> {
        let done = self.runs.iter().filter_map(|run| run.outcome.as_ref());
        done.filter_map(|outcome| outcome.mean_return_last_100).collect()
    }

    /// How many runs are over, and how many of them solved the task. A run that failed did not.
    pub fn solved(&self) -> (usize, usize) {
        let solved =
            |run: &&RunRow| run.outcome.as_ref().is_some_and(|outcome| outcome.solved_episode.is_some());
        (self.over().filter(solved).count(), self.over().count())
    }

    /// When the event that `when` looks up happened in each run that is over. Runs in which it did not are
    /// censored at their last episode, and those that failed as late as any run lasted, so that they never make
    /// an agent look sooner.
    pub fn times(&self, when: impl Fn(&Outcome) -> Option<u64>) -> Vec<stats::Outcome> {
        let time = |outcome: &Outcome| match when(outcome) {
            Some(episode) => stats::Outcome { time: episode as f64, solved: true },
            None => stats::Outcome { time: outcome.episodes as f64, solved: false },
        };
        let mut times: Vec<_> = self.done().filter_map(|run| run.outcome.as_ref()).map(time).collect();
        let last = times.iter().map(|outcome| outcome.time).fold(1.0, f64::max);
        times.resize(self.over().count(), stats::Outcome { time: last, solved: false });
        times
    }

    /// What `value` has at each part of the budget, one number a run, averaged over `window` parts up to it.
    /// A part in which no episode ended has what came before. From the end of a run that ended because it had
    /// solved the task, all parts have what `end` says it ended with, or else what they had there.
    pub fn points(
        &self,
        window: usize,
        value: impl Fn(&CurvePoint) -> Option<f64>,
        end: impl Fn(&Outcome) -> Option<f64>,
    ) -> Vec<Vec<f64>> {
        let mut points = vec![Vec::new(); BINS as usize];
        for (run, curve) in self.done().zip(&self.curves) {
            let last_bin =
                curve.last().filter(|_| run.ended_solved()).map_or(usize::MAX, |last| last.bin as usize);
            let ended_with = run.outcome.as_ref().and_then(&end);
            let mut last = None;
            for (bin, values) in points.iter_mut().enumerate() {
                let bin = bin.min(last_bin);
                let from = (bin + 1).saturating_sub(window);
                let inside = curve.iter().filter(|point| (from..=bin).contains(&(point.bin as usize)));
                let (mut sum, mut count) = (0.0, 0.0);
                for (number, weight) in
                    inside.filter_map(|point| Some((value(point)?, point.episodes as f64)))
                {
                    sum += number * weight;
                    count += weight;
                }
                if count > 0.0 {
                    last = Some(sum / count);
                }
                values.extend(ended_with.filter(|_| bin == last_bin).or(last));
            }
        }
        points
    }

    /// The `at`-th evaluation of each run that is done; a run that ended because it had solved the task keeps
    /// its last one. `None` when another run has none left.
    pub fn evaluated(&self, at: usize) -> Option<Vec<&EvaluationRow>> {
        let runs = self.done().zip(&self.evaluations);
        runs.map(|(run, rows)| rows.get(at).or_else(|| rows.last().filter(|_| run.ended_solved()))).collect()
    }
}
