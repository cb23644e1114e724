//! An agent goes into a file and comes out of it, to the bit.

use duvn::{Agent, FileError, Keep, Training, preset};
use duvn_envs::{Environment, Observation, registry};
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("duvn-{}-{name}.safetensors", std::process::id()))
}

/// An agent in mid-episode that has learnt for 200 steps.
fn training(name: &str) -> Training<registry::Registered> {
    let env = registry::make("Chain-6", 3).unwrap();
    let mut config = preset(name).unwrap();
    (config.hidden, config.replay, config.members) = (vec![16], 300, 3);
    let config = config.check().unwrap();
    let agent = Agent::new(&config, &env.observation_space(), &env.action_space(), 3).unwrap();
    let mut training = Training::new(env, agent, 3);
    (0..200).for_each(|_| assert!(training.step().is_ok()));
    training
}

#[test]
fn a_whole_agent_comes_back_as_it_was() {
    for name in ["duvn", "duvn-deep", "bootdqn"] {
        let (mut training, file) = (training(name), path(&format!("whole-{name}")));
        training.agent().save(&file, Keep::Everything).unwrap();
        let mut loaded = Agent::load(&file).unwrap();
        assert!(loaded.snapshot() == training.agent().snapshot(), "{name}");
        // Both go on alike, memory and random numbers included.
        let step = duvn_envs::Step { reward: 0.5, terminated: false, truncated: false };
        for state in [1, 2, 3] {
            let ours = training.agent_mut().observe(&step, Observation::Index(state)).unwrap();
            assert_eq!(ours, loaded.observe(&step, Observation::Index(state)).unwrap(), "{name}");
        }
        assert_eq!(training.agent().weights(), loaded.weights(), "{name}");
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn knowledge_alone_acts_alike_and_is_smaller() {
    let (mut training, whole, known) = (training("duvn-deep"), path("all"), path("known"));
    training.agent().save(&whole, Keep::Everything).unwrap();
    training.agent().save(&known, Keep::Knowledge).unwrap();
    let size = |file| std::fs::metadata(file).unwrap().len();
    assert!(size(&known) < size(&whole));
    let mut loaded = Agent::load(&known).unwrap();
    let remembered = |agent: &Agent| {
        let mut count = 0;
        agent.remembered(|_| count += 1);
        count
    };
    assert!(remembered(training.agent()) >= 200 && remembered(&loaded) == 0, "what it saw stays behind");
    for state in 0..6 {
        let (ours, theirs) = (training.agent_mut(), &mut loaded);
        let look = |agent: &mut Agent| agent.inspect(Observation::Index(state), 4).unwrap();
        assert_eq!(look(ours), look(theirs));
    }
    let step = duvn_envs::Step { reward: 0.0, terminated: true, truncated: false };
    assert!(loaded.observe(&step, Observation::Index(0)).is_err(), "it stands before its next episode");
    loaded.begin(Observation::Index(0)).unwrap();
    loaded.observe(&step, Observation::Index(1)).unwrap();
    [whole, known].iter().for_each(|file| std::fs::remove_file(file).unwrap());
}

#[test]
fn a_file_that_is_no_agent_is_refused_with_its_name() {
    let file = path("damaged");
    training("duvn").agent().save(&file, Keep::Knowledge).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    for at in [0, 9, bytes.len() / 2, bytes.len() - 1] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        std::fs::write(&file, &flipped).unwrap();
        let error = Agent::load(&file).err().expect("it is damaged");
        assert!(matches!(error, FileError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("damaged.safetensors"), "{error}");
    }
    std::fs::write(&file, &bytes[..bytes.len() / 3]).unwrap();
    assert!(Agent::load(&file).is_err());
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(Agent::load(&file), Err(FileError::Io { .. })));
}
