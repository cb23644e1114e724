//! The examples run, and do what they say.

#[path = "../examples/box_observations.rs"]
#[allow(dead_code)]
mod box_observations;
#[path = "../examples/own_environment.rs"]
#[allow(dead_code)]
mod own_environment;
#[path = "../examples/own_policy.rs"]
#[allow(dead_code)]
mod own_policy;
#[path = "../examples/own_posterior.rs"]
#[allow(dead_code)]
mod own_posterior;

/// Its agent leaves the small reward for the large one.
#[test]
fn an_environment_of_ones_own_is_learnt() {
    let mean = own_environment::train().unwrap();
    assert!(mean > 0.9, "mean return {mean}");
}

/// The only reward is found, and found again.
#[test]
fn an_environment_with_numbers_is_learnt() {
    let mean = box_observations::train().unwrap();
    assert!(mean > 0.9, "mean return {mean}");
}

#[test]
fn a_policy_of_ones_own_explores() {
    assert!(own_policy::train().unwrap().is_some());
}

#[test]
fn a_posterior_of_ones_own_learns() {
    let mean = own_posterior::train().unwrap();
    assert!(mean > 0.9, "mean return {mean}");
}
