//! The machine that an experiment runs on: in one line, and how much memory it has.

use std::path::{Path, PathBuf};

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

/// The bytes of memory that this program may have, where the system tells: those of the machine, or what a container or
/// a scheduler has set as the limit, whichever is less.
pub fn memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = limit_files(&groups).into_iter();
    let limits = limits.filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    limits.chain([1024 * kilobytes]).min()
}

/// The files with the limits of the control groups that `groups` (a /proc/self/cgroup) names, and of all above them. One that
/// is not there, or that says "max", sets no limit.
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            names if names.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let folder = Path::new(root).join(path.trim_start_matches('/'));
        files.extend(
            folder.ancestors().take_while(|above| above.starts_with(root)).map(|above| above.join(name)),
        );
    }
    files
}

/// The version of this program, with the commit it was built from where that is known.
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    option_env!("DUVN_COMMIT").map_or_else(|| version.into(), |commit| format!("{version} ({commit})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_looked_for_up_to_the_root_in_both_kinds_of_groups() {
        let files = |groups: &str| {
            let files = limit_files(groups).into_iter();
            files.map(|file| file.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            files("0::/slurm/job_7\n"),
            [
                "/sys/fs/cgroup/slurm/job_7/memory.max",
                "/sys/fs/cgroup/slurm/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        assert_eq!(
            files("9:cpu,cpuacct:/a\n4:memory:/a\nnonsense\n"),
            ["/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
        assert!(memory().is_none_or(|bytes| bytes > 0));
    }
}
