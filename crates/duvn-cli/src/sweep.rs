use crate::failure::{Failure, print_line, read_text, store_failure};
use crate::notes::note;
use crate::numbers::{decimal, jobs, size};
use crate::screen::Screen;
use crate::serve::Beside;
use crate::stop::flag_on_signal;
use duvn_lab::experiment::{Experiment, Planned, Variant};
use duvn_lab::machine;
use duvn_lab::room::jobs_that_fit;
use duvn_lab::shard::Shard;
use duvn_lab::spec::{Budget, run_name};
use duvn_lab::store::{FILE, Growth, Store};
use duvn_lab::sweep::{End, Options, sweep};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run an experiment file. Running it again finishes what is missing.
#[derive(clap::Args)]
pub struct Args {
    /// The experiment, a TOML file (see experiments/).
    file: PathBuf,
    /// Runs at a time (default: one a core).
    #[arg(long, value_parser = size, allow_negative_numbers = true)]
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
    /// Go on with runs that are in the folder with a smaller budget, to this one.
    #[arg(long)]
    extend: bool,
    /// Go on with runs that were begun with another instruction set. They get other bits and are marked.
    #[arg(long)]
    any_isa: bool,
    /// Only the I-th of N shares of the runs, counted from 0, in a folder of its own under the experiment's:
    /// shard-I-of-N. `duvn merge` puts them together.
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Seconds between two checkpoints of a run.
    #[arg(long, value_name = "SECONDS", default_value_t = CHECKPOINT_SECONDS, value_parser = decimal, allow_negative_numbers = true)]
    checkpoint_every: f64,
    #[command(flatten)]
    beside: Beside,
}

/// How much work a crash can cost at most, where the user says nothing.
pub const CHECKPOINT_SECONDS: f64 = 20.0;

pub fn run(args: &Args) -> Result<(), Failure> {
    // From the start: a warning that comes while the plan is made must not end the program.
    let stop = flag_on_signal()?;
    let text = read_text(&args.file)?;
    let variant = Variant { quick: args.quick, seeds: None };
    let mut experiment = Experiment::parse(&text, &variant)
        .map_err(|error| Failure::usage(format!("{}: {error}", args.file.display())))?;
    let mut out = match &args.out {
        Some(out) => out.clone(),
        None => Path::new("results").join(folder_name(&experiment.name)),
    };
    let quick = if args.quick { " --quick" } else { "" };
    experiment.show.rerun = format!("duvn sweep {}{quick} --out {}", args.file.display(), out.display());
    if let Some(text) = &args.shard {
        let shard: Shard = text.parse().map_err(Failure::usage)?;
        shard.take(&mut experiment.runs);
        out = out.join(shard.folder());
    }
    let jobs = jobs(args.jobs)?;
    let checkpoint_every = seconds(args.checkpoint_every)?;
    if args.dry_run {
        return list(&experiment, &out);
    }
    let store = open(&out, &experiment, args.extend)?;
    let (retry, any_isa) = (args.retry, args.any_isa);
    let dashboard = args.beside.start(&out, jobs, stop)?;
    let options = Options { jobs, checkpoint_every, retry, any_isa, stop: dashboard.stop_flag() };
    let ends = execute(&store, &experiment.runs, &options)?;
    let verdict = conclude(&ends, &out);
    dashboard.over();
    verdict
}

/// Opens the records of an experiment; what else is in the folder is said.
pub fn open(out: &Path, experiment: &Experiment, extend: bool) -> Result<Store, Failure> {
    let growth = if extend { Growth::Extend } else { Growth::Refused };
    let store = Store::open_to_grow(out, experiment, growth).map_err(store_failure)?;
    if let Some(mixed) = store.mixed() {
        note(format!("note: {mixed}"));
    }
    say_uneven(&store)?;
    Ok(store)
}

/// Warns where runs that are looked at together have different lengths.
pub fn say_uneven(store: &Store) -> Result<(), Failure> {
    if let Some(uneven) = store.uneven().map_err(store_failure)? {
        eprintln!("duvn: note: {uneven}");
    }
    Ok(())
}

/// Runs what is missing, with progress on the screen.
pub fn execute(store: &Store, runs: &[Planned], options: &Options<'_>) -> Result<Vec<End>, Failure> {
    let jobs = machine::memory().map_or(options.jobs, |most| jobs_that_fit(runs, options.jobs, most));
    if jobs < options.jobs {
        eprintln!(
            "duvn: note: {jobs} runs at a time instead of {}: more do not fit into memory",
            options.jobs
        );
    }
    let screen = Screen::new(runs.len());
    let ends = sweep(store, runs, &Options { jobs, ..*options }, &screen);
    screen.clear();
    ends.map_err(store_failure)
}

/// The last words of a sweep, and whether it counts as a failure.
pub fn conclude(ends: &[End], out: &Path) -> Result<(), Failure> {
    let count = |which: fn(&End) -> bool| ends.iter().filter(|end| which(end)).count();
    let done = count(|end| matches!(end, End::Done(_) | End::DoneBefore(_)));
    let before = count(|end| matches!(end, End::DoneBefore(_)));
    note(format!("{done} of {} runs are done ({before} were before), in {}", ends.len(), out.display()));
    verdict(ends)
}

/// Whether runs are left, were refused, or failed: stopped work comes first, because it is to be gone on with whatever
/// else there is.
pub fn verdict(ends: &[End]) -> Result<(), Failure> {
    let count = |which: fn(&End) -> bool| ends.iter().filter(|end| which(end)).count();
    let left = count(|end| matches!(end, End::Stopped(_) | End::NotBegun | End::Elsewhere));
    let failed = count(|end| matches!(end, End::Failed(_) | End::FailedBefore(_)));
    if left > 0 {
        return Err(Failure::left(format!(
            "stopped: {left} of {} runs are left; the same command goes on with them",
            ends.len()
        )));
    }
    let refused = ends.iter().find_map(|end| match end {
        End::Refused(why) => Some(why),
        _ => None,
    });
    if let Some(why) = refused {
        let refused = count(|end| matches!(end, End::Refused(_)));
        return Err(Failure::usage(format!("{refused} of {} runs are left as they were: {why}", ends.len())));
    }
    if failed > 0 {
        return Err(Failure::failed(format!(
            "{failed} of {} runs failed; `duvn report` lists why",
            ends.len()
        )));
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
        print_line(&format!("{}  {budget}{status}  (run {id})", run_name(spec)))?;
    }
    print_line(&format!("{left} of {} runs to do, into {}", experiment.runs.len(), out.display()))
}

/// A name as the name of a folder. Names that could lead elsewhere are no names of experiments.
pub fn folder_name(name: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() || letter == '.' { letter } else { '-' };
    let name: String = name.chars().map(letter).collect();
    name.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

fn seconds(written: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(written).map_err(|_| {
        Failure::usage(format!(
            "--checkpoint-every cannot be {written}: write a number of seconds, such as 20"
        ))
    })
}
