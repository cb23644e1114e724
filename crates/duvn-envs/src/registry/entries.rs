use super::parameter::{Kind, Parameter};
use super::{Entry, makers};
use crate::envs::{CartPoleSwingup, FrozenLake, Lake, PointMaze, Taxi};

/// Every environment that [`make`](super::make) knows.
///
/// Time limits and thresholds are Gymnasium's. bsuite has none; its tasks count as solved from a mean of
/// - DeepSea: 0.94, which takes the treasure in 95 of 100 episodes (each 1 - 0.01, the others at least
///   -0.01); the noise of DeepSeaStochastic is larger than what tells its policies apart;
/// - Catch: 0.9, which takes 95 of 100 balls;
/// - CartPoleSwingup: 100, and CartPoleBsuite: 500, bsuite's own bounds of a good episode;
/// - Bandit: 0.95, and DiscountingChain: 1.09, which take the best choice in nearly all episodes;
/// - UmbrellaLength and UmbrellaDistract: none, because random rewards outweigh what one can do.
pub const ENTRIES: &[Entry] = &[
    Entry {
        about: "N correct actions in a row, drawn at random for each state, then reward 1 (paper, App. D)",
        sizes: Some((1, 100_000)),
        reward_threshold: Some(0.95),
        ..Entry::new("Chain-N", makers::chain)
    },
    Entry {
        about: "the Chain whose correct action is always 1 (paper, App. D.1)",
        sizes: Some((1, 100_000)),
        reward_threshold: Some(0.95),
        ..Entry::new("ChainOrdered-N", makers::chain_ordered)
    },
    Entry {
        about: "the Chain in which the other action is done now and then; solved at 0.95 of the optimum",
        sizes: Some((1, 100_000)),
        parameters: &[number("slip", "how likely the other action is done", 0.01, 0.0, 0.5)],
        ..Entry::new("ChainStochastic-N", makers::chain_stochastic)
    },
    Entry {
        about: "go right, past a small reward to the left, for N + 8 steps; the optimum is 10",
        sizes: Some((2, 100_000)),
        reward_threshold: Some(9.9),
        ..Entry::new("NChain-N", makers::n_chain)
    },
    Entry {
        about: "swim against the current; solved at 2/3 of the optimum, which is 3.06 for the usual N = 6",
        sizes: Some((2, 1000)),
        ..Entry::new("RiverSwim-N", makers::river_swim)
    },
    Entry {
        about: "N arms with normal rewards, whose means are drawn from N(0, 1)",
        sizes: Some((1, 100_000)),
        parameters: &[
            number("noise", "the standard deviation of every arm", 1.0, 0.0, 1000.0),
            Parameter::new("means", "the mean of each arm", Kind::Text { example: "0/1/0.5" }),
            Parameter::new("noises", "the standard deviation of each arm", Kind::Text { example: "1/0.1/2" }),
        ],
        ..Entry::new("GaussianBandit-N", makers::gaussian_bandit)
    },
    Entry {
        about: "N arms that pay 1 or 0, with probabilities drawn from [0, 1)",
        sizes: Some((1, 100_000)),
        ..Entry::new("BernoulliBandit-N", makers::bernoulli_bandit)
    },
    Entry {
        about: "two steps, four returns: small enough to work out by hand",
        reward_threshold: Some(2.9),
        ..Entry::new("Toy", makers::toy)
    },
    Entry {
        about: "a point seen as x and y goes by 1/N to the far corner, for reward 1, in 10 N steps",
        sizes: Some((4, 1000)),
        reward_threshold: Some(0.95),
        parameters: &[Parameter::new(
            "walls",
            "walls with one opening each, above and below by turns",
            Kind::Count { default: Some(0), least: 0, most: PointMaze::MAX_WALLS as u64 },
        )],
        ..Entry::new("PointMaze-N", makers::point_maze)
    },
    Entry {
        about: "keep a pole upright on a cart, for 500 steps (Gymnasium)",
        time_limit: Some(500),
        reward_threshold: Some(475.0),
        parameters: &[SPARSE, SUTTON_BARTO],
        ..Entry::new("CartPole-v1", makers::cart_pole)
    },
    Entry {
        about: "keep a pole upright on a cart, for 200 steps (Gymnasium)",
        time_limit: Some(200),
        reward_threshold: Some(195.0),
        parameters: &[SPARSE, SUTTON_BARTO],
        ..Entry::new("CartPole-v0", makers::cart_pole)
    },
    Entry {
        about: "swing an underpowered car out of a valley (Gymnasium)",
        time_limit: Some(200),
        reward_threshold: Some(-110.0),
        parameters: &[SPARSE, GOAL_VELOCITY],
        ..Entry::new("MountainCar-v0", makers::mountain_car)
    },
    Entry {
        about: "the car with a continuous push, which costs (Gymnasium)",
        time_limit: Some(999),
        reward_threshold: Some(90.0),
        parameters: &[GOAL_VELOCITY],
        ..Entry::new("MountainCarContinuous-v0", makers::mountain_car_continuous)
    },
    Entry {
        about: "swing a two-link arm above a line by the joint between them (Gymnasium)",
        time_limit: Some(500),
        reward_threshold: Some(-100.0),
        parameters: &[SPARSE],
        ..Entry::new("Acrobot-v1", makers::acrobot)
    },
    Entry {
        about: "land a craft with three engines gently between two flags (Gymnasium)",
        time_limit: Some(1000),
        reward_threshold: Some(200.0),
        parameters: &[SPARSE, continuous(false), GRAVITY, ENABLE_WIND, WIND_POWER, TURBULENCE_POWER],
        ..Entry::new("LunarLander-v3", makers::lunar_lander)
    },
    Entry {
        about: "land the craft with two throttles (Gymnasium)",
        time_limit: Some(1000),
        reward_threshold: Some(200.0),
        parameters: &[SPARSE, continuous(true), GRAVITY, ENABLE_WIND, WIND_POWER, TURBULENCE_POWER],
        ..Entry::new("LunarLanderContinuous-v3", makers::lunar_lander)
    },
    Entry {
        about: "swing a pendulum up and hold it, with a continuous torque (Gymnasium)",
        time_limit: Some(200),
        parameters: &[number("g", "the gravity", 10.0, 0.0, 100.0)],
        ..Entry::new("Pendulum-v1", makers::pendulum)
    },
    Entry {
        about: "cross slippery ice without falling into a hole (Gymnasium)",
        time_limit: Some(100),
        reward_threshold: Some(0.70),
        parameters: &[map("4x4"), DESC, MAP_SIZE, FROZEN, MAP_SEED, slippery(true), SUCCESS_RATE],
        ..Entry::new("FrozenLake-v1", makers::frozen_lake)
    },
    Entry {
        about: "the larger lake, with more time (Gymnasium)",
        time_limit: Some(200),
        reward_threshold: Some(0.85),
        parameters: &[map("8x8"), DESC, MAP_SIZE, FROZEN, MAP_SEED, slippery(true), SUCCESS_RATE],
        ..Entry::new("FrozenLake8x8-v1", makers::frozen_lake)
    },
    Entry {
        about: "fetch a passenger and bring them to their destination (Gymnasium)",
        time_limit: Some(200),
        reward_threshold: Some(8.0),
        parameters: &[IS_RAINY, RAINY_PROBABILITY, FICKLE_PASSENGER, FICKLE_PROBABILITY],
        ..Entry::new("Taxi-v4", makers::taxi)
    },
    Entry {
        about: "walk along a cliff to the goal (Gymnasium)",
        parameters: &[slippery(false)],
        ..Entry::new("CliffWalking-v1", makers::cliff_walking)
    },
    Entry {
        about: "walk along a slippery cliff (Gymnasium)",
        parameters: &[slippery(true)],
        ..Entry::new("CliffWalkingSlippery-v1", makers::cliff_walking)
    },
    Entry {
        about: "twenty-one against a dealer (Gymnasium)",
        parameters: &[
            flag("sab", "Sutton and Barto's rules: a natural of the player alone wins", true),
            flag("natural", "without sab: winning with a natural pays 1.5", false),
        ],
        ..Entry::new("Blackjack-v1", makers::blackjack)
    },
    Entry {
        about: "N right moves in a row, each at a small cost, to reach the treasure (bsuite)",
        sizes: Some((1, 1000)),
        reward_threshold: Some(0.94),
        parameters: &[MAPPING_SEED],
        ..Entry::new("DeepSea-N", makers::deep_sea)
    },
    Entry {
        about: "DeepSea with moves that fail and noise at both lower corners (bsuite)",
        sizes: Some((1, 1000)),
        parameters: &[MAPPING_SEED],
        ..Entry::new("DeepSeaStochastic-N", makers::deep_sea_stochastic)
    },
    Entry {
        about: "catch a falling ball (bsuite)",
        reward_threshold: Some(0.9),
        ..Entry::new("Catch", makers::catch)
    },
    Entry {
        about: "swing the pole up; N is the difficulty, rewards get sparser with it (bsuite)",
        sizes: Some((0, CartPoleSwingup::MAX_DIFFICULTY)),
        reward_threshold: Some(100.0),
        ..Entry::new("CartPoleSwingup-N", makers::cart_pole_swingup)
    },
    Entry {
        about: "keep a pole upright for ten seconds of 100 steps (bsuite)",
        reward_threshold: Some(500.0),
        ..Entry::new("CartPoleBsuite", makers::cart_pole_bsuite)
    },
    Entry {
        about: "the car in the valley, with 1,000 steps and a clock (bsuite)",
        reward_threshold: Some(-110.0),
        ..Entry::new("MountainCarBsuite", makers::mountain_car_bsuite)
    },
    Entry {
        about: "eleven arms that pay 0, 0.1, ... 1, in an order of their own (bsuite)",
        reward_threshold: Some(0.95),
        parameters: &[MAPPING_SEED],
        ..Entry::new("Bandit", makers::bandit)
    },
    Entry {
        about: "choose one of five rewards, after 1 to 100 steps; one is 1.1, the others 1 (bsuite)",
        reward_threshold: Some(1.09),
        parameters: &[MAPPING_SEED],
        ..Entry::new("DiscountingChain", makers::discounting_chain)
    },
    Entry {
        about: "an umbrella taken at the first step counts after N, beside 20 distractors (bsuite)",
        sizes: Some((1, 10_000)),
        ..Entry::new("UmbrellaLength-N", makers::umbrella_length)
    },
    Entry {
        about: "an umbrella taken at the first step counts after 20, beside N distractors (bsuite)",
        sizes: Some((1, 10_000)),
        ..Entry::new("UmbrellaDistract-N", makers::umbrella_distract)
    },
];

const fn flag(name: &'static str, about: &'static str, default: bool) -> Parameter {
    Parameter::new(name, about, Kind::Flag { default })
}

const fn number(name: &'static str, about: &'static str, default: f64, low: f64, high: f64) -> Parameter {
    Parameter::new(name, about, Kind::Number { default, low, high, inclusive: true })
}

const fn slippery(default: bool) -> Parameter {
    flag("slippery", "moves may go to the side of what is meant", default).or("is_slippery")
}

const fn continuous(default: bool) -> Parameter {
    flag("continuous", "actions are throttles of the engines", default)
}

const fn map(default: &'static str) -> Parameter {
    let among = &["4x4", "8x8", "random"];
    let about = "which lake; a random one is Gymnasium's generate_random_map";
    Parameter::new("map", about, Kind::Choice { default: Some(default), among }).or("map_name")
}

const MAPPING_SEED: Parameter = Parameter::new(
    "mapping_seed",
    "bsuite's own mapping of this seed, in place of one of the seed that it is made with",
    Kind::Count { default: None, least: 0, most: u64::MAX },
);
const SPARSE: Parameter = Parameter::new(
    "reward",
    "sparse: the rewards of the paper's authors",
    Kind::Choice { default: None, among: &["sparse"] },
);
const SUTTON_BARTO: Parameter =
    flag("sutton_barto_reward", "only losing the pole counts, as -1; solved at 0", false);
const GOAL_VELOCITY: Parameter =
    number("goal_velocity", "the least speed at the flag that counts", 0.0, -0.07, 0.07);
const GRAVITY: Parameter = Parameter::new(
    "gravity",
    "negative downwards",
    Kind::Number { default: -10.0, low: -12.0, high: 0.0, inclusive: false },
);
const ENABLE_WIND: Parameter = flag("enable_wind", "wind blows while no leg is on the ground", false);
const WIND_POWER: Parameter = number("wind_power", "the greatest force of the wind", 15.0, 0.0, 20.0);
const TURBULENCE_POWER: Parameter =
    number("turbulence_power", "the greatest torque of the wind", 1.5, 0.0, 2.0);
const DESC: Parameter = Parameter::new(
    "desc",
    "a map of one's own, row after row, in place of map=",
    Kind::Text { example: "SFF/FHF/FFG" },
);
const MAP_SIZE: Parameter = Parameter::new(
    "map_size",
    "with map=random: the side of the lake",
    Kind::Count { default: Some(8), least: 2, most: Lake::MAX_SIDE as u64 },
);
const FROZEN: Parameter =
    number("frozen", "with map=random: how likely a cell is ice", 0.8, 0.1, 1.0).or("p");
const MAP_SEED: Parameter = Parameter::new(
    "map_seed",
    "with map=random: draws the lake, in place of the seed that it is made with",
    Kind::Count { default: None, least: 0, most: u64::MAX },
);
const SUCCESS_RATE: Parameter = number(
    "success_rate",
    "on slippery ice: how likely a move goes as meant",
    FrozenLake::SUCCESS_RATE,
    0.0,
    1.0,
);
const IS_RAINY: Parameter = flag("is_rainy", "drives may go to the side of what is meant", false);
const RAINY_PROBABILITY: Parameter = number(
    "rainy_probability",
    "in rain: how likely a drive goes as meant",
    Taxi::RAINY_PROBABILITY,
    0.0,
    1.0,
);
const FICKLE_PASSENGER: Parameter =
    flag("fickle_passenger", "the passenger may change their destination once", false);
const FICKLE_PROBABILITY: Parameter =
    number("fickle_probability", "how likely a fickle passenger does so", Taxi::FICKLE_PROBABILITY, 0.0, 1.0);
