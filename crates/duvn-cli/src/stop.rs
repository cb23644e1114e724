//! Ctrl-C and SIGTERM: the first asks the work to stop cleanly, the second ends the program at once.

use crate::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that a signal raises.
pub fn flag_on_signal() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let register = || {
            // In this order: the shutdown looks at the flag before the same signal raises it.
            flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
            flag::register(signal, Arc::clone(&stop))
        };
        register().map_err(|error| Failure::failed(format!("cannot listen for signals: {error}")))?;
    }
    Ok(stop)
}
