//! Believed against earned in the records of runs: the same for any number of threads, stopped on the way or not.

mod common;

use common::Folder;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::run::{Run, RunSpec};
use duvn_lab::store::{EvaluationRow, Store};
use duvn_lab::sweep::{End, Options, Watch, sweep};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Raises its flag after so many episodes, and remembers what it was warned of.
struct Stopper {
    stop: AtomicBool,
    left: AtomicU64,
    warnings: Mutex<Vec<String>>,
}

impl Stopper {
    fn after(episodes: u64) -> Self {
        Stopper { stop: AtomicBool::new(false), left: AtomicU64::new(episodes), warnings: Mutex::default() }
    }
}

impl Watch for Stopper {
    fn moved(&self, _: &RunSpec, _: &Run) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
    fn warned(&self, _: &RunSpec, what: &str) {
        self.warnings.lock().unwrap().push(what.into());
    }
}

fn go(folder: &Path, experiment: &Experiment, jobs: usize, watch: &Stopper) -> Vec<End> {
    let store = Store::open_for(folder, experiment).unwrap();
    let checkpoint_every = Duration::from_secs(60);
    let options = Options { jobs, checkpoint_every, retry: false, any_isa: false, stop: &watch.stop };
    sweep(&store, &experiment.runs, &options, watch).unwrap()
}

fn evaluations(folder: &Path) -> Vec<Vec<EvaluationRow>> {
    let store = Store::open(folder).unwrap();
    store.runs().unwrap().iter().map(|run| store.evaluations(run.number).unwrap()).collect()
}

#[test]
fn a_run_that_is_stopped_and_goes_on_has_the_same_evaluations() {
    let text = "name = 'a'\nseeds = '0..2'\nepisodes = 40\nevaluations = 8\nevaluation_episodes = 3\n\
                settings = { hidden = [8], replay = 500 }\n[[environments]]\nid = 'CartPole-v1'\n\
                [[agents]]\npreset = 'duvn'\n[[agents]]\npreset = 'egreedy'";
    let experiment = Experiment::parse(text, &Variant::default()).unwrap();
    let (whole, parts) = (Folder::new("believed-whole"), Folder::new("believed-parts"));
    go(&whole.0, &experiment, 1, &Stopper::after(u64::MAX));
    let expected = evaluations(&whole.0);
    for (run, rows) in experiment.runs.iter().zip(&expected) {
        assert_eq!(rows.len(), 8, "{}", run.spec.agent);
        for row in rows {
            let known = row.calibration.expect("what was believed");
            // CartPole pays 1 a step: what is earned with a discount is less than the return, and above 1.
            assert!(known.earned > 1.0 && known.earned < row.mean_return, "{row:?}");
            assert_eq!(known.covered.is_some(), run.spec.agent == "duvn", "only a Gaussian has a sigma");
            assert_eq!(known.sigma > 0.0, run.spec.agent == "duvn");
        }
    }
    while go(&parts.0, &experiment, 2, &Stopper::after(23))
        .iter()
        .any(|end| !matches!(end, End::DoneBefore(_)))
    {}
    assert_eq!(evaluations(&parts.0), expected);
}

/// A random prior so large that values lie beyond what rewards of 1 allow (here 2), and that hardly anything is learnt:
/// the watcher hears of it once, while the run goes on, and the record keeps it.
#[test]
fn beliefs_that_run_away_are_warned_of_once_and_recorded() {
    let text = "name = 'b'\nseeds = '0'\nepisodes = 60\nevaluations = 1\n\
                settings = { hidden = [16], gamma = 0.5, prior_mu = 10000, learning_rate = 1e-9 }\n\
                [[environments]]\nid = 'CartPole-v1'\n[[agents]]\npreset = 'egreedy'";
    let experiment = Experiment::parse(text, &Variant::default()).unwrap();
    let folder = Folder::new("believed-warned");
    let watch = Stopper::after(u64::MAX);
    go(&folder.0, &experiment, 1, &watch);
    let heard = watch.warnings.into_inner().unwrap();
    let of_values: Vec<_> = heard.iter().filter(|what| what.contains("run away")).collect();
    assert_eq!(of_values.len(), 1, "{heard:?}");
    assert!(of_values[0].contains("try decider=online"), "{heard:?}");
    let store = Store::open(&folder.0).unwrap();
    let run = store.runs().unwrap().remove(0);
    assert!(run.outcome.unwrap().judgement.warnings.contains(of_values[0]));
}
