//! The command-line program `duvn`.

mod env;
mod envs;
mod eval;
mod export;
mod failure;
mod play;
mod report;
mod reproduce;
mod screen;
mod stop;
mod sweep;
mod train;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Reinforcement-learning agents that explore by their own uncertainty.
#[derive(Parser)]
#[command(name = "duvn", version, arg_required_else_help = true, subcommand_required = true)]
struct Cli {
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
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Envs(args) => envs::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Env(args) => env::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Play(args) => play::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("duvn: {failure}");
            failure.exit_code()
        }
    }
}
