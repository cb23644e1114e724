use crate::failure::{Failure, print_line, store_failure};
use duvn_lab::standing::Standing;
use duvn_lab::store::Store;
use std::path::PathBuf;

/// Tell how far an experiment is.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the experiment, or of a shard.
    folder: PathBuf,
    /// One JSON object: planned, done, running, failed, left.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let store = Store::open(&args.folder).map_err(store_failure)?;
    let standing = Standing::of(&store).map_err(store_failure)?;
    if args.json {
        return print_line(&serde_json::to_string(&standing).map_err(Failure::failed)?);
    }
    let Standing { planned, done, running, failed, left } = standing;
    print_line(&format!(
        "{done} of {planned} runs are done, {running} are running, {failed} failed, {left} are left"
    ))
}
