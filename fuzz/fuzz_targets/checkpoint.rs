//! Checkpoints whose checksum is right and whose bytes are anything: refused, or a run that goes on.
#![no_main]

use duvn_lab::checkpoint::decode;
use duvn_lab::run::Run;
use duvn_lab::spec::{Budget, RunSpec};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

const KEY: &[u8] = b"\"sha256\":\"";

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if let Some(at) = bytes.windows(KEY.len()).position(|window| window == KEY) {
        let place = at + KEY.len()..at + KEY.len() + 64;
        if place.end <= bytes.len() {
            bytes[place.clone()].fill(b'0');
            let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            bytes[place].copy_from_slice(sum.as_bytes());
        }
    }
    let Ok(checkpoint) = decode(&bytes) else { return };
    let mut config = duvn::preset("duvn").expect("a preset");
    config.hidden = vec![2];
    config.replay = 40;
    config.batch = 4;
    config.learning_starts = 4;
    let (env, agent, budget) = ("Toy".into(), "duvn".into(), Budget::Episodes(5));
    let spec = RunSpec { env, agent, config, seed: 0, budget, until_solved: false };
    let mut run = Run::new(spec).expect("a run");
    if run.restore(&checkpoint.snapshot).is_ok() {
        for _ in 0..10 {
            if run.step().is_err() {
                break;
            }
        }
    }
});
