//! Experiment files: whatever is written, the answer is a plan or a sentence with its line.
#![no_main]

mod limit;

use duvn_lab::experiment::{Experiment, Variant};
use libfuzzer_sys::fuzz_target;
use limit::{PLAN, within};

fn look(text: &str) {
    // The whole experiment or its short form, by the length of the input.
    let quick = text.len() % 2 == 1;
    match Experiment::parse(text, &Variant { quick, seeds: None }) {
        Ok(experiment) => assert!(!experiment.runs.is_empty()),
        Err(error) => assert!(error.to_string().starts_with("line ")),
    }
}

fuzz_target!(|text: &str| within(PLAN, || look(text)));
