use crate::failure::{Failure, print_line};
use std::path::PathBuf;

/// Write manual pages, one for the program and one for each command.
#[derive(clap::Args)]
pub struct Args {
    /// The folder for them, for example ~/.local/share/man/man1.
    folder: PathBuf,
}

pub fn run(args: &Args, program: clap::Command) -> Result<(), Failure> {
    let folder = &args.folder;
    let unwritable = |error: std::io::Error| {
        Failure::usage(format!("cannot write to {}: {error}; name another folder", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    clap_mangen::generate_to(program, folder).map_err(unwritable)?;
    print_line(&format!(
        "wrote the pages to {}; read one with: man {}/duvn.1",
        folder.display(),
        folder.display()
    ))
}
