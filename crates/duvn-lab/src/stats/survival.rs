use super::{Interval, Z_95};

/// How a run ended, for questions of how long something takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The episode at which the task was solved, or the last episode of a run that never solved it.
    pub time: f64,
    /// Whether it was solved. A run that was not is censored: it would have taken longer than `time`.
    pub solved: bool,
}

/// One step of the Kaplan-Meier curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurvivalStep {
    /// When it happens.
    pub time: f64,
    /// Runs still unsolved and under way just before.
    pub at_risk: usize,
    /// Runs solved at this time.
    pub solved: usize,
    /// The share of runs still unsolved after it, with its 95 % interval.
    pub unsolved: Interval,
}

/// The Kaplan-Meier estimate of how long runs stay unsolved: `S(t) = Π_{t_i ≤ t} (1 - d_i / n_i)` with
/// `d_i` runs solved at `t_i` out of `n_i` at risk. A run that gave up counts for as long as it lasted.
#[derive(Clone, Debug, PartialEq)]
pub struct KaplanMeier {
    /// The steps, in order of time; before the first one all runs are unsolved.
    pub steps: Vec<SurvivalStep>,
}

impl KaplanMeier {
    /// The estimate from the outcomes of runs. `None` without runs, or with a time that is not finite.
    ///
    /// The interval is Greenwood's on the log(-log) scale, `S^exp(±z sqrt(V) / ln S)` with
    /// `V = Σ d_i / (n_i (n_i - d_i))`, which stays inside [0, 1]; at S = 0 it has no width.
    pub fn new(outcomes: &[Outcome]) -> Option<Self> {
        if outcomes.is_empty() || outcomes.iter().any(|outcome| !outcome.time.is_finite()) {
            return None;
        }
        let mut sorted = outcomes.to_vec();
        sorted.sort_by(|a, b| a.time.total_cmp(&b.time));
        let (mut share, mut variance) = (1.0, 0.0);
        let mut steps = Vec::new();
        let mut at = 0;
        while at < sorted.len() {
            let time = sorted[at].time;
            let at_risk = sorted.len() - at;
            let here = &sorted[at..][..sorted[at..].iter().take_while(|o| o.time == time).count()];
            let solved = here.iter().filter(|outcome| outcome.solved).count();
            at += here.len();
            if solved == 0 {
                continue;
            }
            let (d, n) = (solved as f64, at_risk as f64);
            share *= 1.0 - d / n;
            variance += d / (n * (n - d));
            let unsolved = if solved == at_risk {
                share = 0.0;
                Interval { estimate: 0.0, low: 0.0, high: 0.0 }
            } else {
                let width = Z_95 * variance.sqrt() / share.ln();
                Interval { estimate: share, low: share.powf((-width).exp()), high: share.powf(width.exp()) }
            };
            steps.push(SurvivalStep { time, at_risk, solved, unsolved });
        }
        Some(KaplanMeier { steps })
    }

    /// The time by which half of the runs are solved; `None` if fewer than half ever are.
    pub fn median(&self) -> Option<f64> {
        self.time_below(|step| step.unsolved.estimate)
    }

    /// The 95 % interval of the median: where the interval of the curve crosses one half. An end that the
    /// runs were too short or too few to see is `None`.
    pub fn median_interval(&self) -> (Option<f64>, Option<f64>) {
        (self.time_below(|step| step.unsolved.low), self.time_below(|step| step.unsolved.high))
    }

    fn time_below(&self, curve: impl Fn(&SurvivalStep) -> f64) -> Option<f64> {
        // Half a billionth of slack: 1 - 1/2 must count as one half however it was multiplied together.
        self.steps.iter().find(|step| curve(step) <= 0.5 + 5e-10).map(|step| step.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(times: &[(f64, bool)]) -> Vec<Outcome> {
        times.iter().map(|&(time, solved)| Outcome { time, solved }).collect()
    }

    #[test]
    fn a_run_that_gives_up_leaves_the_risk_set() {
        // By hand: 4/5 after 10; the run cut off at 20 leaves 3 at risk; 2/3 of it after 30; then 0.
        let runs = outcomes(&[(30.0, true), (10.0, true), (20.0, false), (40.0, true), (40.0, true)]);
        let curve = KaplanMeier::new(&runs).unwrap();
        let found: Vec<_> =
            curve.steps.iter().map(|s| (s.time, s.at_risk, s.solved, s.unsolved.estimate)).collect();
        let expected = [(10.0, 5, 1, 0.8), (30.0, 3, 1, 0.8 * (1.0 - 1.0 / 3.0)), (40.0, 2, 2, 0.0)];
        assert_eq!(found, expected);
        assert_eq!(curve.median(), Some(40.0));
    }

    #[test]
    fn a_run_cut_off_at_the_moment_of_an_event_was_at_risk() {
        let curve = KaplanMeier::new(&outcomes(&[(10.0, false), (10.0, true)])).unwrap();
        assert_eq!((curve.steps[0].at_risk, curve.median()), (2, Some(10.0)));
    }

    #[test]
    fn the_median_is_unknown_when_fewer_than_half_are_solved() {
        let mut runs = outcomes(&[(100.0, true), (3000.0, false), (3000.0, false)]);
        assert_eq!(KaplanMeier::new(&runs).unwrap().median(), None);
        runs.push(Outcome { time: 900.0, solved: true });
        assert_eq!(KaplanMeier::new(&runs).unwrap().median(), Some(900.0));
        let none = KaplanMeier::new(&runs[1..3]).unwrap();
        assert_eq!((none.steps.len(), none.median()), (0, None));
    }

    #[test]
    fn nothing_is_said_of_no_runs() {
        assert_eq!(KaplanMeier::new(&[]), None);
        assert_eq!(KaplanMeier::new(&outcomes(&[(f64::NAN, true)])), None);
    }
}
