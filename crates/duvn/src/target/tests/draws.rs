//! Targets by draws: of the parameters, of the return that chose the next action, and of several at once.

use super::*;
use crate::config::TargetValue;

#[test]
fn each_mask_of_a_target_is_a_draw_of_its_own() {
    let config = Config {
        posterior: PosteriorKind::Dropout,
        backup: BackupKind::Max,
        mc_samples: 3,
        gamma: 0.5,
        ..Config::default()
    };
    let (calls, target) = asked(&config, &EGreedy::fixed(0.0), true);
    let again = question(Which::Target, Some(1));
    assert_eq!(calls, [question(Which::Target, None), again.clone(), again]);
    // The three answers say 4, 5 and 6 of the best action.
    assert_eq!(target, 2.0 + 0.5 * 5.0);
}

/// What the target network says of state 1 under fresh weights, and the target of a step there with reward 2 and gamma 1/2, for a
/// policy that looks at every return at the index `z`; `known` is the next action as taken.
fn looked_at(z: f64, target_value: TargetValue, known: Option<u8>) -> (Vec<f32>, [f32; 2]) {
    let config = Config {
        returns: ReturnKind::Gaussian,
        policy: PolicyKind::Ucb,
        ucb_low: z,
        ucb_high: z,
        target_value,
        gamma: 0.5,
        ..Config::default()
    };
    let (out, beliefs) = targets(&config, 0, known);
    (beliefs, [out[4], out[5]])
}

/// mu' + z sigma' of the action that is best at z makes the mean, and its sigma' stays.
#[test]
fn the_draw_that_chose_the_next_action_makes_the_mean() {
    for z in [-2.0, 0.0, 3.0] {
        let (b, by_draw) = looked_at(z, TargetValue::Draw, None);
        let at = |action: usize| b[2 * action] + z as f32 * b[2 * action + 1];
        let best = usize::from(at(1) > at(0));
        assert!(close(by_draw[0], 2.0 + 0.5 * at(best)) && close(by_draw[1], 0.5 * b[2 * best + 1]), "{z}");
        let (_, by_mean) = looked_at(z, TargetValue::Mean, None);
        assert!(close(by_mean[0], 2.0 + 0.5 * b[2 * best]) && close(by_mean[1], by_draw[1]), "{z}");
    }
}

#[test]
fn a_next_action_that_was_taken_is_looked_at_by_a_draw_of_its_own() {
    for action in [0, 1] {
        let (b, target) = looked_at(3.0, TargetValue::Draw, Some(action));
        let (mu, sigma) = (b[2 * usize::from(action)], b[2 * usize::from(action) + 1]);
        assert!(
            close(target[0], 2.0 + 0.5 * (mu + 3.0 * sigma)) && close(target[1], 0.5 * sigma),
            "{target:?}"
        );
    }
}

/// Two actions of N(0, 1): the larger of two draws has the mean 1 / sqrt(pi), so that a target's is 2 + 1/2 of it. A sample that
/// is not the one that chose has the mean 0.
#[test]
fn the_best_of_the_draws_is_optimistic_by_what_it_has_above_their_mean() {
    let config = Config {
        returns: ReturnKind::Gaussian,
        policy: PolicyKind::Thompson,
        target_value: TargetValue::Draw,
        gamma: 0.5,
        ..Config::default()
    };
    let model = crate::returns::return_model(&config);
    let policy = crate::policy::policy(&config);
    let beliefs = Beliefs::new(&*model, &[0.0, 1.0, 0.0, 1.0]);
    let mut rule = rule(&config);
    let mut stream = Stream::new(0, "test");
    let draws = 100_000;
    rule.reset(draws, 2);
    for row in 0..draws {
        let known = (row % 2 == 1).then_some(0);
        rule.decide(NextState { beliefs, moment: Moment::default(), known }, &*policy, &mut stream);
    }
    let config = config.check().unwrap();
    let decided = [0.0, 1.0, 0.0, 1.0].repeat(draws);
    let mut parts = vec![0.0; 2 * draws];
    let mut valuer = Valuer {
        sources: &mut Sources {
            posterior: &mut *axes(&config, 0).posterior,
            learner: 0,
            model: &*model,
            policy: &*policy,
            local: &mut Local::new(&config, &Space::Discrete(2), 2, &mut Stream::new(0, "test")),
            source: &mut Source::new(Stream::new(0, "masks")),
            stream: &mut stream,
            step: 0,
        },
        next: Rows::Index(&[]),
        rows: draws,
        decided: Some(&decided),
        scratch: &mut Vec::new(),
    };
    rule.value(&mut valuer, &mut Parts { numbers: &mut parts, stride: 2, at: 0, len: 2 });
    let mean = |odd: usize| {
        parts.chunks_exact(4).map(|two| f64::from(two[2 * odd])).sum::<f64>() / (draws / 2) as f64
    };
    // Five standard errors of 50,000 draws are below 0.0225.
    assert!((mean(0) - 1.0 / std::f64::consts::PI.sqrt()).abs() < 0.0225, "{}", mean(0));
    assert!(mean(1).abs() < 0.0225, "{}", mean(1));
    assert!(parts.chunks_exact(2).all(|part| part[1] == 1.0), "sigma stays");
}

/// Answers 0, 1 and 2 above the first: the third draw of the best action is worth 4 + 2. It is the one that values it where the
/// target network decides; where the current one does, the target network is asked once more.
#[test]
fn the_draw_that_won_among_several_is_the_one_that_values() {
    let of = |decider| {
        let config = Config {
            posterior: PosteriorKind::Dropout,
            policy: PolicyKind::Thompson,
            draws: 3,
            decider,
            gamma: 0.5,
            ..Config::default()
        };
        asked(&config, &*crate::policy::policy(&config), true)
    };
    let thrice = |which| vec![question(which, None); 3];
    assert_eq!(of(Decider::Target), (thrice(Which::Target), 2.0 + 0.5 * 6.0));
    let mut online = thrice(Which::Online);
    online.push(question(Which::Target, Some(1)));
    assert_eq!(of(Decider::Online), (online, 2.0 + 0.5 * 7.0));
}
