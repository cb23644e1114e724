//! Stops and resumes sweeps, where the user has allowed it.

use crate::Options;
use duvn_lab::store::Store;
use duvn_lab::sweep::{self, End, Unwatched, ask_to_stop, planned};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A sweep that this program is at.
#[derive(Clone, Default)]
pub struct Working {
    /// Raised to end it.
    pub stop: Arc<AtomicBool>,
    /// Whether it is over.
    pub over: Arc<AtomicBool>,
}

/// What can be done about sweeps.
pub struct Conductor {
    control: bool,
    jobs: usize,
    folders: Vec<Mutex<Folder>>,
}

struct Folder {
    path: PathBuf,
    working: Option<Working>,
    thread: Option<JoinHandle<()>>,
    /// What was last told of its state.
    told: (bool, bool),
    /// What a sweep that was resumed here failed with.
    error: Arc<Mutex<Option<String>>>,
}

/// How much work a crash can cost, as for `duvn sweep`.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(20);

impl Conductor {
    /// For the folders of `options`.
    pub fn new(options: &Options) -> Self {
        let folder = |(at, path): (usize, &PathBuf)| {
            let working = if at == 0 { options.working.clone() } else { None };
            let error = Arc::default();
            Mutex::new(Folder { path: path.clone(), working, thread: None, told: (false, false), error })
        };
        let folders = options.folders.iter().enumerate().map(folder).collect();
        Conductor { control: options.control, jobs: options.jobs, folders }
    }

    /// Whether the page may change anything.
    pub fn control(&self) -> bool {
        self.control
    }

    fn folder(&self, e: usize) -> Option<MutexGuard<'_, Folder>> {
        Some(self.folders.get(e)?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this program is at a sweep of the folder, and whether that is to end.
    pub fn state(&self, e: usize) -> (bool, bool) {
        self.folder(e).map_or((false, false), |folder| folder.state())
    }

    /// What a sweep that was resumed from the page failed with.
    pub fn error(&self, e: usize) -> Option<String> {
        let folder = self.folder(e)?;
        folder.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the state is another than when this was last asked.
    pub fn changed(&self, e: usize) -> bool {
        let Some(mut folder) = self.folder(e) else { return false };
        let state = folder.state();
        std::mem::replace(&mut folder.told, state) != state
    }

    /// Ends the sweeps on a folder: ours, and those of other programs.
    pub fn stop(&self, e: usize) -> Result<(), String> {
        let Some(folder) = self.folder(e) else { return Err("there is no such experiment".into()) };
        if let Some(working) = &folder.working {
            working.stop.store(true, Ordering::Relaxed);
        }
        ask_to_stop(&folder.path).map_err(|error| format!("cannot ask for a stop: {error}"))
    }

    /// Goes on with what is left in a folder.
    pub fn resume(&self, e: usize) -> Result<(), String> {
        let Some(mut folder) = self.folder(e) else { return Err("there is no such experiment".into()) };
        if folder.state().0 {
            return Err("the sweep is under way".into());
        }
        let (working, path, jobs) = (Working::default(), folder.path.clone(), self.jobs);
        let (job, fault) = (working.clone(), Arc::clone(&folder.error));
        *fault.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let work = move || {
            if let Err(error) = go_on(&path, jobs, &job.stop) {
                *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            job.over.store(true, Ordering::Relaxed);
        };
        let thread = std::thread::Builder::new().name("duvn-sweep".into()).spawn(work);
        folder.thread = Some(thread.map_err(|error| format!("cannot begin: {error}"))?);
        folder.working = Some(working);
        Ok(())
    }

    /// Stops cleanly whatever was resumed here, and waits for it.
    pub fn end(&self) {
        for folder in &self.folders {
            let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(thread) = folder.thread.take() {
                if let Some(working) = &folder.working {
                    working.stop.store(true, Ordering::Relaxed);
                }
                let _ = thread.join();
            }
        }
    }
}

impl Folder {
    fn state(&self) -> (bool, bool) {
        let at_work = self.working.as_ref().filter(|working| !working.over.load(Ordering::Relaxed));
        at_work.map_or((false, false), |working| (true, working.stop.load(Ordering::Relaxed)))
    }
}

/// Does what is left in a folder, as the command that began it would.
fn go_on(path: &std::path::Path, jobs: usize, stop: &Arc<AtomicBool>) -> Result<(), String> {
    let store = Store::open(path).map_err(|error| error.to_string())?;
    let runs = planned(&store).map_err(|error| error.to_string())?;
    sweep::heed_requests(path, stop);
    let options = sweep::Options {
        jobs: jobs.max(1),
        checkpoint_every: CHECKPOINT_EVERY,
        retry: false,
        any_isa: false,
        stop,
    };
    let ends = sweep::sweep(&store, &runs, &options, &Unwatched).map_err(|error| error.to_string())?;
    let refused = ends.iter().find_map(|end| match end {
        End::Refused(why) => Some(why.clone()),
        _ => None,
    });
    refused.map_or(Ok(()), Err)
}
