use super::{CONFIDENCE, FEWEST_RUNS};

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
    /// The share of runs still unsolved after it.
    pub unsolved: f64,
}

/// The Kaplan-Meier estimate of how long runs stay unsolved: `S(t) = Π_{t_i ≤ t} (1 - d_i / n_i)` with
/// `d_i` runs solved at `t_i` out of `n_i` at risk. A run that gave up counts for as long as it lasted.
#[derive(Clone, Debug, PartialEq)]
pub struct KaplanMeier {
    /// The steps, in order of time; before the first one all runs are unsolved.
    pub steps: Vec<SurvivalStep>,
    runs: usize,
}

impl KaplanMeier {
    /// The estimate from the outcomes of runs. `None` without runs, or with a time that is not finite.
    pub fn new(outcomes: &[Outcome]) -> Option<Self> {
        if outcomes.is_empty() || outcomes.iter().any(|outcome| !outcome.time.is_finite()) {
            return None;
        }
        let mut sorted = outcomes.to_vec();
        sorted.sort_by(|a, b| a.time.total_cmp(&b.time));
        let mut unsolved = 1.0;
        let mut steps = Vec::new();
        let mut at = 0;
        while at < sorted.len() {
            let time = sorted[at].time;
            let at_risk = sorted.len() - at;
            let here = &sorted[at..][..sorted[at..].iter().take_while(|o| o.time == time).count()];
            let solved = here.iter().filter(|outcome| outcome.solved).count();
            at += here.len();
            if solved > 0 {
                unsolved *= 1.0 - solved as f64 / at_risk as f64;
                steps.push(SurvivalStep { time, at_risk, solved, unsolved });
            }
        }
        Some(KaplanMeier { steps, runs: outcomes.len() })
    }

    /// The first time by which at least half of the runs are solved; `None` if fewer than half ever are.
    pub fn median(&self) -> Option<f64> {
        // Half a billionth of slack: 1 - 1/2 must count as one half however it was multiplied together.
        self.steps.iter().find(|step| step.unsolved <= 0.5 + 5e-10).map(|step| step.time)
    }

    /// The 95 % interval of the median, by the beta product of Fay, Brittain and Proschan with mid-p: without
    /// censored runs that of the sign test. An end that the runs were too short or too few to see is `None`; so is
    /// all of it with fewer than [`FEWEST_RUNS`] runs.
    pub fn median_interval(&self) -> Option<(Option<f64>, Option<f64>)> {
        let each = |step: &SurvivalStep| {
            let (time, at_risk) = (step.time, step.at_risk);
            (0..step.solved).map(move |before| (time, at_risk - before))
        };
        let events: Vec<(f64, usize)> = self.steps.iter().flat_map(each).collect();
        let at_risk: Vec<usize> = events.iter().map(|event| event.1).collect();
        let time = |event: usize| if event == 0 { 0.0 } else { events[event - 1].0 };
        let (low, high) = half_of(&at_risk);
        (self.runs >= FEWEST_RUNS).then_some((low.map(time), high.map(time)))
    }
}

/// Between which events the time lies by which half of all runs would be solved, where the i-th event happens to
/// one of `at_risk[i - 1]` runs; 0 is before the first. `None` is an end beyond what was seen.
///
/// The true share that is unsolved just after the i-th event is a product of independent Beta(n_j, 1) over the events
/// up to it. Between two events it lies between what it is at the two, and mid-p takes each with probability 1/2.
/// The interval ends where less than 2.5 % is left that the share is on the other side of one half.
pub(super) fn half_of(at_risk: &[usize]) -> (Option<usize>, Option<usize>) {
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let count = at_risk.len();
    // The probability that at most half is unsolved between an event and the next, which happens to one of `next`.
    let halved = |event: usize, next: usize| {
        let mut rates = at_risk[..event].to_vec();
        let at_this = at_most_half(&rates);
        rates.push(next);
        (at_this + at_most_half(&rates)) / 2.0
    };
    // Runs that were given up in between are not at risk at the next event any more: each end takes the wider side.
    let left = |event: usize| at_risk[event - 1] - 1;
    let low = (0..count).find(|&event| halved(event, at_risk[event]) > tail);
    let low = low.or_else(|| (count > 0 && halved(count, left(count)) > tail).then_some(count));
    let high = (1..=count).find(|&event| halved(event, left(event)) >= 1.0 - tail);
    (low, high)
}

/// The probability that a product of independent Beta(n, 1) is at most 1/2. Its negative logarithm is a sum of
/// exponential times of rates n, so this is the probability that a process with these rates, one after the other, has
/// not come to its end at time ln 2; by uniformisation, in which nothing cancels.
fn at_most_half(rates: &[usize]) -> f64 {
    let fastest = rates.iter().copied().max().unwrap_or(0) as f64;
    let jumps = fastest * std::f64::consts::LN_2;
    // `states[k]`: k events have happened; once all have, nothing is left of it.
    let mut states = vec![0.0; rates.len()];
    if let Some(first) = states.first_mut() {
        *first = 1.0;
    }
    let (mut weight, mut weights, mut total) = ((-jumps).exp(), 0.0, 0.0);
    for jump in 1.. {
        total += weight * states.iter().sum::<f64>();
        weights += weight;
        if weights > 1.0 - 1e-13 || f64::from(jump) > 10.0 * jumps + 100.0 {
            break;
        }
        for k in (0..states.len()).rev() {
            let goes = |k: usize| rates[k] as f64 / fastest.max(1.0);
            let comes = if k > 0 { states[k - 1] * goes(k - 1) } else { 0.0 };
            states[k] = states[k] * (1.0 - goes(k)) + comes;
        }
        weight *= jumps / f64::from(jump);
    }
    total / weights
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
        let found: Vec<_> = curve.steps.iter().map(|s| (s.time, s.at_risk, s.solved, s.unsolved)).collect();
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
    fn a_product_without_gaps_is_one_beta_variable() {
        // Beta(n, 1) Beta(n - 1, 1) ... (i of them) is Beta(n - i + 1, i): P(at most 1/2) counts coins.
        assert!((at_most_half(&[5]) - 1.0 / 32.0).abs() < 1e-12);
        assert!((at_most_half(&[10, 9]) - 11.0 / 1024.0).abs() < 1e-12);
        assert!((at_most_half(&[5, 4, 3, 2, 1]) - 31.0 / 32.0).abs() < 1e-12);
        // With a gap: waiting times of rates 4 and 1 last longer than t with (4 e^-t - e^-4t) / 3.
        assert!((at_most_half(&[4, 1]) - (4.0 / 3.0 * 0.5 - 1.0 / 48.0)).abs() < 1e-12);
        assert_eq!((at_most_half(&[]), at_most_half(&[3, 0])), (0.0, 1.0));
    }

    #[test]
    fn the_interval_is_as_wide_as_what_was_not_seen() {
        let with = |solved: usize, runs: usize| {
            let runs: Vec<_> = (0..runs)
                .map(|at| if at < solved { (at as f64 + 1.0, true) } else { (1000.0, false) })
                .collect();
            KaplanMeier::new(&outcomes(&runs)).unwrap().median_interval()
        };
        assert_eq!(with(20, 20), Some((Some(6.0), Some(15.0))));
        // What happened after the fifteenth does not matter; with fewer the upper end is out of sight.
        assert_eq!(with(15, 20), Some((Some(6.0), Some(15.0))));
        assert_eq!(with(14, 20), Some((Some(6.0), None)));
        assert_eq!(with(5, 20), Some((None, None)));
        assert_eq!(with(0, 20), Some((None, None)));
        assert_eq!((with(5, 5), with(4, 4)), (Some((Some(1.0), Some(5.0))), None));
        // Four of ten left at the first event: nothing says that the median is not before it.
        let runs: Vec<_> = (0..10).map(|at| (f64::from(at), at >= 6)).collect();
        assert_eq!(KaplanMeier::new(&outcomes(&runs)).unwrap().median_interval().unwrap().0, Some(0.0));
    }

    #[test]
    fn nothing_is_said_of_no_runs() {
        assert_eq!(KaplanMeier::new(&[]), None);
        assert_eq!(KaplanMeier::new(&outcomes(&[(f64::NAN, true)])), None);
    }
}
