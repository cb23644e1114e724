//! How much is served at a time. Whoever asks for more is refused; nobody else notices.

use std::time::Duration;

/// Connections at a time.
pub const CONNECTIONS: usize = 1_400;

/// Event streams at a time.
pub const STREAMS: usize = 1_200;

/// Bytes of a request before its body.
pub const HEAD: usize = 16 * 1024;

/// Lines in it.
pub const HEADERS: usize = 64;

/// Bytes of a body.
pub const BODY: usize = 1024;

/// The time for the head of a request to come, from the first byte that is waited for.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// The time for a body to come.
pub const BODY_TIME: Duration = Duration::from_secs(5);

/// The time in which a client must take at least something of what is sent to it.
pub const TAKE_TIME: Duration = Duration::from_secs(20);

/// Threads that read records and play episodes.
pub const WORKERS: usize = 3;

/// Answers that wait for one of them.
pub const WAITING: usize = 256;

/// Bytes of answers that are kept.
pub const CACHE: usize = 64 * 1024 * 1024;

/// Episodes at play that are kept.
pub const EPISODES: usize = 6;

/// Silence on an event stream after which a sign of life is sent.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The time that telling one page of a change is worth: all pages together are told at most 50 times a second, so that a
/// hundred of them cost a sweep no more than a few.
const TOLD: Duration = Duration::from_millis(20);

/// The longest time that a page is told nothing, however many there are.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long a page is told nothing after a change, with `streams` open.
pub fn pause(streams: usize) -> Duration {
    TOLD.saturating_mul(u32::try_from(streams).unwrap_or(u32::MAX)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_the_less_often_the_more_there_are() {
        let pauses = [1, 2, 100, STREAMS].map(|streams| pause(streams).as_millis());
        assert_eq!(pauses, [20, 40, 2_000, 5_000]);
        assert!(pause(STREAMS) < HEARTBEAT);
    }
}
