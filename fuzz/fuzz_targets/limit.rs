//! A limit on the work of one input, in time of the processor: the clock on the wall says little on a machine that others use.

use cpu_time::ThreadTime;

/// Does `work`, which must take less than a second.
pub fn within_a_second<T>(work: impl FnOnce() -> T) -> T {
    let start = ThreadTime::now();
    let result = work();
    let taken = start.elapsed();
    assert!(taken.as_secs_f64() < 1.0, "one input took {taken:?}");
    result
}
