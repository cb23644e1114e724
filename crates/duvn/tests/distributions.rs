//! What return models learn, against what is true: on a deterministic and on a random world whose returns can
//! be worked out. `DUVN_SEEDS=1..11` tries other seeds than the first; with `--nocapture` the distances are printed, which is
//! where the table in `docs/RESULTS.md` comes from.

use duvn::config::{BackupKind, PolicyKind, Propagation, ReturnKind};
use duvn::{Agent, Config, Training};
use duvn_envs::wrappers::Episodes;
use duvn_envs::{Action, Environment, Observation, Space, Step, StepError, registry};

/// Two steps of chance: from the start one comes to the left or to the right, alike; on the left the return
/// is -2 or 0, on the right 1 or 3, alike. So the return of the start is -2, 0, 1 or 3, each in a quarter of
/// all cases.
struct TwoSteps {
    at: usize,
    bits: u64,
}

impl TwoSteps {
    const EXACT: [f64; 4] = [-2.0, 0.0, 1.0, 3.0];

    fn coin(&mut self) -> bool {
        self.bits ^= self.bits << 13;
        self.bits ^= self.bits >> 7;
        self.bits ^= self.bits << 17;
        self.bits >> 40 & 1 == 1
    }
}

impl Environment for TwoSteps {
    fn observation_space(&self) -> Space {
        Space::Discrete(4)
    }
    fn action_space(&self) -> Space {
        Space::Discrete(1)
    }
    fn reset(&mut self, _seed: Option<u64>) {
        self.at = 0;
    }
    fn observation(&self) -> Observation<'_> {
        Observation::Index(self.at)
    }
    fn step(&mut self, _action: Action<'_>) -> Result<Step, StepError> {
        let heads = self.coin();
        if self.at == 0 {
            self.at = if heads { 2 } else { 1 };
            return Ok(Step { reward: 0.0, terminated: false, truncated: false });
        }
        let reward = match (self.at, heads) {
            (1, false) => -2.0,
            (1, true) => 0.0,
            (_, false) => 1.0,
            (_, true) => 3.0,
        };
        self.at = 3;
        Ok(Step { reward, terminated: true, truncated: false })
    }
}

const LEVELS: usize = 200;

/// The Wasserstein distance between quantiles at evenly spaced levels and values that are equally likely: the
/// mean distance of quantiles at the same level.
fn wasserstein(quantiles: &[f64], exact: &[f64]) -> f64 {
    let mut sorted = quantiles.to_vec();
    sorted.sort_by(f64::total_cmp);
    let of = |(i, quantile): (usize, &f64)| (quantile - exact[i * exact.len() / sorted.len()]).abs();
    sorted.iter().enumerate().map(of).sum::<f64>() / sorted.len() as f64
}

fn learnt<E: Environment>(config: &Config, env: E, episodes: usize, seed: u64) -> Vec<Vec<f64>> {
    let (observations, actions) = (env.observation_space(), env.action_space());
    let agent = Agent::new(&config.check().unwrap(), &observations, &actions, seed).unwrap();
    let mut training = Training::new(env, agent, seed);
    for _ in 0..episodes {
        training.episode().unwrap();
    }
    let levels: Vec<_> = (0..LEVELS).map(|i| (i as f64 + 0.5) / LEVELS as f64).collect();
    training.agent_mut().quantiles(Observation::Index(0), &levels).unwrap()
}

/// The first seed, or those of `DUVN_SEEDS`.
fn seeds() -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("DUVN_SEEDS") else { return 1..2 };
    let (first, end) = text.split_once("..").expect("seeds as 1..11");
    first.parse().expect("a number")..end.parse().expect("a number")
}

/// Prints the distances of all seeds, and holds each against the most that it may be.
fn judge(world: &str, config: &Config, most: f64, distances: &[f64]) {
    let kappa = if config.returns == ReturnKind::Quantile {
        format!(" kappa={}", config.kappa)
    } else {
        String::new()
    };
    let name = format!("{:?}{kappa} apart={}", config.returns, config.apart);
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let (least, largest) = distances.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &d| (a.min(d), b.max(d)));
    println!("{world} {name}: mean {mean:.3}, {least:.3} to {largest:.3} of {} seeds", distances.len());
    assert!(largest < most, "{world} {name}: {distances:?}");
}

fn config(returns: ReturnKind) -> Config {
    Config {
        returns,
        hidden: vec![32],
        gamma: 1.0,
        batch: 64,
        target_sync: 20,
        policy: PolicyKind::Uniform,
        backup: BackupKind::Max,
        ..Config::default()
    }
}

/// Each model with the most that its distance may be. A Gaussian cannot do better than 0.38 however well it
/// is fitted. The smoothed loss of quantiles (kappa = 1, the default) draws them together where outcomes lie about
/// kappa apart; without smoothing (kappa = 0) they are where they should be.
fn models() -> Vec<(Config, f64)> {
    vec![
        (Config { atoms: 31, ..config(ReturnKind::Categorical) }, 0.25),
        (Config { kappa: 0.0, ..config(ReturnKind::Quantile) }, 0.25),
        (Config { kappa: 0.0, apart: true, ..config(ReturnKind::Quantile) }, 0.25),
        (config(ReturnKind::Quantile), 0.65),
        (
            Config {
                propagation: Propagation::Sampling,
                sigma_floor: 0.05,
                terminal_sigma: 0.05,
                component_spread: 3.0,
                ..config(ReturnKind::Mixture)
            },
            0.35,
        ),
    ]
}

#[test]
fn the_return_of_a_random_world_is_learnt_with_its_shape() {
    for (config, most) in models() {
        let distance = |seed: u64| {
            let bits = 88_172_645_463_325_252u64.wrapping_mul(2 * seed - 1);
            let env = Episodes::new(TwoSteps { at: 0, bits }, Some(10));
            wasserstein(&learnt(&config, env, 1500, seed)[0], &TwoSteps::EXACT)
        };
        judge("TwoSteps", &config, most, &seeds().map(distance).collect::<Vec<_>>());
    }
}

/// On `Toy` every return is certain: 3 after action 0, and 2 after action 1.
#[test]
fn the_returns_of_a_deterministic_world_are_learnt_as_points() {
    for (config, most) in models() {
        let learnt: Vec<_> =
            seeds().map(|seed| learnt(&config, registry::make("Toy", 0).unwrap(), 1500, seed)).collect();
        for (action, exact) in [3.0, 2.0].into_iter().enumerate() {
            let distances: Vec<_> =
                learnt.iter().map(|quantiles| wasserstein(&quantiles[action], &[exact])).collect();
            judge(&format!("Toy, action {action},"), &config, most, &distances);
        }
    }
}

#[test]
fn the_distance_is_that_worked_by_hand() {
    // Four levels against -1 and 1: |0 + 1|, |0 + 1|, |1 - 1|, |3 - 1| in order.
    assert_eq!(wasserstein(&[0.0, 3.0, 0.0, 1.0], &[-1.0, 1.0]), 1.0);
}
