use crate::failure::{Failure, print_line};
use duvn_envs::registry::{ENTRIES, Entry};
use serde_json::json;

/// List the environments.
#[derive(clap::Args)]
pub struct Args {
    /// One JSON object an environment.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    for entry in ENTRIES {
        let line = if args.json { json_line(entry) } else { text_line(entry) };
        print_line(&line)?;
    }
    Ok(())
}

fn json_line(entry: &Entry) -> String {
    json!({
        "name": entry.name,
        "about": entry.about,
        "sizes": entry.sizes.map(|(least, most)| [least, most]),
        "time_limit": entry.time_limit,
        "reward_threshold": entry.reward_threshold,
    })
    .to_string()
}

fn text_line(entry: &Entry) -> String {
    let limit = entry.time_limit.map_or_else(String::new, |limit| format!("at most {limit} steps; "));
    let solved =
        entry.reward_threshold.map_or_else(|| "no threshold".into(), |mean| format!("solved at {mean}"));
    format!("{:<26} {} ({limit}{solved})", entry.name, entry.about)
}
