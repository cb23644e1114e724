/// Episodes within which bsuite wants deep_sea solved.
const EPISODES: u64 = 10_000;

/// An episode is bad when it ends without the treasure: with it the return is 0.99, without it at most 0.
const TREASURE: f64 = 0.5;

/// bsuite's judgement of one run of deep_sea: it is solved at the first episode `e` where
/// `(bad episodes so far) / e < 0.9`, within 10,000 episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeepSeaRun {
    bad: u64,
    episodes: u64,
    solved: Option<u64>,
    /// Fewer tenths than this must have been bad.
    tenths: u64,
    /// The first episode that can solve it.
    first: u64,
}

impl Default for DeepSeaRun {
    fn default() -> Self {
        DeepSeaRun { bad: 0, episodes: 0, solved: None, tenths: 9, first: 1 }
    }
}

impl DeepSeaRun {
    /// The judgement of deep_sea_stochastic: fewer than 0.8 bad ones, from episode 100 on, because luck can make a few
    /// good ones.
    pub fn stochastic() -> Self {
        DeepSeaRun { tenths: 8, first: 100, ..DeepSeaRun::default() }
    }

    /// Counts an episode by its return; tells whether more of them can change the judgement.
    pub fn add(&mut self, ret: f64) -> bool {
        if !self.over() {
            self.episodes += 1;
            self.bad += u64::from(ret < TREASURE);
            if self.episodes >= self.first && 10 * self.bad < self.tenths * self.episodes {
                self.solved = Some(self.episodes);
            }
        }
        !self.over()
    }

    fn over(&self) -> bool {
        self.solved.is_some() || self.episodes >= EPISODES
    }

    /// Counts all episodes that are still to come as bad: the run broke down.
    pub fn give_up(&mut self) {
        while self.add(0.0) {}
    }

    /// The episode at which it was solved.
    pub fn solved(&self) -> Option<u64> {
        self.solved
    }

    /// The episodes that were looked at.
    pub fn episodes(&self) -> u64 {
        self.episodes
    }

    /// Whether it was solved before episode `2^size + 100`, about what it takes without any plan. `None` where
    /// the run was too short to tell.
    pub fn beats_dithering(&self, size: u32) -> Option<bool> {
        let dithering = 2u64.checked_pow(size).map_or(u64::MAX, |episodes| episodes.saturating_add(100));
        match self.solved {
            Some(episode) => Some(episode < dithering),
            None => (self.episodes >= EPISODES.min(dithering - 1)).then_some(false),
        }
    }
}

/// bsuite's score of deep_sea: the share of runs that solve it and beat dithering, averaged over the runs of each
/// size and then over sizes. The first number counts runs that were too short to tell as failures, the second as
/// successes: where every run is long enough they are the same.
pub fn deep_sea_score(sizes: &[(u32, Vec<DeepSeaRun>)]) -> Option<(f64, f64)> {
    let bound = |open: bool| {
        let share = |(size, runs): &(u32, Vec<DeepSeaRun>)| {
            let good = runs.iter().filter(|run| run.beats_dithering(*size).unwrap_or(open)).count();
            (!runs.is_empty()).then(|| good as f64 / runs.len() as f64)
        };
        super::mean(&sizes.iter().map(share).collect::<Option<Vec<_>>>()?)
    };
    Some((bound(false)?, bound(true)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run with `bad` episodes without the treasure, then `good` ones with it.
    fn run(bad: usize, good: usize) -> DeepSeaRun {
        let mut run = DeepSeaRun::default();
        let returns = std::iter::repeat_n(-0.01, bad).chain(std::iter::repeat_n(0.99, good));
        for ret in returns {
            run.add(ret);
        }
        run
    }

    #[test]
    fn a_run_is_solved_when_fewer_than_nine_tenths_were_bad() {
        // After 900 bad ones: 900 / 1000 is not below 0.9, 900 / 1001 is.
        assert_eq!(run(900, 100).solved(), None);
        assert_eq!(run(900, 101).solved(), Some(1001));
        assert_eq!(run(900, 500), run(900, 101), "what comes after changes nothing");
        assert_eq!(run(0, 1).solved(), Some(1));
        // 9,000 bad ones would need episode 10,001; of 8,999 the 9,999th is enough.
        assert_eq!(run(9000, 2000).solved(), None);
        assert_eq!(run(8999, 2000).solved(), Some(9999));
        let mut open = run(9000, 999);
        assert!(!open.add(0.99), "the ten thousandth is the last");
    }

    #[test]
    fn where_there_is_luck_four_fifths_count_from_the_hundredth_episode() {
        let returns = |bad: usize, good: usize| {
            let mut run = DeepSeaRun::stochastic();
            for ret in std::iter::repeat_n(1.0, good).chain(std::iter::repeat_n(0.0, bad)) {
                run.add(ret);
            }
            run
        };
        // 99 good ones are not enough, the hundredth is; of 100 with 80 bad, 0.8 is not below 0.8.
        assert_eq!((returns(0, 99).solved(), returns(0, 100).solved()), (None, Some(100)));
        assert_eq!((returns(80, 20).solved(), returns(79, 21).solved()), (None, Some(100)));
    }

    #[test]
    fn dithering_is_beaten_before_two_to_the_size_and_a_hundred() {
        // Size 10: before episode 1124.
        assert_eq!(run(1010, 200).solved(), Some(1123));
        assert_eq!(run(1010, 200).beats_dithering(10), Some(true));
        assert_eq!(run(1011, 200).solved(), Some(1124));
        assert_eq!(run(1011, 200).beats_dithering(10), Some(false));
        // Unsolved after 1123 episodes it cannot come in time; after one less it could.
        assert_eq!(run(1123, 0).beats_dithering(10), Some(false));
        assert_eq!(run(1122, 0).beats_dithering(10), None);
        assert_eq!(
            (run(9999, 0).beats_dithering(20), run(10_000, 0).beats_dithering(20)),
            (None, Some(false))
        );
        assert_eq!(run(0, 1).beats_dithering(200), Some(true));
    }

    #[test]
    fn the_score_is_the_mean_over_sizes_of_the_share_of_runs() {
        let (good, late, short) = (run(50, 50), run(1011, 200), run(500, 0));
        let sizes = [(10, vec![good, late]), (20, vec![good, good, good, run(10_000, 0)])];
        assert_eq!(deep_sea_score(&sizes), Some((0.625, 0.625)));
        let mut broken = short;
        broken.give_up();
        let sizes = |second| [(10, vec![good, second]), (20, vec![good])];
        assert_eq!(deep_sea_score(&sizes(short)), Some((0.75, 1.0)));
        assert_eq!(deep_sea_score(&sizes(broken)), Some((0.75, 0.75)));
        assert_eq!((deep_sea_score(&[]), deep_sea_score(&[(10, vec![])])), (None, None));
    }
}
