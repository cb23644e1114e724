//! Whether what an agent believes can be true: its values beside what it has earned.

use crate::record::StartView;
use duvn::config::LocalKind;
use duvn::{Config, Episode};
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
    /// What else should be known of the run. There is no such key where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What is kept of a run to judge its beliefs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    gamma: f64,
    best_return: Option<f64>,
    /// The discounted returns of the best and of the worst episode.
    earned: Option<(f64, f64)>,
    /// What was believed at the first look, of a network that had learnt next to nothing.
    first: Option<StartView>,
    last: Option<StartView>,
    /// Said once each, when they came to light. (With one warning these are the bytes of the `Option` that earlier
    /// checkpoints hold.)
    said: Vec<String>,
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

    /// Takes down what is believed of the start, by an agent that has seen rewards within `rewards` and whose local
    /// uncertainty adds up to at most `local`; gives a warning the first time that no such rewards could add up to the
    /// value, and the first time that sigma is more than both together explain.
    pub fn look(&mut self, view: StartView, rewards: Option<(f64, f64)>, local: f64) -> Vec<String> {
        let first = *self.first.get_or_insert(view);
        self.last = Some(view);
        let mut news = Vec::new();
        let Some((low, high)) = rewards.and_then(|rewards| allowed(rewards, self.gamma)) else { return news };
        // As long as every reward was 0 their unit is not known: what a fresh network says is allowed as well, and what it
        // is uncertain of, which optimistic targets take into the mean.
        let fresh = if low == high { first } else { StartView { value: 0.0, sigma: 0.0, spread: 0.0 } };
        let margin = 0.2 * (high - low) + 1.0 + fresh.sigma;
        let (least, most) = (low.min(fresh.value) - margin, high.max(fresh.value) + margin);
        if !(least..=most).contains(&view.value) && !self.has_said(VALUES) {
            news.push(format!(
                "{VALUES}: it believed {} at the start, where the rewards seen so far allow {} to {} with gamma={}; \
                 {CURE}",
                short(view.value),
                short(low),
                short(high),
                self.gamma,
            ));
        }
        // Numbers between low and high lie at most half of the distance from their mean, and so does their sigma.
        let most = first.sigma.max((high - low) / 2.0 + local);
        if view.sigma > 1.2 * most + 1.0 && !self.has_said(UNCERTAINTY) {
            news.push(format!(
                "{UNCERTAINTY}: sigma at the start is {}, where rewards and local uncertainty explain {}; \
                 {SIGMA_CURE}",
                short(view.sigma),
                short(most),
            ));
        }
        self.said.extend(news.iter().cloned());
        news
    }

    fn has_said(&self, what: &str) -> bool {
        self.said.iter().any(|said| said.starts_with(what))
    }

    /// The judgement at the end of a run, or so far.
    pub fn judgement(&self) -> Judgement {
        Judgement {
            best_return: self.best_return,
            start_value: self.last.map(|view| view.value),
            start_sigma: self.last.map(|view| view.sigma),
            warnings: self
                .said
                .iter()
                .filter(|said| !is_note(said))
                .cloned()
                .chain(self.last_words())
                .collect(),
            notes: self.said.iter().filter(|said| is_note(said)).cloned().collect(),
        }
    }

    /// Takes down that the run goes on with a new episode, because its environment cannot be frozen within one. Gives the
    /// note, the first time.
    pub fn resumed_anew(&mut self) -> Option<String> {
        if self.has_said(RESUMED) {
            return None;
        }
        let note = format!(
            "{RESUMED}: the environment cannot be frozen within an episode (its save gives None), so the run differs \
             from one that was never interrupted"
        );
        self.said.push(note.clone());
        Some(note)
    }

    /// What is wrong with the beliefs at the end, beside what came to light before.
    pub fn last_words(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let (Some(view), Some((best, worst))) = (self.last, self.earned) {
            if !self.has_said(VALUES) && view.value > best + 0.2 * best.abs() + 1.0 {
                warnings.push(format!(
                    "it believes more than it ever earned: {} at the start, where its best episode came to {} \
                     (discounted); {CURE}",
                    short(view.value),
                    short(best),
                ));
            }
            let first = self.first.map_or(view.sigma, |first| first.sigma);
            if !self.has_said(UNCERTAINTY) && view.sigma > first && view.sigma > best - worst + 1.0 {
                warnings.push(format!(
                    "its return uncertainty has grown: sigma at the start was {} and is {}, where all its episodes lie \
                     within {}; {SIGMA_CURE}",
                    short(first),
                    short(view.sigma),
                    short(best - worst),
                ));
            }
        }
        warnings
    }
}

/// How the warnings begin that are given while a run goes on.
const VALUES: &str = "its values have run away";
const UNCERTAINTY: &str = "its return uncertainty has run away";

/// How the note begins on a run that could not go on within its episode.
const RESUMED: &str = "it was resumed with a new episode";

fn is_note(said: &str) -> bool {
    said.starts_with(RESUMED)
}

const CURE: &str = "try decider=online, bound=returns, max_gradient_norm=10, layer_norm=true, layers that actions share (trunk=[128,128] hidden=[]), \
                    a smaller learning_rate, or a smaller gamma";

const SIGMA_CURE: &str = "try sigma_gamma=0.98 (a discount of sigma's own), decider=online, layers that actions share \
                          (trunk=[128,128] hidden=[]), a smaller learning_rate, or a smaller gamma";

/// The most that local uncertainty u <= scale adds up to along a way without end: sigma² = u² + gamma² sigma'² stays
/// below scale² / (1 - gamma²), with the gamma of sigma. Without a discount there is no most.
pub fn local_sigma(config: &Config) -> f64 {
    match config.local {
        LocalKind::None => 0.0,
        _ => config.local_scale / (1.0 - config.gamma.min(config.sigma_gamma).powi(2)).sqrt(),
    }
}

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
        assert!(judge.look(view(0.0, 0.0), rewards, 0.0).is_empty());
        assert!(judge.look(view(2.9, 0.0), rewards, 0.0).is_empty());
        assert!(judge.look(view(-12.9, 0.0), rewards, 0.0).is_empty());
        let warnings = judge.look(view(3.1, 0.0), rewards, 0.0);
        let [warning] = &warnings[..] else { panic!("one warning: {warnings:?}") };
        for part in ["3.10", "-10.00", "decider=online"] {
            assert!(warning.contains(part), "{warning}");
        }
        assert!(judge.look(view(1e6, 0.0), rewards, 0.0).is_empty(), "once is enough");
        assert_eq!(judge.judgement().warnings, warnings);
        let quiet = |gamma, value, rewards| {
            let mut judge = Judge::new(gamma);
            judge.look(view(0.0, 0.0), rewards, 0.0);
            judge.look(view(value, 0.0), rewards, 0.0).is_empty()
        };
        assert!(!quiet(0.9, -13.1, rewards), "too low is wrong as well");
        assert!(quiet(1.0, 1e6, rewards), "without a discount anything may be");
        assert!(quiet(0.9, 1e6, None), "nothing was seen yet");
    }

    /// Where all rewards were 0, zero is allowed, and the first word of a fresh network with a margin of one and its first sigma.
    #[test]
    fn before_the_first_reward_a_fresh_network_may_say_anything() {
        let mut judge = Judge::new(0.99);
        assert_eq!(judge.look(view(300.0, 0.0), Some((0.0, 1.0)), 0.0).len(), 1, "rewards of 1 allow 100");
        for (first, sigma, later, warned) in [
            (1.3, 0.0, 1.3, false),
            (1.3, 0.0, 2.2, false),
            (1.3, 0.0, 2.4, true),
            (-1.5, 0.0, 1.1, true),
            (0.0, 0.5, 1.4, false),
            (0.0, 0.5, 1.6, true),
        ] {
            let mut judge = Judge::new(0.99);
            let rewards = Some((0.0, 0.0));
            assert!(judge.look(view(first, sigma), rewards, 0.0).is_empty(), "{first}");
            assert_eq!(
                !judge.look(view(later, 0.0), rewards, 0.0).is_empty(),
                warned,
                "{first}, then {later}"
            );
        }
    }

    /// The same rewards allow a sigma of 5, and local uncertainty 3 more: with a fifth and one above that, 10.6.
    #[test]
    fn uncertainty_that_nothing_explains_is_warned_of_once_while_the_run_goes_on() {
        let mut judge = Judge::new(0.9);
        let rewards = Some((-1.0, 0.0));
        assert!(judge.look(view(0.0, 10.5), None, 3.0).is_empty(), "nothing was seen yet");
        let mut judge_of = |sigma| judge.look(view(0.0, sigma), rewards, 3.0);
        assert!(judge_of(13.5).is_empty(), "it began at 10.5, and a fifth and one above that are 13.6");
        let warnings = judge_of(13.7);
        assert!(warnings.len() == 1 && warnings[0].contains("sigma_gamma"), "{warnings:?}");
        assert!(judge_of(1e9).is_empty(), "once is enough");
        let mut small = Judge::new(0.9);
        assert!(small.look(view(0.0, 1.0), rewards, 3.0).is_empty());
        assert!(small.look(view(0.0, 10.5), rewards, 3.0).is_empty());
        assert_eq!(small.look(view(0.0, 10.7), rewards, 3.0).len(), 1);
        [0.0, 1.0].iter().for_each(|&earned| small.add(&episode(earned)));
        assert_eq!(small.judgement().warnings.len(), 1, "the end does not say it again");
    }

    /// With gamma 0.6, 1 - gamma² is 0.64: a scale of 2 adds up to 2 / 0.8. A gamma of sigma's own counts if smaller.
    #[test]
    fn local_uncertainty_adds_up_to_a_geometric_sum_of_squares() {
        let mut config =
            Config { local: LocalKind::Visits, local_scale: 2.0, gamma: 0.6, ..Config::default() };
        assert!((local_sigma(&config) - 2.5).abs() < 1e-12);
        (config.gamma, config.sigma_gamma) = (0.995, 0.6);
        assert!((local_sigma(&config) - 2.5).abs() < 1e-12);
        config.local = LocalKind::None;
        assert_eq!(local_sigma(&config), 0.0);
    }

    /// Checkpoints of before had one sentence or none.
    #[test]
    fn what_was_said_is_frozen_as_it_was() {
        for said in [None, Some("its values have run away: so far".to_string())] {
            let bytes = duvn_envs::freeze(&(0.9f64, &said));
            let (_, found): (f64, Vec<String>) = duvn_envs::thaw(&bytes).unwrap();
            assert_eq!(found, said.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_agent_that_believes_more_than_it_earned_is_told_so_at_the_end() {
        for (value, warned) in [(13.0, false), (13.1, true), (-50.0, false)] {
            let mut judge = Judge::new(0.99);
            [4.0, 10.0, -3.0].iter().for_each(|&earned| judge.add(&episode(earned)));
            judge.look(view(value, 0.5), Some((-1.0, 1.0)), 0.0);
            let Judgement { best_return, start_value, start_sigma, warnings, notes: _ } = judge.judgement();
            assert_eq!((best_return, start_value, start_sigma), (Some(10.0), Some(value), Some(0.5)));
            assert_eq!(!warnings.is_empty(), warned, "{value}: {warnings:?}");
        }
    }

    #[test]
    fn uncertainty_that_feeds_itself_is_told_at_the_end() {
        for (first, last, warned) in [(1.0, 8.0, false), (1.0, 8.1, true), (9.0, 8.5, false)] {
            let mut judge = Judge::new(0.99);
            [0.0, 7.0].iter().for_each(|&earned| judge.add(&episode(earned)));
            judge.look(view(0.0, first), None, 0.0);
            judge.look(view(0.0, last), None, 0.0);
            assert_eq!(!judge.judgement().warnings.is_empty(), warned, "{first} to {last}");
        }
    }
}
