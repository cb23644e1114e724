//! A database on a disk of which any write, synchronisation or cut fails, alone or with all after it: nothing is lost, and
//! the same sweep goes on to the same records.
//!
//! SQLite reaches the disk through a table of functions. Here the system's table is wrapped so that one call fails.
#![cfg(unix)]

mod common;

use common::Folder;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::store::{Finished, Store};
use duvn_lab::sweep::{End, Options, Unwatched, sweep};
use rusqlite::ffi::{
    SQLITE_FULL, SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE, SQLITE_OK, sqlite3_file,
    sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find, sqlite3_vfs_register,
};
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, Ordering};
use std::time::Duration;

/// The calls until one fails.
static UNTIL_FAULT: AtomicI64 = AtomicI64::new(NEVER);
const NEVER: i64 = i64::MAX;
/// Whether all calls after that one fail, too.
static FOR_GOOD: AtomicBool = AtomicBool::new(false);
/// The calls so far.
static CALLS: AtomicI64 = AtomicI64::new(0);
/// Synchronisations so far.
static SYNCS: AtomicI64 = AtomicI64::new(0);
/// The system's table.
static REAL: AtomicPtr<sqlite3_vfs> = AtomicPtr::new(std::ptr::null_mut());

fn fails() -> bool {
    CALLS.fetch_add(1, Ordering::SeqCst);
    let left = UNTIL_FAULT.fetch_sub(1, Ordering::SeqCst);
    left == 0 || (left < 0 && FOR_GOOD.load(Ordering::SeqCst))
}

/// An open file: ours, with the system's right behind it.
#[repr(C)]
struct Wrapped {
    base: sqlite3_file,
    real: *mut sqlite3_file,
}

/// The system's file inside ours, and its functions.
///
/// # Safety
/// `file` must have been opened by [`open`].
unsafe fn inner(file: *mut sqlite3_file) -> (*mut sqlite3_file, &'static sqlite3_io_methods) {
    // SAFETY: `open` has made it a `Wrapped` whose inner file the system has opened; its functions are static.
    unsafe {
        let real = (*file.cast::<Wrapped>()).real;
        (real, &*(*real).pMethods)
    }
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $kind:ty),*) $(, fault $code:expr)? => $method:ident;)*) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $kind),*) -> c_int {
            $(if fails() { return $code; })?
            // SAFETY: SQLite calls this with a file that `open` has opened; the system's table has every function of
            // version 2.
            unsafe {
                let (real, methods) = inner(file);
                methods.$method.map_or(SQLITE_OK, |method| method(real, $($argument),*))
            }
        }
    )*};
}

forward! {
    close() => xClose;
    read(to: *mut c_void, amount: c_int, at: i64) => xRead;
    write(from: *const c_void, amount: c_int, at: i64), fault if at % 2 == 0 { SQLITE_FULL } else { SQLITE_IOERR_WRITE }
        => xWrite;
    truncate(size: i64), fault SQLITE_IOERR_TRUNCATE => xTruncate;
    size(to: *mut i64) => xFileSize;
    lock(level: c_int) => xLock;
    unlock(level: c_int) => xUnlock;
    check_lock(to: *mut c_int) => xCheckReservedLock;
    control(operation: c_int, argument: *mut c_void) => xFileControl;
    sector_size() => xSectorSize;
    characteristics() => xDeviceCharacteristics;
    shm_map(page: c_int, size: c_int, extend: c_int, to: *mut *mut c_void) => xShmMap;
    shm_lock(offset: c_int, count: c_int, flags: c_int) => xShmLock;
    shm_unmap(delete: c_int) => xShmUnmap;
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    SYNCS.fetch_add(1, Ordering::SeqCst);
    if fails() {
        return SQLITE_IOERR_FSYNC;
    }
    // SAFETY: as in `forward`.
    unsafe {
        let (real, methods) = inner(file);
        methods.xSync.map_or(SQLITE_OK, |method| method(real, flags))
    }
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: as in `forward`.
    unsafe {
        let (real, methods) = inner(file);
        if let Some(method) = methods.xShmBarrier {
            method(real);
        }
    }
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_lock),
    xFileControl: Some(control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let vfs = REAL.load(Ordering::SeqCst);
    // SAFETY: SQLite gives room for `szOsFile` bytes, which is that of a `Wrapped` and of the system's file behind it.
    unsafe {
        let wrapped = file.cast::<Wrapped>();
        (*wrapped).base.pMethods = std::ptr::null();
        (*wrapped).real = wrapped.add(1).cast();
        let opened = (*vfs).xOpen.map_or(SQLITE_OK, |method| method(vfs, name, (*wrapped).real, flags, out));
        if !(*(*wrapped).real).pMethods.is_null() {
            (*wrapped).base.pMethods = &METHODS;
        }
        opened
    }
}

/// Puts the wrapped table in the place of the system's, for the whole program.
fn wrap() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        // SAFETY: the copy of the system's table lives for ever, and differs in name, size and `xOpen` alone; functions
        // of the system that look into the table find what they expect there.
        unsafe {
            let real = sqlite3_vfs_find(std::ptr::null());
            REAL.store(real, Ordering::SeqCst);
            let mut table = Box::new(*real);
            table.szOsFile += size_of::<Wrapped>() as c_int;
            table.zName = c"faulty".as_ptr();
            table.pNext = std::ptr::null_mut();
            table.xOpen = Some(open);
            assert_eq!(sqlite3_vfs_register(Box::leak(table), 1), SQLITE_OK);
        }
    });
}

fn experiment() -> Experiment {
    let text = "name = 'a'\nseeds = '0'\nepisodes = 12\nevaluations = 3\nsettings = { hidden = [4], replay = 50, \
                learning_starts = 8, batch = 8 }\n[[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'";
    Experiment::parse(text, &Variant::default()).unwrap()
}

/// Runs the experiment with a checkpoint after every step; the fault that came, if one did.
fn attempt(folder: &Path) -> Result<(), String> {
    let experiment = experiment();
    let store = Store::open_for(folder, &experiment).map_err(|error| error.to_string())?;
    let stop = AtomicBool::new(false);
    let checkpoint_every = Duration::ZERO;
    let options = Options { jobs: 1, checkpoint_every, retry: false, any_isa: false, stop: &stop };
    let ends = sweep(&store, &experiment.runs, &options, &Unwatched).map_err(|error| error.to_string())?;
    match &ends[0] {
        End::Done(_) | End::DoneBefore(_) => Ok(()),
        End::Failed(error) => Err(error.clone()),
        end => Err(format!("{end:?}")),
    }
}

fn result(folder: &Path) -> (String, String) {
    let store = Store::open(folder).unwrap();
    let run = store.runs().unwrap().remove(0);
    let Finished { row, outcome, .. } = store.finished(&run).unwrap().expect("it is done");
    (row.records_sha256, outcome.weights_sha256)
}

/// One test: the wrapped table is the whole program's.
#[test]
fn any_call_to_the_disk_may_fail_alone_or_with_all_after_it() {
    wrap();
    let folder = Folder::new("faults-whole");
    attempt(&folder.0).unwrap();
    let expected = result(&folder.0);
    let calls = CALLS.load(Ordering::SeqCst);
    // A commit is not done before it is on the disk: with 24 steps there are as many, and more.
    assert!(SYNCS.load(Ordering::SeqCst) >= 24, "records are synchronised with every commit");

    let step: usize = std::env::var("DUVN_FAULTS").map_or(7, |step| step.parse().unwrap());
    let mut faults = 0;
    for fault in (0..calls + 10).step_by(step) {
        let folder = Folder::new("faults");
        // Every other time it is only one call, and the program may still write down that it failed.
        FOR_GOOD.store(fault % 2 == 1, Ordering::SeqCst);
        UNTIL_FAULT.store(fault, Ordering::SeqCst);
        let first = attempt(&folder.0);
        UNTIL_FAULT.store(NEVER, Ordering::SeqCst);
        if let Err(words) = first {
            faults += 1;
            assert!(words.contains(&folder.0.display().to_string()) || words.contains("disk"), "{words}");
        }
        // Once it works again, the same command goes on to the same end.
        let again = attempt(&folder.0);
        assert_eq!(again, Ok(()), "after the failure of call {fault}");
        assert_eq!(result(&folder.0), expected, "after the failure of call {fault}");
        let store = Store::open(&folder.0).unwrap();
        assert!(store.verify().unwrap().iter().all(|verified| verified.faults.is_empty()));
    }
    println!("{calls} calls, {faults} failures that were told");
    assert!(faults > 0);
}
