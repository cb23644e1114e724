use super::{Entry, Id, MakeError};
use crate::Environment;
use crate::envs::{
    Acrobot, Blackjack, CartPole, CartPoleSwingup, Catch, Chain, CliffWalking, DeepSea, FrozenLake, Lake,
    LunarLander, MountainCar, MountainCarContinuous, Pendulum, PointMaze, Rules, Taxi, Toy,
};
use crate::wrappers::{RewardScale, SparseReward};

/// Every environment that [`make`](super::make) knows.
///
/// Time limits and thresholds are Gymnasium's. bsuite has none; its tasks count as solved from a mean of
/// - DeepSea: 0.94, which takes the treasure in 95 of 100 episodes (each 1 - 0.01, the others at least
///   -0.01); the noise of DeepSeaStochastic is larger than what tells its policies apart;
/// - Catch: 0.9, which takes 95 of 100 balls;
/// - CartPoleSwingup: 100, bsuite's own bound of a good episode.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "Chain-N",
        about: "N correct actions in a row, drawn at random for each state, then reward 1 (paper, App. D)",
        sizes: Some((1, 100_000)),
        time_limit: None,
        reward_threshold: Some(0.95),
        parameters: &[],
        make: |id| Ok(Box::new(Chain::unordered(id.size, id.seed))),
    },
    Entry {
        name: "ChainOrdered-N",
        about: "the Chain whose correct action is always 1 (paper, App. D.1)",
        sizes: Some((1, 100_000)),
        time_limit: None,
        reward_threshold: Some(0.95),
        parameters: &[],
        make: |id| Ok(Box::new(Chain::ordered(id.size))),
    },
    Entry {
        name: "Toy",
        about: "two steps, four returns: small enough to work out by hand",
        sizes: None,
        time_limit: None,
        reward_threshold: Some(2.9),
        parameters: &[],
        make: |_| Ok(Box::new(Toy::default())),
    },
    Entry {
        name: "PointMaze-N",
        about: "a point seen as x and y goes by 1/N to the far corner, for reward 1, in 10 N steps",
        sizes: Some((4, 1000)),
        time_limit: None,
        reward_threshold: Some(0.95),
        parameters: &["walls=0|1|2|3"],
        make: point_maze,
    },
    Entry {
        name: "CartPole-v1",
        about: "keep a pole upright on a cart, for 500 steps (Gymnasium)",
        sizes: None,
        time_limit: Some(500),
        reward_threshold: Some(475.0),
        parameters: &["reward=sparse"],
        make: cart_pole,
    },
    Entry {
        name: "CartPole-v0",
        about: "keep a pole upright on a cart, for 200 steps (Gymnasium)",
        sizes: None,
        time_limit: Some(200),
        reward_threshold: Some(195.0),
        parameters: &["reward=sparse"],
        make: cart_pole,
    },
    Entry {
        name: "MountainCar-v0",
        about: "swing an underpowered car out of a valley (Gymnasium)",
        sizes: None,
        time_limit: Some(200),
        reward_threshold: Some(-110.0),
        parameters: &["reward=sparse"],
        make: mountain_car,
    },
    Entry {
        name: "MountainCarContinuous-v0",
        about: "the car with a continuous push, which costs (Gymnasium)",
        sizes: None,
        time_limit: Some(999),
        reward_threshold: Some(90.0),
        parameters: &[],
        make: |_| Ok(Box::new(MountainCarContinuous::default())),
    },
    Entry {
        name: "Acrobot-v1",
        about: "swing a two-link arm above a line by the joint between them (Gymnasium)",
        sizes: None,
        time_limit: Some(500),
        reward_threshold: Some(-100.0),
        parameters: &["reward=sparse"],
        make: acrobot,
    },
    Entry {
        name: "LunarLander-v3",
        about: "land a craft with three engines gently between two flags (Gymnasium)",
        sizes: None,
        time_limit: Some(1000),
        reward_threshold: Some(200.0),
        parameters: &["reward=sparse"],
        make: lunar_lander,
    },
    Entry {
        name: "Pendulum-v1",
        about: "swing a pendulum up and hold it, with a continuous torque (Gymnasium)",
        sizes: None,
        time_limit: Some(200),
        reward_threshold: None,
        parameters: &[],
        make: |_| Ok(Box::new(Pendulum::default())),
    },
    Entry {
        name: "FrozenLake-v1",
        about: "cross slippery ice without falling into a hole (Gymnasium)",
        sizes: None,
        time_limit: Some(100),
        reward_threshold: Some(0.70),
        parameters: &["map=4x4|8x8", "slippery=true|false"],
        make: |id| frozen_lake(id, Lake::Small),
    },
    Entry {
        name: "FrozenLake8x8-v1",
        about: "the larger lake, with more time (Gymnasium)",
        sizes: None,
        time_limit: Some(200),
        reward_threshold: Some(0.85),
        parameters: &["map=4x4|8x8", "slippery=true|false"],
        make: |id| frozen_lake(id, Lake::Large),
    },
    Entry {
        name: "Taxi-v4",
        about: "fetch a passenger and bring them to their destination (Gymnasium)",
        sizes: None,
        time_limit: Some(200),
        reward_threshold: Some(8.0),
        parameters: &[],
        make: |_| Ok(Box::new(Taxi::default())),
    },
    Entry {
        name: "CliffWalking-v1",
        about: "walk along a cliff to the goal (Gymnasium)",
        sizes: None,
        time_limit: None,
        reward_threshold: None,
        parameters: &["slippery=true|false"],
        make: |id| Ok(Box::new(CliffWalking::new(id.take_boolean("slippery")?.unwrap_or(false)))),
    },
    Entry {
        name: "CliffWalkingSlippery-v1",
        about: "walk along a slippery cliff (Gymnasium)",
        sizes: None,
        time_limit: None,
        reward_threshold: None,
        parameters: &["slippery=true|false"],
        make: |id| Ok(Box::new(CliffWalking::new(id.take_boolean("slippery")?.unwrap_or(true)))),
    },
    Entry {
        name: "Blackjack-v1",
        about: "twenty-one against a dealer (Gymnasium)",
        sizes: None,
        time_limit: None,
        reward_threshold: None,
        parameters: &["sab=true|false", "natural=true|false"],
        make: blackjack,
    },
    Entry {
        name: "DeepSea-N",
        about: "N right moves in a row, each at a small cost, to reach the treasure (bsuite)",
        sizes: Some((1, 1000)),
        time_limit: None,
        reward_threshold: Some(0.94),
        parameters: &[],
        make: |id| Ok(Box::new(DeepSea::new(id.size, false, id.seed))),
    },
    Entry {
        name: "DeepSeaStochastic-N",
        about: "DeepSea with moves that fail and noise at both lower corners (bsuite)",
        sizes: Some((1, 1000)),
        time_limit: None,
        reward_threshold: None,
        parameters: &[],
        make: |id| Ok(Box::new(DeepSea::new(id.size, true, id.seed))),
    },
    Entry {
        name: "Catch",
        about: "catch a falling ball (bsuite)",
        sizes: None,
        time_limit: None,
        reward_threshold: Some(0.9),
        parameters: &[],
        make: |_| Ok(Box::new(Catch::default())),
    },
    Entry {
        name: "CartPoleSwingup-N",
        about: "swing the pole up; N is the difficulty, rewards get sparser with it (bsuite)",
        sizes: Some((0, CartPoleSwingup::MAX_DIFFICULTY)),
        time_limit: None,
        reward_threshold: Some(100.0),
        parameters: &[],
        make: |id| Ok(Box::new(CartPoleSwingup::new(id.size))),
    },
];

type Made = Result<Box<dyn Environment>, MakeError>;

/// The authors pay one value for the end of the task and another for every other step.
fn end_and_other(id: &mut Id, env: impl Environment + 'static, end: f64, other: f64, threshold: f64) -> Made {
    if !id.take_sparse()? {
        return Ok(Box::new(env));
    }
    id.reward_threshold = Some(threshold);
    Ok(Box::new(SparseReward::new(env, end, other)))
}

fn point_maze(id: &mut Id) -> Made {
    let count = |text: &str| text.parse().ok().filter(|&walls: &usize| walls <= PointMaze::MAX_WALLS);
    let walls = id.take("walls", "0, 1, 2 or 3", count)?.unwrap_or(0);
    id.time_limit = Some(10 * id.size as u32);
    Ok(Box::new(PointMaze::new(id.size, walls)))
}

fn cart_pole(id: &mut Id) -> Made {
    // The end is a failure: an episode that survives as long as the threshold asks collects 0.005 a step.
    let threshold = 0.005 * id.reward_threshold.unwrap_or_default();
    end_and_other(id, CartPole::default(), -1.0, 0.005, threshold)
}

fn mountain_car(id: &mut Id) -> Made {
    // -110 is an episode of 110 steps, the last of which reaches the flag.
    end_and_other(id, MountainCar::default(), 1.0, -0.005, 1.0 - 0.005 * 109.0)
}

fn acrobot(id: &mut Id) -> Made {
    // -100 is an episode of 101 steps, the last of which is free.
    end_and_other(id, Acrobot::default(), 1.0, -0.005, 1.0 - 0.005 * 100.0)
}

/// The authors' "sparse" lander has the same rewards, on a smaller scale.
fn lunar_lander(id: &mut Id) -> Made {
    let lander = LunarLander::new(id.seed);
    if !id.take_sparse()? {
        return Ok(Box::new(lander));
    }
    id.reward_threshold = id.reward_threshold.map(|threshold| threshold / 250.0);
    Ok(Box::new(RewardScale::new(lander, 1.0 / 250.0)))
}

fn frozen_lake(id: &mut Id, usual: Lake) -> Made {
    let map = id.take("map", "4x4 or map=8x8", |text| match text {
        "4x4" => Some(Lake::Small),
        "8x8" => Some(Lake::Large),
        _ => None,
    })?;
    let slippery = id.take_boolean("slippery")?.unwrap_or(true);
    Ok(Box::new(FrozenLake::new(map.unwrap_or(usual), slippery)))
}

fn blackjack(id: &mut Id) -> Made {
    let usual = Rules::default();
    Ok(Box::new(Blackjack::new(Rules {
        sab: id.take_boolean("sab")?.unwrap_or(usual.sab),
        natural: id.take_boolean("natural")?.unwrap_or(usual.natural),
    })))
}
