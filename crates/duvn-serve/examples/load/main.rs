//! What those who look cost a sweep: its speed in blocks of seconds, by turns with nobody and with somebody looking.
//!
//! ```sh
//! ulimit -n 8192; cargo run --release -p duvn-serve --example load -- seconds=200 tabs=100 streams=1000 jobs=1
//! ```
//!
//! A sweep goes on in one thread for each job, and is served by the same program, as with `duvn sweep --serve` (`apart=true`:
//! by a program of its own). A second program looks. Every block in which it does lies between two in which it does not, and
//! is compared with these, so that it does not matter whether the machine becomes slower or faster meanwhile. How long
//! each thread of the sweep was on a processor, and how long it waited for one, is the system's own account (Linux).
//!
//! "elsewhere" is a control: as many tabs, at the server of another experiment. What these cost, any other program on
//! the machine would. "nobody" is the other control: how much blocks differ by themselves.

mod client;
mod clock;

use clock::{Account, Sample};
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::run::Run;
use duvn_lab::spec::RunSpec;
use duvn_lab::store::Store;
use duvn_lab::sweep::{Options, Watch, sweep};
use duvn_serve::Server;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Sixty runs, as a page of some size has them; those that are worked on go on for as long as they are watched.
const EXPERIMENT: &str = "name = 'load'\nseeds = '0..10'\nsteps = 1000000000\nevaluations = 0\n[[environments]]\n\
    id = 'MountainCar-v0'\n[[environments]]\nid = 'CartPole-v1'\n[[agents]]\npreset = 'egreedy'\n\
    [[agents]]\npreset = 'duvn'\n[[agents]]\npreset = 'duvn-deep'\n";

/// The time of a block, and how much of its beginning is not counted: connections are opened or closed.
const BLOCK: Duration = Duration::from_millis(3_000);
const SETTLE: Duration = Duration::from_millis(700);

/// What a run of the sweep had done by when.
struct Log {
    samples: Mutex<BTreeMap<u64, Vec<Sample>>>,
}

impl Watch for Log {
    fn moved(&self, spec: &RunSpec, at: &Run) {
        let sample = Sample::now(at.steps());
        self.samples.lock().expect("no panic").entry(spec.seed).or_default().push(sample);
    }
}

/// What the sweep did in a block.
struct Block {
    way: &'static str,
    /// Steps in a second.
    speed: f64,
    /// Steps in a second on a processor.
    thrift: f64,
    /// The share of the time that threads of the sweep waited for a processor.
    waited: f64,
    /// Processor seconds of the server in a second.
    server: f64,
    said: String,
}

fn option<T: std::str::FromStr>(name: &str, or: T) -> T {
    let of = |word: String| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok();
    std::env::args().skip(1).find_map(of).unwrap_or(or)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("client") => client::look(&words[1], &words[2], &words[3], words[4].parse()?),
        Some("server") => serve_apart(Path::new(&words[1]))?,
        _ => measure()?,
    }
    Ok(())
}

/// Serves until its input ends.
fn serve_apart(folder: &Path) -> Result<(), Box<dyn Error>> {
    let server = Server::start(duvn_serve::Options::new(vec![folder.into()]))?;
    println!("{} {}", server.address(), server.token());
    std::io::stdin().lock().lines().for_each(drop);
    server.stop();
    Ok(())
}

/// A server, and how to reach it.
struct Served {
    address: String,
    token: String,
    child: Option<Child>,
    own: Option<Server>,
}

impl Served {
    fn own(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let server = Server::start(duvn_serve::Options::new(vec![folder.into()]))?;
        let (address, token) = (server.address().to_string(), server.token().to_string());
        Ok(Served { address, token, child: None, own: Some(server) })
    }

    fn apart(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("server")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let (address, token) = line.trim().split_once(' ').ok_or("the server did not begin")?;
        Ok(Served { address: address.into(), token: token.into(), child: Some(child), own: None })
    }

    fn end(mut self) {
        if let Some(server) = self.own.take() {
            server.stop();
        }
        if let Some(mut child) = self.child.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

fn measure() -> Result<(), Box<dyn Error>> {
    let (seconds, jobs): (u64, usize) = (option("seconds", 120), option("jobs", 1));
    let (tabs, streams): (usize, usize) = (option("tabs", 100), option("streams", 1000));
    let only: String = option("only", "tabs,elsewhere,reloads,streams".into());
    let folder = std::env::temp_dir().join(format!("duvn-load-{}", std::process::id()));
    let (one, other) = (folder.join("one"), folder.join("other"));
    let experiment = Experiment::parse(EXPERIMENT, &Variant::default())?;
    let store = Store::open_for(&one, &experiment)?;
    let elsewhere = still(&other)?;
    let log = Log { samples: Mutex::default() };
    let stop = AtomicBool::new(false);
    let checkpoint_every = Duration::from_secs(20);
    let options = Options { jobs, checkpoint_every, retry: false, any_isa: false, stop: &stop };
    let blocks = std::thread::scope(|scope| {
        let work = scope.spawn(|| sweep(&store, &experiment.runs[..jobs], &options, &log));
        let measured = (|| {
            std::thread::sleep(Duration::from_secs(3));
            let served = if option("apart", false) { Served::apart(&one)? } else { Served::own(&one)? };
            let other = Served::apart(&elsewhere)?;
            let ways: Vec<(&'static str, &Served, usize)> = [
                ("tabs", &served, tabs),
                ("elsewhere", &other, tabs),
                ("reloads", &served, 1),
                ("streams", &served, streams),
            ]
            .into_iter()
            .filter(|way| only.split(',').any(|word| word == way.0))
            .collect();
            let mut blocks = Vec::new();
            let until = Instant::now() + Duration::from_secs(seconds);
            'all: loop {
                for way in &ways {
                    blocks.push(block("nobody", None, &served, &log)?);
                    if Instant::now() >= until {
                        break 'all;
                    }
                    blocks.push(block(way.0, Some((way.1, way.2)), &served, &log)?);
                }
            }
            served.end();
            other.end();
            Ok::<_, Box<dyn Error>>(blocks)
        })();
        stop.store(true, Ordering::Relaxed);
        let _ = work.join();
        measured
    })?;
    tell(&blocks);
    drop(store);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

/// An experiment that nobody works on.
fn still(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    drop(Store::open_for(folder, &Experiment::parse(EXPERIMENT, &Variant::default())?)?);
    Ok(folder.into())
}

/// Measures a block, with a second program that looks if there is something to look at.
fn block(
    way: &'static str,
    looked: Option<(&Served, usize)>,
    served: &Served,
    log: &Log,
) -> Result<Block, Box<dyn Error>> {
    let began = Instant::now();
    let client = looked.map(|(at, count)| {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["client", way, &at.address, &at.token, &count.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    });
    let mut client = client.transpose()?;
    std::thread::sleep(SETTLE.saturating_sub(began.elapsed()));
    let workers =
        clock::threads(log.samples.lock().expect("no panic").values().filter_map(|list| list.last()));
    let account = || Account::of(served.child.as_ref().map(Child::id), &workers);
    let (from, before) = (Instant::now(), account());
    std::thread::sleep(BLOCK.saturating_sub(began.elapsed()));
    let (to, after) = (Instant::now(), account());
    let mut said = String::new();
    if let Some(client) = &mut client {
        // Where its input ends it tells what it did, and ends.
        drop(client.stdin.take());
        BufReader::new(client.stdout.take().ok_or("no output")?).read_line(&mut said)?;
        client.wait()?;
    }
    let samples = log.samples.lock().expect("no panic");
    let done: Vec<_> = samples.values().filter_map(|list| clock::between(list, from, to)).collect();
    let sum = |of: fn(&clock::Done) -> f64| done.iter().map(of).sum::<f64>();
    let block = Block {
        way,
        speed: sum(|done| done.steps / done.wall),
        thrift: sum(|done| done.steps) / sum(|done| done.cpu),
        waited: sum(|done| done.waited) / sum(|done| done.wall),
        server: before.until(&after) / (to - from).as_secs_f64(),
        said: said.trim().into(),
    };
    eprintln!(
        "{:9} {:7.1} steps a second, {:7.1} a processor second, waited {:5.2} %, server {:5.2} % of a core {}",
        block.way,
        block.speed,
        block.thrift,
        100.0 * block.waited,
        100.0 * block.server,
        block.said
    );
    std::io::stderr().flush()?;
    Ok(block)
}

/// The mean and its 95 % interval by Student's t.
fn interval(list: &[f64]) -> (f64, f64, f64) {
    let n = list.len() as f64;
    let mean = list.iter().sum::<f64>() / n;
    let variance = list.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    let table =
        [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12];
    let t = table.get(list.len().saturating_sub(2)).copied().unwrap_or(2.05);
    let half = t * (variance / n).sqrt();
    (mean, mean - half, mean + half)
}

/// The change of each block against its neighbours, by way.
fn tell(blocks: &[Block]) {
    println!("| who looks | blocks | steps a second | steps a processor second | waited | server |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut ways: Vec<&str> = blocks.iter().map(|block| block.way).collect();
    ways.sort_unstable();
    ways.dedup();
    for way in ways {
        let by = if way == "nobody" { 2 } else { 1 };
        let places: Vec<usize> =
            (by..blocks.len().saturating_sub(by)).filter(|&at| blocks[at].way == way).collect();
        let change = |of: fn(&Block) -> f64| {
            let list: Vec<f64> = places
                .iter()
                .map(|&at| 2.0 * of(&blocks[at]) / (of(&blocks[at - by]) + of(&blocks[at + by])) - 1.0)
                .collect();
            let (mean, low, high) = interval(&list);
            format!("{:+.2} % [{:+.2}, {:+.2}]", 100.0 * mean, 100.0 * low, 100.0 * high)
        };
        let mean = |of: fn(&Block) -> f64| {
            100.0 * places.iter().map(|&at| of(&blocks[at])).sum::<f64>() / places.len().max(1) as f64
        };
        println!(
            "| {way} | {} | {} | {} | {:.2} % | {:.2} % of a core |",
            places.len(),
            change(|block| block.speed),
            change(|block| block.thrift),
            mean(|block| block.waited),
            mean(|block| block.server)
        );
    }
}
