//! Merging a shard of whose database some bytes are others: refused, or merged as it was.
//!
//! The first byte of an input says into what it is merged, and the others what is changed. The shard's database has pages of
//! 512 bytes and is without gaps, so that nearly every change hits something that counts; it has texts over several pages.
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

/// A shard with one finished run.
struct Good {
    shard: PathBuf,
    /// Its database, and where that holds something.
    bytes: Vec<u8>,
    filled: Vec<usize>,
    /// Databases to merge it into: without a run, with that run planned, and with that run finished.
    outs: [Vec<u8>; 3],
    /// What each of them holds then.
    merged: Vec<(i64, String)>,
}

/// The seal of each run, which is over the digests of all of its records; each must be as the seal says.
fn seals(folder: &Path) -> Vec<(i64, String)> {
    let store = Store::open(folder).expect("a folder");
    store.intact().expect("records as they were written");
    store.seals().expect("seals")
}

fn good() -> &'static Good {
    static GOOD: OnceLock<Good> = OnceLock::new();
    GOOD.get_or_init(|| {
        let shard = std::env::temp_dir().join(format!("duvn-fuzz-{}", std::process::id()));
        let text = "name = 'a'\nseeds = '0'\nepisodes = 6\nevaluations = 2\nsettings = { hidden = [2], replay = 20, \
                    batch = 4, learning_starts = 4 }\n[[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'";
        let experiment = Experiment::parse(text, &Variant::default()).expect("an experiment");
        let store = Store::open_for(&shard, &experiment).expect("a folder");
        let stop = AtomicBool::new(false);
        let checkpoint_every = Duration::from_secs(9);
        let options = Options { jobs: 1, checkpoint_every, retry: false, any_isa: false, stop: &stop };
        sweep(&store, &experiment.runs, &options, &Unwatched).expect("a sweep");
        drop(store);
        let database = rusqlite::Connection::open(shard.join(FILE)).expect("a database");
        let small = "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL;";
        database.execute_batch(small).expect("smaller pages");
        drop(database);
        let bytes = std::fs::read(shard.join(FILE)).expect("a file");

        let out = shard.with_extension("out");
        let read = |folder: &Path| std::fs::read(folder.join(FILE)).expect("a file");
        let made = |experiment: &Experiment| {
            drop(Store::open_for(&out, experiment).expect("a folder"));
            read(&out)
        };
        let empty = Experiment { name: experiment.name.clone(), show: experiment.show.clone(), runs: Vec::new() };
        let (empty, planned) = (made(&empty), made(&experiment));
        merge(&out, std::slice::from_ref(&shard)).expect("a merge");
        let merged = seals(&out);
        let outs = [empty, planned, read(&out)];
        Good { shard, filled: filled(&bytes), bytes, outs, merged }
    })
}

/// The places of the bytes that hold something: those that are not in a row of zeros.
fn filled(bytes: &[u8]) -> Vec<usize> {
    const ROW: usize = 12;
    let mut places = Vec::new();
    let mut start = 0;
    for part in bytes.chunk_by(|a, b| (*a == 0) == (*b == 0)) {
        if part[0] != 0 || part.len() < ROW {
            places.extend(start..start + part.len());
        }
        start += part.len();
    }
    places
}

// A first byte, then four bytes for each change: three say where, one what. One place in eight is any of the file.
fn look(input: &[u8]) {
    let Good { shard, bytes, filled, outs, merged } = good();
    let Some((&first, changes)) = input.split_first() else { return };
    let mut changed = bytes.clone();
    for change in changes.chunks_exact(4).take(8) {
        let at = usize::from(change[0] % 32) << 16 | usize::from(change[1]) << 8 | usize::from(change[2]);
        let at = if change[0] < 224 { filled[at % filled.len()] } else { at % changed.len() };
        changed[at] ^= change[3].max(1);
    }
    if changed == *bytes {
        return;
    }
    std::fs::write(shard.join(FILE), &changed).expect("room");
    let out = shard.with_extension("out");
    // One input in sixteen has its folder made anew, which takes as long as some that have one.
    if first % 16 == 15 {
        let _ = std::fs::remove_dir_all(&out);
    } else {
        std::fs::create_dir_all(&out).expect("room");
        std::fs::write(out.join(FILE), &outs[usize::from(first) % outs.len()]).expect("room");
    }
    if let Ok(done) = merge(&out, std::slice::from_ref(shard)) {
        assert_eq!(done.unfinished, 0, "a finished run was lost");
        assert_eq!(&seals(&out), merged);
    }
    for folder in [shard, &out] {
        for rest in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.join(format!("{FILE}{rest}")));
        }
    }
}

fuzz_target!(|input: &[u8]| within(PLAN, || look(input)));
