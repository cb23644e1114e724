//! What the return of an episode cannot leave, where the rules of a task say so.

use crate::stats::Bounds;
use duvn_envs::registry;

/// Parameters of an environment that leave its returns between the same bounds, or move them in a way known here.
const KNOWN: [&str; 8] =
    ["slippery", "is_slippery", "map", "map_name", "normalise", "time_limit", "reward", "reward_scale"];

/// The bounds of the returns of `env`; `None` where they are not known.
pub fn bounds(env: &str) -> Option<Bounds> {
    let limit = f64::from(registry::make(env, 0).ok()?.time_limit.unwrap_or(u32::MAX));
    let parameters = env.split_once('?').map_or("", |(_, parameters)| parameters);
    let parameters: Vec<(&str, &str)> = parameters
        .split('&')
        .filter(|text| !text.is_empty())
        .map(|text| text.split_once('='))
        .collect::<Option<_>>()?;
    if parameters.iter().any(|(key, _)| !KNOWN.contains(key)) {
        return None;
    }
    let value = |key: &str| parameters.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    let (low, high, share) = match (registry::stem(env), value("reward")) {
        ("Chain" | "ChainOrdered" | "FrozenLake" | "FrozenLake8x8", None) => (0.0, 1.0, true),
        ("DeepSea", None) => (-0.01, 0.99, true),
        ("Catch", None) => (-1.0, 1.0, true),
        ("CartPole", None) => (0.0, limit, false),
        ("CartPole", Some("sparse")) => (-1.0, 0.005 * limit, false),
        ("MountainCar" | "Acrobot", None) => (-limit, 0.0, false),
        ("MountainCar" | "Acrobot", Some("sparse")) => (-0.005 * limit, 1.0, false),
        ("Taxi", None) => (-10.0 * limit, 20.0, false),
        _ => return None,
    };
    let scale: f64 = value("reward_scale").map_or(Some(1.0), |scale| scale.parse().ok())?;
    Some(Bounds { low: low * scale, high: high * scale, share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use duvn_envs::{Environment, Space};

    #[test]
    fn no_episode_leaves_the_bounds() {
        for env in [
            "Chain-3",
            "ChainOrdered-2",
            "DeepSea-4",
            "Catch",
            "FrozenLake-v1?slippery=false",
            "FrozenLake8x8-v1",
            "CartPole-v1?normalise=true",
            "CartPole-v1?reward=sparse",
            "CartPole-v0?reward_scale=0.5",
            "MountainCar-v0",
            "MountainCar-v0?reward=sparse&time_limit=50",
            "Acrobot-v1?reward=sparse",
            "Acrobot-v1",
            "Taxi-v4",
        ] {
            let Bounds { low, high, share } = bounds(env).unwrap();
            let mut world = registry::make(env, 1).unwrap();
            let Space::Discrete(actions) = world.action_space() else { panic!("{env}") };
            let mut draw = 1u64;
            for episode in 0..30 {
                world.reset(Some(episode));
                let mut ret = 0.0;
                loop {
                    draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let step = world.step(((draw >> 33) as usize % actions).into()).unwrap();
                    ret += step.reward;
                    if step.done() {
                        break;
                    }
                }
                assert!(low - 1e-9 <= ret && ret <= high + 1e-9, "{env}: {ret} in [{low}, {high}]");
                let near = |end: f64| (ret - end).abs() <= 0.02 * (high - low);
                assert!(!share || near(low) || near(high), "{env}: {ret} is neither success nor failure");
            }
        }
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        for env in ["LunarLander-v3", "Toy", "DeepSeaStochastic-5", "Chain-3?colour=red", "nonsense"] {
            assert_eq!(bounds(env), None, "{env}");
        }
        assert_eq!(bounds("Chain-3?reward_scale=2").unwrap().high, 2.0);
    }
}
