//! What the tests of records and reports share. Each test file uses a part of it.
#![allow(dead_code)]

use duvn_lab::run::{Outcome, RunSpec};
use std::path::PathBuf;

/// A folder that goes when the test ends.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("duvn-lab-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

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
