//! Environment ids and their parameters: made and stepped, or refused.
#![no_main]

mod limit;

use duvn_envs::{Environment, Space, registry};
use libfuzzer_sys::fuzz_target;
use limit::{PLAN, within};

fn look(id: &str) {
    if let Ok(mut env) = registry::make(id, 1) {
        env.reset(Some(1));
        assert!(env.observation_space().contains(env.observation()));
        if matches!(env.action_space(), Space::Discrete(_)) {
            let step = env.step(0.into()).expect("action 0 is one");
            assert!(step.reward.is_finite(), "{id}: {step:?}");
        }
    }
}

fuzz_target!(|id: &str| within(PLAN, || look(id)));
