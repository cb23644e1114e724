//! The command-line program `duvn`.

mod allocations;
mod bench;
mod blocks;
mod check;
mod env;
mod envs;
mod eval;
mod export;
mod failure;
mod film;
mod ire;
mod merge;
mod play;
mod report;
mod reproduce;
mod screen;
mod serve;
mod status;
mod stop;
mod sweep;
mod train;
mod values;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Reinforcement-learning agents that explore by their own uncertainty.
#[derive(Parser)]
#[command(name = "duvn", version, arg_required_else_help = true, subcommand_required = true)]
struct Cli {
    /// Compute with this instruction set instead of the widest that the CPU has: portable, avx2 or avx512 (the
    /// environment variable DUVN_ISA does the same).
    #[arg(long, global = true, value_name = "NAME")]
    isa: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Envs(envs::Args),
    Train(train::Args),
    Env(env::Args),
    Sweep(sweep::Args),
    Report(report::Args),
    Export(export::Args),
    Reproduce(reproduce::Args),
    Eval(eval::Args),
    Play(play::Args),
    Ire(ire::Args),
    Bench(bench::Args),
    Values(values::Args),
    Status(status::Args),
    Merge(merge::Args),
    Check(check::Args),
    Serve(serve::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = choose_isa(cli.isa.as_deref()).and_then(|()| run(&cli.command));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("duvn: {failure}");
            failure.exit_code()
        }
    }
}

/// Holds all networks to the instruction set that the option or the environment variable names.
fn choose_isa(name: Option<&str>) -> Result<(), Failure> {
    let named = match name {
        Some(name) => name.parse().map(Some),
        None => duvn::net::isa_from_environment(),
    };
    match named.map_err(Failure::usage)? {
        Some(isa) => duvn::net::force_isa(isa).map_err(Failure::usage),
        None => Ok(()),
    }
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Envs(args) => envs::run(args),
        Command::Train(args) => train::run(args),
        Command::Env(args) => env::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Report(args) => report::run(args),
        Command::Export(args) => export::run(args),
        Command::Reproduce(args) => reproduce::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Play(args) => play::run(args),
        Command::Ire(args) => ire::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Values(args) => values::run(args),
        Command::Status(args) => status::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Check(args) => check::run(args),
        Command::Serve(args) => serve::run(args),
    }
}
