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
