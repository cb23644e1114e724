//! Single bytes that change on the disk: whatever is read all the same is what was written.
#![cfg(unix)]

mod common;

use common::{Folder, Recorded, duvn, recorded, small, stderr, succeed, sweep};
use duvn_lab::store::{FILE, Store};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

/// Numbers that look random and are the same each time (a linear congruential generator).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Everything that a reader of the records sees, or that they refuse to be read.
fn read(out: &Path) -> Option<(Vec<Recorded>, String)> {
    let out = out.to_path_buf();
    let all = catch_unwind(move || {
        let store = Store::open(&out).ok()?;
        let mut shown = format!("{:?} {:?}", store.name().ok()?, store.show().ok()?);
        for run in store.runs().ok()? {
            store.finished(&run).ok()?;
            shown += &format!("{run:?} {:?} {:?}", store.curve(&run).ok()?, store.timing(run.number).ok()?);
        }
        drop(store);
        Some((recorded(&out), shown))
    });
    all.expect("no byte makes the program panic")
}

/// `DUVN_FLIPS=10000` makes it a longer campaign.
#[test]
fn no_flipped_byte_is_silent() {
    let flips: usize = std::env::var("DUVN_FLIPS").map_or(150, |flips| flips.parse().unwrap());
    let folder = Folder::new("flip");
    let file = folder.file("small.toml", &small(40));
    let (good, bad) = (folder.path("good"), folder.path("bad"));
    succeed(sweep(&file, &good, &[]));
    let expected = read(&good).unwrap();
    let mut files: Vec<PathBuf> = vec![FILE.into()];
    for run in &expected.0 {
        files.push(Path::new("runs").join(&run.id).join("checkpoint.safetensors"));
    }
    let (mut dice, mut noticed, mut harmless) = (Dice(3), 0, 0);
    copy(&good, &bad);
    for flip in 0..flips {
        // Every other one in the database, which is smaller than all checkpoints together.
        let name = if flip % 2 == 0 { &files[0] } else { &files[1 + dice.roll(files.len() - 1)] };
        let path = bad.join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        let whole = bytes.clone();
        let (at, bit) = (dice.roll(bytes.len()), dice.roll(8));
        bytes[at] ^= 1 << bit;
        std::fs::write(&path, &bytes).unwrap();
        if flip % 2 == 0 {
            match read(&bad) {
                None => noticed += 1,
                // A byte that belongs to nothing: all that is recorded is there, to the bit.
                Some(found) => {
                    assert!(found == expected, "bit {bit} of byte {at} of {} was silent", name.display());
                    harmless += 1;
                }
            }
        } else {
            let id = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
            assert!(duvn_lab::checkpoint::Slot::new(path.parent().unwrap()).load(&id, u64::MAX).is_err());
            noticed += 1;
        }
        if flip % 2 == 0 {
            // Readers may have written, too.
            copy(&good, &bad);
        } else {
            std::fs::write(&path, &whole).unwrap();
        }
    }
    println!("{flips} flips: {noticed} noticed, {harmless} in bytes that hold nothing");
    assert!(noticed > harmless);
}

/// The log of a program that was killed: what is lost of it is done again, to the same bits.
#[test]
fn a_flipped_byte_of_the_log_costs_time_and_no_bits() {
    let flips: usize = std::env::var("DUVN_FLIPS").map_or(8, |flips| flips.parse::<usize>().unwrap() / 10);
    let folder = Folder::new("flip-wal");
    let file = folder.file("small.toml", &small(300));
    let (whole, cut, out) = (folder.path("whole"), folder.path("cut"), folder.path("out"));
    succeed(sweep(&file, &whole, &[]));
    let expected = recorded(&whole);
    let mut child = sweep(&file, &cut, &["--checkpoint-every", "0.01"]).spawn().unwrap();
    let last = cut.join("runs").join(&expected[4].id).join("checkpoint.safetensors");
    while !last.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let wal = format!("{FILE}-wal");
    let length = std::fs::metadata(cut.join(&wal)).map_or(0, |data| data.len() as usize);
    if length == 0 {
        return;
    }
    let (mut dice, mut same, mut refused) = (Dice(11), 0, 0);
    for _ in 0..flips {
        copy(&cut, &out);
        let mut bytes = std::fs::read(out.join(&wal)).unwrap();
        let at = dice.roll(length);
        bytes[at] ^= 1 << dice.roll(8);
        std::fs::write(out.join(&wal), &bytes).unwrap();
        let output = sweep(&file, &out, &[]).output().unwrap();
        if output.status.success() {
            assert!(recorded(&out) == expected, "byte {at} of the log changed the records");
            same += 1;
        } else {
            // It says what is wrong and how to go on; after that it ends as if nothing had happened.
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            let mut check = duvn();
            check.arg("check").arg(&out).arg("--repair");
            succeed(check);
            succeed(sweep(&file, &out, &[]));
            assert!(recorded(&out) == expected, "byte {at} of the log changed the records");
            refused += 1;
        }
    }
    println!("{flips} flips in the log: {same} made up for, {refused} said and repaired");
}
