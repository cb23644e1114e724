//! Numbers on the command line, refused in words.

use crate::failure::Failure;
use duvn::config::{COUNT, parse_count};
use duvn_lab::parallel;

/// A count: 500, 10k, 1e6.
pub fn count(text: &str) -> Result<u64, String> {
    parse_count(text).ok_or_else(|| format!("write {COUNT}"))
}

/// A count that a `usize` holds.
pub fn size(text: &str) -> Result<usize, String> {
    count(text)?.try_into().map_err(|_| format!("write {COUNT}"))
}

/// A count that a `u32` holds.
pub fn small(text: &str) -> Result<u32, String> {
    count(text)?.try_into().map_err(|_| "write a whole number below 4 billion, such as 500".into())
}

/// A seed.
pub fn seed(text: &str) -> Result<u64, String> {
    parse_count(text).ok_or_else(|| "write a whole number, 0 or more, such as 3".into())
}

/// A port of a network address.
pub fn port(text: &str) -> Result<u16, String> {
    text.trim().parse().map_err(|_| "write a port from 1 to 65535, or 0 for any that is free".into())
}

/// A number with decimals.
pub fn decimal(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "write a number such as 2.5".into())
}

/// `--jobs`, or one a core.
pub fn jobs(written: Option<usize>) -> Result<usize, Failure> {
    match written {
        Some(0) => Err(Failure::usage("--jobs cannot be 0: write 1 or more")),
        Some(jobs) => Ok(jobs),
        None => Ok(parallel::default_threads()),
    }
}
