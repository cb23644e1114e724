//! Progress on stderr: bars with the time left on a terminal, one line a finished run everywhere.

use duvn_lab::run::{Outcome, Run};
use duvn_lab::spec::RunSpec;
use duvn_lab::sweep::{End, Watch};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a user sees of many runs at work.
pub struct Screen {
    bars: Option<Bars>,
    runs: usize,
    state: Mutex<State>,
}

struct Bars {
    all: MultiProgress,
    total: ProgressBar,
}

#[derive(Default)]
struct State {
    ended: usize,
    /// The bar and the share done of each run at work.
    working: HashMap<String, (ProgressBar, f64)>,
}

/// Bars count thousandths of runs.
const WHOLE: f64 = 1000.0;

impl Screen {
    /// A screen for so many runs.
    pub fn new(runs: usize) -> Self {
        let bars = std::io::stderr().is_terminal().then(|| {
            let all = MultiProgress::new();
            let total = all.add(ProgressBar::new(runs as u64 * WHOLE as u64));
            total.set_style(style("{bar:30.green} {percent:>3} %  {elapsed} gone, {eta} left  {msg}"));
            total.set_message(format!("0 of {runs} runs"));
            Bars { all, total }
        });
        Screen { bars, runs, state: Mutex::default() }
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

    fn show_total(&self, state: &State) {
        let Some(bars) = &self.bars else { return };
        let shares: f64 = state.working.values().map(|(_, share)| share).sum();
        bars.total.set_position(((state.ended as f64 + shares) * WHOLE) as u64);
        bars.total.set_message(format!("{} of {} runs", state.ended, self.runs));
    }
}

impl Watch for Screen {
    fn begun(&self, run: &RunSpec, at: &Run) {
        let Some(bars) = &self.bars else { return };
        let bar = bars.all.add(ProgressBar::new(WHOLE as u64).with_prefix(name(run)));
        bar.set_style(style("  {prefix:<32!} {bar:20} {percent:>3} %  {eta:>4} left  {msg}"));
        self.state().working.insert(name(run), (bar, at.share()));
    }

    fn moved(&self, run: &RunSpec, at: &Run) {
        if self.bars.is_none() {
            return;
        }
        let mut state = self.state();
        if let Some((bar, share)) = state.working.get_mut(&name(run)) {
            *share = at.share().min(1.0);
            bar.set_position((*share * WHOLE) as u64);
            let progress = at.progress();
            let mean = number(progress.recent_mean());
            bar.set_message(format!("episode {}, mean of the last 100: {mean}", progress.episodes));
        }
        self.show_total(&state);
    }

    fn ended(&self, run: &RunSpec, end: &End) {
        let mut state = self.state();
        state.ended += 1;
        if let Some((bar, _)) = state.working.remove(&name(run)) {
            bar.finish_and_clear();
        }
        let (ended, runs) = (state.ended, self.runs);
        let what = match end {
            End::Done(outcome) => summary(outcome),
            End::Stopped(outcome) => format!("stopped after {}", summary(outcome)),
            End::Failed(error) => format!("FAILED: {error}"),
            End::Refused(why) => format!("left as it was: {why}"),
            End::FailedBefore(error) => format!("failed before ({error}); sweep --retry tries it again"),
            End::DoneBefore(_) | End::NotBegun | End::Elsewhere => String::new(),
        };
        if !what.is_empty() {
            self.line(&format!("[{ended}/{runs}] {}: {what}", name(run)));
        }
        self.show_total(&state);
    }

    fn warned(&self, run: &RunSpec, what: &str) {
        self.line(&format!("warning: {}: {what}", name(run)));
    }

    fn waiting(&self, runs: usize) {
        self.line(&format!("waiting for {runs} runs that another program is at; Ctrl-C ends the waiting"));
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn name(spec: &RunSpec) -> String {
    format!("{} {} seed {}", spec.env, spec.agent, spec.seed)
}

fn summary(outcome: &Outcome) -> String {
    format!(
        "{} episodes, {} steps, solved at {}, mean of the last 100 returns {}, {:.1} s",
        outcome.episodes,
        outcome.steps,
        count(outcome.solved_episode),
        number(outcome.mean_return_last_100),
        outcome.seconds,
    )
}

/// A number, or a dash.
pub fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.3}"))
}

/// A count, or a dash.
pub fn count(value: Option<u64>) -> String {
    value.map_or_else(|| "-".into(), |value| value.to_string())
}
