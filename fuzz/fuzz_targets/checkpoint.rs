//! Checkpoints whose checksum is right and whose bytes are anything: refused, or a run that goes on.
//!
//! An input that begins with 0 is such a file. Any other begins with the number of an agent, and changes bytes in what a run of
//! that agent has frozen: so the fuzzer need not find its way through a header first.
#![no_main]

mod limit;

use duvn_lab::checkpoint::decode;
use duvn_lab::run::{Run, RunSnapshot};
use duvn_lab::spec::{Budget, RunSpec};
use libfuzzer_sys::fuzz_target;
use limit::within;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

const KEY: &[u8] = b"\"sha256\":\"";

/// Environment, preset and settings: every posterior, kind of memory and kind of local uncertainty.
const AGENTS: [(&str, &str, &[(&str, &str)]); 5] = [
    ("Toy", "duvn", &[("lambda", "0.9"), ("trace_steps", "4")]),
    ("Toy", "bootdqn", &[("members", "3"), ("bootstrap", "0.5")]),
    ("DeepSea-3", "duvn-deep", &[("parameter_scope", "episode")]),
    ("CartPole-v1", "duvn-deep", &[("features", "4")]),
    ("Chain-3", "parametric", &[("actors", "3"), ("parameter_scope", "episode")]),
];

fn make_spec(number: usize) -> RunSpec {
    let (env, preset, settings) = AGENTS[number];
    let mut config = duvn::preset(preset).expect("a preset");
    config.hidden = vec![2];
    (config.replay, config.batch, config.learning_starts) = (40, 4, 4);
    for (key, value) in settings {
        // A knob that this preset has no use for is left as it is.
        let mut changed = config.clone();
        if changed.set(key, value).is_ok() && changed.check().is_ok() {
            config = changed;
        }
    }
    let (env, agent, budget) = (env.into(), preset.into(), Budget::Episodes(1000));
    RunSpec { env, agent, config, seed: 0, budget, until_solved: false }
}

/// By agent: its run, and what is estimated for it. Made once: an input is to take no longer than it must.
fn spec(number: usize) -> &'static (RunSpec, usize) {
    static SPECS: [OnceLock<(RunSpec, usize)>; AGENTS.len()] = [const { OnceLock::new() }; AGENTS.len()];
    SPECS[number].get_or_init(|| {
        let spec = make_spec(number);
        let memory = Run::memory(&spec).expect("an estimate") as usize;
        (spec, memory)
    })
}

/// By agent: what a run has frozen after 70 steps, with its memory full.
fn frozen(number: usize) -> &'static RunSnapshot {
    static FROZEN: [OnceLock<RunSnapshot>; AGENTS.len()] = [const { OnceLock::new() }; AGENTS.len()];
    FROZEN[number].get_or_init(|| {
        let mut run = Run::new(spec(number).0.clone()).expect("a run");
        for _ in 0..70 {
            run.step().expect("a step");
        }
        run.snapshot()
    })
}

fn go_on(number: usize, snapshot: &RunSnapshot) {
    let mut run = Run::new(spec(number).0.clone()).expect("a run");
    if run.restore(snapshot).is_ok() {
        for _ in 0..12 {
            if run.step().is_err() {
                break;
            }
        }
    }
}

fn file(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if let Some(at) = bytes.windows(KEY.len()).position(|window| window == KEY) {
        let place = at + KEY.len()..at + KEY.len() + 64;
        if place.end <= bytes.len() {
            bytes[place.clone()].fill(b'0');
            let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            bytes[place].copy_from_slice(sum.as_bytes());
        }
    }
    if let Ok(checkpoint) = decode(&bytes) {
        go_on(0, &checkpoint.snapshot);
    }
}

fn agent(first: u8) -> Option<usize> {
    Some(usize::from(first).checked_sub(1)? % AGENTS.len())
}

/// What is estimated for a run, beside what was read and some copies of it while it is restored.
fn room(bytes: &[u8]) -> usize {
    let number = bytes.first().and_then(|&first| agent(first)).unwrap_or(0);
    let RunSnapshot { training, state, .. } = frozen(number);
    let read = training.agent.state.len() + training.state.len() + state.len() + bytes.len();
    spec(number).1 + 4 * read + (64 << 10)
}

// Four bytes of input are one change: which state, where (two bytes), and what is written there.
fn look(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let Some(number) = agent(first) else {
        return file(rest);
    };
    let mut snapshot = frozen(number).clone();
    for change in rest.chunks_exact(4).take(8) {
        let state = match change[0] % 4 {
            0 | 3 => &mut snapshot.training.agent.state,
            1 => &mut snapshot.training.state,
            _ => &mut snapshot.state,
        };
        let at = usize::from(change[1]) << 8 | usize::from(change[2]);
        let at = at % state.len();
        state[at] = change[3];
    }
    go_on(number, &snapshot);
}

fuzz_target!(|bytes: &[u8]| within(room(bytes), || look(bytes)));
