//! Work spread over threads: each job is done once, by one thread, from start to end.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` on every job with `threads` threads. The results come in the order of the jobs, whatever
/// the order in which they were done.
pub fn map<J: Sync, R: Send>(jobs: &[J], threads: usize, work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                while let Some(place) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&at| at < jobs.len())
                {
                    let result = work(&jobs[place]);
                    *results[place].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(result);
                }
            });
        }
    });
    let taken = results.into_iter().map(|result| result.into_inner().unwrap_or_else(|p| p.into_inner()));
    taken.map(|result| result.expect("every job is done before the scope ends")).collect()
}

/// The number of threads to use where the user names none.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..50).collect();
        for threads in [1, 2, 7] {
            assert_eq!(
                map(&jobs, threads, |job| job * job),
                jobs.iter().map(|job| job * job).collect::<Vec<_>>()
            );
        }
        assert_eq!(map(&[], 2, |job: &u64| *job), Vec::<u64>::new());
    }
}
