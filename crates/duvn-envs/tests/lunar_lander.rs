//! LunarLander-v3 against trajectories of Gymnasium's (golden/generate_lunar_lander.py).

use duvn_envs::{Environment, Observation, registry};
use flate2::read::GzDecoder;
use std::io::Read;

struct Transition {
    action: usize,
    observation: [f32; 8],
    reward: f64,
    terminated: bool,
    truncated: bool,
}

struct Episode {
    policy: u8,
    seed: Option<u64>,
    first: [f32; 8],
    steps: Vec<Transition>,
}

/// Takes the fields of the records off the front.
struct Reader(std::vec::IntoIter<u8>);

impl Reader {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.0.next().expect("a whole record"))
    }

    fn observation(&mut self) -> [f32; 8] {
        std::array::from_fn(|_| f32::from_le_bytes(self.bytes()))
    }

    fn transition(&mut self) -> Transition {
        let [action] = self.bytes();
        let observation = self.observation();
        let reward = f64::from_le_bytes(self.bytes());
        let [flags] = self.bytes();
        let (terminated, truncated) = (flags & 1 != 0, flags & 2 != 0);
        Transition { action: action.into(), observation, reward, terminated, truncated }
    }

    fn episode(&mut self) -> Episode {
        let [policy, seeded] = self.bytes();
        let seed = u64::from_le_bytes(self.bytes());
        let steps = u32::from_le_bytes(self.bytes());
        Episode {
            policy,
            seed: (seeded != 0).then_some(seed),
            first: self.observation(),
            steps: (0..steps).map(|_| self.transition()).collect(),
        }
    }
}

fn golden() -> Vec<Episode> {
    let mut bytes = Vec::new();
    let compressed: &[u8] = include_bytes!("../golden/lunar_lander.bin.gz");
    GzDecoder::new(compressed).read_to_end(&mut bytes).expect("a gzip stream");
    let mut reader = Reader(bytes.into_iter());
    let mut episodes = Vec::new();
    while reader.0.len() > 0 {
        episodes.push(reader.episode());
    }
    episodes
}

fn seen(env: &impl Environment) -> [f32; 8] {
    match env.observation() {
        Observation::Vector(numbers) => numbers.try_into().expect("eight numbers"),
        Observation::Index(_) => panic!("the lander is seen as numbers"),
    }
}

#[test]
fn trajectories_equal_gymnasiums_to_the_bit() {
    let mut env = registry::make("LunarLander-v3", 0).unwrap();
    for (number, episode) in golden().iter().enumerate() {
        let name = format!("episode {number} (policy {}, seed {:?})", episode.policy, episode.seed);
        env.reset(episode.seed);
        assert_eq!(seen(&env), episode.first, "{name}, reset");
        for (t, expected) in episode.steps.iter().enumerate() {
            let step = env.step(expected.action.into()).unwrap();
            assert_eq!(seen(&env), expected.observation, "{name}, step {t}");
            assert_eq!(step.reward, expected.reward, "{name}, step {t}");
            assert_eq!(step.terminated, expected.terminated, "{name}, step {t}");
            assert_eq!(step.truncated, expected.truncated, "{name}, step {t}");
        }
    }
}
