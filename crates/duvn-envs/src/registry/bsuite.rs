//! bsuite's experiments as ids of the registry: the 368 settings that need neither memory nor pictures.

/// One of bsuite's experiments.
pub struct Experiment {
    /// bsuite's name of it.
    pub name: &'static str,
    /// Episodes of every run.
    pub episodes: u32,
    /// What it is to show.
    pub tags: &'static [Tag],
    ids: fn() -> Vec<String>,
}

/// What an agent needs to be good at an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tag {
    /// Learning at all.
    Basic,
    /// Noisy rewards.
    Noise,
    /// Rewards of any size.
    Scale,
    /// Finding what pays.
    Exploration,
    /// Knowing what paid.
    CreditAssignment,
    /// States that are never seen twice.
    Generalization,
}

impl Tag {
    /// Every tag, in the order of bsuite's radar plot.
    pub const ALL: [Tag; 6] =
        [Tag::Basic, Tag::Noise, Tag::Scale, Tag::Exploration, Tag::CreditAssignment, Tag::Generalization];

    /// bsuite's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Tag::Basic => "basic",
            Tag::Noise => "noise",
            Tag::Scale => "scale",
            Tag::Exploration => "exploration",
            Tag::CreditAssignment => "credit_assignment",
            Tag::Generalization => "generalization",
        }
    }
}

/// One run of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// bsuite's id: `deep_sea/3`.
    pub id: String,
    /// The id for [`make`](super::make).
    pub env: String,
    /// The number of the setting in its experiment. bsuite leaves random numbers to chance where a setting is
    /// repeated; as a seed, the number makes the repetitions differ.
    pub number: u64,
}

impl Experiment {
    /// Its settings, in bsuite's order.
    pub fn settings(&self) -> Vec<Setting> {
        let setting = |(number, env)| Setting { id: format!("{}/{number}", self.name), env, number };
        (0..).zip((self.ids)()).map(setting).collect()
    }
}

use Tag::{Basic, CreditAssignment, Exploration, Generalization, Noise, Scale};

const fn experiment(
    name: &'static str,
    episodes: u32,
    tags: &'static [Tag],
    ids: fn() -> Vec<String>,
) -> Experiment {
    Experiment { name, episodes, tags, ids }
}

/// The experiments, in the order of their names.
pub const EXPERIMENTS: [Experiment; 18] = [
    experiment("bandit", 10_000, &[Basic], || ids(0..20, |n| format!("Bandit?mapping_seed={n}"))),
    experiment("bandit_noise", 10_000, &[Noise], || bandits(NOISES)),
    experiment("bandit_scale", 10_000, &[Scale], || bandits(SCALES)),
    experiment("cartpole", 1000, &[Basic, CreditAssignment, Generalization], || repeated("CartPoleBsuite")),
    experiment("cartpole_noise", 1000, &[Noise, Generalization], || levels("CartPoleBsuite", NOISES)),
    experiment("cartpole_scale", 1000, &[Scale, Generalization], || levels("CartPoleBsuite", SCALES)),
    experiment("cartpole_swingup", 1000, &[Exploration, Generalization], || {
        ids(0..20, |n| format!("CartPoleSwingup-{n}"))
    }),
    experiment("catch", 10_000, &[Basic, CreditAssignment], || repeated("Catch")),
    experiment("catch_noise", 10_000, &[Noise, CreditAssignment], || levels("Catch", NOISES)),
    experiment("catch_scale", 10_000, &[Scale, CreditAssignment], || levels("Catch", SCALES)),
    experiment("deep_sea", 10_000, &[Exploration], || {
        ids((10..51).step_by(2), |n| format!("DeepSea-{n}?mapping_seed=42"))
    }),
    experiment("deep_sea_stochastic", 10_000, &[Exploration, Noise], || {
        ids((10..51).step_by(2), |n| format!("DeepSeaStochastic-{n}?mapping_seed=42"))
    }),
    experiment("discounting_chain", 1000, &[CreditAssignment], || {
        ids(0..20, |n| format!("DiscountingChain?mapping_seed={n}"))
    }),
    experiment("mountain_car", 1000, &[Basic, Generalization], || repeated("MountainCarBsuite")),
    experiment("mountain_car_noise", 1000, &[Noise, Generalization], || levels("MountainCarBsuite", NOISES)),
    experiment("mountain_car_scale", 1000, &[Scale, Generalization], || levels("MountainCarBsuite", SCALES)),
    experiment("umbrella_distract", 10_000, &[CreditAssignment, Noise], || {
        ids(log_spaced(), |n| format!("UmbrellaDistract-{n}"))
    }),
    experiment("umbrella_length", 10_000, &[CreditAssignment, Noise], || {
        ids(log_spaced(), |n| format!("UmbrellaLength-{n}"))
    }),
];

/// A parameter and the values that it takes, four runs each.
type Levels = (&'static str, [&'static str; 5]);

const NOISES: Levels = ("reward_noise", ["0.1", "0.3", "1", "3", "10"]);
const SCALES: Levels = ("reward_scale", ["0.001", "0.03", "1", "30", "1000"]);

fn ids(sizes: impl IntoIterator<Item = u32>, id: impl Fn(u32) -> String) -> Vec<String> {
    sizes.into_iter().map(id).collect()
}

fn repeated(env: &str) -> Vec<String> {
    vec![env.into(); 20]
}

fn levels(env: &str, (parameter, values): Levels) -> Vec<String> {
    values.iter().flat_map(|value| vec![format!("{env}?{parameter}={value}"); 4]).collect()
}

fn bandits((parameter, values): Levels) -> Vec<String> {
    let level = |value| move |n| format!("Bandit?mapping_seed={n}&{parameter}={value}");
    values.iter().flat_map(|value| (0..4).map(level(value))).collect()
}

fn log_spaced() -> impl Iterator<Item = u32> {
    (1..11).chain([12, 14, 17, 20, 25]).chain((30..105).step_by(10))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn the_settings_are_bsuites_and_can_all_be_made() {
        let all = EXPERIMENTS.iter().flat_map(|experiment| {
            let tags: Vec<_> = experiment.tags.iter().map(|tag| tag.name()).collect();
            let line = |setting: Setting| {
                [&setting.id, &*experiment.episodes.to_string(), &tags.join(","), &setting.env].join(" ")
            };
            experiment.settings().into_iter().map(line).collect::<Vec<_>>()
        });
        let recorded = include_str!("../../golden/bsuite_sweep.txt");
        assert_eq!(all.collect::<Vec<_>>(), recorded.lines().collect::<Vec<_>>());
        assert_eq!(recorded.lines().count(), 368);
        for setting in EXPERIMENTS.iter().flat_map(Experiment::settings) {
            registry::make(&setting.env, setting.number).unwrap();
        }
    }
}
