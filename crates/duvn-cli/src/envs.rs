use crate::columns::columns;
use crate::failure::{Failure, print_line};
use duvn_envs::registry::{self, Entry, Parameter, Registered};
use duvn_envs::{Environment, Space};
use serde_json::{Value, json};

/// List the environments: spaces, limits, thresholds and parameters.
#[derive(clap::Args)]
pub struct Args {
    /// One JSON object an environment.
    #[arg(long)]
    json: bool,
}

/// The column at which what is said of an environment begins.
const START: usize = 27;

pub fn run(args: &Args) -> Result<(), Failure> {
    if !args.json {
        print_line(
            "In brackets: what is observed -> what can be done. Discrete(n) is one of n, Box(n) is n numbers.\n",
        )?;
    }
    for entry in registry::entries() {
        let example = registry::make(&entry.example(), 0).map_err(Failure::usage)?;
        let line = if args.json { json_line(entry, &example) } else { text_lines(entry, &example) };
        print_line(&line)?;
    }
    if !args.json {
        print_line("every environment:")?;
        for parameter in &registry::COMMON {
            print_line(&parameter_line(parameter))?;
        }
        print_line(
            "\nN is a size: Chain-10. Parameters follow the name: \"FrozenLake-v1?map=8x8&slippery=false\".",
        )?;
    }
    Ok(())
}

/// Spaces and the time limit are those of the example where the entry is a family.
fn json_line(entry: &Entry, example: &Registered) -> String {
    json!({
        "name": entry.name,
        "about": entry.about,
        "sizes": entry.sizes.map(|(least, most)| [least, most]),
        "time_limit": example.time_limit,
        "reward_threshold": entry.reward_threshold,
        "example": example.id,
        "observation_space": space(&example.observation_space()),
        "action_space": space(&example.action_space()),
        "parameters": entry.all_parameters().map(parameter).collect::<Vec<_>>(),
    })
    .to_string()
}

/// A bound that is infinite is `null`.
fn space(space: &Space) -> Value {
    match space {
        Space::Discrete(n) => json!({ "type": "discrete", "n": n }),
        Space::Box { low, high } => json!({ "type": "box", "low": low, "high": high }),
    }
}

fn parameter(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name,
        "alias": parameter.alias,
        "about": parameter.about,
        "values": parameter.kind.to_string(),
        "default": parameter.default(),
    })
}

fn text_lines(entry: &Entry, example: &Registered) -> String {
    let limit = example.time_limit.map_or_else(String::new, |limit| format!("; at most {limit} steps"));
    let threshold = entry.reward_threshold.or(example.reward_threshold);
    let solved =
        threshold.map_or_else(|| "; no threshold".into(), |mean| format!("; solved at {}", rounded(mean)));
    let spaces = format!("{} -> {}", example.observation_space(), example.action_space());
    let size = if entry.sizes.is_some() { format!("{}: ", example.id) } else { String::new() };
    let head = columns(entry.name, START, &format!("{} ({size}{spaces}{limit}{solved})", entry.about));
    let parameters = entry.parameters.iter().map(parameter_line);
    std::iter::once(head).chain(parameters).collect::<Vec<_>>().join("\n")
}

/// With three decimals at most.
fn rounded(number: f64) -> f64 {
    (1000.0 * number).round() / 1000.0
}

fn parameter_line(parameter: &Parameter) -> String {
    let alias = parameter.alias.map_or_else(String::new, |alias| format!(" ({alias})"));
    let default = parameter.default().map_or_else(String::new, |default| format!(", else {default}"));
    let name = format!("    ?{}{alias}=", parameter.name);
    columns(&name, 8, &format!("{}{default}: {}", parameter.kind, parameter.about))
}
