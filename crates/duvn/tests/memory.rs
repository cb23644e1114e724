//! The estimate of memory is never below what an agent holds, and not far above it where that is much.

mod allocations;

use allocations::{Counting, held};
use duvn::config::{PRESETS, preset_for};
use duvn::{Agent, Config, memory};
use duvn_envs::{Observation, Space, Step};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What an agent holds once its replay is full, and what was estimated.
fn both(config: &Config, observations: &Space, actions: usize) -> (f64, f64) {
    let config = config.check().expect("a configuration");
    let actions = Space::Discrete(actions);
    let before = held();
    let estimate = memory(&config, observations, &actions).expect("an estimate");
    assert_eq!(held(), before, "an estimate keeps nothing");
    let mut agent = Agent::new(&config, observations, &actions, 0).expect("an agent");
    let width = observations.width();
    let mut numbers = vec![0.0_f32; width];
    let mut started = false;
    for at in 0..config.replay + 100 {
        let seen = match observations {
            Space::Discrete(states) => Observation::Index(at * 7 % states),
            Space::Box { .. } => {
                numbers.iter_mut().enumerate().for_each(|(i, x)| *x = ((at * 3 + i) as f32).sin() * 0.5);
                Observation::Vector(&numbers)
            }
        };
        if !started {
            agent.begin(seen).expect("a first action");
            started = true;
            continue;
        }
        // Some episodes end, some are cut off: batches have more and fewer next states.
        let step = Step { reward: 0.1, terminated: at % 50 == 49, truncated: at % 130 == 129 };
        started = agent.observe(&step, seen).expect("finite numbers").is_some();
    }
    let holds = (held() - before) as f64 - (width * 4) as f64;
    drop(agent);
    (holds, estimate as f64)
}

fn boxed(width: usize) -> Space {
    Space::Box { low: vec![-1.0; width], high: vec![1.0; width] }
}

/// Every preset, with networks of several sizes, on indices and on boxes.
#[test]
fn an_agent_holds_no_more_than_was_estimated() {
    let mut lowest = f64::INFINITY;
    for preset in PRESETS {
        for (observations, hidden) in [
            (Space::Discrete(6), vec![8]),
            (Space::Discrete(300), vec![16, 16]),
            (Space::Discrete(5000), vec![64]),
            (boxed(4), vec![8]),
            (boxed(4), vec![200]),
            (boxed(40), vec![64, 64]),
        ] {
            let mut config = preset_for(preset.name, &observations).expect("a preset");
            config.hidden = hidden.clone();
            (config.replay, config.batch, config.learning_starts) = (600, 24, 30);
            config.replay_starts = config.replay_starts.min(100);
            let (holds, estimate) = both(&config, &observations, 4);
            lowest = lowest.min(estimate / holds);
            let what =
                format!("{} {observations:?} {hidden:?}: {holds} held, {estimate} estimated", preset.name);
            assert!(holds <= estimate, "{what}");
            assert!(estimate < 2.5 * holds.max(500_000.0), "{what}");
        }
    }
    println!("at the least, {lowest:.2} times what is held was estimated");
}

/// Knobs that ask for room of their own.
#[test]
fn knobs_that_take_room_are_in_the_estimate() {
    for settings in [
        &[("posterior", "ensemble"), ("members", "7"), ("prior_mu", "1"), ("hidden", "[8]")][..],
        &[("posterior", "ensemble"), ("members", "20"), ("hidden", "[64,64]"), ("trunk", "[8]")],
        &[("lambda", "0.9"), ("trace_steps", "20")],
        &[("mc_samples", "50"), ("backup", "expected")],
        &[("draws", "200")],
        &[("activation", "elu"), ("layer_norm", "true"), ("trunk", "[64,64]")],
        &[("max_gradient_norm", "1"), ("replay_unit", "trace"), ("prioritised", "0.5")],
        &[("train_episodes", "2")],
        &[("actors", "1"), ("local", "outcomes"), ("loops", "guard")],
        &[("priority", "proportional"), ("prioritised", "0.5")],
        &[("anchor", "1")],
        &[("posterior", "ensemble"), ("members", "3"), ("member_targets", "mean"), ("lambda", "0.9")],
    ] {
        for observations in [Space::Discrete(40), boxed(3)] {
            let mut config = duvn::preset("duvn").expect("the paper's preset");
            (config.replay, config.batch, config.learning_starts) = (600, 24, 30);
            settings.iter().for_each(|(key, value)| config.set(key, value).expect("a knob"));
            let (holds, estimate) = both(&config, &observations, 4);
            let what = format!("{settings:?} {observations:?}: {holds} held, {estimate} estimated");
            assert!(holds <= estimate, "{what}");
            assert!(estimate < 2.5 * holds.max(500_000.0), "{what}");
        }
    }
}
