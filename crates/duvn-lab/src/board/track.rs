//! The course of a run in a few hundred bins, taken in as it grows.

use crate::spec::Budget;
use crate::store::{BINS, CurvePoint, EpisodeRow, Store, StoreError};
use std::collections::VecDeque;

/// What is kept of episodes: return, length, loss, and at the start the believed value, sigma and spread.
pub const KINDS: usize = 6;
pub const RETURN: usize = 0;
pub const LENGTH: usize = 1;
pub const LOSS: usize = 2;
pub const VALUE: usize = 3;
pub const SIGMA: usize = 4;
pub const SPREAD: usize = 5;

/// The episodes that ended in one part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    sums: [f64; KINDS],
    counts: [u64; KINDS],
}

impl Bin {
    /// How many episodes say something of a kind.
    pub fn count(&self, kind: usize) -> u64 {
        self.counts[kind]
    }

    /// The mean of a kind.
    pub fn mean(&self, kind: usize) -> Option<f64> {
        (self.counts[kind] > 0).then(|| self.sums[kind] / self.counts[kind] as f64)
    }

    fn add(&mut self, kind: usize, value: f64) {
        if value.is_finite() {
            self.sums[kind] += value;
            self.counts[kind] += 1;
        }
    }

    fn episode(&mut self, row: &EpisodeRow) {
        self.add(RETURN, row.ret);
        self.add(LENGTH, row.length as f64);
        self.add(LOSS, row.loss);
        if let Some(start) = row.start {
            self.add(VALUE, start.value);
            self.add(SIGMA, start.sigma);
            self.add(SPREAD, start.spread);
        }
    }

    fn merge(&mut self, other: &Bin) {
        for kind in 0..KINDS {
            self.sums[kind] += other.sums[kind];
            self.counts[kind] += other.counts[kind];
        }
    }
}

/// Bins over a counter whose end is not known: their width doubles when they become too many. All widths are powers of
/// two, so that the bins of two runs can be brought together.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    width: u64,
    bins: Vec<Bin>,
}

/// More bins than this become half as many.
const MOST: usize = 256;

impl Growing {
    fn add(&mut self, at: u64, row: &EpisodeRow) {
        self.width = self.width.max(1);
        let mut place = (at.saturating_sub(1) / self.width) as usize;
        while place >= MOST {
            self.widen();
            place /= 2;
        }
        if self.bins.len() <= place {
            self.bins.resize(place + 1, Bin::default());
        }
        self.bins[place].episode(row);
    }

    fn widen(&mut self) {
        self.width *= 2;
        let merged = self.bins.chunks(2).map(|pair| {
            let mut bin = pair[0];
            pair[1..].iter().for_each(|other| bin.merge(other));
            bin
        });
        self.bins = merged.collect();
    }

    /// Units in a bin.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// The bins as they are with `width`, which is a multiple of ours.
    pub fn at_width(&self, width: u64) -> Vec<Bin> {
        let mut copy = self.clone();
        while copy.width > 0 && copy.width < width {
            copy.widen();
        }
        copy.bins
    }
}

/// The course of one run.
#[derive(Clone, Debug)]
pub struct Track {
    budget: Budget,
    /// By part of the budget.
    budgeted: Vec<Bin>,
    /// By what the budget does not count: steps where it counts episodes.
    other: Growing,
    /// The last hundred returns.
    window: VecDeque<f64>,
    episodes: u64,
    steps: u64,
    /// Whether every episode was taken in, or only the curve that is kept of a finished run.
    whole: bool,
}

impl Track {
    pub fn new(budget: Budget) -> Self {
        Track {
            budget,
            budgeted: Vec::new(),
            other: Growing::default(),
            window: VecDeque::new(),
            episodes: 0,
            steps: 0,
            whole: true,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.budgeted.is_empty()
    }

    /// Whether every episode was taken in.
    pub fn whole(&self) -> bool {
        self.whole
    }

    /// Episodes taken in.
    pub fn episodes(&self) -> u64 {
        self.episodes
    }

    /// Environment steps when the last of them ended.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The mean of the last hundred returns.
    pub fn recent(&self) -> Option<f64> {
        let count = self.window.len();
        (count > 0).then(|| self.window.iter().sum::<f64>() / count as f64)
    }

    /// The bins by part of the budget.
    pub fn budgeted(&self) -> &[Bin] {
        &self.budgeted
    }

    /// The bins by what the budget does not count.
    pub fn other(&self) -> &Growing {
        &self.other
    }

    /// The share of the budget that is used up.
    pub fn share(&self) -> f64 {
        match self.budget {
            Budget::Episodes(all) => self.episodes as f64 / all.max(1) as f64,
            Budget::Steps(all) => self.steps as f64 / all.max(1) as f64,
        }
    }

    fn add(&mut self, row: &EpisodeRow) {
        let (at, amount, other) = match self.budget {
            Budget::Episodes(amount) => (row.episode, amount, row.steps),
            Budget::Steps(amount) => (row.steps, amount, row.episode),
        };
        let part = u128::from(at.saturating_sub(1)) * u128::from(BINS) / u128::from(amount.max(1));
        let part = part.min(u128::from(BINS) - 1) as usize;
        if self.budgeted.len() <= part {
            self.budgeted.resize(part + 1, Bin::default());
        }
        self.budgeted[part].episode(row);
        self.other.add(other, row);
        if self.window.len() == crate::progress::WINDOW {
            self.window.pop_front();
        }
        self.window.push_back(row.ret);
        (self.episodes, self.steps) = (row.episode, row.steps);
    }

    /// Takes in the episodes that are new. A run that has gone back to a checkpoint is taken in anew.
    pub fn take_new(&mut self, store: &Store, number: i64) -> Result<(), StoreError> {
        if store.recorded(number)? < self.episodes || !self.whole {
            *self = Track::new(self.budget);
        }
        let from = self.episodes;
        store.each_episode_after(number, from, |row| self.add(row))
    }

    /// Takes the curve that is kept of a finished run.
    pub fn take_curve(&mut self, curve: &[CurvePoint]) {
        *self = Track::new(self.budget);
        self.whole = false;
        for point in curve {
            let part = point.bin.min(BINS - 1) as usize;
            if self.budgeted.len() <= part {
                self.budgeted.resize(part + 1, Bin::default());
            }
            let bin = &mut self.budgeted[part];
            let mut put = |kind: usize, mean: Option<f64>, count: u64| {
                if let Some(mean) = mean {
                    bin.sums[kind] = mean * count as f64;
                    bin.counts[kind] = count;
                }
            };
            put(RETURN, Some(point.mean_return), point.episodes);
            put(LENGTH, Some(point.mean_length), point.episodes);
            put(SIGMA, point.sigma, 1);
            put(SPREAD, point.spread, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(episode: u64, steps: u64, ret: f64) -> EpisodeRow {
        EpisodeRow { episode, ret, denoised: None, length: 2, steps, loss: f64::NAN, start: None }
    }

    #[test]
    fn bins_by_budget_and_by_the_other_counter_hold_every_episode() {
        let mut track = Track::new(Budget::Episodes(1000));
        (1..=1000).for_each(|episode| track.add(&row(episode, 7 * episode, episode as f64)));
        assert_eq!(track.budgeted().len(), 200);
        // The first five episodes are the first part.
        assert_eq!(track.budgeted()[0].mean(RETURN), Some(3.0));
        assert_eq!(track.budgeted()[0].mean(LOSS), None);
        // 7000 steps in bins of 32.
        assert_eq!((track.other().width(), track.other().bins.len()), (32, 219));
        let held = |bins: &[Bin]| bins.iter().map(|bin| bin.count(RETURN)).sum::<u64>();
        assert_eq!((held(track.budgeted()), held(&track.other().bins)), (1000, 1000));
        assert_eq!((held(&track.other().at_width(128)), track.other().at_width(128).len()), (1000, 55));
        assert_eq!((track.recent(), track.share()), (Some(950.5), 1.0));
    }
}
