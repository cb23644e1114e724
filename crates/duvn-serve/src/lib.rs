//! The dashboard: experiments in the browser, live while they run and just as good afterwards.
//!
//! One thread serves all requests; another looks at the records, at most every third of a second, through connections that
//! never write. Answers are kept until there is something new, so that a hundred open pages cost hardly more than one.
//! `guard.rs` says who may ask, `limits.rs` how much.

mod answer;
mod cache;
mod conductor;
mod error;
mod guard;
mod io;
mod limits;
mod query;
mod routes;
mod shared;
mod stream;

pub use conductor::Working;
pub use error::ServeError;

use conductor::Conductor;
use guard::Guard;
use shared::Shared;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What is served, and how.
pub struct Options {
    /// The folders of the experiments.
    pub folders: Vec<PathBuf>,
    /// The address to listen at: loopback unless told otherwise.
    pub host: IpAddr,
    /// The port; 0 is any that is free.
    pub port: u16,
    /// Whether the page may stop and resume sweeps.
    pub control: bool,
    /// Runs at a time of a sweep that is resumed from the page.
    pub jobs: usize,
    /// A sweep on the first folder that this program is at, by the flag that ends it.
    pub working: Option<Working>,
}

impl Options {
    /// Read-only on loopback.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Options { folders, host, port: 0, control: false, jobs: 1, working: None }
    }
}

/// A server that listens.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// The time between two looks at the records, at least; they take no more than a thirtieth of it.
const LOOK_EVERY: Duration = Duration::from_millis(300);

impl Server {
    /// Opens the folders and begins to listen.
    pub fn start(options: Options) -> Result<Self, ServeError> {
        let at = SocketAddr::new(options.host, options.port);
        let listening = |error: std::io::Error| ServeError::Listen { at, error };
        let boards = shared::open(&options.folders)?;
        let listener = TcpListener::bind(at).map_err(listening)?;
        listener.set_nonblocking(true).map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;
        let guard = Guard::new(address)?;
        let conductor = Conductor::new(&options);
        let shared = Arc::new(Shared::new(boards, guard, conductor));
        let over = Arc::new(AtomicBool::new(false));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(limits::WORKERS)
            .build()
            .map_err(listening)?;
        let mut threads = Vec::new();
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.into()).spawn(work).map_err(listening)
        };
        let (seen, ended) = (Arc::clone(&shared), Arc::clone(&over));
        threads.push(spawn("duvn-look", Box::new(move || look(&seen, &ended)))?);
        let (served, ended) = (Arc::clone(&shared), Arc::clone(&over));
        let serve = move || {
            runtime.block_on(io::accept(listener, served, ended));
            runtime.shutdown_timeout(Duration::from_secs(1));
        };
        threads.push(spawn("duvn-serve", Box::new(serve))?);
        Ok(Server { address, shared, over, threads })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open in a browser. The token stands behind `#`, which no browser sends anywhere.
    pub fn url(&self) -> String {
        format!("http://{}/#token={}", self.address, self.token())
    }

    /// The token; a program may send it as `Authorization: Bearer TOKEN`.
    pub fn token(&self) -> &str {
        self.shared.guard.token()
    }

    /// Ends the server, and stops cleanly what was resumed from its page.
    pub fn stop(mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.shared.conductor.end();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so; there is nothing left to end.
            let _ = thread.join();
        }
    }
}

/// Looks at the records again and again, and tells the pages when there is something new.
fn look(shared: &Shared, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let began = Instant::now();
        shared.refresh();
        let pause = (30 * began.elapsed()).clamp(LOOK_EVERY, Duration::from_millis(1_100));
        let until = Instant::now() + pause;
        while Instant::now() < until && !over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50).min(pause));
        }
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
