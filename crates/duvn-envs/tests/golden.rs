//! Replays trajectories of the real Gymnasium and bsuite (written by the programs in `golden`): observations
//! equal to the bit, rewards and flags equal.
//!
//! There is no exception to list: no environment differs in any bit of any recorded observation.

use duvn_envs::envs::CartPoleSwingup;
use duvn_envs::{Action, Environment, Observation, Step, registry};
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;

/// A golden file: its header lines and its episodes.
struct Golden {
    header: HashMap<String, String>,
    episodes: Vec<Episode>,
}

struct Episode {
    seed: Option<u64>,
    draws: Vec<f64>,
    observations: Vec<Values>,
    actions: Vec<Values>,
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq)]
enum Values {
    Index(usize),
    Vector(Vec<f32>),
}

impl Values {
    fn as_action(&self) -> Action<'_> {
        match self {
            Values::Index(index) => Action::Index(*index),
            Values::Vector(numbers) => Action::Vector(numbers),
        }
    }
}

/// Takes numbers off the front of a file.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (&head, rest) = self.0.split_first_chunk().expect("the file goes on");
        self.0 = rest;
        head
    }

    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    fn u32(&mut self) -> usize {
        u32::from_le_bytes(self.take()) as usize
    }

    fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    /// Observations or actions: an index of `bytes` bytes, or a vector.
    fn values(&mut self, kind: &str, bytes: usize) -> Values {
        match kind.split_once(' ').expect("kind and width") {
            ("index", _) if bytes == 1 => Values::Index(usize::from(self.u8())),
            ("index", _) => Values::Index(self.u32()),
            (_, width) => {
                let width: usize = width.parse().expect("a width");
                Values::Vector((0..width).map(|_| f32::from_le_bytes(self.take())).collect())
            }
        }
    }

    fn episode(&mut self, seen: &str, action: &str) -> Episode {
        let seeded = self.u8() == 1;
        let seed = u64::from_le_bytes(self.take());
        let (steps, draws) = (self.u32(), self.u32());
        let draws = (0..draws).map(|_| self.f64()).collect();
        let observations = (0..=steps).map(|_| self.values(seen, 4)).collect();
        let actions = (0..steps).map(|_| self.values(action, 1)).collect();
        let rewards: Vec<_> = (0..steps).map(|_| self.f64()).collect();
        let step = |(reward, flags): (f64, u8)| Step {
            reward,
            terminated: flags & 1 != 0,
            truncated: flags & 2 != 0,
        };
        let flags: Vec<_> = (0..steps).map(|_| self.u8()).collect();
        let steps = rewards.into_iter().zip(flags).map(step).collect();
        Episode { seed: seeded.then_some(seed), draws, observations, actions, steps }
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn read(name: &str) -> Golden {
    let packed = std::fs::read(folder().join(name)).expect(name);
    let mut bytes = Vec::new();
    GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect(name);
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("a header");
    let header: HashMap<_, _> = String::from_utf8_lossy(&bytes[..end])
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect();
    let mut reader = Reader(&bytes[end + 2..]);
    let mut episodes = Vec::new();
    while !reader.0.is_empty() {
        episodes.push(reader.episode(&header["observation"], &header["action"]));
    }
    Golden { header, episodes }
}

fn check_observation(seen: Observation<'_>, expected: &Values, place: &str) {
    match (seen, expected) {
        (Observation::Index(seen), Values::Index(expected)) => assert_eq!(seen, *expected, "{place}"),
        (Observation::Vector(seen), Values::Vector(expected)) => {
            let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(seen), bits(expected), "{place}: {seen:?} is not {expected:?}");
        }
        _ => panic!("{place}: {seen:?} is not {expected:?}"),
    }
}

/// Replays every episode: `reset` starts one, `step` makes its t-th step.
fn replay<E: Environment>(
    golden: &Golden,
    env: &mut E,
    mut reset: impl FnMut(&mut E, &Episode),
    mut step: impl FnMut(&mut E, &Episode, usize) -> Step,
) {
    let id = &golden.header["id"];
    for (number, episode) in golden.episodes.iter().enumerate() {
        let place = |t: usize| format!("{id}, episode {number} (seed {:?}), step {t}", episode.seed);
        reset(env, episode);
        check_observation(env.observation(), &episode.observations[0], &place(0));
        for (t, expected) in episode.steps.iter().enumerate() {
            assert_eq!(step(env, episode, t), *expected, "{}", place(t + 1));
            check_observation(env.observation(), &episode.observations[t + 1], &place(t + 1));
        }
    }
}

/// Replays an environment by its id and the seeds alone.
fn by_id(name: &str) {
    let golden = read(name);
    let mut env = registry::make(&golden.header["id"], 0).unwrap();
    assert!(golden.episodes.iter().any(|episode| episode.seed.is_some()));
    replay(
        &golden,
        &mut env,
        |env, episode| env.reset(episode.seed),
        |env, episode, t| env.step(episode.actions[t].as_action()).unwrap(),
    );
}

macro_rules! by_id {
    ($($test:ident $file:literal)*) => { $(
        #[test]
        fn $test() {
            by_id($file);
        }
    )* };
}

by_id! {
    cart_pole_v1 "CartPole-v1.gz"
    cart_pole_v0 "CartPole-v0.gz"
    mountain_car "MountainCar-v0.gz"
    mountain_car_continuous "MountainCarContinuous-v0.gz"
    acrobot "Acrobot-v1.gz"
    pendulum "Pendulum-v1.gz"
    frozen_lake "FrozenLake-v1.gz"
    frozen_lake_not_slippery "FrozenLake-v1_slippery_false.gz"
    frozen_lake_both_ends_at_once "FrozenLake-v1_slippery_false_time_limit_6.gz"
    frozen_lake_8x8 "FrozenLake-v1_map_8x8.gz"
    frozen_lake_8x8_not_slippery "FrozenLake-v1_map_8x8_slippery_false.gz"
    frozen_lake_8x8_v1 "FrozenLake8x8-v1.gz"
    taxi "Taxi-v4.gz"
    cliff_walking "CliffWalking-v1.gz"
    cliff_walking_limited "CliffWalking-v1_time_limit_300.gz"
    cliff_walking_slippery "CliffWalkingSlippery-v1_time_limit_300.gz"
    blackjack "Blackjack-v1.gz"
    blackjack_natural "Blackjack-v1_sab_false_natural_true.gz"
    cart_pole_sutton_barto "CartPole-v1_sutton_barto_reward_true.gz"
    mountain_car_goal_velocity "MountainCar-v0_goal_velocity_0.03.gz"
    mountain_car_continuous_goal_velocity "MountainCarContinuous-v0_goal_velocity_0.02.gz"
    pendulum_gravity "Pendulum-v1_g_9.81.gz"
    frozen_lake_success_rate "FrozenLake-v1_success_rate_0.7.gz"
    frozen_lake_own_map "FrozenLake-v1_desc_SFHF_FFFS_HFFG_success_rate_0.5.gz"
    taxi_in_rain "Taxi-v4_is_rainy_true.gz"
    taxi_fickle "Taxi-v4_fickle_passenger_true.gz"
    taxi_both
        "Taxi-v4_is_rainy_true_rainy_probability_0.5_fickle_passenger_true_fickle_probability_0.9.gz"
    lunar_lander_continuous "LunarLanderContinuous-v3.gz"
    lunar_lander_gravity "LunarLander-v3_gravity_-3.7.gz"
    lunar_lander_wind "LunarLander-v3_enable_wind_true.gz"
    lunar_lander_everything
        "LunarLander-v3_continuous_true_gravity_-11.5_enable_wind_true_wind_power_20_turbulence_power_0.5.gz"
}

by_id! {
    bandit_0 "Bandit_mapping_seed_0.gz"
    bandit_7 "Bandit_mapping_seed_7.gz"
    bandit_noise "Bandit_mapping_seed_1_reward_noise_0.3.gz"
    discounting_chain_0 "DiscountingChain_mapping_seed_0.gz"
    discounting_chain_7 "DiscountingChain_mapping_seed_7.gz"
    deep_sea_1 "DeepSea-1_mapping_seed_42.gz"
    deep_sea_10 "DeepSea-10_mapping_seed_42.gz"
    deep_sea_24 "DeepSea-24_mapping_seed_42.gz"
    deep_sea_stochastic_1 "DeepSeaStochastic-1_mapping_seed_42.gz"
    deep_sea_stochastic_10 "DeepSeaStochastic-10_mapping_seed_42.gz"
    deep_sea_stochastic_24 "DeepSeaStochastic-24_mapping_seed_42.gz"
    catch "Catch.gz"
    catch_noise "Catch_reward_noise_3.gz"
    catch_scale "Catch_reward_scale_0.001.gz"
    cart_pole_bsuite "CartPoleBsuite.gz"
    cart_pole_bsuite_noise "CartPoleBsuite_reward_noise_0.1.gz"
    mountain_car_bsuite "MountainCarBsuite.gz"
    umbrella_length_1 "UmbrellaLength-1.gz"
    umbrella_length_5 "UmbrellaLength-5.gz"
    umbrella_distract_1 "UmbrellaDistract-1.gz"
    umbrella_distract_5 "UmbrellaDistract-5.gz"
}

#[test]
fn cart_pole_swingup_with_bsuites_starts() {
    for difficulty in [0, 10, 19] {
        replay(
            &read(&format!("CartPoleSwingup-{difficulty}.gz")),
            &mut CartPoleSwingup::new(difficulty),
            |cart, episode| cart.start([0, 1, 2, 3].map(|i| episode.draws[i])),
            |cart, episode, t| cart.step(episode.actions[t].as_action()).unwrap(),
        );
    }
}

#[test]
fn every_golden_file_is_small_and_names_the_versions_it_came_from() {
    let mut total = 0;
    for file in std::fs::read_dir(folder()).unwrap().map(Result::unwrap) {
        total += file.metadata().unwrap().len();
        let name = file.file_name().into_string().unwrap();
        // The lander's recording has a format of its own, which tests/lunar_lander.rs reads.
        if name.ends_with(".gz") && !name.ends_with(".bin.gz") {
            let golden = read(&name);
            assert!(golden.header["versions"].contains("gymnasium"), "{name}");
            assert!(golden.episodes.iter().any(|episode| !episode.steps.is_empty()), "{name}");
        }
    }
    assert!(total < 2_000_000, "{total} bytes");
}
