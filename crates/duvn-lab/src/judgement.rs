//! Whether what an agent believes can be true: its values beside what it has earned.

use crate::record::StartView;
use duvn::Episode;
use serde::{Deserialize, Serialize};

/// What a run's beliefs amount to. The fields are keys of `duvn train --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The best return of an episode.
    pub best_return: Option<f64>,
    /// The best mean return of an action at the start, as the agent believed at the end.
    pub start_value: Option<f64>,
    /// Return uncertainty at the start, the mean over actions, at the end.
    pub start_sigma: Option<f64>,
    /// What is wrong with these beliefs, and what to do.
    pub warnings: Vec<String>,
}

/// What is kept of a run to judge its beliefs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    gamma: f64,
    best_return: Option<f64>,
    /// The discounted returns of the best and of the worst episode.
    earned: Option<(f64, f64)>,
    first_sigma: Option<f64>,
    last: Option<StartView>,
    /// Said once, when it came to light.
    beyond_rewards: Option<String>,
}

impl Judge {
    /// For an agent that discounts by `gamma`.
    pub fn new(gamma: f64) -> Self {
        Judge { gamma, ..Judge::default() }
    }

    /// Takes down what an episode earned.
    pub fn add(&mut self, episode: &Episode) {
        self.best_return = Some(self.best_return.map_or(episode.ret, |best| best.max(episode.ret)));
        let earned = episode.discounted;
        let (best, worst) = self.earned.unwrap_or((earned, earned));
        self.earned = Some((best.max(earned), worst.min(earned)));
    }

    /// Takes down what is believed of the start, by an agent that has seen rewards within `rewards`; gives a warning the first time that
    /// no such rewards could add up to it.
    pub fn look(&mut self, view: StartView, rewards: Option<(f64, f64)>) -> Option<&str> {
        self.first_sigma.get_or_insert(view.sigma);
        self.last = Some(view);
        let (low, high) = allowed(rewards?, self.gamma)?;
        let margin = 0.2 * (high - low) + 1.0;
        let beyond = !(low - margin..=high + margin).contains(&view.value);
        if self.beyond_rewards.is_some() || !beyond {
            return None;
        }
        self.beyond_rewards = Some(format!(
            "its values have run away: it believed {} at the start, where the rewards seen so far allow {} to {} with \
             gamma={}; {CURE}",
            short(view.value),
            short(low),
            short(high),
            self.gamma,
        ));
        self.beyond_rewards.as_deref()
    }

    /// The judgement at the end of a run, or so far.
    pub fn judgement(&self) -> Judgement {
        Judgement {
            best_return: self.best_return,
            start_value: self.last.map(|view| view.value),
            start_sigma: self.last.map(|view| view.sigma),
            warnings: self.beyond_rewards.iter().cloned().chain(self.last_words()).collect(),
        }
    }

    /// What is wrong with the beliefs at the end, beside what came to light before.
    pub fn last_words(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let (Some(view), Some((best, worst))) = (self.last, self.earned) {
            if self.beyond_rewards.is_none() && view.value > best + 0.2 * best.abs() + 1.0 {
                warnings.push(format!(
                    "it believes more than it ever earned: {} at the start, where its best episode came to {} \
                     (discounted); {CURE}",
                    short(view.value),
                    short(best),
                ));
            }
            let first = self.first_sigma.unwrap_or(view.sigma);
            if view.sigma > first && view.sigma > best - worst + 1.0 {
                warnings.push(format!(
                    "its return uncertainty has grown: sigma at the start was {} and is {}, where all its episodes lie \
                     within {}; {CURE}",
                    short(first),
                    short(view.sigma),
                    short(best - worst),
                ));
            }
        }
        warnings
    }
}

const CURE: &str = "try decider=online, max_gradient_norm=10, layer_norm=true, layers that actions share (trunk=[128,128] hidden=[]), \
                    a smaller learning_rate, or a smaller gamma";

/// The least and the greatest discounted return that rewards within (min, max) add up to, in an episode that may end at any
/// time: min(r_min, 0) / (1 - gamma) and max(r_max, 0) / (1 - gamma). Without a discount there is none.
fn allowed((least, most): (f64, f64), gamma: f64) -> Option<(f64, f64)> {
    (gamma < 1.0).then(|| (least.min(0.0) / (1.0 - gamma), most.max(0.0) / (1.0 - gamma)))
}

/// Four digits are enough to see what is wrong.
fn short(number: f64) -> String {
    if number.abs() >= 100.0 { format!("{number:.0}") } else { format!("{number:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(value: f64, sigma: f64) -> StartView {
        StartView { value, sigma, spread: 0.0 }
    }

    fn episode(discounted: f64) -> Episode {
        Episode { ret: discounted, length: 1, rewarded: discounted > 0.0, discounted }
    }

    /// Rewards from -1 to 0 with gamma 0.9 allow -10 to 0; a fifth of that and one more are the margin.
    #[test]
    fn values_that_no_rewards_allow_are_warned_of_once() {
        let mut judge = Judge::new(0.9);
        let rewards = Some((-1.0, 0.0));
        assert_eq!(judge.look(view(2.9, 0.0), rewards), None);
        assert_eq!(judge.look(view(-12.9, 0.0), rewards), None);
        let warning = judge.look(view(3.1, 0.0), rewards).expect("a warning").to_string();
        assert!(
            warning.contains("3.10") && warning.contains("-10.00") && warning.contains("decider=online"),
            "{warning}"
        );
        assert_eq!(judge.look(view(1e6, 0.0), rewards), None, "once is enough");
        assert_eq!(judge.judgement().warnings, [warning]);
        assert!(Judge::new(0.9).look(view(-13.1, 0.0), rewards).is_some(), "too low is wrong as well");
        assert_eq!(Judge::new(1.0).look(view(1e6, 0.0), rewards), None, "without a discount anything may be");
        assert_eq!(Judge::new(0.9).look(view(1e6, 0.0), None), None, "nothing was seen yet");
    }

    #[test]
    fn an_agent_that_believes_more_than_it_earned_is_told_so_at_the_end() {
        for (value, warned) in [(13.0, false), (13.1, true), (-50.0, false)] {
            let mut judge = Judge::new(0.99);
            [4.0, 10.0, -3.0].iter().for_each(|&earned| judge.add(&episode(earned)));
            judge.look(view(value, 0.5), Some((-1.0, 1.0)));
            let Judgement { best_return, start_value, start_sigma, warnings } = judge.judgement();
            assert_eq!((best_return, start_value, start_sigma), (Some(10.0), Some(value), Some(0.5)));
            assert_eq!(!warnings.is_empty(), warned, "{value}: {warnings:?}");
        }
    }

    #[test]
    fn uncertainty_that_feeds_itself_is_told_at_the_end() {
        for (first, last, warned) in [(1.0, 8.0, false), (1.0, 8.1, true), (9.0, 8.5, false)] {
            let mut judge = Judge::new(0.99);
            [0.0, 7.0].iter().for_each(|&earned| judge.add(&episode(earned)));
            judge.look(view(0.0, first), None);
            judge.look(view(0.0, last), None);
            assert_eq!(!judge.judgement().warnings.is_empty(), warned, "{first} to {last}");
        }
    }
}
