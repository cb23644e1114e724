use crate::failure::{Failure, print_line};
use crate::screen::Screen;
use crate::stop::flag_on_signal;
use duvn_lab::experiment::{Experiment, Planned, Variant};
use duvn_lab::parallel;
use duvn_lab::run::Budget;
use duvn_lab::store::{FILE, Store, StoreError};
use duvn_lab::sweep::{End, Options, sweep};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Run an experiment file. Running it again finishes what is missing.
#[derive(clap::Args)]
pub struct Args {
    /// The experiment, a TOML file (see experiments/).
    file: PathBuf,
    /// Runs at a time (default: one a core).
    #[arg(long)]
    jobs: Option<usize>,
    /// The folder for records and checkpoints (default: results/ and the experiment's name).
    #[arg(long)]
    out: Option<PathBuf>,
    /// List what would run, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// The shortened version that the file describes under [quick].
    #[arg(long)]
    quick: bool,
    /// Try runs again that failed by their own fault.
    #[arg(long)]
    retry: bool,
    /// Seconds between two checkpoints of a run.
    #[arg(long, value_name = "SECONDS", default_value_t = CHECKPOINT_SECONDS)]
    checkpoint_every: f64,
}

/// How much work a crash can cost at most, where the user says nothing.
pub const CHECKPOINT_SECONDS: f64 = 20.0;

pub fn run(args: &Args) -> Result<(), Failure> {
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", args.file.display())))?;
    let variant = Variant { quick: args.quick, seeds: None };
    let mut experiment = Experiment::parse(&text, &variant)
        .map_err(|error| Failure::usage(format!("{}: {error}", args.file.display())))?;
    let out = args.out.clone().unwrap_or_else(|| Path::new("results").join(folder_name(&experiment.name)));
    let quick = if args.quick { " --quick" } else { "" };
    experiment.show.rerun = format!("duvn sweep {}{quick} --out {}", args.file.display(), out.display());
    let jobs = jobs(args.jobs)?;
    if args.dry_run {
        return list(&experiment, &out);
    }
    let stop = flag_on_signal()?;
    let store = Store::open_for(&out, &experiment).map_err(store_failure)?;
    let checkpoint_every = seconds(args.checkpoint_every)?;
    let options = Options { jobs, checkpoint_every, retry: args.retry, stop: &stop };
    let ends = execute(&store, &experiment.runs, &options)?;
    conclude(&ends, &stop, &out)
}

/// Runs what is missing, with progress on the screen.
pub fn execute(store: &Store, runs: &[Planned], options: &Options<'_>) -> Result<Vec<End>, Failure> {
    let screen = Screen::new(runs.len());
    let ends = sweep(store, runs, options, &screen);
    screen.clear();
    ends.map_err(store_failure)
}

/// The last words of a sweep, and whether it counts as a failure.
pub fn conclude(ends: &[End], stop: &AtomicBool, out: &Path) -> Result<(), Failure> {
    let count = |which: fn(&End) -> bool| ends.iter().filter(|end| which(end)).count();
    let done = count(|end| matches!(end, End::Done(_) | End::DoneBefore(_)));
    let before = count(|end| matches!(end, End::DoneBefore(_)));
    let failed = count(|end| matches!(end, End::Failed(_) | End::FailedBefore(_)));
    let elsewhere = count(|end| matches!(end, End::Elsewhere));
    let open = ends.len() - done - failed - elsewhere;
    eprintln!("{done} of {} runs are done ({before} were before), in {}", ends.len(), out.display());
    if elsewhere > 0 {
        eprintln!("{elsewhere} are being done by another program");
    }
    if stop.load(Ordering::Relaxed) && open > 0 {
        return Err(Failure::failed(format!(
            "stopped: {open} runs are left; the same command goes on with them"
        )));
    }
    if failed > 0 {
        return Err(Failure::failed(format!("{failed} runs failed; `duvn report` lists why")));
    }
    Ok(())
}

/// Lists the runs, and how far those are that the folder has already.
fn list(experiment: &Experiment, out: &Path) -> Result<(), Failure> {
    let known = if out.join(FILE).exists() {
        Store::open(out).and_then(|store| store.runs()).map_err(store_failure)?
    } else {
        Vec::new()
    };
    let mut left = 0;
    for Planned { id, spec, .. } in &experiment.runs {
        let budget = match spec.budget {
            Budget::Episodes(episodes) => format!("{episodes} episodes"),
            Budget::Steps(steps) => format!("{steps} steps"),
        };
        let row = known.iter().find(|row| row.id == *id);
        let status = row.map_or_else(String::new, |row| format!("  {:?}", row.status).to_lowercase());
        let budget = if spec.until_solved { format!("{budget}, or until solved") } else { budget };
        left += usize::from(row.is_none_or(|row| row.open()));
        print_line(&format!("{id}  {}  {}  seed {}  {budget}{status}", spec.env, spec.agent, spec.seed))?;
    }
    print_line(&format!("{left} of {} runs to do, into {}", experiment.runs.len(), out.display()))
}

/// A name as the name of a folder.
pub fn folder_name(name: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() || letter == '.' { letter } else { '-' };
    let name: String = name.chars().map(letter).collect();
    name.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// `--jobs`, or one a core.
pub fn jobs(written: Option<usize>) -> Result<usize, Failure> {
    match written {
        Some(0) => Err(Failure::usage("--jobs cannot be 0: write 1 or more")),
        Some(jobs) => Ok(jobs),
        None => Ok(parallel::default_threads()),
    }
}

fn seconds(written: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(written).map_err(|_| {
        Failure::usage(format!(
            "--checkpoint-every cannot be {written}: write a number of seconds, such as 20"
        ))
    })
}

/// The failure that an error of the records is.
pub fn store_failure(error: StoreError) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::failed(error) }
}
