//! Those who look: what pages do, without what a browser costs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the page asks for after a change, while curves are looked at.
const QUESTIONS: [&str; 3] = [
    "/api/overview?e=0",
    "/api/curves?e=0&task=0&metric=return&x=steps&centre=mean&seeds=0",
    "/api/curves?e=0&task=1&metric=return&x=steps&centre=mean&seeds=0",
];

/// What a reload asks for before that.
const PAGE: [&str; 6] = ["/", "/board.js", "/board.css", "/uplot.js", "/uplot.css", "/api/hello"];

/// The time for which a page does not ask again, as in `main.js`.
const PAUSE: Duration = Duration::from_millis(600);

#[derive(Default)]
struct Counts {
    answers: AtomicU64,
    bytes: AtomicU64,
    changes: AtomicU64,
    lost: AtomicU64,
}

/// Looks until the input ends, then tells what came.
pub fn look(way: &str, address: &str, token: &str, count: usize) {
    let counts = Arc::new(Counts::default());
    for _ in 0..count {
        let (counts, way, line) = (Arc::clone(&counts), way.to_string(), Line::new(address, token));
        let work = move || {
            let done = match way.as_str() {
                "tabs" => tab(&line, &counts),
                "elsewhere" => paced(&line, &counts),
                "reloads" => reload(&line, &counts),
                _ => listen(&line, &counts, |_| Some(())),
            };
            if done.is_none() {
                counts.lost.fetch_add(1, Ordering::Relaxed);
            }
        };
        std::thread::Builder::new().stack_size(64 * 1024).spawn(work).expect("a thread");
    }
    std::io::stdin().lock().lines().for_each(drop);
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    println!(
        "({} answers, {:.1} MB, {} changes told, {} cut off)",
        of(&counts.answers),
        of(&counts.bytes) as f64 / 1e6,
        of(&counts.changes),
        of(&counts.lost)
    );
    std::process::exit(0);
}

/// Where to ask.
struct Line {
    address: String,
    token: String,
}

impl Line {
    fn new(address: &str, token: &str) -> Self {
        Line { address: address.into(), token: token.into() }
    }

    fn connect(&self) -> Option<BufReader<TcpStream>> {
        TcpStream::connect(&self.address).ok().map(BufReader::new)
    }

    fn send(&self, to: &mut BufReader<TcpStream>, path: &str) -> Option<()> {
        let Line { address, token } = self;
        let text = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n");
        to.get_mut().write_all(text.as_bytes()).ok()
    }

    /// Asks and reads the whole answer.
    fn ask(&self, on: &mut BufReader<TcpStream>, path: &str, counts: &Counts) -> Option<()> {
        self.send(on, path)?;
        let length = head(on)?;
        let mut body = vec![0; length];
        on.read_exact(&mut body).ok()?;
        counts.answers.fetch_add(1, Ordering::Relaxed);
        counts.bytes.fetch_add(length as u64, Ordering::Relaxed);
        Some(())
    }
}

/// Reads the head of an answer that must be a good one; gives the length of what follows.
fn head(from: &mut BufReader<TcpStream>) -> Option<usize> {
    let (mut line, mut length) = (String::new(), 0);
    from.read_line(&mut line).ok()?;
    let good = line.starts_with("HTTP/1.1 200");
    while line != "\r\n" {
        line.clear();
        from.read_line(&mut line).ok().filter(|&count| count > 0)?;
        if let Some(found) = line.strip_prefix("content-length: ") {
            length = found.trim().parse().ok()?;
        }
    }
    good.then_some(length)
}

/// An event stream; `changed` is called for every change until it gives nothing.
fn listen(
    line: &Line,
    counts: &Counts,
    mut changed: impl FnMut(&mut BufReader<TcpStream>) -> Option<()>,
) -> Option<()> {
    let mut stream = line.connect()?;
    line.send(&mut stream, "/api/events")?;
    head(&mut stream)?;
    let mut text = String::new();
    loop {
        text.clear();
        stream.read_line(&mut text).ok().filter(|&count| count > 0)?;
        if text.starts_with("event: change") {
            counts.changes.fetch_add(1, Ordering::Relaxed);
            changed(&mut stream)?;
        }
    }
}

/// A tab with curves: it asks when it is told of a change, and not again for a while. What it was told meanwhile makes it
/// ask once more, as in the page.
fn tab(line: &Line, counts: &Counts) -> Option<()> {
    let mut questions = line.connect()?;
    listen(line, counts, |stream| {
        loop {
            QUESTIONS.iter().try_for_each(|path| line.ask(&mut questions, path, counts))?;
            std::thread::sleep(PAUSE);
            let told = told_meanwhile(stream)?;
            counts.changes.fetch_add(told, Ordering::Relaxed);
            if told == 0 {
                return Some(());
            }
        }
    })
}

/// The changes that a stream has told of and that were not read yet.
fn told_meanwhile(stream: &mut BufReader<TcpStream>) -> Option<u64> {
    let mut waiting = stream.buffer().to_vec();
    stream.consume(waiting.len());
    stream.get_ref().set_nonblocking(true).ok()?;
    let ended = stream.get_mut().read_to_end(&mut waiting).is_ok();
    stream.get_ref().set_nonblocking(false).ok()?;
    (!ended).then(|| String::from_utf8_lossy(&waiting).matches("event: change").count() as u64)
}

/// As many questions as a tab asks, without being told of anything.
fn paced(line: &Line, counts: &Counts) -> Option<()> {
    let mut questions = line.connect()?;
    // Not all at once.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let share = (NEXT.fetch_add(1, Ordering::Relaxed) as f64 * 0.618_034).fract();
    std::thread::sleep(PAUSE.mul_f64(share));
    loop {
        QUESTIONS.iter().try_for_each(|path| line.ask(&mut questions, path, counts))?;
        std::thread::sleep(PAUSE);
    }
}

/// A page that is loaded anew every second.
fn reload(line: &Line, counts: &Counts) -> Option<()> {
    loop {
        let mut connection = line.connect()?;
        PAGE.iter().chain(&QUESTIONS).try_for_each(|path| line.ask(&mut connection, path, counts))?;
        std::thread::sleep(Duration::from_secs(1));
    }
}
