use crate::failure::{Failure, print_line, store_failure};
use duvn_lab::export::{ExportError, csv, tensorboard};
use duvn_lab::store::Store;
use std::path::PathBuf;

/// Write an experiment's records for other programs: CSV, TensorBoard.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the experiment.
    folder: PathBuf,
    /// Comma-separated values: runs.csv, episodes.csv, evaluations.csv; every row has its environment, agent and seed.
    #[arg(long)]
    csv: bool,
    /// Event files for TensorBoard, one a run, with its settings as hyper-parameters.
    #[arg(long)]
    tensorboard: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if !args.csv && !args.tensorboard {
        return Err(Failure::usage("the format is missing: write --csv or --tensorboard, or both"));
    }
    let store = Store::open(&args.folder).map_err(store_failure)?;
    let failure = |error| match error {
        ExportError::Store(error) => store_failure(error),
        error => Failure::failed(error),
    };
    if args.csv {
        print_line(&csv(&store).map_err(failure)?.display().to_string())?;
    }
    if args.tensorboard {
        print_line(&tensorboard(&store).map_err(failure)?.display().to_string())?;
    }
    Ok(())
}
