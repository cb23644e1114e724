use crate::failure::{Failure, print_line};
use crate::numbers::seed;
use duvn_envs::{Environment, Observation, Step, registry};
use duvn_lab::actions::Written;
use serde_json::{Value, json};

/// Print one trajectory, for comparing with Gymnasium.
#[derive(clap::Args)]
pub struct Args {
    /// The environment, for example Chain-10 or CartPole-v1.
    env: String,
    /// The seed of the environment and of its reset.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// The actions, separated by commas; the numbers of a continuous action by colons.
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    actions: Vec<String>,
    /// One JSON object a step, floats with all digits.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let mut env = registry::make(&args.env, args.seed).map_err(Failure::usage)?;
    let space = env.action_space();
    let actions: Vec<_> = args
        .actions
        .iter()
        .map(|text| Written::parse(text, &space))
        .collect::<Result<_, _>>()
        .map_err(Failure::usage)?;
    env.reset(Some(args.seed));
    let mut step = Step { reward: 0.0, terminated: false, truncated: false };
    // Nothing is printed before all actions have proved to be good.
    let mut lines = vec![line(args.json, 0, env.observation(), &step)];
    for (t, action) in actions.iter().enumerate() {
        if step.done() {
            return Err(Failure::usage(format!("the episode ended at step {t}: write at most {t} actions")));
        }
        step =
            env.step(action.action()).map_err(|error| Failure::usage(format!("step {}: {error}", t + 1)))?;
        lines.push(line(args.json, t + 1, env.observation(), &step));
    }
    lines.iter().try_for_each(|line| print_line(line))
}

fn line(as_json: bool, t: usize, observation: Observation<'_>, step: &Step) -> String {
    let Step { reward, terminated, truncated } = step;
    let observation: Value = match observation {
        Observation::Index(index) => json!(index),
        Observation::Vector(numbers) => json!(numbers),
    };
    if as_json {
        let fields = json!({
            "t": t, "observation": observation, "reward": reward,
            "terminated": terminated, "truncated": truncated,
        });
        return fields.to_string();
    }
    let end = match (terminated, truncated) {
        (true, _) => "  terminated",
        (_, true) => "  truncated",
        _ => "",
    };
    format!("{t:>4}  {observation}  reward {reward}{end}")
}
