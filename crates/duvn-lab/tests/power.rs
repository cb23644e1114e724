//! Checkpoints on a disk that fails, and on one that loses whatever was not synchronised when the power goes.

use duvn::{Snapshot, TrainingSnapshot};
use duvn_lab::checkpoint::{Checkpoint, Slot};
use duvn_lab::disk::Disk;
use duvn_lab::run::RunSnapshot;
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

fn at(episodes: u64) -> Checkpoint {
    let agent = Snapshot { tensors: vec![], state: vec![7; 100] };
    let training = TrainingSnapshot { agent, state: vec![] };
    let snapshot = RunSnapshot { training, state: vec![], episodes, steps: episodes };
    Checkpoint { run: "r".into(), version: "0".into(), isa: "portable".into(), snapshot }
}

/// The names of files, and which content each has.
type Names = BTreeMap<PathBuf, usize>;

/// A disk in memory.
#[derive(Debug, Default)]
struct Memory {
    names: Names,
    /// The names as they were at the last synchronisation of the folder, and after each change since.
    history: Vec<Names>,
    contents: Vec<Vec<u8>>,
    synced: Vec<bool>,
    /// What was asked of it so far, without reading.
    requests: usize,
    /// The request that fails.
    failing: Option<usize>,
}

#[derive(Debug, Default)]
struct TestDisk(Mutex<Memory>);

impl Memory {
    fn request(&mut self) -> Result<()> {
        self.requests += 1;
        if self.failing == Some(self.requests) { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn number(&self, path: &Path) -> Result<usize> {
        self.names.get(path).copied().ok_or_else(|| Error::from(ErrorKind::NotFound))
    }

    fn named(&mut self) {
        self.history.push(self.names.clone());
    }

    /// Every disk that may be found after the power went: the changes of names since the last synchronisation have
    /// happened up to any one of them, and what was not synchronised is gone.
    fn after_power_cuts(&self) -> Vec<Memory> {
        let lost = |(content, synced): (&Vec<u8>, &bool)| if *synced { content.clone() } else { Vec::new() };
        let contents: Vec<_> = self.contents.iter().zip(&self.synced).map(lost).collect();
        let disk = |names: &Names| Memory {
            names: names.clone(),
            history: vec![names.clone()],
            synced: vec![true; contents.len()],
            contents: contents.clone(),
            ..Memory::default()
        };
        self.history.iter().map(disk).collect()
    }
}

impl Disk for TestDisk {
    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let disk = self.0.lock().unwrap();
        Ok(disk.contents[disk.number(path)?].clone())
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.lock().unwrap().names.contains_key(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let mut disk = self.0.lock().unwrap();
        let failed = disk.request();
        // A write that fails has left a half.
        let length = if failed.is_err() { bytes.len() / 2 } else { bytes.len() };
        let number = disk.contents.len();
        disk.contents.push(bytes[..length].to_vec());
        disk.synced.push(false);
        disk.names.insert(path.into(), number);
        disk.named();
        failed
    }

    fn sync(&self, path: &Path) -> Result<()> {
        let mut disk = self.0.lock().unwrap();
        disk.request()?;
        let number = disk.number(path)?;
        disk.synced[number] = true;
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let mut disk = self.0.lock().unwrap();
        disk.request()?;
        let number = disk.number(from)?;
        disk.names.remove(from);
        disk.names.insert(to.into(), number);
        disk.named();
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> Result<()> {
        let mut disk = self.0.lock().unwrap();
        disk.request()?;
        disk.history = vec![disk.names.clone()];
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<()> {
        let mut disk = self.0.lock().unwrap();
        disk.request()?;
        disk.names.remove(path);
        disk.named();
        Ok(())
    }
}

fn slot(memory: Memory) -> (Slot, Arc<TestDisk>) {
    let disk = Arc::new(TestDisk(Mutex::new(memory)));
    (Slot::on(disk.clone(), "/runs/r"), disk)
}

/// The episode of the checkpoint that is found.
fn found(memory: Memory) -> Option<u64> {
    slot(memory).0.load("r", 99).ok()?.checkpoint.map(|found| found.snapshot.episodes)
}

#[test]
fn what_was_saved_outlasts_the_power() {
    let (slot, disk) = slot(Memory { history: vec![Names::new()], ..Memory::default() });
    for episode in [10, 20, 30] {
        slot.save(&at(episode)).unwrap();
        let disks = disk.0.lock().unwrap().after_power_cuts();
        assert!(!disks.is_empty());
        for memory in disks {
            assert_eq!(found(memory), Some(episode), "a checkpoint that was saved is there");
        }
    }
}

#[test]
fn power_that_goes_within_a_save_leaves_the_one_before() {
    for requests in 1.. {
        let (slot, disk) = slot(Memory { history: vec![Names::new()], ..Memory::default() });
        slot.save(&at(10)).unwrap();
        slot.save(&at(20)).unwrap();
        // A request that fails, and all after it are never made: the moment in which the power went.
        let failing = disk.0.lock().unwrap().requests + requests;
        disk.0.lock().unwrap().failing = Some(failing);
        let saved = slot.save(&at(30));
        for memory in disk.0.lock().unwrap().after_power_cuts() {
            let found = found(memory);
            assert!(
                found == Some(30) || (saved.is_err() && found == Some(20)),
                "request {requests}: {found:?}"
            );
        }
        if saved.is_ok() {
            assert!(requests > 4, "a save writes, synchronises, renames twice and synchronises the folder");
            return;
        }
    }
}

/// Before the first checkpoint there is none to go back to: a half of it must not stand under its name.
#[test]
fn power_that_goes_within_the_first_save_leaves_nothing_or_all() {
    for requests in 1.. {
        let (slot, disk) = slot(Memory { history: vec![Names::new()], ..Memory::default() });
        disk.0.lock().unwrap().failing = Some(requests);
        let saved = slot.save(&at(10));
        for memory in disk.0.lock().unwrap().after_power_cuts() {
            let loaded = self::slot(memory).0.load("r", 99).map(|found| found.checkpoint);
            assert!(loaded.is_ok(), "request {requests}: {loaded:?}");
        }
        if saved.is_ok() {
            return;
        }
    }
}

#[test]
fn every_request_that_fails_is_named_and_costs_nothing() {
    for requests in 1.. {
        let (slot, disk) = slot(Memory::default());
        slot.save(&at(10)).unwrap();
        let failing = disk.0.lock().unwrap().requests + requests;
        disk.0.lock().unwrap().failing = Some(failing);
        let saved = slot.save(&at(20));
        let newest = || slot.load("r", 99).unwrap().checkpoint.unwrap().snapshot.episodes;
        match saved {
            Ok(()) => {
                assert_eq!((newest(), requests), (20, 6), "five requests, none more");
                return;
            }
            Err(error) => {
                let error = error.to_string();
                assert!(error.starts_with("cannot ") && error.contains("/runs/r"), "{error}");
                assert!([10, 20].contains(&newest()), "request {requests}");
            }
        }
        slot.save(&at(30)).unwrap();
        assert_eq!(newest(), 30, "the next save goes well");
    }
}
