//! Signals that ask for an end. The first makes the work stop cleanly, with a checkpoint. A second Ctrl-C or SIGTERM ends
//! the program at once; SIGUSR1 and SIGUSR2, the warnings of Slurm and of submitit, may come as often as they like and
//! before a SIGTERM.

use crate::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::consts::{SIGUSR1, SIGUSR2};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exit code of a program that Ctrl-C ended.
const AT_ONCE: i32 = 130;

/// A flag that a signal raises.
pub fn flag_on_signal() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::new(AtomicBool::new(false));
    let unheard = |error| Failure::failed(format!("cannot listen for signals: {error}"));
    for signal in [SIGINT, SIGTERM] {
        let register = || {
            // In this order: the shutdown looks at the flag before the same signal raises it.
            flag::register_conditional_shutdown(signal, AT_ONCE, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&stop))
        };
        register().map_err(unheard)?;
    }
    #[cfg(unix)]
    for signal in [SIGUSR1, SIGUSR2] {
        flag::register(signal, Arc::clone(&stop)).map_err(unheard)?;
    }
    Ok(stop)
}
