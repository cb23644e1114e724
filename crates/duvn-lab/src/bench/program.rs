use super::meter::{repetitions, summary};
use super::{BenchError, Measurement, Options};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Milliseconds by the wall clock from starting a program to its end.
pub fn start(
    name: &str,
    program: &Path,
    argument: &str,
    options: &Options,
) -> Result<Measurement, BenchError> {
    let once = || {
        let start = Instant::now();
        Command::new(program)
            .arg(argument)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map(|_| 1e3 * start.elapsed().as_secs_f64())
            .map_err(|error| BenchError::Program { program: program.display().to_string(), error })
    };
    once()?;
    let times = (0..3 * repetitions(options)).map(|_| once()).collect::<Result<_, _>>()?;
    Ok(summary(name, "ms", times))
}
