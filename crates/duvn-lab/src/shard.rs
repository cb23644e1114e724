//! Shares of an experiment, for machines that have no disk in common.

use crate::experiment::Planned;
use std::str::FromStr;

/// One of several equal shares of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 0.
    index: usize,
    /// Of how many.
    count: usize,
}

/// Why a share cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no share: write I/N with I from 0 to N - 1, for example 0/16 for the first of sixteen")]
pub struct ShardError(String);

/// More shares than any cluster has machines for.
const MOST: usize = 100_000;

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            Some((index.trim().parse::<usize>().ok()?, count.trim().parse::<usize>().ok()?))
        });
        match numbers {
            Some((index, count)) if index < count && count <= MOST => Ok(Shard { index, count }),
            _ => Err(ShardError(text.into())),
        }
    }
}

impl Shard {
    /// Leaves every N-th run, from the I-th on: neighbours in the plan, which take about as long, go to different shares.
    pub fn take(self, runs: &mut Vec<Planned>) {
        runs.retain(|run| run.place % self.count as u64 == self.index as u64);
    }

    /// The name of its folder.
    pub fn folder(self) -> String {
        let width = (self.count - 1).to_string().len();
        format!("shard-{:0width$}-of-{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::toy;

    #[test]
    fn the_shares_are_all_runs_and_none_twice() {
        let whole = toy("0..7");
        let mut together = Vec::new();
        for index in 0..3 {
            let mut share = whole.clone();
            Shard { index, count: 3 }.take(&mut share);
            let expected: Vec<u64> = (index as u64..7).step_by(3).collect();
            assert_eq!(share.iter().map(|run| run.place).collect::<Vec<_>>(), expected);
            together.extend(share);
        }
        together.sort_by_key(|run| run.place);
        assert_eq!(together, whole);
    }

    #[test]
    fn shares_are_read_and_nonsense_is_refused() {
        assert_eq!("3/16".parse(), Ok(Shard { index: 3, count: 16 }));
        assert_eq!("3/16".parse::<Shard>().unwrap().folder(), "shard-03-of-16");
        assert_eq!("0/1".parse::<Shard>().unwrap().folder(), "shard-0-of-1");
        for text in ["", "/", "1", "1/1", "16/16", "-1/2", "0/0", "0/100001", "a/b", "0/2/3", "1.0/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
