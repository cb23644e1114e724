//! The machine that an experiment runs on, in one line.

/// Processor, cores, system, and the instruction set that the network uses.
pub fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, kind) = (std::env::consts::OS, std::env::consts::ARCH);
    let isa = duvn::net::isa();
    format!("{}, {cores} threads, {system} {kind}, kernels for {isa:?}", processor())
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_string());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown processor".into())
}

/// The bytes of memory that this machine has, where the system tells.
pub fn memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}

/// The version of this program, with the commit it was built from where that is known.
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    option_env!("DUVN_COMMIT").map_or_else(|| version.into(), |commit| format!("{version} ({commit})"))
}
