//! What every preset has learnt after 2,000 steps, to the bit, in five environments.
//!
//! The fingerprints in `data/weights.txt` were recorded before the code that makes them was last moved around. Whoever
//! changes one of them changes the results of every experiment that was ever recorded with that preset.

use duvn::Config;
use duvn::config::LoopKind;
use duvn::net::{Isa, force_isa};
use duvn_envs::{Environment, registry};
use duvn_lab::parallel;
use duvn_lab::run::{Budget, Run, RunSpec};

const STEPS: u64 = 2000;

struct Line {
    isa: Isa,
    agent: String,
    env: String,
    sha256: String,
}

impl Line {
    fn matches(&self, word: &str) -> bool {
        [&self.isa.to_string(), &self.agent, &self.env].iter().any(|part| part.contains(word))
    }
}

fn lines() -> Vec<Line> {
    let line = |text: &str| {
        let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        let [isa, agent, env, sha256] = words.try_into().expect("four words a line");
        Line { isa: isa.parse().expect("an instruction set"), agent, env, sha256 }
    };
    include_str!("data/weights.txt").lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

/// The preset of a line. Lines without more to their name are as version 0.1 had them, before there was a guard against
/// loops; `+now` are as they are today, in the environment of the line.
fn config(agent: &str, env: &str) -> Config {
    match agent.strip_suffix("+now") {
        Some(agent) => {
            let observations = registry::make(env, 0).expect("an environment").observation_space();
            duvn::preset_for(agent, &observations).expect("a preset")
        }
        None => Config { loops: LoopKind::Ignore, ..duvn::preset(agent).expect("a preset") },
    }
}

/// MountainCar is learnt with traces, as in the paper.
fn fingerprint(agent: &str, env: &str) -> String {
    let mut config = config(agent, env);
    if env.starts_with("MountainCar") {
        config.lambda = 0.9;
    }
    let (env, agent, budget) = (env.into(), agent.into(), Budget::Steps(STEPS));
    let mut run =
        Run::new(RunSpec { env, agent, config, seed: 3, budget, until_solved: false }).expect("a run");
    while !run.finished() {
        run.step().expect("a step");
    }
    run.outcome().weights_sha256
}

/// One instruction set after the other: the choice is the whole program's. `DUVN_GOLDEN=avx2` looks at the lines with
/// that word only, while one works on something. Without it lines that take minutes are passed over: portable code but
/// for the Chain, and the ensemble with traces; `DUVN_GOLDEN=portable` and `DUVN_GOLDEN=bootdqn` have them.
#[test]
fn every_preset_learns_what_it_always_learnt() {
    let word = std::env::var("DUVN_GOLDEN").ok();
    let quick = |line: &Line| match (line.isa, line.agent.as_str()) {
        (Isa::Portable, agent) => line.env == "Chain-10" && agent != "bootdqn",
        (_, "bootdqn") => !line.env.starts_with("MountainCar"),
        _ => true,
    };
    let wanted = |line: &Line| word.as_ref().map_or_else(|| quick(line), |word| line.matches(word));
    let mut wrong = String::new();
    for isa in Isa::available() {
        force_isa(isa).expect("this CPU has it");
        let lines: Vec<_> = lines().into_iter().filter(|line| line.isa == isa && wanted(line)).collect();
        let found = parallel::map(&lines, 2, |line| fingerprint(&line.agent, &line.env));
        for (line, found) in lines.iter().zip(found) {
            if line.sha256 != found {
                wrong += &format!("{isa} {} {} {found}\n", line.agent, line.env);
            }
        }
    }
    assert!(wrong.is_empty(), "these have changed, to:\n{wrong}");
}
