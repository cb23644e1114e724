use crate::columns::columns;
use crate::failure::{Failure, print_line};
use duvn::config::{Config, Knob, PRESETS, Preset, preset, preset_for};
use duvn_envs::Space;
use serde_json::{Value, json};

/// List the agents, show every setting of one, or what differs from another.
#[derive(clap::Args)]
pub struct Args {
    /// The agent to show (default: list them all).
    name: Option<String>,
    /// Only what differs from this agent.
    #[arg(long, value_name = "OTHER", requires = "name")]
    diff: Option<String>,
    /// As they are where observations are boxes (some agents have other settings there).
    #[arg(long)]
    boxes: bool,
    /// One JSON object an agent, or a difference.
    #[arg(long)]
    json: bool,
}

/// The column at which what a setting does begins.
const START: usize = 38;

pub fn run(args: &Args) -> Result<(), Failure> {
    match (&args.name, &args.diff) {
        (None, _) => list(args),
        (Some(name), None) => show(find(name)?, args),
        (Some(name), Some(other)) => diff(find(name)?, find(other)?, args),
    }
}

fn find(name: &str) -> Result<&'static Preset, Failure> {
    // The error of the library names what there is.
    preset(name).map_err(Failure::usage)?;
    PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .ok_or_else(|| Failure::usage(format!("there is no agent '{name}'")))
}

/// The settings of a preset, for indices or for boxes.
fn config(preset: &Preset, boxes: bool) -> Result<Config, Failure> {
    let observations = if boxes { Space::symmetric_box(&[1.0]) } else { Space::Discrete(1) };
    preset_for(preset.name, &observations).map_err(Failure::usage)
}

fn list(args: &Args) -> Result<(), Failure> {
    for preset in PRESETS {
        print_line(&if args.json {
            json_line(preset, args.boxes)?
        } else {
            columns(preset.name, 16, preset.about)
        })?;
    }
    if !args.json {
        print_line(
            "\nNot sure? Take `duvn-deep`, and `dqn` to compare with. `duvn agents NAME` shows every setting of \
             one;\n`duvn agents NAME --diff OTHER` shows what differs. `duvn train ENV --agent NAME` trains it.",
        )?;
    }
    Ok(())
}

/// Every setting that has an effect, then the names of the others with what they need.
fn show(preset: &Preset, args: &Args) -> Result<(), Failure> {
    if args.json {
        return print_line(&json_line(preset, args.boxes)?);
    }
    let (config, other) = (config(preset, args.boxes)?, config(preset, !args.boxes)?);
    let (in_use, idle): (Vec<_>, Vec<_>) =
        rows(&config).into_iter().partition(|(knob, _)| (knob.needs.holds)(&config));
    print_line(&columns(&format!("{}:", preset.name), 0, preset.about))?;
    print_line("")?;
    print_line(
        "Settings (change one with --set KEY=VALUE; * differs from egreedy, whose settings are the defaults):",
    )?;
    for (knob, value) in in_use {
        let mark = if value == knob.default { ' ' } else { '*' };
        print_line(&columns(&format!("{mark} {:<18} {value:<16}", knob.name), START, knob.about))?;
    }
    print_line("\nWithout effect here:")?;
    for (knob, _) in idle {
        print_line(&format!("  {:<18} needs {}", knob.name, knob.needs.says))?;
    }
    match (config == other, args.boxes) {
        (true, _) => Ok(()),
        (false, true) => {
            print_line("\nThese are for box observations; without --boxes you see those for indices.")
        }
        (false, false) => {
            print_line("\nThese are for indices; on box observations it has others: add --boxes.")
        }
    }
}

fn diff(preset: &Preset, other: &Preset, args: &Args) -> Result<(), Failure> {
    let as_json = args.json;
    let (config, other_config) = (config(preset, args.boxes)?, config(other, args.boxes)?);
    let pairs = rows(&config).into_iter().zip(rows(&other_config));
    let mut different = 0;
    for ((knob, value), (_, other_value)) in pairs.filter(|((_, a), (_, b))| a != b) {
        different += 1;
        // Where only one of the two looks at a setting, the other's value says nothing.
        let shown = |config: &Config, value: &str| {
            if (knob.needs.holds)(config) { value.to_string() } else { format!("({value})") }
        };
        print_line(&if as_json {
            json!({
                "setting": knob.name, "about": knob.about,
                "value": typed(&value), "in_use": (knob.needs.holds)(&config),
                "other": typed(&other_value), "other_in_use": (knob.needs.holds)(&other_config),
            })
            .to_string()
        } else {
            if different == 1 {
                print_line(&format!("  {:<18} {:<16} {:<16}", "", preset.name, other.name))?;
            }
            let (value, other_value) = (shown(&config, &value), shown(&other_config, &other_value));
            columns(&format!("  {:<18} {value:<16} {other_value:<16}", knob.name), START + 17, knob.about)
        })?;
    }
    match (as_json, different) {
        (true, _) => Ok(()),
        (false, 0) => print_line(&format!("{} and {} have the same settings", preset.name, other.name)),
        (false, _) => print_line("\nIn brackets: has no effect on that agent."),
    }
}

fn rows(config: &Config) -> Vec<(Knob, String)> {
    let values = config.entries().into_iter().map(|(_, value)| value);
    Config::knobs().into_iter().zip(values).collect()
}

fn json_line(preset: &Preset, boxes: bool) -> Result<String, Failure> {
    let config = config(preset, boxes)?;
    let settings = config.entries().into_iter().map(|(key, value)| (key.to_string(), typed(&value)));
    let settings: serde_json::Map<String, Value> = settings.collect();
    Ok(json!({ "name": preset.name, "about": preset.about, "settings": settings }).to_string())
}

/// A value as JSON has it: numbers, lists and truth values as such, names as text.
fn typed(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.into()))
}
