//! The example of the README runs, and its agent leaves the small reward for the large one.

#[path = "../examples/own_environment.rs"]
#[allow(dead_code)]
mod own_environment;

#[test]
fn an_environment_of_ones_own_is_learnt() {
    let mean = own_environment::train().unwrap();
    assert!(mean > 0.9, "mean return {mean}");
}
