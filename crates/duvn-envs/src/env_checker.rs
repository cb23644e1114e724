//! Runs an environment through what everyone relies on: spaces, seeds, saved states, ends and errors.
//!
//! ```
//! use duvn_envs::{env_checker, envs::Toy, wrappers::Episodes};
//!
//! let findings = env_checker::check(|| Episodes::new(Toy::default(), None));
//! assert!(findings.is_empty(), "{findings:#?}");
//! ```

use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, RandomActions, Space, StateError, Step, StepError};

/// Something that an environment does and should not.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// An observation lies outside the observation space.
    #[error("step {step}: observation {observation} is outside the observation space {space}")]
    ObservationOutside {
        /// Steps since the first reset.
        step: usize,
        /// The observation.
        observation: String,
        /// Where it should lie.
        space: Space,
    },
    /// A reward is infinite or not a number.
    #[error("step {step}: the reward is {reward}")]
    RewardNotFinite {
        /// Steps since the first reset.
        step: usize,
        /// The reward.
        reward: f64,
    },
    /// A space is another one after some steps.
    #[error("the observation or action space changes while the environment runs")]
    SpaceChanges,
    /// An action of the action space is refused while an episode runs.
    #[error("step {step}: an action of the action space is refused: {error}")]
    ActionRefused {
        /// Steps since the first reset.
        step: usize,
        /// What the environment said.
        error: StepError,
    },
    /// The same seed and actions lead elsewhere the second time.
    #[error("seed {seed}, step {step}: the same seed and actions gave something else ({what})")]
    NotDeterministic {
        /// The seed.
        seed: u64,
        /// Steps since the first reset.
        step: usize,
        /// Whether in a new environment or in the same one.
        what: &'static str,
    },
    /// A saved state is refused by an environment made alike.
    #[error("step {step}: restore() refuses what save() wrote: {error}")]
    RestoreFails {
        /// Steps since the first reset.
        step: usize,
        /// What the environment said.
        error: StateError,
    },
    /// An environment goes on differently after save and restore.
    #[error("saved at step {saved_at}, restored elsewhere: {after} steps later the two differ")]
    StateIncomplete {
        /// Steps between the first reset and the save.
        saved_at: usize,
        /// Steps between the save and the difference.
        after: usize,
    },
    /// A saved state that has lost its last byte is accepted.
    #[error("restore() accepts a state that has lost its last byte")]
    CutStateAccepted,
    /// An action outside the action space is not answered with [`StepError::Action`].
    #[error("action {action} is outside the action space and is not refused with StepError::Action")]
    BadActionAccepted {
        /// The action.
        action: String,
    },
    /// An error has changed the state.
    #[error("a refused action has changed the state")]
    ErrorChangesState,
    /// A step without a running episode is not answered with [`StepError::NotRunning`].
    #[error("a step {when} is not refused with StepError::NotRunning: wrap it in wrappers::Episodes")]
    StepWithoutEpisode {
        /// Before the first reset, or after an end.
        when: &'static str,
    },
    /// No episode came to an end under random actions.
    #[error("no episode ended within {steps} random steps: give it a time limit")]
    NeverEnds {
        /// How many steps were made.
        steps: usize,
    },
}

impl Finding {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Finding::ObservationOutside { .. } => "widen observation_space(), or keep observations within it",
            Finding::RewardNotFinite { .. } => {
                "let step() return a number: look for a division by zero or a root of less than 0"
            }
            Finding::SpaceChanges => "return the same spaces for as long as the environment lives",
            Finding::ActionRefused { .. } => "accept every action of action_space(), or make that smaller",
            Finding::NotDeterministic { .. } => {
                "start everything anew in reset(): draw random numbers from a generator that reset(Some(seed)) seeds, and \
                 keep nothing of the last episode"
            }
            Finding::RestoreFails { .. } => {
                "read in restore() what save() writes, in the same order and types"
            }
            Finding::StateIncomplete { .. } => {
                "save all that step() and reset() look at, random numbers included"
            }
            Finding::CutStateAccepted => "read states with thaw(), which refuses what is too short",
            Finding::BadActionAccepted { .. }
            | Finding::ErrorChangesState
            | Finding::StepWithoutEpisode { .. } => {
                "wrap the environment in wrappers::Episodes, which does this for it"
            }
            Finding::NeverEnds { .. } => "give it a time limit: wrappers::Episodes::new(env, Some(500))",
        }
    }
}

/// Each kind of fault once, in the order in which they were found: the first of its kind, how many more there are, and what
/// to do about it. Nothing where there are no findings.
///
/// ```
/// use duvn_envs::{env_checker, envs::Toy};
///
/// // Without the wrapper nobody refuses bad actions and steps after the end.
/// for line in env_checker::sum_up(&env_checker::check(Toy::default)) {
///     println!("{line}");
/// }
/// ```
pub fn sum_up(findings: &[Finding]) -> Vec<String> {
    let mut kinds: Vec<(&Finding, usize)> = Vec::new();
    for finding in findings {
        let same = |(known, _): &&mut (&Finding, usize)| {
            std::mem::discriminant(*known) == std::mem::discriminant(finding)
        };
        match kinds.iter_mut().find(same) {
            Some((_, count)) => *count += 1,
            None => kinds.push((finding, 1)),
        }
    }
    let line = |(first, count): (&Finding, usize)| {
        let more = if count > 1 { format!(" (and {} more like it)", count - 1) } else { String::new() };
        format!("{first}{more}. To do: {}.", first.remedy())
    };
    kinds.into_iter().map(line).collect()
}

/// How thorough a check is.
#[derive(Clone, Debug)]
pub struct Checker {
    /// The seeds that episodes are started with.
    pub seeds: Vec<u64>,
    /// Steps made from each seed, over as many episodes as they take.
    pub steps: usize,
    /// States saved and restored for each seed.
    pub saves: usize,
    /// Steps after which an episode that has not ended counts as endless.
    pub patience: usize,
}

impl Default for Checker {
    fn default() -> Self {
        Checker { seeds: vec![0, 1, 1 << 40], steps: 1000, saves: 20, patience: 200_000 }
    }
}

/// Checks the environments that `make` makes, all alike, with the defaults of [`Checker`]. An
/// environment of one's own is to be wrapped in [`Episodes`](crate::wrappers::Episodes), as the registry does.
pub fn check<E: Environment>(make: impl Fn() -> E) -> Vec<Finding> {
    Checker::default().check(make)
}

/// What was seen and what came of it: enough to tell two runs apart.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    observation: Vec<u32>,
    step: Option<Step>,
}

fn seen(env: &impl Environment, step: Option<Step>) -> Seen {
    let observation = match env.observation() {
        Observation::Index(index) => vec![index as u32],
        Observation::Vector(numbers) => numbers.iter().map(|x| x.to_bits()).collect(),
    };
    Seen { observation, step }
}

/// One environment under random actions, reset whenever an episode ends.
struct Run<E> {
    env: E,
    actor: RandomActions,
    ended: bool,
}

impl<E: Environment> Run<E> {
    fn start(mut env: E, seed: u64) -> Self {
        env.reset(Some(seed));
        let actor = RandomActions::new(env.action_space(), seed);
        Run { env, actor, ended: false }
    }

    /// A step, or the reset after an end.
    fn go(&mut self) -> Result<Seen, StepError> {
        if std::mem::take(&mut self.ended) {
            self.env.reset(None);
            return Ok(seen(&self.env, None));
        }
        let step = self.env.step(self.actor.draw())?;
        self.ended = step.done();
        Ok(seen(&self.env, Some(step)))
    }
}

impl Checker {
    /// Checks the environments that `make` makes, all alike. Nothing found is nothing wrong.
    pub fn check<E: Environment>(&self, make: impl Fn() -> E) -> Vec<Finding> {
        let mut findings = Vec::new();
        for &seed in &self.seeds {
            let first = self.spaces_and_rewards(&make, seed, &mut findings);
            self.determinism(&make, seed, &first, &mut findings);
            self.saved_states(&make, seed, &mut findings);
        }
        refusals(&make, &mut findings);
        self.ends(&make, &mut findings);
        findings
    }

    fn spaces_and_rewards<E: Environment>(
        &self,
        make: &impl Fn() -> E,
        seed: u64,
        findings: &mut Vec<Finding>,
    ) -> Vec<Seen> {
        let mut run = Run::start(make(), seed);
        let spaces = (run.env.observation_space(), run.env.action_space());
        let mut trace = vec![seen(&run.env, None)];
        for step in 0..=self.steps {
            let observation = run.env.observation();
            if !spaces.0.contains(observation) {
                let observation = format!("{observation:?}");
                findings.push(Finding::ObservationOutside { step, observation, space: spaces.0.clone() });
                break;
            }
            match run.go() {
                Ok(next) => {
                    if let Some(reward) = next.step.map(|step| step.reward).filter(|x| !x.is_finite()) {
                        findings.push(Finding::RewardNotFinite { step, reward });
                    }
                    trace.push(next);
                }
                Err(error) => {
                    findings.push(Finding::ActionRefused { step, error });
                    break;
                }
            }
        }
        if spaces != (run.env.observation_space(), run.env.action_space()) {
            findings.push(Finding::SpaceChanges);
        }
        trace
    }

    fn determinism<E: Environment>(
        &self,
        make: &impl Fn() -> E,
        seed: u64,
        first: &[Seen],
        findings: &mut Vec<Finding>,
    ) {
        let mut compare = |mut run: Run<E>, what| {
            let again = std::iter::once(Ok(seen(&run.env, None))).chain(std::iter::repeat_with(|| run.go()));
            let step = first.iter().zip(again).position(|(expected, again)| again.as_ref() != Ok(expected));
            findings.extend(step.map(|step| Finding::NotDeterministic { seed, step, what }));
            run.env
        };
        let used = compare(Run::start(make(), seed), "a new environment");
        compare(Run::start(used, seed), "the same environment, reset");
    }

    fn saved_states<E: Environment>(&self, make: &impl Fn() -> E, seed: u64, findings: &mut Vec<Finding>) {
        let mut run = Run::start(make(), seed);
        let mut at = NumpyRng::new(seed);
        let mut step = 0;
        for _ in 0..self.saves {
            // An environment that cannot be frozen has nothing to get wrong here.
            let Some(state) = run.env.save() else { return };
            let mut copy = make();
            if let Err(error) = copy.restore(&state) {
                findings.push(Finding::RestoreFails { step, error });
                return;
            }
            if state.split_last().is_some_and(|(_, cut)| make().restore(cut).is_ok()) {
                findings.push(Finding::CutStateAccepted);
                return;
            }
            let mut copy = Run { env: copy, actor: run.actor.clone(), ended: run.ended };
            if copy.env.save().as_ref() != Some(&state) || seen(&copy.env, None) != seen(&run.env, None) {
                findings.push(Finding::StateIncomplete { saved_at: step, after: 0 });
                return;
            }
            for after in 1..=at.integers(1, 100) as usize {
                if run.go() != copy.go() {
                    findings.push(Finding::StateIncomplete { saved_at: step, after });
                    return;
                }
                step += 1;
            }
        }
    }

    fn ends<E: Environment>(&self, make: &impl Fn() -> E, findings: &mut Vec<Finding>) {
        let mut run = Run::start(make(), 0);
        for _ in 0..self.patience {
            if run.go().is_err() {
                return;
            }
            if run.ended {
                if run.env.step(run.actor.draw()) != Err(StepError::NotRunning) {
                    findings.push(Finding::StepWithoutEpisode { when: "after the end of an episode" });
                }
                return;
            }
        }
        findings.push(Finding::NeverEnds { steps: self.patience });
    }
}

fn refusals<E: Environment>(make: &impl Fn() -> E, findings: &mut Vec<Finding>) {
    let mut env = make();
    let space = env.action_space();
    if env.step(RandomActions::new(space.clone(), 0).draw()) != Err(StepError::NotRunning) {
        findings.push(Finding::StepWithoutEpisode { when: "before the first reset" });
    }
    env.reset(Some(0));
    let state = env.save();
    let width = space.width();
    let (nan, long, above) = (vec![f32::NAN; width], vec![0.0; width + 1], vec![f32::INFINITY; width]);
    let bad = [
        Action::Index(if matches!(space, Space::Discrete(_)) { width } else { 0 }),
        Action::Index(usize::MAX),
        Action::Vector(&nan),
        Action::Vector(&long),
        Action::Vector(&above),
    ];
    for action in bad.into_iter().filter(|&action| !space.contains_action(action)) {
        if !matches!(env.step(action), Err(StepError::Action { .. })) {
            findings.push(Finding::BadActionAccepted { action: format!("{action:?}") });
        } else if env.save() != state {
            findings.push(Finding::ErrorChangesState);
        }
    }
}

#[cfg(test)]
#[path = "env_checker_tests.rs"]
mod tests;
