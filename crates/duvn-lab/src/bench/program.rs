use super::meter::{repetitions, summary};
use super::{BenchError, Measurement, Options};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program whose words nobody reads.
fn silent(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn fault(program: &Path) -> impl Fn(std::io::Error) -> BenchError + Copy {
    move |error| BenchError::Program { program: program.display().to_string(), error }
}

/// Milliseconds by the wall clock from starting a program to its end.
pub fn start(
    name: &str,
    program: &Path,
    argument: &str,
    options: &Options,
) -> Result<Measurement, BenchError> {
    let once = || {
        let start = Instant::now();
        let status = silent(program, &[argument]).status();
        status.map(|_| 1e3 * start.elapsed().as_secs_f64()).map_err(fault(program))
    };
    once()?;
    let times = (0..3 * repetitions(options)).map(|_| once()).collect::<Result<_, _>>()?;
    Ok(summary(name, "ms", times))
}

/// The most resident memory, in megabytes (10^6 bytes), of one run of `duvn` on Chain-100 that fills its replay. It
/// learns on every fiftieth step only, which takes no less memory than learning on all.
pub fn memory(name: &str, program: &Path, options: &Options) -> Result<Measurement, BenchError> {
    let arguments = "train Chain-100 --agent duvn --steps 101000 --jobs 1 --set train_every=50";
    let arguments: Vec<_> = arguments.split(' ').collect();
    let once = |_| {
        let mut child = silent(program, &arguments).spawn().map_err(fault(program))?;
        most_resident(&mut child).map(|bytes| bytes / 1e6).map_err(fault(program))
    };
    let runs = if options.quick { 1 } else { 3 };
    Ok(summary(name, "MB", (0..runs).map(once).collect::<Result<_, _>>()?))
}

/// The most bytes that a process has resident until its end, as the system tells while it runs.
fn most_resident(child: &mut Child) -> std::io::Result<f64> {
    let path = format!("/proc/{}/status", child.id());
    let mut most = 0.0;
    while child.try_wait()?.is_none() {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = peak.and_then(|text| text.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        most = kibibytes.map_or(most, |kibibytes| 1024.0 * kibibytes).max(most);
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(most)
}
