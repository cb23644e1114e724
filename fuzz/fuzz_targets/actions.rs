//! `--actions`: a step, or a sentence.
#![no_main]

mod limit;

use duvn_envs::{Environment, registry};
use duvn_lab::actions::Written;
use libfuzzer_sys::fuzz_target;
use limit::{PLAN, within};

fn look(text: &str) {
    // One environment an input, by its length.
    let id = ["Toy", "Pendulum-v1", "MountainCarContinuous-v0", "FrozenLake-v1"][text.len() % 4];
    let mut env = registry::make(id, 0).expect("an environment");
    env.reset(Some(0));
    let space = env.action_space();
    for text in text.split(',').take(20) {
        let Ok(action) = Written::parse(text, &space) else { break };
        match env.step(action.action()) {
            Ok(step) if !step.done() => {}
            _ => break,
        }
    }
}

fuzz_target!(|text: &str| within(PLAN, || look(text)));
