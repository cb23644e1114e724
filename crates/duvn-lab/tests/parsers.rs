//! Whatever is written, a parser answers: with what was meant, or with a sentence.

use duvn_envs::{Environment, Space, registry};
use duvn_lab::actions::Written;
use duvn_lab::checkpoint::decode;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::run::{Run, RunSnapshot};
use duvn_lab::shard::Shard;
use duvn_lab::spec::{Budget, RunSpec};
use duvn_lab::{seeds, settings};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::OnceLock;

/// Text made of pieces that the parser knows, and of anything.
fn pieces(known: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(known).prop_map(String::from),
        1 => any::<u64>().prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_map(|number| number.to_string()),
        1 => ".{0,3}",
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// One line that can be shown to a user.
fn is_a_sentence(error: &str) -> bool {
    error.len() > 10 && error.lines().count() == 1
}

const LINES: &[&str] = &[
    "name = \"a\"\n",
    "seeds = \"0..2\"\n",
    "seeds = [1, 2]\n",
    "episodes = 5\n",
    "steps = 5\n",
    "until_solved = true\n",
    "evaluations = 3\n",
    "evaluation_episodes = 0\n",
    "[settings]\n",
    "hidden = [8]\n",
    "keep = 0.5\n",
    "members = 3\n",
    "[[environments]]\n",
    "id = \"Toy\"\n",
    "id = \"Chain-3\"\n",
    "id = \"DeepSea-3?reward_scale=2\"\n",
    "group = \"g\"\n",
    "[[agents]]\n",
    "preset = \"duvn\"\n",
    "preset = \"egreedy\"\n",
    "name = \"b\"\n",
    "[quick]\n",
    "[[watch]]\n",
    "environment = \"Toy\"\n",
    "agent = \"b\"\n",
    "episodes = [0, 1]\n",
    "[figure]\n",
    "columns = 0\n",
    "settings = { a = 1 }\n",
    "name = \"../a\"\n",
    "= ",
    "\"",
    "[",
    "]",
    "{",
    "'''",
    "#",
    "\u{0}",
];

/// A run of an agent with every kind of state: memory, queue, masks or members, visits, several actors.
fn spec(number: usize) -> RunSpec {
    let (env, preset, settings): (_, _, &[(&str, &str)]) = [
        ("Toy", "duvn", &[("lambda", "0.9"), ("trace_steps", "4")][..]),
        ("Toy", "bootdqn", &[("members", "3"), ("bootstrap", "0.5")]),
        ("DeepSea-3", "duvn-deep", &[]),
        ("CartPole-v1", "duvn-deep", &[("features", "4")]),
        ("Chain-3", "parametric", &[("actors", "3"), ("parameter_scope", "episode")]),
    ][number];
    let mut config = duvn::preset(preset).unwrap();
    config.hidden = vec![2];
    (config.replay, config.batch, config.learning_starts) = (40, 4, 4);
    settings.iter().for_each(|(key, value)| config.set(key, value).unwrap());
    let (env, agent, budget) = (env.into(), preset.into(), Budget::Episodes(1000));
    RunSpec { env, agent, config, seed: 0, budget, until_solved: false }
}

/// What such a run has frozen after 70 steps, with its memory full.
fn frozen(number: usize) -> &'static RunSnapshot {
    static FROZEN: [OnceLock<RunSnapshot>; 5] = [const { OnceLock::new() }; 5];
    FROZEN[number].get_or_init(|| {
        let mut run = Run::new(spec(number)).unwrap();
        for _ in 0..70 {
            run.step().unwrap();
        }
        run.snapshot()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn experiment_files_are_read_or_refused_with_their_line(text in pieces(LINES), quick in any::<bool>()) {
        match Experiment::parse(&text, &Variant { quick, seeds: None }) {
            Ok(experiment) => prop_assert!(!experiment.runs.is_empty()),
            Err(error) => prop_assert!(error.to_string().starts_with("line "), "{error}"),
        }
    }

    #[test]
    fn environment_ids_are_made_or_refused(id in pieces(&[
        "Chain-", "ChainOrdered-", "Toy", "CartPole-v1", "FrozenLake-v1", "DeepSea-", "CartPoleSwingup-", "Catch", "?", "&",
        "=", "map", "4x4", "slippery", "true", "reward_scale", "time_limit", "normalise", "reward", "sparse", "5", "-", "1e308",
    ])) {
        match registry::make(&id, 1) {
            Ok(mut env) => { env.reset(Some(1)); prop_assert!(env.observation_space().contains(env.observation())); }
            Err(error) => prop_assert!(error.to_string().len() > 10),
        }
    }

    #[test]
    fn settings_are_taken_or_refused(text in pieces(&[
        "keep", "gamma", "hidden", "members", "mc_samples", "trace_steps", "policy", "thompson", "=", "[", "]", ",", "8", "-1",
        "1e400", "nan", "inf", "18446744073709551615", " ",
    ])) {
        match settings::resolve("duvn", &Space::Discrete(4), None, &[text]) {
            Ok(config) => prop_assert!(config.check().is_ok()),
            Err(error) => prop_assert!(is_a_sentence(&error.to_string()), "{error}"),
        }
    }

    #[test]
    fn a_configuration_that_is_written_reads_back(assignments in vec(pieces(&[
        "keep=0.5", "gamma=0", "gamma=1", "hidden=[3]", "batch=7", "learning_rate=1e-9", "replay=100000",
    ]), 0..3)) {
        if let Ok(config) = settings::resolve("duvn", &Space::Discrete(4), None, &assignments) {
            prop_assert_eq!(settings::from_toml(&settings::to_toml(&config)).unwrap(), config);
        }
    }

    #[test]
    fn seeds_and_shares_are_read_or_refused(text in pieces(&["0", "..", ",", "5", "/", "16", " ", "-"])) {
        if let Ok(seeds) = seeds::parse(&text) {
            prop_assert!(!seeds.is_empty() && seeds.len() <= 100_000);
        }
        if let Ok(share) = text.parse::<Shard>() {
            prop_assert!(share.folder().starts_with("shard-"));
        }
    }

    #[test]
    fn actions_are_read_or_refused(text in pieces(&["0", "1", ":", "-0.5", "nan", " "])) {
        for space in [Space::Discrete(2), Space::symmetric_box(&[1.0; 2])] {
            if let Err(error) = Written::parse(&text, &space) {
                prop_assert!(error.to_string().contains("write "), "{error}");
            }
        }
        let mut env = registry::make("Pendulum-v1", 0).unwrap();
        env.reset(Some(0));
        if let Ok(action) = Written::parse(&text, &env.action_space()) {
            // Inside the space it moves, outside it is refused: it never panics.
            let _ = env.step(action.action());
        }
    }

    #[test]
    fn bytes_that_are_no_checkpoint_are_refused(bytes in vec(any::<u8>(), 0..300), length in 0u64..400) {
        prop_assert!(decode(&bytes).is_err());
        let header = br#"{"__metadata__":{"sha256":""#;
        prop_assert!(decode(&[&length.to_le_bytes()[..], header, &bytes].concat()).is_err());
    }
    /// Whoever makes a file can give it the right checksum: its parts must fit each other all the same.
    #[test]
    fn a_state_whose_bytes_are_others_is_refused_or_goes_on(
        number in 0..5usize,
        changes in vec((0..3usize, any::<proptest::sample::Index>(), prop_oneof![any::<u8>(), 0..4u8, 0x7f..=0x80u8]), 1..4),
    ) {
        let mut snapshot = frozen(number).clone();
        for (which, at, byte) in changes {
            let state = match which {
                0 => &mut snapshot.training.agent.state,
                1 => &mut snapshot.training.state,
                _ => &mut snapshot.state,
            };
            let at = at.index(state.len());
            state[at] = byte;
        }
        let mut run = Run::new(spec(number)).unwrap();
        if run.restore(&snapshot).is_ok() {
            for _ in 0..12 {
                if run.step().is_err() {
                    break;
                }
            }
        }
    }
}
