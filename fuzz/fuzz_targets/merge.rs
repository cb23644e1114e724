//! Merging a shard of whose database some bytes are others: refused, or merged as it was.
#![no_main]

mod limit;

use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::merge::merge;
use duvn_lab::store::{FILE, Store};
use duvn_lab::sweep::{Options, Unwatched, sweep};
use libfuzzer_sys::fuzz_target;
use limit::{PLAN, within};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A shard with one finished run, its database's bytes, and what is recorded.
struct Good {
    shard: PathBuf,
    bytes: Vec<u8>,
    records: Vec<String>,
}

fn records(folder: &Path) -> Vec<String> {
    let store = Store::open(folder).expect("a folder");
    store.runs().expect("runs").into_iter().map(|run| run.records_sha256).collect()
}

fn good() -> &'static Good {
    static GOOD: OnceLock<Good> = OnceLock::new();
    GOOD.get_or_init(|| {
        let shard = std::env::temp_dir().join(format!("duvn-fuzz-{}", std::process::id()));
        let text = "name = 'a'\nseeds = '0'\nepisodes = 6\nsettings = { hidden = [2], replay = 20, batch = 4, \
                    learning_starts = 4 }\n[[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'";
        let experiment = Experiment::parse(text, &Variant::default()).expect("an experiment");
        let store = Store::open_for(&shard, &experiment).expect("a folder");
        let stop = AtomicBool::new(false);
        let checkpoint_every = Duration::from_secs(9);
        let options = Options { jobs: 1, checkpoint_every, retry: false, any_isa: false, stop: &stop };
        sweep(&store, &experiment.runs, &options, &Unwatched).expect("a sweep");
        drop(store);
        Good { records: records(&shard), bytes: std::fs::read(shard.join(FILE)).expect("a file"), shard }
    })
}

// Four bytes of input are one change: three say where, one what.
fn look(changes: &[u8]) {
    let Good { shard, bytes, records: expected } = good();
    let mut changed = bytes.clone();
    for change in changes.chunks_exact(4).take(8) {
        let at = usize::from(change[0]) << 16 | usize::from(change[1]) << 8 | usize::from(change[2]);
        let at = at % changed.len();
        changed[at] ^= change[3];
    }
    std::fs::write(shard.join(FILE), &changed).expect("room");
    let out = shard.with_extension("out");
    let _ = std::fs::remove_dir_all(&out);
    if merge(&out, std::slice::from_ref(shard)).is_ok_and(|merged| merged.unfinished == 0) {
        assert_eq!(&records(&out), expected);
    }
    for rest in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(shard.join(format!("{FILE}{rest}")));
    }
}

fuzz_target!(|changes: &[u8]| within(PLAN, || look(changes)));
