//! What threads have had of the processors, by the system's account.

use std::collections::BTreeMap;
use std::time::Instant;

/// How far a thread of the sweep was at some time.
#[derive(Clone, Copy)]
pub struct Sample {
    at: Instant,
    thread: u64,
    cpu: f64,
    waited: f64,
    steps: u64,
}

impl Sample {
    /// The calling thread, now.
    pub fn now(steps: u64) -> Self {
        let (cpu, waited) = schedule("/proc/thread-self/schedstat").unwrap_or((f64::NAN, f64::NAN));
        Sample { at: Instant::now(), thread: own_number(), cpu, waited, steps }
    }
}

/// Seconds on a processor and seconds of waiting for one.
fn schedule(path: &str) -> Option<(f64, f64)> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut numbers = text.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    Some((numbers.next()? / 1e9, numbers.next()? / 1e9))
}

fn own_number() -> u64 {
    let link = std::fs::read_link("/proc/thread-self").ok();
    link.and_then(|path| path.file_name()?.to_str()?.parse().ok()).unwrap_or(0)
}

/// The threads of samples.
pub fn threads<'a>(samples: impl Iterator<Item = &'a Sample>) -> Vec<u64> {
    samples.map(|sample| sample.thread).collect()
}

/// What was done between two times.
pub struct Done {
    pub wall: f64,
    pub cpu: f64,
    pub waited: f64,
    pub steps: f64,
}

/// What a thread did between its first and its last sample within two times.
pub fn between(samples: &[Sample], from: Instant, to: Instant) -> Option<Done> {
    let within = || samples.iter().filter(|sample| sample.at >= from && sample.at <= to);
    let (first, last) = (within().next()?, within().next_back()?);
    let wall = (last.at - first.at).as_secs_f64();
    (wall > 0.0).then(|| Done {
        wall,
        cpu: last.cpu - first.cpu,
        waited: last.waited - first.waited,
        steps: (last.steps - first.steps) as f64,
    })
}

/// Seconds on a processor by thread.
pub struct Account(BTreeMap<u64, f64>);

impl Account {
    /// The threads of a program, or of this one without those of the sweep and the one that measures.
    pub fn of(program: Option<u32>, workers: &[u64]) -> Self {
        let folder = program.map_or("/proc/self/task".into(), |id| format!("/proc/{id}/task"));
        let names = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
        let own = own_number();
        let others =
            numbers.filter(|number| program.is_some() || !(workers.contains(number) || *number == own));
        Account(
            others
                .filter_map(|number| Some((number, schedule(&format!("{folder}/{number}/schedstat"))?.0)))
                .collect(),
        )
    }

    /// Seconds from this account to a later one.
    pub fn until(&self, later: &Account) -> f64 {
        later.0.iter().map(|(thread, cpu)| cpu - self.0.get(thread).copied().unwrap_or(0.0)).sum()
    }
}
