//! What holds for every environment of the registry, with every parameter: a new entry is tested by this.

use duvn_envs::registry::{ENTRIES, Entry, MakeError, make};
use duvn_envs::rng::NumpyRng;
use duvn_envs::{Action, Environment, Space, env_checker};
use proptest::prelude::*;

/// An id for the entry: a family's smallest member, or one of a middling size.
fn ids(entry: &Entry) -> Vec<String> {
    match entry.sizes {
        None => vec![entry.name.into()],
        Some((least, most)) => {
            [least, 10.clamp(least, most)].map(|size| entry.name.replace("-N", &format!("-{size}"))).into()
        }
    }
}

/// Every id again with each of its parameters.
fn ids_with_parameters(entry: &Entry) -> Vec<String> {
    let mut all = Vec::new();
    for id in ids(entry) {
        let values = entry.parameters.iter().flat_map(|parameter| {
            let (key, values) = parameter.split_once('=').expect("key=values");
            values.split('|').map(move |value| format!("{key}={value}"))
        });
        all.extend(values.map(|parameter| format!("{id}?{parameter}")));
        all.push(format!("{id}?time_limit=7&reward_scale=0.5"));
        if matches!(make(&id, 0).unwrap().observation_space(), Space::Box { .. }) {
            all.push(format!("{id}?normalise=true"));
        }
        all.push(id);
    }
    all
}

#[test]
fn every_environment_passes_the_checker() {
    for id in ENTRIES.iter().flat_map(ids_with_parameters) {
        let findings = env_checker::check(|| make(&id, 3).unwrap());
        assert!(findings.is_empty(), "{id}: {findings:#?}");
    }
}

#[test]
fn every_environment_can_be_seen() {
    for id in ENTRIES.iter().flat_map(ids) {
        let mut env = make(&id, 0).unwrap();
        env.reset(Some(0));
        let drawn = env.draw(&mut Nothing);
        assert!(drawn || env.render_text().is_some_and(|text| text.ends_with('\n')), "{id}");
    }
}

/// A canvas on which nothing stays.
struct Nothing;

impl duvn_envs::canvas::Canvas for Nothing {
    fn view(&mut self, _: (f64, f64), _: (f64, f64), _: duvn_envs::canvas::Colour) {}
    fn polygon(&mut self, _: &[(f64, f64)], _: duvn_envs::canvas::Colour) {}
    fn circle(&mut self, _: (f64, f64), _: f64, _: duvn_envs::canvas::Colour) {}
    fn line(&mut self, _: &[(f64, f64)], _: f64, _: duvn_envs::canvas::Colour) {}
}

#[test]
fn thresholds_follow_the_rewards() {
    for entry in ENTRIES {
        for id in ids(entry) {
            let scaled = make(&format!("{id}?reward_scale=2"), 0).unwrap();
            assert_eq!(
                scaled.reward_threshold,
                entry.reward_threshold.map(|threshold| threshold * 2.0),
                "{id}"
            );
        }
    }
}

#[test]
fn the_readme_lists_every_environment() {
    let readme = include_str!("../README.md");
    for entry in ENTRIES {
        assert!(readme.contains(&format!("`{}`", entry.name)), "{}", entry.name);
    }
}

fn random_action<'a>(space: &Space, rng: &mut NumpyRng, numbers: &'a mut [f32; 1]) -> Action<'a> {
    match space {
        Space::Discrete(n) => Action::Index(rng.integers(0, *n as i64) as usize),
        Space::Box { low, high } => {
            numbers[0] = rng.uniform(f64::from(low[0]), f64::from(high[0])) as f32;
            Action::Vector(numbers)
        }
    }
}

proptest! {
    #[test]
    fn no_id_makes_the_registry_panic(id in "[A-Za-z]{0,12}(-[0-9vxN]{0,4})?([?&=][a-z_=&0-9.]{0,20})?") {
        let _ = make(&id, 0);
    }

    #[test]
    fn no_parameter_makes_an_environment_panic(
        entry in 0..ENTRIES.len(),
        key in "(map|slippery|reward|reward_scale|time_limit|normalise|sab|natural|walls|x)",
        value in "[a-z0-9.e-]{0,6}",
    ) {
        let id = format!("{}?{key}={value}", ids(&ENTRIES[entry])[0]);
        if let Err(error) = make(&id, 0) {
            prop_assert!(matches!(error, MakeError::Parameter { .. }), "{}", error);
        }
    }

    #[test]
    fn a_damaged_state_is_refused_or_harmless(
        entry in 0..ENTRIES.len(),
        steps in 0..20usize,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        seed in any::<u64>(),
    ) {
        let id = ids(&ENTRIES[entry]).pop().unwrap();
        let mut env = make(&id, 0).unwrap();
        let mut rng = NumpyRng::new(seed);
        let space = env.action_space();
        env.reset(Some(seed));
        for _ in 0..steps {
            let _ = env.step(random_action(&space, &mut rng, &mut [0.0]));
        }
        let mut state = env.save().unwrap();
        let at = at.index(state.len());
        state[at] = byte;
        if env.restore(&state).is_ok() {
            for _ in 0..50 {
                let _ = env.step(random_action(&space, &mut rng, &mut [0.0]));
                let _ = env.render_text();
            }
        }
    }
}
