use crate::failure::{Failure, print_line, store_failure};
use crate::sweep::say_uneven;
use duvn_lab::merge::{Merged, merge};
use duvn_lab::store::Store;
use std::path::PathBuf;

/// Put the shards of an experiment together. Merging again adds what has been finished since.
#[derive(clap::Args)]
pub struct Args {
    /// The folder for the whole experiment.
    out: PathBuf,
    /// The folders of the shards.
    #[arg(required = true)]
    shards: Vec<PathBuf>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let merged = merge(&args.out, &args.shards);
    let Merged { added, before, unfinished } = merged
        .map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::failed(error) })?;
    print_line(&format!("{added} runs were added to {}, {before} were there before", args.out.display()))?;
    say_uneven(&Store::open(&args.out).map_err(store_failure)?)?;
    if unfinished > 0 {
        return Err(Failure::left(format!(
            "{unfinished} runs are not finished: finish their shards and merge again"
        )));
    }
    Ok(())
}
