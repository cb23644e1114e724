//! The command-line program `duvn`, as a library: [`main_with`] gives a program of one's own the whole command line,
//! with environments of one's own in it (`examples/own_lab.rs`).

mod agents;
mod allocations;
mod bench;
mod blocks;
mod bsuite;
mod check;
mod columns;
mod completions;
mod env;
mod envs;
mod eval;
mod export;
mod failure;
mod film;
mod init;
mod ire;
mod layout;
mod man;
mod merge;
mod notes;
mod numbers;
mod play;
mod report;
mod reproduce;
mod screen;
mod serve;
mod status;
mod stop;
mod sweep;
mod train;
mod usage;
mod values;

pub use allocations::Counting;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use duvn_envs::registry::Registry;
use failure::Failure;
use std::process::ExitCode;

/// Reinforcement-learning agents that explore by their own uncertainty.
#[derive(Parser)]
#[command(name = "duvn", version, arg_required_else_help = true, subcommand_required = true, after_help = FIRST)]
struct Cli {
    /// Compute with this instruction set instead of the widest that the CPU has: portable, avx2 or avx512 (the
    /// environment variable DUVN_ISA does the same).
    #[arg(long, global = true, value_name = "NAME")]
    isa: Option<String>,
    /// No progress and no remarks: results on stdout, warnings and errors on stderr.
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

/// Where to begin.
const FIRST: &str = "\
To begin with:
  duvn train Chain-10 --agent duvn-deep --episodes 300 --out results/first    (seconds)
  duvn report results/first                  figures and a page, results/first/report.html
  duvn init                                  a file to describe an experiment of your own in
`duvn COMMAND --help` says everything about a command.";

// In the order in which a new user meets them.
#[derive(Subcommand)]
enum Command {
    Agents(agents::Args),
    Envs(envs::Args),
    Train(train::Args),
    Eval(eval::Args),
    Play(play::Args),
    Values(values::Args),
    Ire(ire::Args),
    Init(init::Args),
    Sweep(sweep::Args),
    Status(status::Args),
    Serve(serve::Args),
    Report(report::Args),
    Export(export::Args),
    Check(check::Args),
    Merge(merge::Args),
    Reproduce(reproduce::Args),
    Bsuite(bsuite::Args),
    Env(env::Args),
    Bench(bench::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The whole program: reads the command line, does what it says, and tells how to exit. Every command knows the
/// environments of `registry` beside the built-in ones.
pub fn main_with(registry: Registry) -> ExitCode {
    registry.install();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    if cli.quiet {
        notes::be_quiet();
    }
    let result = choose_isa(cli.isa.as_deref()).and_then(|()| run(&cli.command));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("duvn: {failure}");
            failure.exit_code()
        }
    }
}

/// Ends with help where that is asked for, else with the sentence that says what to write.
fn refused(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that has gone away is none of our business.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(2)
        }
        _ => {
            let program = Cli::command();
            let command = std::env::args().skip(1).find(|word| program.find_subcommand(word).is_some());
            eprintln!("duvn: {}", usage::explain(error, command.as_deref()));
            ExitCode::from(2)
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
        Command::Agents(args) => agents::run(args),
        Command::Init(args) => init::run(args),
        Command::Train(args) => train::run(args),
        Command::Env(args) => env::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Report(args) => report::run(args),
        Command::Export(args) => export::run(args),
        Command::Reproduce(args) => reproduce::run(args),
        Command::Bsuite(args) => bsuite::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Play(args) => play::run(args),
        Command::Ire(args) => ire::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Values(args) => values::run(args),
        Command::Status(args) => status::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Check(args) => check::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Completions(args) => completions::run(args, Cli::command()),
        Command::Man(args) => man::run(args, Cli::command()),
    }
}
