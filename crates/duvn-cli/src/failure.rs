//! How the program ends: 0 done, 2 for what the user can write differently, 1 for what went wrong all the same, 75 when
//! it was stopped cleanly and work is left (EX_TEMPFAIL of sysexits.h: try again).

use duvn_lab::store::StoreError;
use std::fmt;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

/// A failure, as one clear sentence.
pub enum Failure {
    /// Bad usage.
    Usage(String),
    /// The work failed.
    Failed(String),
    /// It was stopped cleanly, and the same command goes on with what is left.
    Left(String),
}

impl Failure {
    /// Bad usage, said by `error`.
    pub fn usage(error: impl fmt::Display) -> Self {
        Failure::Usage(error.to_string())
    }

    /// Failed work, said by `error`.
    pub fn failed(error: impl fmt::Display) -> Self {
        Failure::Failed(error.to_string())
    }

    /// Stopped work, said by `what`.
    pub fn left(what: impl fmt::Display) -> Self {
        Failure::Left(what.to_string())
    }

    /// 1, 2 or 75.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Usage(_) => ExitCode::from(2),
            Failure::Failed(_) => ExitCode::from(1),
            Failure::Left(_) => ExitCode::from(75),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) | Failure::Failed(text) | Failure::Left(text) => f.write_str(text),
        }
    }
}

/// Prints a line of results; a reader that has gone away (`duvn … | head`) ends the program quietly.
pub fn print_line(line: &str) -> Result<(), Failure> {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        result => result.map_err(|error| Failure::failed(format!("cannot write results: {error}"))),
    }
}

/// The text of a file that the user named.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let why = match std::fs::read_to_string(path) {
        Ok(text) => return Ok(text),
        Err(_) if path.is_dir() => "it is a folder; name a file in it".into(),
        Err(error) if error.kind() == ErrorKind::NotFound => "it is not there; name a file that is".into(),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            "it is not text (UTF-8); name a text file, or write one with `duvn init`".into()
        }
        Err(error) => format!("{error}; name a file that can be read"),
    };
    Err(Failure::usage(format!("cannot read {}: {why}", path.display())))
}

/// The failure that an error of the records is.
pub fn store_failure(error: StoreError) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::failed(error) }
}
