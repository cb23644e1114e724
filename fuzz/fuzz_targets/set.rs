//! `--set`: a configuration that holds, or a sentence.
#![no_main]

mod limit;

use duvn_lab::settings;
use libfuzzer_sys::fuzz_target;
use limit::within_a_second;

fn look(text: &str) {
    let (toml, assignments) = text.split_once('\u{1}').unwrap_or(("", text));
    let assignments: Vec<String> = assignments.lines().map(String::from).collect();
    for preset in ["duvn", "bootdqn", "duvn-deep"] {
        if let Ok(config) = settings::resolve(preset, Some(toml), &assignments) {
            assert_eq!(settings::from_toml(&settings::to_toml(&config)).expect("it was written"), config);
        }
    }
}

fuzz_target!(|text: &str| within_a_second(|| look(text)));
