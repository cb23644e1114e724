//! `--set`: a configuration that holds, or a sentence.
#![no_main]

mod limit;

use duvn_envs::Space;
use duvn_lab::settings;
use libfuzzer_sys::fuzz_target;
use limit::{PLAN, within};

fn look(text: &str) {
    let (toml, assignments) = text.split_once('\u{1}').unwrap_or(("", text));
    let assignments: Vec<String> = assignments.lines().map(String::from).collect();
    // One preset and one kind of observations an input, by its length: six times as many inputs.
    let preset = ["duvn", "bootdqn", "duvn-deep"][text.len() % 3];
    let spaces = [Space::Discrete(5), Space::Box { low: vec![-1.0; 2], high: vec![1.0; 2] }];
    let observations = &spaces[text.len() / 3 % 2];
    if let Ok(config) = settings::resolve(preset, observations, Some(toml), &assignments) {
        assert_eq!(settings::from_toml(&settings::to_toml(&config)).expect("it was written"), config);
    }
}

fuzz_target!(|text: &str| within(PLAN, || look(text)));
