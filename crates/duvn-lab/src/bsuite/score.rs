//! bsuite's own scores, from what its runs have earned.

use crate::stats::{DeepSeaRun, deep_sea_score, mean};

/// What one run of a setting amounts to.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// Settings of one level are scored together: the noise, the scale, the height, the length, the size.
    pub level: String,
    /// Finished episodes.
    pub episodes: u64,
    /// What all of them have earned, in bsuite's units and without noise.
    pub earned: f64,
    /// The most that one of them has earned.
    pub best: f64,
    /// Episodes that a run which failed owes: they count as the worst.
    pub owed: u64,
    /// Where it is a sea: bsuite's judgement of it.
    pub sea: DeepSeaRun,
}

impl Tally {
    /// A run that has not begun.
    pub fn new(level: impl Into<String>, sea: DeepSeaRun) -> Self {
        Tally { level: level.into(), episodes: 0, earned: 0.0, best: 0.0, owed: 0, sea }
    }

    /// Counts an episode.
    pub fn add(&mut self, earned: f64) {
        self.episodes += 1;
        self.earned += earned;
        self.best = self.best.max(earned);
        self.sea.add(earned);
    }

    /// The run broke down with so many episodes to come.
    pub fn fail(&mut self, owed: u64) {
        self.owed = owed;
        self.sea.give_up();
    }

    /// The mean of `ideal` less what an episode earned. An episode that is owed has the regret `worst`.
    fn regret(&self, ideal: f64, worst: f64) -> f64 {
        let (known, owed) = (self.episodes as f64, self.owed as f64);
        (ideal * known - self.earned + worst * owed) / (known + owed)
    }
}

/// How an experiment is scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// 1 less the mean regret, in units of the regret of an agent that learns nothing.
    Regret {
        /// What the best episode earns.
        ideal: f64,
        /// The regret that scores nothing.
        base: f64,
        /// Half of the score is the share of runs with an episode above this.
        good: Option<f64>,
        /// What the settings differ in.
        levels: Levels,
    },
    /// The share of settings whose mean regret is below this.
    Below {
        /// What the best episode earns.
        ideal: f64,
        /// The regret from which a setting fails.
        regret: f64,
    },
    /// The share of seas that were solved before dithering would.
    Sea,
}

/// What the settings of an experiment differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// In chance alone: all count as one.
    One,
    /// In how hard they are: the mean over levels.
    Mean,
    /// In noise or scale, which should make no difference: half the mean over levels, half the mean less one standard
    /// deviation.
    Even,
}

impl Rule {
    /// The rule of bsuite's experiment of this name.
    pub fn of(experiment: &str) -> Option<Self> {
        let (family, levels) = match experiment {
            "cartpole_swingup" => (experiment, Levels::Mean),
            _ => match experiment.strip_suffix("_noise").or(experiment.strip_suffix("_scale")) {
                Some(family) => (family, Levels::Even),
                None => (experiment, Levels::One),
            },
        };
        let regret = |ideal, base, good| Rule::Regret { ideal, base, good, levels };
        Some(match family {
            "bandit" => regret(1.0, 0.5, None),
            "catch" => regret(1.0, 1.6, None),
            "cartpole" => regret(1000.0, 1000.0, Some(500.0)),
            "cartpole_swingup" => regret(700.0, 700.0, Some(500.0)),
            "mountain_car" => regret(-100.0, 1000.0, None),
            // bsuite writes it 1 - 10 (1.1 - mean return).
            "discounting_chain" => regret(1.1, 0.1, None),
            "umbrella_length" | "umbrella_distract" => Rule::Below { ideal: 1.0, regret: 0.5 },
            "deep_sea" | "deep_sea_stochastic" => Rule::Sea,
            _ => return None,
        })
    }

    /// The score, from 0 to 1, of runs that have at least one episode; `None` where there are none.
    pub fn score(&self, runs: &[Tally]) -> Option<f64> {
        let runs: Vec<&Tally> = runs.iter().filter(|run| run.episodes + run.owed > 0).collect();
        match *self {
            Rule::Sea => sea_score(&runs),
            Rule::Below { ideal, regret } => {
                let regrets = |level: &[&Tally]| {
                    mean(&level.iter().map(|run| run.regret(ideal, 2.0)).collect::<Vec<_>>())
                };
                let good = |level: &Vec<&Tally>| regrets(level).map(|found| share(found < regret));
                mean(&levels(&runs).iter().filter_map(good).collect::<Vec<_>>())
            }
            Rule::Regret { ideal, base, good, levels: by } => {
                let score = |level: &[&Tally]| {
                    let regrets: Vec<_> = level.iter().map(|run| run.regret(ideal, base)).collect();
                    let regret = (1.0 - mean(&regrets)? / base).clamp(0.0, 1.0);
                    let Some(good) = good else { return Some(regret) };
                    let solved = mean(&level.iter().map(|run| share(run.best > good)).collect::<Vec<_>>())?;
                    Some(0.5 * (regret + solved))
                };
                if by == Levels::One {
                    return score(&runs);
                }
                let scores: Vec<f64> = levels(&runs).iter().filter_map(|level| score(level)).collect();
                let middle = mean(&scores)?;
                match by {
                    Levels::One | Levels::Mean => Some(middle),
                    Levels::Even => {
                        let squares: Vec<_> = scores.iter().map(|score| (score - middle).powi(2)).collect();
                        let deviation = mean(&squares)?.sqrt();
                        Some(0.5 * (middle + (middle - deviation).clamp(0.0, 1.0)))
                    }
                }
            }
        }
    }
}

fn share(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// Runs of one level together, in the order in which levels appear.
fn levels<'a>(runs: &[&'a Tally]) -> Vec<Vec<&'a Tally>> {
    let mut levels: Vec<Vec<&Tally>> = Vec::new();
    for &run in runs {
        match levels.iter_mut().find(|level| level.iter().any(|known| known.level == run.level)) {
            Some(level) => level.push(run),
            None => levels.push(vec![run]),
        }
    }
    levels
}

/// A sea that was not solved yet counts as not solved, as bsuite has it.
fn sea_score(runs: &[&Tally]) -> Option<f64> {
    let size = |level: &Vec<&Tally>| level.first().and_then(|run| run.level.parse().ok());
    let sizes: Vec<(u32, Vec<DeepSeaRun>)> = levels(runs)
        .iter()
        .filter_map(|level| Some((size(level)?, level.iter().map(|run| run.sea).collect())))
        .collect();
    deep_sea_score(&sizes).map(|(low, _)| low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(level: &str, returns: &[f64]) -> Tally {
        let mut tally = Tally::new(level, DeepSeaRun::default());
        returns.iter().for_each(|&earned| tally.add(earned));
        tally
    }

    fn score(experiment: &str, runs: &[Tally]) -> f64 {
        Rule::of(experiment).unwrap().score(runs).unwrap()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }

    #[test]
    fn regret_is_in_units_of_an_agent_that_learns_nothing() {
        // Regrets 0.3 and 0.1 of 0.5: the mean is 0.2, which leaves 0.6.
        close(score("bandit", &[tally("", &[0.5, 0.9]), tally("", &[0.9, 0.9])]), 0.6);
        // One ball of two caught: regret 1 of 1.6.
        close(score("catch", &[tally("", &[1.0, -1.0])]), 0.375);
        // 300 steps up the hill are 200 too many of 1000.
        close(score("mountain_car", &[tally("", &[-300.0])]), 0.8);
        close(score("mountain_car", &[tally("", &[-1500.0])]), 0.0);
        // 1.08 a run is 0.02 below 1.1; 1 is 0.1 below.
        close(score("discounting_chain", &[tally("", &[1.1, 1.06])]), 0.8);
        close(score("discounting_chain", &[tally("", &[1.0])]), 0.0);
    }

    #[test]
    fn half_of_a_pole_is_that_it_was_held_once() {
        // The first: 300 of 1000 and never above 500. The second: 600 and once. Together 0.45 and 1/2.
        let runs = [tally("", &[300.0, 300.0]), tally("", &[200.0, 1000.0])];
        close(score("cartpole", &runs), 0.475);
        // Swing-ups by height: 0.5 (350 / 700 + 0) and 0.5 (1 + 1); better than 700 is no better.
        let heights = [tally("0", &[350.0]), tally("1", &[800.0])];
        close(score("cartpole_swingup", &heights), 0.5 * (0.25 + 1.0));
        close(score("cartpole", &[tally("", &[500.0])]), 0.25);
    }

    #[test]
    fn levels_of_noise_should_make_no_difference() {
        // Scores 1, 0.5 and 0: the mean is 0.5, the deviation sqrt(1/6).
        let runs = [tally("0.1", &[1.0]), tally("1", &[0.75]), tally("10", &[0.5]), tally("10", &[0.5])];
        let deviation = (1.0f64 / 6.0).sqrt();
        close(score("bandit_noise", &runs), 0.5 * (0.5 + 0.5 - deviation));
        close(score("bandit_scale", &runs[..1]), 1.0);
        // One at 1 and four at 0: the mean less the deviation would be below 0.
        let uneven: Vec<_> = ["a", "b", "c", "d", "e"].map(|level| tally(level, &[0.0])).to_vec();
        let runs: Vec<_> = [tally("f", &[1.0])].into_iter().chain(uneven).collect();
        close(score("bandit_noise", &runs), 0.5 / 6.0);
    }

    #[test]
    fn umbrellas_count_by_the_share_of_lengths() {
        // Regrets 0, 0.4 and 1.
        let right_4_of_5 = [1.0, 1.0, 1.0, 1.0, -1.0];
        let runs = [tally("1", &[1.0]), tally("2", &right_4_of_5), tally("3", &[1.0, -1.0])];
        close(score("umbrella_length", &runs), 2.0 / 3.0);
        // Exactly 0.5 is not below it.
        close(score("umbrella_distract", &[tally("1", &[1.0, 1.0, 1.0, -1.0])]), 0.0);
    }

    #[test]
    fn seas_count_by_the_share_of_sizes() {
        let runs = [tally("10", &[0.99]), tally("12", &[0.0, 0.0]), tally("14", &[0.0, 0.99])];
        close(score("deep_sea", &runs), 2.0 / 3.0);
    }

    #[test]
    fn what_a_broken_run_owes_is_the_worst() {
        let mut broken = tally("", &[1.0]);
        broken.fail(3);
        close(score("bandit", &[broken]), 0.25);
        assert_eq!(Rule::of("bandit").unwrap().score(&[]), None);
        assert_eq!(Rule::of("memory_len"), None);
    }
}
