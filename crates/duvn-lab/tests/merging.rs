//! Sweeps and merges as a library: in which order runs are begun, and what is refused where two folders differ.

mod common;

use common::Folder;
use duvn_lab::check::check;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::merge::{MergeError, Merged, merge};
use duvn_lab::run::{Outcome, Run};
use duvn_lab::spec::RunSpec;
use duvn_lab::store::{Status, Store, StoreError};
use duvn_lab::sweep::{End, Options, Watch, sweep};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Takes down the seeds of runs as they begin.
#[derive(Default)]
struct Order(Mutex<Vec<u64>>);

impl Watch for Order {
    fn begun(&self, run: &RunSpec, _: &Run) {
        self.0.lock().unwrap().push(run.seed);
    }
}

fn experiment() -> Experiment {
    let text = "name = 'a'\nseeds = '0..3'\nepisodes = 6\nsettings = { hidden = [4], replay = 50, learning_starts = 8, \
                batch = 8 }\n[[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'";
    Experiment::parse(text, &Variant::default()).unwrap()
}

/// Does the experiment in `folder`; the seeds in the order in which their runs began.
fn done(folder: &Path) -> Vec<u64> {
    let order = Order::default();
    let ends = swept(folder, &order);
    assert!(ends.iter().all(|end| matches!(end, End::Done(_))), "{ends:?}");
    order.0.into_inner().unwrap()
}

/// How the runs of the experiment end in `folder`.
fn swept(folder: &Path, watch: &dyn Watch) -> Vec<End> {
    let experiment = experiment();
    let store = Store::open_for(folder, &experiment).unwrap();
    let (stop, checkpoint_every) = (AtomicBool::new(false), Duration::from_secs(9));
    let options = Options { jobs: 1, checkpoint_every, retry: false, any_isa: false, stop: &stop };
    sweep(&store, &experiment.runs, &options, watch).unwrap()
}

/// Panics in the run with seed 1, as a fault in the program would.
struct Fault;

impl Watch for Fault {
    fn begun(&self, run: &RunSpec, _: &Run) {
        assert!(run.seed != 1, "on purpose");
    }
}

#[test]
fn a_panic_of_one_run_ends_no_other() {
    let folder = Folder::new("panic");
    for _ in 0..2 {
        let ends = swept(&folder.0, &Fault);
        assert!(
            matches!(&ends[1], End::Failed(why) | End::FailedBefore(why) if why.contains("on purpose")),
            "{ends:?}"
        );
        assert!([0, 2].iter().all(|&at| matches!(ends[at], End::Done(_) | End::DoneBefore(_))), "{ends:?}");
    }
    let run = Store::open(&folder.0).unwrap().runs().unwrap().remove(1);
    assert_eq!((run.status, run.again), (Status::Failed, false));
    assert!(run.error.is_some_and(|why| why.contains("the program has a fault")));
}

#[test]
fn a_run_that_may_have_ended_the_program_comes_last() {
    let folder = Folder::new("order");
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let run = store.runs().unwrap().remove(0);
    // Begun, and nothing recorded since: that is what an abort leaves.
    store.begin(run.number, "a machine", "portable").unwrap();
    drop(store);
    assert_eq!(done(&folder.0), [1, 2, 0]);
    let other = Folder::new("order-undisturbed");
    assert_eq!(done(&other.0), [0, 1, 2]);
}

/// Makes a folder, and writes into it that its first run came out otherwise.
fn changed(name: &str, isa: &str, change: impl Fn(&mut Outcome)) -> Folder {
    let folder = Folder::new(name);
    done(&folder.0);
    let store = Store::open(&folder.0).unwrap();
    let run = store.runs().unwrap().remove(0);
    let mut outcome = run.outcome.clone().unwrap();
    change(&mut outcome);
    store.begin(run.number, "a machine", isa).unwrap();
    store.finish(&run, &outcome).unwrap();
    folder
}

#[test]
fn what_came_out_otherwise_is_refused_with_both_names() {
    let (first, merged) = (Folder::new("first"), Folder::new("merged"));
    done(&first.0);
    let all = |folder: &Folder| merge(&merged.0, std::slice::from_ref(&folder.0));
    assert_eq!(all(&first).unwrap(), Merged { added: 3, before: 0, unfinished: 0 });
    assert_eq!(all(&first).unwrap(), Merged { added: 0, before: 3, unfinished: 0 });
    let isa = duvn::net::isa().to_string();
    let by_isa = changed("by-isa", "abacus", |_| {});
    let by_weights = changed("by-weights", &isa, |outcome| outcome.weights_sha256 = "ab".repeat(32));
    for (folder, word) in [(&by_isa, "abacus"), (&by_weights, "abababababab")] {
        let error = all(folder).unwrap_err();
        assert!(matches!(error, MergeError::Differs { .. }), "{error}");
        assert!(error.to_string().contains(word) && error.to_string().contains(&isa), "{error}");
    }
    // Into an empty folder: the weights of the checkpoint are not those that were written down.
    let fresh = Folder::new("fresh");
    let error = merge(&fresh.0, std::slice::from_ref(&by_weights.0)).unwrap_err();
    assert!(matches!(error, MergeError::Weights { .. }), "{error}");
    assert!(merge(&fresh.0, std::slice::from_ref(&first.0)).unwrap().unfinished == 0);
}

#[test]
fn check_compares_weights_and_repairs_nothing_that_another_program_is_at() {
    let folder = changed("other-weights", "portable", |outcome| outcome.weights_sha256 = "ab".repeat(32));
    let store = Store::open(&folder.0).unwrap();
    let found = check(&store, false).unwrap();
    assert_eq!((found.runs, found.faults.len()), (3, 1), "{found:?}");
    assert!(found.faults[0].contains("weights of its checkpoint"), "{found:?}");
    let id = store.runs().unwrap()[0].id.clone();
    let lock = store.try_lock(&id).unwrap().unwrap();
    let refused = check(&store, true).unwrap_err();
    assert!(matches!(refused, StoreError::AtWork { .. }), "{refused}");
    assert_eq!(store.runs().unwrap().len(), 3);
    drop(lock);
    assert_eq!(check(&store, true).unwrap().started_over, [id]);
}

#[test]
fn a_merged_run_says_where_it_was_computed() {
    let (shard, merged) = (changed("elsewhere", "abacus", |_| {}), Folder::new("brought-together"));
    merge(&merged.0, std::slice::from_ref(&shard.0)).unwrap();
    let told = |folder: &Folder| {
        let run = Store::open(&folder.0).unwrap().runs().unwrap().remove(0);
        (run.machine, run.isa, run.version, run.started)
    };
    assert_eq!(told(&merged), told(&shard));
    assert_eq!(told(&merged).0.as_deref(), Some("a machine"));
}
