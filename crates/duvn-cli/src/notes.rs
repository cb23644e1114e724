//! Remarks on stderr, which `--quiet` leaves out. Warnings and errors stay.

use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, no remarks and no progress.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether remarks and progress are left out.
pub fn quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Says something that is good to know.
pub fn note(text: impl std::fmt::Display) {
    if !quiet() {
        eprintln!("{text}");
    }
}
