//! What holds for every environment of the registry, with every parameter: a new entry is tested by this.

use duvn_envs::registry::{ENTRIES, Entry, MakeError, make};
use duvn_envs::{Environment, RandomActions, Space, env_checker};
use proptest::prelude::*;

/// An id for the entry: a family's smallest member, and one of a middling size.
fn ids(entry: &Entry) -> Vec<String> {
    match (entry.family(), entry.sizes) {
        (Some(family), Some((least, _))) => vec![format!("{family}-{least}"), entry.example()],
        _ => vec![entry.example()],
    }
}

/// What must be written before a parameter for it to have an effect.
fn needed(name: &str) -> &'static str {
    match name {
        "map_size" | "map_seed" => "map=random&",
        "frozen" => "map=random&map_size=2&",
        "wind_power" | "turbulence_power" => "enable_wind=true&",
        "rainy_probability" => "is_rainy=true&",
        "fickle_probability" => "fickle_passenger=true&",
        _ => "",
    }
}

/// The examples of these are for three arms; below they are tried on those.
fn of_size_three(name: &str) -> bool {
    ["means", "noises"].contains(&name)
}

/// Every id again with each of its parameters.
fn ids_with_parameters(entry: &Entry) -> Vec<String> {
    let mut all = Vec::new();
    for id in ids(entry) {
        for parameter in entry.parameters.iter().filter(|parameter| !of_size_three(parameter.name)) {
            let written = parameter.examples().into_iter().map(|value| format!("{}={value}", parameter.name));
            all.extend(written.map(|written| format!("{id}?{}{written}", needed(parameter.name))));
        }
        all.push(format!("{id}?time_limit=7&reward_scale=0.5&reward_noise=2"));
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
fn a_bandit_has_the_arms_it_is_given() {
    for parameter in ["means=0/1/0.5", "noises=1/0.1/2", "means=1/2/3&noises=0/0/0"] {
        let id = format!("GaussianBandit-3?{parameter}");
        let findings = env_checker::check(|| make(&id, 3).unwrap());
        assert!(findings.is_empty(), "{id}: {findings:#?}");
    }
    let mut bandit = make("GaussianBandit-3?means=1/2/3&noises=0/0/0", 0).unwrap();
    bandit.reset(None);
    assert_eq!(bandit.step(2.into()).unwrap().reward, 3.0);
    for bad in ["means=0/1", "means=0/x/1", "means=0/1/inf", "noises=1/1/1&noise=2"] {
        let made = make(&format!("GaussianBandit-3?{bad}"), 0);
        assert!(matches!(made, Err(MakeError::Parameter { .. })), "{bad}");
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
            let [plain, scaled] =
                ["", "?reward_scale=2"].map(|query| make(&format!("{id}{query}"), 0).unwrap());
            let doubled = plain.reward_threshold.map(|threshold| threshold * 2.0);
            assert_eq!(scaled.reward_threshold, doubled, "{id}");
            assert!(entry.reward_threshold.is_none_or(|mean| plain.reward_threshold == Some(mean)), "{id}");
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

proptest! {
    #[test]
    fn no_id_makes_the_registry_panic(id in "[A-Za-z]{0,12}(-[0-9vxN]{0,4})?([?&=][a-z_=&0-9.]{0,20})?") {
        let _ = make(&id, 0);
    }

    #[test]
    fn no_parameter_makes_an_environment_panic(
        entry in 0..ENTRIES.len(),
        key in "(map|slippery|reward|reward_scale|time_limit|normalise|sab|natural|walls|desc|map_size|frozen|gravity|g|continuous|is_rainy|x)",
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
        let mut actions = RandomActions::new(env.action_space(), seed);
        env.reset(Some(seed));
        for _ in 0..steps {
            let _ = env.step(actions.draw());
        }
        let mut state = env.save().unwrap();
        let at = at.index(state.len());
        state[at] = byte;
        if env.restore(&state).is_ok() {
            for _ in 0..50 {
                let _ = env.step(actions.draw());
                let _ = env.render_text();
            }
        }
    }
}
