//! On `Toy` under the uniform policy, what the network learns is what can be worked out by hand.
//!
//! With discount g the returns are Z(0,0) = -1 + g {4 or 1} and Z(0,1) = 1 + g {1 or 0}, each half of the
//! time; those of states 1 and 2 are certain.

use duvn::{Agent, Config, Training, preset};
use duvn_envs::envs::Toy;
use duvn_envs::{Environment, Observation};

const GAMMA: f64 = 0.9;

/// (mean, sd) of Z(s,a) by state, then action.
type Returns = [[(f64, f64); 2]; 3];

fn certain(sd_after_0: f64, sd_after_1: f64) -> Returns {
    [
        [(-1.0 + 2.5 * GAMMA, sd_after_0), (1.0 + 0.5 * GAMMA, sd_after_1)],
        [(4.0, 0.0), (1.0, 0.0)],
        [(1.0, 0.0), (0.0, 0.0)],
    ]
}

fn learn(settings: &[(&str, &str)]) -> Returns {
    let mut config: Config = preset("return").unwrap();
    let common = [("policy", "uniform"), ("hidden", "[32,32]"), ("gamma", "0.9"), ("target_sync", "20")];
    for (key, value) in common.iter().chain(settings) {
        config.set(key, value).unwrap();
    }
    let env = Toy::default();
    let agent =
        Agent::new(&config.check().unwrap(), &env.observation_space(), &env.action_space(), 1).unwrap();
    let mut training = Training::new(env, agent, 1);
    for _ in 0..3000 {
        training.episode().unwrap();
    }
    [0, 1, 2].map(|state| {
        let views = training.agent_mut().inspect(Observation::Index(state), 1).unwrap();
        [0, 1].map(|action| (views[action].mean, views[action].sigma))
    })
}

fn assert_close(learnt: &Returns, expected: &Returns, tolerance: f64) {
    for (state, (learnt, expected)) in learnt.iter().zip(expected).enumerate() {
        for (action, (learnt, expected)) in learnt.iter().zip(expected).enumerate() {
            let error = (learnt.0 - expected.0).abs().max((learnt.1 - expected.1).abs());
            assert!(error < tolerance, "state {state}, action {action}: {learnt:?} instead of {expected:?}");
        }
    }
}

#[test]
fn the_total_variance_rule_finds_the_exact_mean_and_sd() {
    let learnt = learn(&[("backup", "expected"), ("sd_rule", "total")]);
    assert_close(&learnt, &certain(1.5 * GAMMA, 0.5 * GAMMA), 0.05);
}

#[test]
fn the_papers_rule_finds_its_own_fixed_point_which_has_no_spread_between_actions() {
    let learnt = learn(&[("backup", "expected"), ("sd_rule", "paper")]);
    assert_close(&learnt, &certain(0.0, 0.0), 0.05);
}

#[test]
fn one_sampled_next_action_leads_the_paper_rule_to_the_same_fixed_point() {
    // Sampled next actions make the mean's target noisy: it wanders within a step of Adam.
    let learnt = learn(&[("backup", "sarsa"), ("learning_rate", "0.0003")]);
    assert_close(&learnt, &certain(0.0, 0.0), 0.25);
}

#[test]
fn likelihood_losses_find_the_total_variance_from_sampled_next_actions() {
    let floor = ("sigma_floor", "0.02");
    for settings in [&[("loss", "cross-entropy"), floor][..], &[("propagation", "sampling"), floor][..]] {
        let mut settings = settings.to_vec();
        settings.extend([("learning_rate", "0.0003"), ("terminal_sigma", "0.02")]);
        let learnt = learn(&settings);
        assert_close(&learnt, &certain(1.5 * GAMMA, 0.5 * GAMMA), 0.3);
    }
}

#[test]
fn traces_of_lambda_give_the_same_means_as_one_step_targets() {
    let learnt = learn(&[("lambda", "0.9"), ("learning_rate", "0.0003"), ("backup", "expected")]);
    for (learnt, expected) in learnt.iter().flatten().zip(certain(0.0, 0.0).iter().flatten()) {
        assert!((learnt.0 - expected.0).abs() < 0.25, "{learnt:?} instead of {expected:?}");
    }
}
