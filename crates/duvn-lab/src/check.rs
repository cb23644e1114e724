//! Whether everything in an experiment's folder is as it was written, and what to do where it is not.

use crate::checkpoint::{CheckpointError, Slot};
use crate::fingerprint::weights_sha256;
use crate::saved::Saved;
use crate::store::{RunRow, Status, Store, StoreError, Verified};
use std::path::Path;

/// What was found.
#[derive(Debug, Default)]
pub struct Findings {
    /// How many runs were looked at.
    pub runs: usize,
    /// What is wrong, a sentence each that says what to do.
    pub faults: Vec<String>,
    /// The ids of damaged runs that were taken out, to be done again.
    pub started_over: Vec<String>,
}

/// Looks at every record and every checkpoint in `store`. With `repair`, damaged runs are taken out of the records, with
/// their checkpoints, so that the sweep does them again from the start.
pub fn check(store: &Store, repair: bool) -> Result<Findings, StoreError> {
    let folder = store.folder().display();
    let mut findings = Findings::default();
    for fault in store.integrity()? {
        findings.faults.push(format!(
            "the database is damaged ({fault}): put back a copy of {folder}, or delete it and run the experiment again"
        ));
    }
    let verified = store.verify()?;
    findings.runs = verified.len();
    let known: Vec<String> = verified.iter().flat_map(|found| &found.run).map(|run| run.id.clone()).collect();
    let mut nameless = false;
    for Verified { number, run, mut faults } in verified {
        if let Some(run) = &run {
            faults.extend(checkpoint_fault(store, run));
        }
        if faults.is_empty() {
            continue;
        }
        let name = run.as_ref().map_or_else(|| format!("number {number}"), |run| run.id.clone());
        if repair {
            start_over(store, number, run.as_ref())?;
            nameless |= run.is_none();
            findings.started_over.push(name);
            continue;
        }
        let remedy = format!("put back a copy, or `duvn check {folder} --repair` and run it again");
        findings.faults.push(format!("run {name}: {}: {remedy}", faults.join("; ")));
    }
    if nameless {
        remove_strays(store, &known)?;
    }
    Ok(findings)
}

/// What is wrong with the checkpoint of a run.
fn checkpoint_fault(store: &Store, run: &RunRow) -> Option<String> {
    let folder = store.run_folder(&run.id);
    let recorded = match store.recorded(run.number) {
        Ok(recorded) => recorded,
        Err(error) => return Some(error.to_string()),
    };
    let found = match Slot::new(&folder).load(&run.id, recorded) {
        Ok(found) => found,
        // What to do about it is said by whoever asks.
        Err(CheckpointError::NoneUsable { why, .. }) => {
            return Some(format!("no checkpoint can be used ({why})"));
        }
        Err(error) => return Some(error.to_string()),
    };
    if found.warning.is_some() {
        return found.warning;
    }
    let (Status::Done, Some(outcome)) = (run.status, &run.outcome) else { return None };
    let Some(checkpoint) = found.checkpoint else { return Some("its checkpoint is gone".into()) };
    let saved = Saved { run: run.clone(), checkpoint, warning: None };
    match saved.agent() {
        Ok(agent) if weights_sha256(&agent) == outcome.weights_sha256 => None,
        Ok(_) => Some("the weights of its checkpoint are not those that were recorded".into()),
        Err(error) => Some(format!("its checkpoint cannot be used ({error})")),
    }
}

fn start_over(store: &Store, number: i64, run: Option<&RunRow>) -> Result<(), StoreError> {
    let lock = run.map(|run| store.try_lock(&run.id)).transpose()?;
    if let (Some(run), Some(None)) = (run, &lock) {
        return Err(StoreError::AtWork { folder: store.folder().into(), id: run.id.clone() });
    }
    store.forget(number)?;
    if let Some(run) = run {
        remove_checkpoints(&store.run_folder(&run.id));
    }
    Ok(())
}

/// Removes the checkpoints of runs that are in no row. A row that could not be read has not told which run it was of:
/// planned anew, that run would find a checkpoint which is ahead of its records.
fn remove_strays(store: &Store, known: &[String]) -> Result<(), StoreError> {
    let folders = std::fs::read_dir(store.folder().join("runs")).into_iter().flatten().flatten();
    for folder in folders {
        let id = folder.file_name().to_string_lossy().into_owned();
        if known.contains(&id) || !folder.path().is_dir() {
            continue;
        }
        match store.try_lock(&id)? {
            Some(_lock) => remove_checkpoints(&folder.path()),
            None => return Err(StoreError::AtWork { folder: store.folder().into(), id }),
        }
    }
    Ok(())
}

/// Leaves the lock, which others may be waiting for.
fn remove_checkpoints(folder: &Path) {
    for name in ["checkpoint.safetensors", "previous.safetensors", "unfinished.tmp"] {
        // What is not there need not be removed.
        let _ = std::fs::remove_file(folder.join(name));
    }
}
