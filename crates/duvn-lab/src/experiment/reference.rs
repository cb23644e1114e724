//! The reference of experiment files, written from the keys and the settings themselves.

use super::schema::{AGENT, ENVIRONMENT, FIGURE, FILE, Key, QUICK, WATCH};
use duvn::config::Config;

/// Every key of an experiment file and every setting of an agent, as Markdown.
pub fn reference() -> String {
    let mut text = String::from(HEAD);
    for (heading, about, keys) in [
        ("The file", "These stand at the top of the file, before the first `[…]`.", FILE),
        ("`[[environments]]`", "One for each environment.", ENVIRONMENT),
        ("`[[agents]]`", "One for each agent.", AGENT),
        ("`[figure]`", "At most one.", FIGURE),
        ("`[quick]`", "At most one.", QUICK),
        ("`[[watch]]`", "One for each run to watch.", WATCH),
    ] {
        text += &format!(
            "\n## {heading}\n{about}\n\n| key | kind | without it | what it says | example |\n| --- | --- | --- | --- | --- |\n"
        );
        text.extend(keys.iter().map(row));
    }
    text += SETTINGS;
    text += "\n| setting | default | values | needs | what it does |\n| --- | --- | --- | --- | --- |\n";
    for knob in Config::knobs() {
        let values = if knob.limit.is_empty() { &knob.expects } else { &knob.limit };
        let cells = [&code(knob.name), &code(&knob.default), values, knob.needs.says, knob.about];
        text += &format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    text
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn row(key: &Key) -> String {
    let default = key.default.unwrap_or("must be written");
    format!("| `{}` | {} | {default} | {} | `{}` |\n", key.name, key.kind.says(), key.about, key.example)
}

const HEAD: &str = "\
<!-- Written by `cargo test -p duvn-lab --test reference`, from crates/duvn-lab/src/experiment/schema.rs: change that. -->
# Experiment files: every key

An experiment file says what is run: environments, agents, seeds and budgets. It is [TOML](https://toml.io): `key =
value` lines, text in double quotes, `#` before a remark. `duvn init` writes one to start from.

- A **count** is a whole number. `500`, `1e6` and `\"10k\"` are understood.
- **Seeds** are `\"0..5\"` (0 to 4), `\"0..5,10\"`, or a list `[0, 1, 2]`.
- **Settings** are `{ gamma = 0.99, batch = 64 }`, or lines below a heading such as `[settings]`. A value may be a grid:
  `epsilon = { grid = [0.05, 0.1] }` runs the agent once for each value.
";

const SETTINGS: &str = "
## Settings of agents
Settings come from four places. Each is written over the ones before it: the preset, the file's `settings`, the
environment's `settings`, the agent's `settings`. `duvn agents NAME` shows what a preset sets.

\"Needs\" says what else must be set for a setting to have an effect. One without effect is refused, unless several
agents share it. `duvn train --set KEY=VALUE` takes the same names and values.
";
