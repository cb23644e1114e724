//! Steps a CPU-second of every environment, one thread, random actions, resets and observations included:
//! `cargo run --release -p duvn-envs --example steps_per_second [ID...]`

use duvn_envs::registry::{ENTRIES, Entry, make};
use duvn_envs::{Environment, RandomActions};
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long this thread has been running on a processor; the wall clock where the system does not say.
fn now(start: Instant) -> Duration {
    let on_processor = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_processor.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn steps_per_second(id: &str, steps: u32) -> Result<f64, Box<dyn Error>> {
    let mut env = make(id, 0)?;
    let mut actions = RandomActions::new(env.action_space(), 0);
    env.reset(Some(0));
    let clock = Instant::now();
    let begin = now(clock);
    for _ in 0..steps {
        let step = env.step(actions.draw())?;
        black_box((env.observation(), step.reward));
        if step.done() {
            env.reset(None);
        }
    }
    Ok(f64::from(steps) / (now(clock) - begin).as_secs_f64())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut ids: Vec<String> = std::env::args().skip(1).collect();
    if ids.is_empty() {
        ids = ENTRIES.iter().map(Entry::example).collect();
    }
    for id in ids {
        steps_per_second(&id, 100_000)?;
        println!("{id:28} {:10.3} M steps/s", steps_per_second(&id, 5_000_000)? / 1e6);
    }
    Ok(())
}
