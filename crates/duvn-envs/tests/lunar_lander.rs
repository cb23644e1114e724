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

/// The step of each episode with the first contact, where there is most to remember.
fn first_contact(episode: &Episode) -> usize {
    episode.steps.iter().position(|step| step.observation[6..] != [0.0, 0.0]).unwrap_or(0)
}

#[test]
fn a_restored_lander_goes_on_identically_in_flight_and_in_contact() {
    let mut env = registry::make("LunarLander-v3", 0).unwrap();
    let mut other = registry::make("LunarLander-v3", 1).unwrap();
    for episode in golden().iter().filter(|episode| episode.seed.is_some()) {
        let contact = first_contact(episode);
        env.reset(episode.seed);
        for (t, step) in episode.steps.iter().enumerate() {
            if t == 5 || t == contact || t == contact + 10 {
                other.restore(&env.save().unwrap()).unwrap();
                assert_eq!(seen(&other), seen(&env));
                for later in &episode.steps[t..] {
                    let transition = other.step(later.action.into()).unwrap();
                    assert_eq!((seen(&other), transition.reward), (later.observation, later.reward));
                }
            }
            env.step(step.action.into()).unwrap();
        }
    }
}

#[test]
fn episodes_end_in_every_way_there_is() {
    let ends: Vec<_> = golden().into_iter().filter_map(|mut episode| episode.steps.pop()).collect();
    let out_of_view = |step: &Transition| step.observation[0].abs() >= 1.0;
    assert!(ends.iter().any(|end| end.terminated && end.reward == 100.0), "at rest");
    assert!(ends.iter().any(|end| end.terminated && end.reward == -100.0 && out_of_view(end)), "out of view");
    assert!(ends.iter().any(|end| end.terminated && end.reward == -100.0 && !out_of_view(end)), "crash");
    assert!(ends.iter().any(|end| end.truncated && !end.terminated), "time limit");
}

#[test]
fn a_damaged_state_is_refused_or_survived() {
    let mut env = registry::make("LunarLander-v3", 0).unwrap();
    let landing = golden().into_iter().find(|episode| first_contact(episode) > 0).unwrap();
    env.reset(landing.seed);
    for step in &landing.steps[..first_contact(&landing) + 1] {
        env.step(step.action.into()).unwrap();
    }
    let good = env.save().unwrap();
    assert!(env.restore(&good[..good.len() - 1]).is_err());
    for position in 0..good.len() {
        let mut bad = good.clone();
        bad[position] ^= 0xff;
        if env.restore(&bad).is_ok() {
            // Not what was saved, but nothing that a step could fall over.
            let _ = env.step(0.into());
        }
    }
}
