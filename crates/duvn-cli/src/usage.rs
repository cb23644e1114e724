//! What a user wrote on the command line and cannot be understood, in one sentence that says what to write instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;

/// Commands that work, for who left something out.
const EXAMPLES: [(&str, &str); 17] = [
    ("train", "duvn train Chain-10 --agent duvn-deep"),
    ("env", "duvn env CartPole-v1 --actions 0,1,1"),
    ("ire", "duvn ire Chain-10"),
    ("sweep", "duvn sweep experiment.toml"),
    ("report", "duvn report results/chain"),
    ("export", "duvn export results/chain --csv"),
    ("reproduce", "duvn reproduce chain --quick"),
    ("bsuite", "duvn bsuite --agent duvn-deep --agent dqn"),
    ("values", "duvn values Chain-25 --agent duvn-deep"),
    ("eval", "duvn eval results/chain"),
    ("play", "duvn play results/chain"),
    ("status", "duvn status results/chain"),
    ("check", "duvn check results/chain"),
    ("merge", "duvn merge results/chain results/chain/shard-0-of-2 results/chain/shard-1-of-2"),
    ("serve", "duvn serve results/chain"),
    ("completions", "duvn completions bash"),
    ("man", "duvn man man"),
];

/// The sentence for what clap refused. `command` is the subcommand that was named, if one was.
pub fn explain(error: &clap::Error, command: Option<&str>) -> String {
    let texts = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let text = |kind: ContextKind| texts(kind).into_iter().next().unwrap_or_default();
    let written = text(ContextKind::InvalidArg);
    let option = name(&written);
    let help = match command {
        Some(command) => format!("`duvn {command} --help`"),
        None => "`duvn --help`".into(),
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let wrong = text(ContextKind::InvalidSubcommand);
            let nearest = texts(ContextKind::SuggestedSubcommand);
            format!("there is no command '{wrong}': {}`duvn --help` lists them", did_you_mean(&nearest))
        }
        ErrorKind::UnknownArgument if written.starts_with('-') => {
            let nearest = texts(ContextKind::SuggestedArg);
            format!("there is no option '{option}' here: {}{help} lists them", did_you_mean(&nearest))
        }
        ErrorKind::UnknownArgument => {
            format!("'{written}' is one word too many: {help} says what may be written")
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<_> = texts(ContextKind::InvalidArg).iter().map(|arg| plain(arg)).collect();
            match &missing[..] {
                // An option that is needed by another one alone.
                [option] if option.starts_with("--") && !option.starts_with("--agent") => {
                    let option = option.as_str();
                    format!(
                        "something here goes only with {option}: write {option} too, or leave it out ({help})"
                    )
                }
                _ => {
                    let verb = if missing.len() > 1 { "are" } else { "is" };
                    format!("{} {verb} missing: {}", missing.join(" and "), instead(command, &help))
                }
            }
        }
        ErrorKind::ArgumentConflict => {
            let other = texts(ContextKind::PriorArg);
            let other = other.first().map(|arg| name(arg).to_string()).filter(|other| other != option);
            match other {
                Some(other) => {
                    format!("{option} and {other} cannot both be given: leave one of them out ({help})")
                }
                None => format!("{option} is given twice: leave one of them out ({help})"),
            }
        }
        ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_empty() => {
            let valid = texts(ContextKind::ValidValue);
            let choice =
                if valid.is_empty() { String::new() } else { format!(": write one of {}", valid.join(", ")) };
            format!("{option} stands without its value{choice} ({help} says what to write)")
        }
        ErrorKind::InvalidValue => {
            let (wrong, valid) = (text(ContextKind::InvalidValue), texts(ContextKind::ValidValue));
            format!("{option} cannot be '{wrong}': write one of {} ({help})", valid.join(", "))
        }
        ErrorKind::ValueValidation => {
            let wrong = text(ContextKind::InvalidValue);
            // Our own parsers say what to write; those of libraries speak to programmers.
            let said = error.source().map(ToString::to_string).filter(|said| said.starts_with("write "));
            let hint = said.unwrap_or_else(|| "write what the help says".into());
            let commas =
                wrong.contains(',') && wrong.replace(',', "").bytes().all(|byte| byte.is_ascii_digit());
            let hint = if commas { format!("{hint}, without commas") } else { hint };
            format!("{option} cannot be '{wrong}': {hint} ({help})")
        }
        ErrorKind::TooManyValues | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("{option} has too many or too few values: {help} says what it takes")
        }
        ErrorKind::MissingSubcommand => {
            format!("the command is missing: write for example `duvn agents`; {help} lists them")
        }
        ErrorKind::InvalidUtf8 => {
            format!("an argument is not readable text (UTF-8): {help} says what to write")
        }
        _ => format!("that cannot be understood: {help} says what may be written"),
    }
}

fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("did you mean '{}'? ", nearest.join("' or '")) }
}

/// What to write where something is missing.
fn instead(command: Option<&str>, help: &str) -> String {
    match EXAMPLES.iter().find(|(name, _)| Some(*name) == command) {
        Some((_, example)) => format!("write for example `{example}` ({help})"),
        None => format!("{help} says what to write"),
    }
}

/// `--agent` of "--agent <AGENT>", ENV of "<ENV>".
fn name(argument: &str) -> &str {
    argument.split(' ').next().unwrap_or(argument).trim_matches(['<', '>', '[', ']', '.'])
}

/// An argument without the brackets of usage lines.
fn plain(argument: &str) -> String {
    argument.replace(['<', '>'], "").replace("...", "")
}
