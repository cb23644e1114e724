//! `duvn env` and `duvn envs`: their JSON contracts.

mod program;

use duvn_envs::registry::ENTRIES;
use program::{duvn, keys};
use serde_json::Value;

#[test]
fn a_trajectory_is_an_object_a_step_from_the_reset_on() {
    let steps = duvn(&["env", "Toy", "--actions", "0,1", "--json"]).objects();
    for (t, step) in steps.iter().enumerate() {
        assert_eq!(keys(step), ["observation", "reward", "t", "terminated", "truncated"]);
        assert_eq!(step["t"], t);
    }
    let rewards: Vec<_> = steps.iter().map(|step| step["reward"].as_f64().unwrap()).collect();
    assert_eq!(rewards, [0.0, -1.0, 1.0]);
    let ends: Vec<_> = steps.iter().map(|step| step["terminated"].as_bool().unwrap()).collect();
    assert_eq!(ends, [false, false, true]);
}

/// Gymnasium 1.4's own start of CartPole-v1 with seed 42, single precision written out in double.
#[test]
fn floats_have_all_their_digits() {
    let ran = duvn(&["env", "CartPole-v1", "--seed", "42", "--json"]);
    let start = "[0.02739560417830944,-0.006112155970185995,0.03585979342460632,0.019736802205443382]";
    assert!(ran.stdout.contains(start), "{ran:?}");
}

#[test]
fn continuous_actions_are_numbers() {
    let steps = duvn(&["env", "Pendulum-v1", "--actions", "-1.5,0.25", "--json"]).objects();
    assert_eq!(steps.len(), 3);
    assert!(steps[1]["reward"].as_f64().unwrap() < 0.0);
}

#[test]
fn every_environment_is_listed() {
    let listed = duvn(&["envs", "--json"]).objects();
    assert_eq!(listed.len(), ENTRIES.len());
    for (object, entry) in listed.iter().zip(ENTRIES) {
        for key in ["name", "about", "time_limit", "reward_threshold"] {
            assert!(object.get(key).is_some(), "{key} of {object}");
        }
        assert_eq!(object["name"], Value::from(entry.name));
        assert!(
            object["observation_space"]["type"].is_string() && object["action_space"]["type"].is_string()
        );
        let parameters = object["parameters"].as_array().unwrap();
        assert_eq!(parameters.len(), entry.all_parameters().count(), "{object}");
    }
    let lander = listed.iter().find(|object| object["name"] == "LunarLanderContinuous-v3").unwrap();
    assert_eq!(lander["action_space"]["low"], serde_json::json!([-1.0, -1.0]));
    assert_eq!(lander["time_limit"], 1000);
    let plain = duvn(&["envs"]);
    assert!(ENTRIES.iter().all(|entry| plain.stdout.contains(entry.name)), "{}", plain.stdout);
}
