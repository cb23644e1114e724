//! What the tests of records and reports share. Each test file uses a part of it.
#![allow(dead_code)]

mod folder;

use duvn_lab::run::{Outcome, RunSpec};
pub use folder::Folder;

/// The outcome of a run of so many episodes, rewarded in the first and solved as said.
pub fn outcome(spec: &RunSpec, episodes: u64, solved_episode: Option<u64>) -> Outcome {
    Outcome {
        env: spec.env.clone(),
        agent: spec.agent.clone(),
        seed: spec.seed,
        episodes,
        steps: 2 * episodes,
        updates: 0,
        first_reward_episode: Some(1),
        solved_episode,
        mean_return_last_100: Some(1.0),
        seconds: 2.0,
        steps_per_second: episodes as f64,
        weights_sha256: "00".into(),
        interrupted: false,
        judgement: Default::default(),
    }
}
