//! Environments that cannot be frozen within an episode.

use duvn::Config;
use duvn_envs::envs::Toy;
use duvn_envs::{Action, Environment, Observation, Space, Step, StepError, registry};
use duvn_lab::run::{Budget, Run, RunSpec};

/// A world that says nothing of how to go on within an episode.
struct Fleeting(Toy);

impl Environment for Fleeting {
    fn observation_space(&self) -> Space {
        self.0.observation_space()
    }
    fn action_space(&self) -> Space {
        self.0.action_space()
    }
    fn reset(&mut self, seed: Option<u64>) {
        self.0.reset(seed);
    }
    fn observation(&self) -> Observation<'_> {
        self.0.observation()
    }
    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        self.0.step(action)
    }
}

#[test]
fn a_run_whose_environment_cannot_be_frozen_goes_on_and_its_record_says_how() {
    let own = registry::Own::new("Fleeting-v0", |_| Fleeting(Toy::default()));
    registry::Registry::new().with(own).unwrap().install();
    let config = Config { hidden: vec![4], ..Config::default() };
    let spec = RunSpec {
        env: "Fleeting-v0".into(),
        config,
        seed: 0,
        budget: Budget::Episodes(20),
        until_solved: false,
        agent: "egreedy".into(),
    };
    let mut first = Run::new(spec.clone()).unwrap();
    (0..7).for_each(|_| {
        first.step().unwrap();
    });
    assert!(first.outcome().judgement.notes.is_empty());
    let mut second = Run::new(spec.clone()).unwrap();
    second.restore(&first.snapshot()).unwrap();
    assert!(second.warnings()[0].starts_with("it was resumed with a new episode"), "it is said at once");
    let mut third = Run::new(spec).unwrap();
    third.restore(&second.snapshot()).unwrap();
    assert!(third.warnings().is_empty(), "and not again");
    let judgement = {
        while !third.finished() {
            third.step().unwrap();
        }
        third.outcome().judgement
    };
    assert_eq!((judgement.notes.len(), judgement.warnings.len()), (1, 0), "{judgement:?}");
    assert!(serde_json::to_string(&judgement).unwrap().contains("notes"));
}
