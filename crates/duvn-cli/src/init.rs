use crate::failure::{Failure, print_line};
use duvn_lab::experiment::TEMPLATE;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// Write a commented experiment file to start from.
#[derive(clap::Args)]
pub struct Args {
    /// The file to write. One that is there already is left alone.
    #[arg(default_value = "experiment.toml")]
    file: PathBuf,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let path = args.file.display();
    let written = std::fs::File::options()
        .write(true)
        .create_new(true)
        .open(&args.file)
        .and_then(|mut file| file.write_all(TEMPLATE.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::usage(format!(
            "{path} is there already: name another file, such as `duvn init mine.toml`"
        )),
        ErrorKind::NotFound => Failure::usage(format!(
            "cannot write {path}: there is no such folder; make it first, or name another"
        )),
        _ => Failure::usage(format!("cannot write {path}: {error}; name another file")),
    })?;
    print_line(&format!("wrote {path}"))?;
    print_line(&format!("run it with: duvn sweep {path}"))
}
