use crate::failure::{Failure, print_line};
use crate::stop::flag_on_signal;
use duvn_lab::disk::write_whole;
use duvn_lab::ire::{self, Estimator, Ird, IreError, Options, Summary};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Measure how hard exploration is at the start: the returns of the uniform random policy and their entropy.
///
/// The initial return entropy (IRE) is the Shannon entropy, in nats, of the undiscounted returns of the uniform
/// random policy: of their values where there are at most 512, else of 512 bins of equal width between the least
/// and the greatest.
#[derive(clap::Args)]
pub struct Args {
    /// The environment, for example Chain-10 (`duvn envs` lists them).
    env: String,
    /// The number of traces.
    #[arg(long, default_value_t = 50_000)]
    traces: usize,
    /// The steps after which a trace is cut off.
    #[arg(long, default_value_t = 500)]
    max_steps: u32,
    /// The seed of the environment, its episodes and the actions.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads, which do not change the result (default: one a core).
    #[arg(long)]
    jobs: Option<usize>,
    /// One JSON object: env, traces, mean, sd, entropy_nats, then how they were found.
    #[arg(long)]
    json: bool,
    /// A folder for the figure, as SVG and PNG: histogram, kernel density, mean.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// More threads than any machine has use for: a slip of the finger.
const MOST_JOBS: usize = 1024;

/// More traces than memory and patience allow.
const MOST_TRACES: usize = 100_000_000;

pub fn run(args: &Args) -> Result<(), Failure> {
    let threads = match args.jobs {
        None => 0,
        Some(jobs @ 1..=MOST_JOBS) => jobs,
        Some(jobs) => return Err(Failure::usage(format!("--jobs cannot be {jobs}: write 1 to {MOST_JOBS}"))),
    };
    if args.traces > MOST_TRACES {
        return Err(Failure::usage(format!("--traces cannot be {}: write 1 to {MOST_TRACES}", args.traces)));
    }
    let options =
        Options { traces: args.traces, first: 0, max_steps: args.max_steps, seed: args.seed, threads };
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    }
    let ird = sample(&args.env, &options)?;
    let summary =
        ird.summary().ok_or_else(|| Failure::failed("the traces gave no return that is a number"))?;
    print_line(&if args.json {
        json_line(&args.env, &options, &summary)
    } else {
        text(&args.env, &summary)
    })?;
    match &args.out {
        Some(folder) => draw(folder, &ird),
        None => Ok(()),
    }
}

/// Samples the distribution, with a bar on a terminal.
fn sample(env: &str, options: &Options) -> Result<Ird, Failure> {
    let stop = flag_on_signal()?;
    let (done, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let result = std::thread::scope(|scope| {
        if std::io::stderr().is_terminal() {
            scope.spawn(|| show_progress(options.traces, &done, &over));
        }
        let result = ire::run(env, options, &stop, &done);
        over.store(true, Ordering::Relaxed);
        result
    });
    result.map_err(|error| match error {
        IreError::Stopped => {
            let done = done.load(Ordering::Relaxed);
            let traces = options.traces;
            Failure::left(format!("stopped after {done} of {traces} traces: a part of them is no result"))
        }
        IreError::Make(_) | IreError::Empty | IreError::Unbounded(_) => Failure::usage(error),
        error => Failure::failed(error),
    })
}

fn show_progress(traces: usize, done: &AtomicUsize, over: &AtomicBool) {
    let bar = ProgressBar::new(traces as u64);
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  eta {eta:<4} {pos} of {len} traces");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    while !over.load(Ordering::Relaxed) {
        bar.set_position(done.load(Ordering::Relaxed) as u64);
        std::thread::sleep(Duration::from_millis(20));
    }
    bar.finish_and_clear();
}

fn json_line(env: &str, options: &Options, summary: &Summary) -> String {
    let (estimator, count) = match summary.entropy.estimator {
        Estimator::Values(count) => ("values", count),
        Estimator::Bins(count) => ("bins", count),
    };
    json!({
        "env": env,
        "traces": summary.traces,
        "mean": summary.mean,
        "sd": summary.sd,
        "entropy_nats": summary.entropy.nats,
        "estimator": estimator,
        "estimator_count": count,
        "differential_entropy_nats": summary.entropy.differential,
        "max_steps": options.max_steps,
        "seed": options.seed,
    })
    .to_string()
}

fn text(env: &str, summary: &Summary) -> String {
    let over = match summary.entropy.estimator {
        Estimator::Values(1) => "1 value".to_string(),
        Estimator::Values(count) => format!("{count} values"),
        Estimator::Bins(count) => format!("{count} bins"),
    };
    format!(
        "{env}: returns of the uniform random policy over {} traces\n  mean     {:>12.4}\n  sd       {:>12.4}\n  \
         entropy  {:>12.4} nats (of {over})",
        summary.traces, summary.mean, summary.sd, summary.entropy.nats,
    )
}

/// Writes the figure twice, named for the environment.
fn draw(folder: &Path, ird: &Ird) -> Result<(), Failure> {
    let figure = ire::figure(std::slice::from_ref(ird));
    let png = figure.to_png(2.0).map_err(Failure::failed)?;
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = ird.env.chars().map(plain).collect();
    for (ending, bytes) in [("svg", figure.to_svg().into_bytes()), ("png", png)] {
        let path = folder.join(format!("ire-{name}.{ending}"));
        write_whole(&path, &bytes).map_err(|error| cannot_write(&path, &error))?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let path = path.display();
    Failure::usage(format!("cannot write to {path}: {error}; name a folder that can be written with --out"))
}
