//! The command-line program `duvn`.

use duvn_envs::registry::Registry;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: duvn_cli::Counting = duvn_cli::Counting;

fn main() -> ExitCode {
    duvn_cli::main_with(Registry::new())
}
