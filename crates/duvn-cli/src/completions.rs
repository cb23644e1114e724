use crate::failure::{Failure, print_line};
use clap::ValueEnum;
use clap_complete::Shell;

/// Print completions for a shell.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Choice,
}

const HELP: &str = "\
Where to put them:
  bash        duvn completions bash > ~/.local/share/bash-completion/completions/duvn
  zsh         duvn completions zsh > ~/.zfunc/_duvn     (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  fish        duvn completions fish > ~/.config/fish/completions/duvn.fish
  powershell  duvn completions powershell >> $PROFILE
  elvish      duvn completions elvish >> ~/.config/elvish/rc.elv";

/// A shell that completions are made for.
#[derive(Clone, Copy, ValueEnum)]
pub enum Choice {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

pub fn run(args: &Args, mut program: clap::Command) -> Result<(), Failure> {
    let shell = match args.shell {
        Choice::Bash => Shell::Bash,
        Choice::Elvish => Shell::Elvish,
        Choice::Fish => Shell::Fish,
        Choice::Powershell => Shell::PowerShell,
        Choice::Zsh => Shell::Zsh,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "duvn", &mut script);
    print_line(String::from_utf8_lossy(&script).trim_end())
}
