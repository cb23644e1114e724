use super::meter::{repetitions, summary};
use super::{BenchError, Measurement, Options};
use crate::checkpoint::{Checkpoint, Slot};
use crate::evaluate::{Arena, evaluate};
use crate::experiment::{Experiment, Variant};
use crate::record::Probe;
use crate::run::Run;
use crate::store::Store;
use cpu_time::ThreadTime;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Steps of the run: some seconds of work.
const STEPS: u64 = 5000;

/// What the records of a sweep cost, as a share of the CPU time of the training that they are of: episodes,
/// looks at the start, evaluations, the database and a checkpoint. The run is short, so what is done once a
/// run weighs more than it usually does. Each part is timed by itself: the difference between two whole
/// runs would drown in what else the machine does.
pub fn cost(name: &str, options: &Options) -> Result<Measurement, BenchError> {
    let text = format!(
        "name = 'cost'\nseeds = '0'\nsteps = {STEPS}\n[[environments]]\nid = 'Chain-25'\n[[agents]]\npreset = 'duvn'"
    );
    let experiment = Experiment::parse(&text, &Variant::default()).map_err(recording)?;
    let folder = std::env::temp_dir().join(format!("duvn-bench-{}", std::process::id()));
    let mut shares = Vec::new();
    let repetitions = if options.quick { 1 } else { repetitions(options) };
    for _ in 0..repetitions {
        let share = share(&experiment, &folder);
        std::fs::remove_dir_all(&folder).map_err(recording)?;
        shares.push(100.0 * share?);
    }
    Ok(summary(name, "% of training", shares))
}

fn recording(error: impl ToString) -> BenchError {
    BenchError::Recording(error.to_string())
}

fn share(experiment: &Experiment, folder: &Path) -> Result<f64, BenchError> {
    let start = ThreadTime::now();
    let store = Store::open_for(folder, experiment).map_err(recording)?;
    let row = store.runs().map_err(recording)?.pop().ok_or_else(|| recording("there is no run"))?;
    store.begin(row.number, "", "").map_err(recording)?;
    let mut recorded = start.elapsed();

    let mut run = Run::new(row.spec.clone()).map_err(recording)?;
    let mut records = Vec::new();
    let start = ThreadTime::now();
    while !run.finished() {
        records.extend(run.step().map_err(recording)?);
    }
    let trained = start.elapsed();
    let looks = records.iter().filter(|record| record.start.is_some()).count() as u32;

    let probe = Probe::new(&row.spec)?;
    let start = ThreadTime::now();
    probe.look(run.agent_mut()).map_err(recording)?;
    let looking = start.elapsed() * looks;

    let start = ThreadTime::now();
    let mut arena = Arena::new(&row.spec).map_err(recording)?;
    let go = AtomicBool::new(false);
    for _ in 0..row.evaluation.times {
        evaluate(&mut arena, run.agent_mut(), row.evaluation.episodes, &go).map_err(recording)?;
    }
    store.append(row.number, &records, &[], &[], run.steps(), run.seconds()).map_err(recording)?;
    let slot = Slot::new(folder);
    let checkpoint = Checkpoint {
        run: row.id.clone(),
        version: String::new(),
        isa: String::new(),
        snapshot: run.snapshot(),
    };
    slot.save(&checkpoint).map_err(recording)?;
    store.finish(&row, &run.outcome()).map_err(recording)?;
    recorded += start.elapsed() + looking;
    Ok(recorded.as_secs_f64() / trained.saturating_sub(looking).as_secs_f64().max(1e-9))
}
