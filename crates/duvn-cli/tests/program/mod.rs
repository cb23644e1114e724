//! The program, run as a user runs it.
#![allow(dead_code)]

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What came of a call.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duvn"));
    command.args(arguments).env_remove("DUVN_ISA");
    command
}

/// Calls `duvn`.
pub fn duvn(arguments: &[&str]) -> Ran {
    ran(command(arguments).output().expect("the program starts"))
}

fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

impl Ran {
    /// The objects on stdout, one a line, of a call that ended well.
    pub fn objects(&self) -> Vec<Value> {
        assert_eq!(self.code, 0, "{self:?}");
        self.lines()
    }

    /// The objects on stdout, one a line.
    pub fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
    }
}

/// The keys of an object, in alphabetical order.
pub fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = object.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// An empty folder of this name, for one test alone.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("room for files of tests");
    path
}

/// Whether a process has a handler for SIGINT, signal 2.
#[cfg(target_os = "linux")]
fn handles_sigint(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}

/// Calls `duvn` and sends it a SIGINT as soon as it listens: before, it would end without a word.
#[cfg(target_os = "linux")]
pub fn interrupted(arguments: &[&str]) -> Ran {
    let mut child =
        command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    while !handles_sigint(child.id()) {
        assert!(child.try_wait().expect("a process of ours").is_none(), "it ended before the signal");
        std::thread::yield_now();
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("the command kill").success());
    ran(child.wait_with_output().expect("its output"))
}
