//! What records, evaluations and checkpoints cost, as a share of training's CPU time.
//!
//! `cargo run --release -p duvn-lab --example recording_cost`

use cpu_time::ProcessTime;
use duvn::{Agent, Training, preset};
use duvn_envs::{Environment, registry};
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::run::{Run, RunSpec};
use duvn_lab::store::{RunRow, Store};
use duvn_lab::sweep::{End, Options, Watch, sweep};
use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const ROUNDS: usize = 5;
const STEPS: u64 = 5_000;

struct Quiet;

impl Watch for Quiet {
    fn begun(&self, _: &RunRow, _: &Run) {}
    fn moved(&self, _: &RunRow, _: &Run) {}
    fn ended(&self, _: &RunRow, _: &End) {}
    fn warned(&self, _: &RunRow, _: &str) {}
}

fn bare(spec: &RunSpec) -> Result<Duration, Box<dyn Error>> {
    let start = ProcessTime::now();
    let env = registry::make(&spec.env, spec.seed)?;
    let agent = Agent::new(&spec.config, &env.observation_space(), &env.action_space(), spec.seed)?;
    let mut training = Training::new(env, agent, spec.seed);
    for _ in 0..STEPS {
        training.step()?;
    }
    Ok(start.elapsed())
}

fn recorded(experiment: &Experiment) -> Result<Duration, Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("duvn-recording-cost-{}", std::process::id()));
    let start = ProcessTime::now();
    let store = Store::open_for(&folder, experiment)?;
    let stop = AtomicBool::new(false);
    let checkpoint_every = Duration::from_secs(20);
    let options = Options { jobs: 1, checkpoint_every, retry: false, stop: &stop };
    sweep(&store, &experiment.runs, &options, &Quiet)?;
    let spent = start.elapsed();
    drop(store);
    std::fs::remove_dir_all(&folder)?;
    Ok(spent)
}

fn main() -> Result<(), Box<dyn Error>> {
    for (env, agent) in [("Chain-25", "egreedy"), ("Chain-25", "duvn"), ("CartPole-v1", "duvn")] {
        let text = format!(
            "name = 'cost'\nseeds = '0'\nsteps = {STEPS}\n[[environments]]\nid = '{env}'\n[[agents]]\npreset = '{agent}'"
        );
        let experiment = Experiment::parse(&text, &Variant::default())?;
        assert_eq!(experiment.runs[0].spec.config, preset(agent)?);
        // The least of several rounds, taken in turns: what else the machine does only adds to it.
        let (mut without, mut with) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            without = without.min(bare(&experiment.runs[0].spec)?);
            with = with.min(recorded(&experiment)?);
        }
        let share = with.as_secs_f64() / without.as_secs_f64() - 1.0;
        println!(
            "{env} {agent}: {:.3} s bare, {:.3} s recorded: {:+.2} %",
            without.as_secs_f64(),
            with.as_secs_f64(),
            100.0 * share
        );
    }
    Ok(())
}
