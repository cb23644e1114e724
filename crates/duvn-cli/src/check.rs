use crate::failure::{Failure, print_line, store_failure};
use duvn_lab::check::{Findings, check};
use duvn_lab::store::{Store, StoreError};
use std::path::PathBuf;

/// Verify every record and every checkpoint of an experiment, and say what to do about damage.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the experiment, or of a shard.
    folder: PathBuf,
    /// Take damaged runs out of the records, with their checkpoints: the same sweep then does them again from the start.
    #[arg(long)]
    repair: bool,
}

/// Elsewhere a damaged database is answered with "use this command": here nothing is left to try.
fn beyond_repair(args: &Args, error: StoreError) -> Failure {
    match error {
        StoreError::Damaged { what, .. } => {
            let folder = args.folder.display();
            Failure::failed(format!(
                "the database of {folder} is damaged beyond single runs ({what}): put back a copy of {folder}, or delete \
                 it and run the experiment again"
            ))
        }
        error => store_failure(error),
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let store = Store::open(&args.folder).map_err(|error| beyond_repair(args, error))?;
    let found = check(&store, args.repair).map_err(|error| beyond_repair(args, error))?;
    let Findings { runs, faults, started_over } = found;
    for run in &started_over {
        print_line(&format!("run {run} was damaged and is taken out: the same sweep does it again"))?;
    }
    for fault in &faults {
        print_line(fault)?;
    }
    if faults.is_empty() {
        return print_line(&format!("{} of {runs} runs are as they were written", runs - started_over.len()));
    }
    Err(Failure::failed(format!("{} of {runs} runs or files are damaged", faults.len())))
}
