//! From a parsed id to the environment that it means.

use super::{Id, MakeError};
use crate::Environment;
use crate::envs::{
    Acrobot, Arm, Bandit, Blackjack, CartPole, CartPoleBsuite, CartPoleSwingup, Catch, Chain,
    ChainStochastic, CliffWalking, DeepSea, DiscountingChain, FrozenLake, Lake, Landing, LunarLander,
    MountainCar, MountainCarBsuite, MountainCarContinuous, NChain, Pendulum, PointMaze, RiverSwim, Rules,
    Taxi, Toy, Umbrella, Wind,
};
use crate::wrappers::{RewardScale, SparseReward};

/// A bare environment, or why the id means none.
pub(super) type Made = Result<Box<dyn Environment>, MakeError>;

fn made(env: impl Environment + 'static) -> Made {
    Ok(Box::new(env))
}

pub(super) fn chain(id: &mut Id) -> Made {
    made(Chain::unordered(id.size, id.seed))
}

pub(super) fn chain_ordered(id: &mut Id) -> Made {
    made(Chain::ordered(id.size))
}

pub(super) fn toy(_id: &mut Id) -> Made {
    made(Toy::default())
}

pub(super) fn point_maze(id: &mut Id) -> Made {
    let walls = id.count("walls")?.unwrap_or(0) as usize;
    id.time_limit = Some(10 * id.size as u32);
    made(PointMaze::new(id.size, walls))
}

/// The authors pay one value for the end of the task and another for every other step.
fn end_and_other(id: &mut Id, env: impl Environment + 'static, end: f64, other: f64, threshold: f64) -> Made {
    if id.choice("reward")?.is_none() {
        return made(env);
    }
    id.reward_threshold = Some(threshold);
    made(SparseReward::new(env, end, other))
}

pub(super) fn cart_pole(id: &mut Id) -> Made {
    // The end is a failure: an episode that survives as long as the threshold asks collects 0.005 a step.
    let threshold = 0.005 * id.reward_threshold.unwrap_or_default();
    if id.has("reward") {
        return end_and_other(id, CartPole::new(false), -1.0, 0.005, threshold);
    }
    let sutton_barto = id.flag("sutton_barto_reward")?;
    if sutton_barto {
        id.reward_threshold = Some(0.0);
    }
    made(CartPole::new(sutton_barto))
}

pub(super) fn mountain_car(id: &mut Id) -> Made {
    // -110 is an episode of 110 steps, the last of which reaches the flag.
    let car = MountainCar::new(id.number("goal_velocity")?);
    end_and_other(id, car, 1.0, -0.005, 1.0 - 0.005 * 109.0)
}

pub(super) fn mountain_car_continuous(id: &mut Id) -> Made {
    made(MountainCarContinuous::new(id.number("goal_velocity")?))
}

pub(super) fn acrobot(id: &mut Id) -> Made {
    // -100 is an episode of 101 steps, the last of which is free.
    end_and_other(id, Acrobot::default(), 1.0, -0.005, 1.0 - 0.005 * 100.0)
}

/// The authors' "sparse" lander has the same rewards, on a smaller scale.
pub(super) fn lunar_lander(id: &mut Id) -> Made {
    let wind = if id.flag("enable_wind")? {
        Some(Wind { power: id.number("wind_power")?, turbulence: id.number("turbulence_power")? })
    } else {
        None
    };
    let landing = Landing { continuous: id.flag("continuous")?, gravity: id.number("gravity")?, wind };
    let lander = LunarLander::new(landing, id.seed);
    if id.choice("reward")?.is_none() {
        return made(lander);
    }
    id.reward_threshold = id.reward_threshold.map(|threshold| threshold / 250.0);
    made(RewardScale::new(lander, 1.0 / 250.0))
}

pub(super) fn pendulum(id: &mut Id) -> Made {
    made(Pendulum::new(id.number("g")?))
}

pub(super) fn frozen_lake(id: &mut Id) -> Made {
    let lake = match id.text("desc", Lake::parse)? {
        Some(lake) => lake,
        None => match id.choice("map")? {
            Some("random") => random_lake(id)?,
            Some("8x8") => Lake::large(),
            _ => Lake::small(),
        },
    };
    let success_rate = if id.flag("slippery")? { Some(id.number("success_rate")?) } else { None };
    made(FrozenLake::new(lake, success_rate))
}

fn random_lake(id: &mut Id) -> Result<Lake, MakeError> {
    let side = id.count("map_size")?.unwrap_or(8) as usize;
    let frozen = id.number("frozen")?;
    let seed = id.count("map_seed")?.unwrap_or(id.seed);
    Lake::random(side, frozen, seed).map_err(|error| id.refuse("map=random", error.to_string()))
}

pub(super) fn taxi(id: &mut Id) -> Made {
    let rain = if id.flag("is_rainy")? { Some(id.number("rainy_probability")?) } else { None };
    let fickleness = if id.flag("fickle_passenger")? { Some(id.number("fickle_probability")?) } else { None };
    made(Taxi::new(rain, fickleness))
}

pub(super) fn cliff_walking(id: &mut Id) -> Made {
    made(CliffWalking::new(id.flag("slippery")?))
}

pub(super) fn blackjack(id: &mut Id) -> Made {
    made(Blackjack::new(Rules { sab: id.flag("sab")?, natural: id.flag("natural")? }))
}

pub(super) fn deep_sea(id: &mut Id) -> Made {
    sea(id, false)
}

pub(super) fn deep_sea_stochastic(id: &mut Id) -> Made {
    sea(id, true)
}

fn sea(id: &mut Id, stochastic: bool) -> Made {
    made(match id.count("mapping_seed")? {
        Some(seed) => DeepSea::bsuite(id.size, stochastic, seed),
        None => DeepSea::new(id.size, stochastic, id.seed),
    })
}

pub(super) fn catch(_id: &mut Id) -> Made {
    made(Catch::default())
}

pub(super) fn cart_pole_swingup(id: &mut Id) -> Made {
    made(CartPoleSwingup::new(id.size))
}

pub(super) fn cart_pole_bsuite(_id: &mut Id) -> Made {
    made(CartPoleBsuite::default())
}

pub(super) fn mountain_car_bsuite(_id: &mut Id) -> Made {
    made(MountainCarBsuite::default())
}

pub(super) fn bandit(id: &mut Id) -> Made {
    made(Bandit::bsuite(id.count("mapping_seed")?.unwrap_or(id.seed)))
}

pub(super) fn discounting_chain(id: &mut Id) -> Made {
    made(DiscountingChain::new(id.count("mapping_seed")?.unwrap_or(id.seed)))
}

pub(super) fn umbrella_length(id: &mut Id) -> Made {
    made(Umbrella::new(id.size as u32, 20))
}

pub(super) fn umbrella_distract(id: &mut Id) -> Made {
    made(Umbrella::new(20, id.size))
}

pub(super) fn bernoulli_bandit(id: &mut Id) -> Made {
    made(Bandit::bernoulli(id.size, id.seed))
}

/// Means and noises are drawn and alike, or given for each arm.
pub(super) fn gaussian_bandit(id: &mut Id) -> Made {
    let arms = id.size;
    let numbers = |text: &str| numbers(text, arms);
    let means = id.text("means", numbers)?;
    let noises = id.text("noises", numbers)?;
    let noise = if noises.is_some() { 0.0 } else { id.number("noise")? };
    let drawn = Bandit::gaussian(arms, noise, id.seed);
    let means = means.unwrap_or_else(|| drawn.arms().iter().map(|arm| arm.mean()).collect());
    let noises = noises.unwrap_or_else(|| vec![noise; arms]);
    let arms = means.into_iter().zip(noises).map(|(mean, noise)| Arm::Gaussian { mean, noise });
    made(Bandit::new(arms.collect()))
}

/// One number for each of `count` arms, separated by `/`.
fn numbers(text: &str, count: usize) -> Result<Vec<f64>, String> {
    let numbers: Option<Vec<f64>> =
        text.split('/').map(|number| number.parse().ok().filter(|x: &f64| x.is_finite())).collect();
    numbers.filter(|numbers| numbers.len() == count).ok_or_else(|| {
        let zeros = vec!["0"; count.min(4)].join("/");
        format!("write {count} number(s) with / between them, one for each arm, such as {zeros}")
    })
}

pub(super) fn river_swim(id: &mut Id) -> Made {
    let river = RiverSwim::new(id.size);
    // 20 steps for the usual six places. An agent that stays at the left end earns a thirtieth of the optimum.
    let steps = (10 * id.size as u32).div_ceil(3);
    id.time_limit = Some(steps);
    id.reward_threshold = Some(river.optimal_return(steps) * 2.0 / 3.0);
    made(river)
}

pub(super) fn n_chain(id: &mut Id) -> Made {
    let chain = NChain::new(id.size);
    id.time_limit = Some(chain.steps());
    made(chain)
}

pub(super) fn chain_stochastic(id: &mut Id) -> Made {
    let chain = ChainStochastic::new(id.size, id.number("slip")?, id.seed);
    id.reward_threshold = Some(0.95 * chain.optimal_return());
    made(chain)
}
