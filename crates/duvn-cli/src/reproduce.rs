use crate::failure::{Failure, print_line};
use crate::notes::note;
use crate::numbers::{count, jobs, size};
use crate::report::{print_report, report_failure};
use crate::stop::flag_on_signal;
use crate::sweep::{CHECKPOINT_SECONDS, conclude, execute, open};
use clap::ValueEnum;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::ire::IreError;
use duvn_lab::report::{Chapter, Plain, Table, Verdict};
use duvn_lab::reproduce::{IRE_TASKS, Target, illustration, ire};
use duvn_lab::sweep::Options;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Make the paper's figures.
#[derive(clap::Args)]
pub struct Args {
    /// Which of them.
    #[arg(value_enum)]
    figure: Figure,
    /// So many seeds, from 0 on, instead of the experiment's own: 5, as in the paper, and 10 for the Gym tasks.
    #[arg(long, value_parser = count, allow_negative_numbers = true)]
    seeds: Option<u64>,
    /// A shortened version that ends within minutes.
    #[arg(long)]
    quick: bool,
    /// The folder, under which each figure has its own.
    #[arg(long, default_value = "results")]
    out: PathBuf,
    /// Runs at a time (default: one a core).
    #[arg(long, value_parser = size, allow_negative_numbers = true)]
    jobs: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Figure {
    /// The Chain whose correct actions are drawn at random.
    Chain,
    /// The Chain whose correct action is always 1.
    ChainOrdered,
    /// The Gym tasks.
    Gym,
    /// Initial return distributions and their entropy (App. B).
    Ire,
    /// Two scenarios, three policies (App. C).
    Illustration,
    /// All of them, and a page that begins with what came of each claim.
    All,
}

/// Traces a task of the shortened initial return distributions.
const QUICK_TRACES: usize = 2_000;
/// Traces a task of the full ones, as in the paper.
const TRACES: usize = 50_000;

pub fn run(args: &Args) -> Result<(), Failure> {
    let seeds = match args.seeds {
        Some(seeds @ (0 | 100_001..)) => {
            return Err(Failure::usage(format!(
                "--seeds cannot be {seeds}: write a number from 1 to 100000"
            )));
        }
        Some(seeds) => Some((0..seeds).collect()),
        None => None,
    };
    let targets = match args.figure {
        Figure::Chain => vec![Target::Chain],
        Figure::ChainOrdered => vec![Target::ChainOrdered],
        Figure::Gym => vec![Target::Gym],
        Figure::Ire => vec![Target::Ire],
        Figure::Illustration => vec![Target::Illustration],
        Figure::All => Target::ALL.to_vec(),
    };
    let work = Work {
        variant: Variant { seeds, quick: args.quick },
        jobs: jobs(args.jobs)?,
        stop: &*flag_on_signal()?,
    };
    if args.quick {
        note("this is a shortened version; without --quick it is the paper's");
    }
    let folder = |name: &str| if args.quick { format!("{name}-quick") } else { name.into() };
    let (mut chapters, mut failed) = (Vec::new(), Ok(()));
    for target in targets {
        let name = target.name();
        let (table, concluded) = work.make(target, &args.out.join(folder(name)))?;
        match concluded {
            // Runs that failed stand in the report; the other figures can be made all the same.
            Err(failure @ Failure::Failed(_)) => failed = Err(failure),
            concluded => concluded?,
        }
        chapters.push(Chapter { name, folder: folder(name), table });
    }
    if matches!(args.figure, Figure::All) {
        let seeds = args.seeds.map_or_else(String::new, |seeds| format!(" --seeds {seeds}"));
        let rerun = format!("duvn reproduce all{seeds}{}", if args.quick { " --quick" } else { "" });
        let note = if args.quick { QUICK.into() } else { String::new() };
        let page =
            Verdict { chapters, note, rerun }.write(&args.out.join(folder("all"))).map_err(report_failure)?;
        print_line(&format!("\nall of it: {}", page.display()))?;
    }
    failed
}

/// What a shortened version says of itself.
const QUICK: &str =
    "Shortened version (--quick): fewer tasks, seeds and steps than the claims were judged by.";

struct Work<'a> {
    variant: Variant,
    jobs: usize,
    stop: &'a AtomicBool,
}

impl Work<'_> {
    /// The table of results, and whether all runs came to their end.
    fn make(&self, target: Target, out: &Path) -> Result<(Table, Result<(), Failure>), Failure> {
        match target {
            Target::Illustration => Ok((print_plain(illustration(), out)?, Ok(()))),
            Target::Ire => {
                let traces = if self.variant.quick { QUICK_TRACES } else { TRACES };
                let mut done = 0;
                let plain = ire(traces, self.jobs, self.stop, |ird| {
                    done += 1;
                    note(format!("[{done}/{}] {}: {traces} traces", IRE_TASKS.len(), ird.env));
                });
                let plain = plain.map_err(|error| match error {
                    IreError::Stopped => Failure::left(error),
                    error => Failure::failed(error),
                });
                Ok((print_plain(plain?, out)?, Ok(())))
            }
            Target::Chain | Target::ChainOrdered | Target::Gym => self.train(target, out),
        }
    }

    fn train(&self, target: Target, out: &Path) -> Result<(Table, Result<(), Failure>), Failure> {
        let text = target.experiment().unwrap_or_default();
        let mut experiment = Experiment::parse(text, &self.variant).map_err(Failure::failed)?;
        let quick = if self.variant.quick { " --quick" } else { "" };
        let seeds =
            self.variant.seeds.as_ref().map_or_else(String::new, |seeds| format!(" --seeds {}", seeds.len()));
        experiment.show.rerun = format!("duvn reproduce {}{seeds}{quick}", target.name());
        let store = open(out, &experiment, false)?;
        let checkpoint_every = Duration::from_secs_f64(CHECKPOINT_SECONDS);
        let options =
            Options { jobs: self.jobs, checkpoint_every, retry: false, any_isa: false, stop: self.stop };
        let ends = execute(&store, &experiment.runs, &options)?;
        let concluded = conclude(&ends, out);
        Ok((print_report(&store)?, concluded))
    }
}

fn print_plain(plain: Plain, out: &Path) -> Result<Table, Failure> {
    let page = plain.write(out).map_err(report_failure)?;
    let columns: Vec<usize> = (0..plain.table.head.len()).collect();
    for line in plain.table.to_text(&columns).lines() {
        print_line(line)?;
    }
    print_line(&format!("\nreport: {}", page.display()))?;
    Ok(plain.table)
}
