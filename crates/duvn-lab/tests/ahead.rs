//! No checkpoint is ever ahead of the records: whenever the machine stops, the newest one can be used.

mod common;

use common::Folder;
use duvn_lab::checkpoint::Slot;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::run::Run;
use duvn_lab::spec::RunSpec;
use duvn_lab::store::Store;
use duvn_lab::sweep::{Options, Watch, sweep};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// After every episode, looks for the checkpoint that a program would find if this one ended now.
struct Looking {
    folder: PathBuf,
    found: AtomicU64,
}

impl Watch for Looking {
    fn moved(&self, _: &RunSpec, _: &Run) {
        let store = Store::open_to_read(&self.folder).unwrap();
        let run = store.runs().unwrap().remove(0);
        let recorded = store.recorded(run.number).unwrap();
        let found = Slot::new(store.run_folder(&run.id)).load(&run.id, recorded).unwrap();
        assert_eq!(found.warning, None, "with {recorded} episodes recorded");
        if let Some(checkpoint) = found.checkpoint {
            self.found.store(checkpoint.snapshot.episodes, Ordering::Relaxed);
        }
    }
}

#[test]
fn records_come_before_the_checkpoint_that_counts_on_them() {
    let folder = Folder::new("ahead");
    let text = "name = 'a'\nseeds = '0'\nepisodes = 12\nsettings = { hidden = [4], replay = 50 }\n\
                [[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'";
    let experiment = Experiment::parse(text, &Variant::default()).unwrap();
    let store = Store::open_for(&folder.0, &experiment).unwrap();
    let (stop, checkpoint_every) = (AtomicBool::new(false), Duration::ZERO);
    let options = Options { jobs: 1, checkpoint_every, retry: false, any_isa: false, stop: &stop };
    let looking = Looking { folder: folder.0.clone(), found: AtomicU64::new(0) };
    let ends = sweep(&store, &experiment.runs, &options, &looking).unwrap();
    assert!(matches!(ends[..], [duvn_lab::sweep::End::Done(_)]), "{ends:?}");
    assert_eq!(looking.found.into_inner(), 11, "there was a checkpoint after each episode");
}
