use crate::failure::{Failure, print_line};
use crate::sweep::store_failure;
use duvn_lab::export::{ExportError, csv, tensorboard};
use duvn_lab::store::Store;
use std::path::PathBuf;

/// Write an experiment's records for other programs.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the experiment.
    folder: PathBuf,
    /// Comma-separated values: runs.csv, episodes.csv, evaluations.csv.
    #[arg(long, required_unless_present = "tensorboard")]
    csv: bool,
    /// Event files for TensorBoard, one a run.
    #[arg(long)]
    tensorboard: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
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
