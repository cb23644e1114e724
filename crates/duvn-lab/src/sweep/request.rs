//! Asking a sweep to stop, whoever does it: a file in the experiment's folder, which every sweep on it heeds.

use crate::experiment::Planned;
use crate::store::{Store, StoreError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

/// The file. Only when it was written matters: sweeps that begin later do not heed it.
const REQUEST: &str = "stop-request";

/// How often a sweep looks for it.
const LOOK_EVERY: Duration = Duration::from_millis(400);

/// Asks all sweeps that are at work on `folder` to stop, with checkpoints.
pub fn ask_to_stop(folder: &Path) -> std::io::Result<()> {
    std::fs::write(folder.join(REQUEST), b"Sweeps that were at work when this was written stop cleanly.\n")
}

/// Raises `stop` once somebody asks for it with [`ask_to_stop`]. Nothing is left of it when the flag is raised or dropped.
pub fn heed_requests(folder: &Path, stop: &Arc<AtomicBool>) {
    let (file, stop): (_, Weak<AtomicBool>) = (folder.join(REQUEST), Arc::downgrade(stop));
    let written = |file: &Path| file.metadata().and_then(|file| file.modified()).ok();
    let before: Option<SystemTime> = written(&file);
    let look = move || {
        while let Some(flag) = stop.upgrade() {
            if flag.load(Ordering::Relaxed) {
                return;
            }
            if written(&file).is_some_and(|now| before.is_none_or(|before| now > before)) {
                flag.store(true, Ordering::Relaxed);
                return;
            }
            drop(flag);
            std::thread::sleep(LOOK_EVERY);
        }
    };
    // Without a thread the sweep runs all the same; Ctrl-C still stops it.
    let _ = std::thread::Builder::new().name("duvn-heed".into()).spawn(look);
}

/// The runs of a folder as they were planned.
pub fn planned(store: &Store) -> Result<Vec<Planned>, StoreError> {
    let plan = |row: crate::store::RunRow| Planned {
        id: row.id,
        spec: row.spec,
        place: row.place,
        panel: row.panel,
        group: row.group,
        evaluation: row.evaluation,
        watch: row.watch,
    };
    Ok(store.runs()?.into_iter().map(plan).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_request_stops_those_who_are_at_work_and_nobody_later() {
        let folder = std::env::temp_dir().join(format!("duvn-request-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let first = Arc::new(AtomicBool::new(false));
        heed_requests(&folder, &first);
        std::thread::sleep(Duration::from_millis(50));
        ask_to_stop(&folder).unwrap();
        let began = Instant::now();
        while !first.load(Ordering::Relaxed) && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(first.load(Ordering::Relaxed));
        let second = Arc::new(AtomicBool::new(false));
        heed_requests(&folder, &second);
        std::thread::sleep(2 * LOOK_EVERY);
        assert!(!second.load(Ordering::Relaxed));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
