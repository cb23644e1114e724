//! Progress on stderr: bars with the time left on a terminal; elsewhere a line each minute. One line a finished run
//! everywhere.

use crate::layout::Layout;
use crate::notes::quiet;
use console::Term;
use duvn_lab::run::{Outcome, Run};
use duvn_lab::spec::{RunSpec, run_name};
use duvn_lab::sweep::{End, Watch};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a user sees of many runs at work.
pub struct Screen {
    bars: Option<Bars>,
    layout: Layout,
    quiet: bool,
    runs: usize,
    state: Mutex<State>,
}

struct Bars {
    all: MultiProgress,
    total: ProgressBar,
}

struct State {
    started: Instant,
    /// When the last line about the whole was printed, where there are no bars.
    said: Instant,
    ended: usize,
    /// The work of runs that have ended, in runs, without what was done before this program began.
    done_here: f64,
    working: HashMap<String, Working>,
    /// Whether a run may end before its budget does.
    may_end_early: bool,
}

/// A run at work.
struct Working {
    bar: Option<ProgressBar>,
    /// Its share when it was begun here, and now.
    begun_at: f64,
    share: f64,
}

/// Bars count thousandths of runs.
const WHOLE: f64 = 1000.0;

/// The time between two lines where there are no bars.
const SAY_EVERY: Duration = Duration::from_secs(60);

impl Screen {
    /// A screen for so many runs.
    pub fn new(runs: usize) -> Self {
        let quiet = quiet();
        let layout = Layout::new(Term::stderr().size().1.into());
        let bars = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let all = MultiProgress::new();
            let total = all.add(ProgressBar::new(runs as u64 * WHOLE as u64));
            let bar = format!("{{bar:{}{}}} {{percent:>3}} %  {{wide_msg}}", layout.bar, colour());
            total.set_style(style(&bar));
            total.set_message(format!("0 of {runs} runs"));
            Bars { all, total }
        });
        let now = Instant::now();
        let state = State {
            started: now,
            said: now,
            ended: 0,
            done_here: 0.0,
            working: HashMap::new(),
            may_end_early: false,
        };
        Screen { bars, layout, quiet, runs, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self, line: &str) {
        match &self.bars {
            // A terminal that is gone is no reason to stop the work.
            Some(bars) => drop(bars.all.println(line)),
            None => eprintln!("{line}"),
        }
    }

    /// Takes the bars away.
    pub fn clear(&self) {
        if let Some(bars) = &self.bars {
            bars.total.finish_and_clear();
        }
    }

    fn show_total(&self, state: &mut State) {
        let shares: f64 = state.working.values().map(|run| run.share).sum();
        let done = (state.ended as f64 + shares).min(self.runs as f64);
        let here = state.done_here + state.working.values().map(|run| run.share - run.begun_at).sum::<f64>();
        let gone = state.started.elapsed();
        let about = if state.may_end_early { "at most about" } else { "about" };
        let left = time_left(here, self.runs as f64 - done, gone).map(span);
        let left = left.as_deref().map(|left| (about, left));
        match &self.bars {
            Some(bars) => {
                bars.total.set_position((done * WHOLE) as u64);
                bars.total.set_message(self.layout.total(state.ended, self.runs, &span(gone), left));
            }
            None if !self.quiet && state.said.elapsed() >= SAY_EVERY => {
                state.said = Instant::now();
                let words = Layout::new(usize::MAX).total(state.ended, self.runs, &span(gone), left);
                self.line(&format!("{:.0} %: {words}", 100.0 * done / self.runs.max(1) as f64));
            }
            None => {}
        }
    }
}

impl Watch for Screen {
    fn begun(&self, run: &RunSpec, at: &Run) {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.all.add(ProgressBar::new(WHOLE as u64).with_prefix(run_name(run)));
            bar.set_style(style(&self.layout.run));
            bar
        });
        let share = at.share().min(1.0);
        let mut state = self.state();
        state.may_end_early |= run.until_solved;
        state.working.insert(run_name(run), Working { bar, begun_at: share, share });
    }

    fn moved(&self, run: &RunSpec, at: &Run) {
        let mut state = self.state();
        if let Some(working) = state.working.get_mut(&run_name(run)) {
            working.share = at.share().min(1.0);
            if let Some(bar) = &working.bar {
                bar.set_position((working.share * WHOLE) as u64);
                let progress = at.progress();
                let mean = number(progress.recent_mean());
                bar.set_message(self.layout.moved(progress.episodes, &mean));
            }
        }
        self.show_total(&mut state);
    }

    fn ended(&self, run: &RunSpec, end: &End) {
        let mut state = self.state();
        state.ended += 1;
        if let Some(Working { bar, begun_at, share }) = state.working.remove(&run_name(run)) {
            bar.inspect(ProgressBar::finish_and_clear);
            state.done_here += if matches!(end, End::Done(_)) { 1.0 - begun_at } else { share - begun_at };
        }
        let (ended, runs) = (state.ended, self.runs);
        let failed = matches!(end, End::Failed(_) | End::Refused(_) | End::FailedBefore(_));
        let what = match end {
            End::Done(outcome) => summary(outcome),
            End::Stopped(outcome) => format!("stopped after {}", summary(outcome)),
            End::Failed(error) => format!("FAILED: {error}"),
            End::Refused(why) => format!("left as it was: {why}"),
            End::FailedBefore(error) => format!("failed before ({error}); sweep --retry tries it again"),
            End::DoneBefore(_) | End::NotBegun | End::Elsewhere => String::new(),
        };
        if !what.is_empty() && (failed || !self.quiet) {
            self.line(&format!("[{ended}/{runs}] {}: {what}", run_name(run)));
        }
        self.show_total(&mut state);
    }

    fn warned(&self, run: &RunSpec, what: &str) {
        self.line(&format!("warning: {}: {what}", run_name(run)));
    }

    fn waiting(&self, runs: usize) {
        if !self.quiet {
            self.line(&format!(
                "waiting for {runs} runs that another program is at; Ctrl-C ends the waiting"
            ));
        }
    }
}

/// How long the rest takes at the speed so far; nothing is said before a hundredth of a run is done.
fn time_left(done: f64, rest: f64, gone: Duration) -> Option<Duration> {
    let seconds = gone.as_secs_f64() * rest / done;
    (done >= 0.01 && rest > 0.0).then(|| Duration::try_from_secs_f64(seconds).ok()).flatten()
}

/// A time with its two largest units: 45 s, 3 min 20 s, 2 h 5 min, 3 d 4 h.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (minutes, hours, days) {
        (0, _, _) => format!("{seconds} s"),
        (_, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (_, _, 0) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// Whether the user has asked for no colours (no-color.org).
pub fn no_colour() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// The colour of the bar of the whole.
fn colour() -> &'static str {
    if no_colour() { "" } else { ".green" }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn summary(outcome: &Outcome) -> String {
    format!(
        "{}, {}, {}, mean of the last 100 returns {}, {:.1} s",
        several(outcome.episodes, "episode"),
        several(outcome.steps, "step"),
        outcome.solved_episode.map_or_else(|| "not solved".into(), |at| format!("solved at {at}")),
        number(outcome.mean_return_last_100),
        outcome.seconds,
    )
}

/// So many of something: 1 step, 2 steps.
fn several(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// A number, or a dash.
pub fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.3}"))
}

/// A count, or a dash.
pub fn count(value: Option<u64>) -> String {
    value.map_or_else(|| "-".into(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_the_work_left() {
        let minute = Duration::from_secs(60);
        // Two runs in a minute: the other six take three.
        assert_eq!(time_left(2.0, 6.0, minute), Some(3 * minute));
        assert_eq!(time_left(0.0, 6.0, minute), None);
        assert_eq!(time_left(2.0, 0.0, minute), None);
    }

    #[test]
    fn times_have_two_units() {
        let spans = [45, 200, 7_500, 273_600].map(|seconds| span(Duration::from_secs(seconds)));
        assert_eq!(spans, ["45 s", "3 min 20 s", "2 h 5 min", "3 d 4 h"]);
    }
}
