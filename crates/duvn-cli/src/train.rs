use crate::columns::columns;
use crate::failure::{Failure, print_line, read_text};
use crate::notes::note;
use crate::numbers::{count as count_of, jobs, size};
use crate::screen::{Screen, count, number};
use crate::serve::Beside;
use crate::stop::flag_on_signal;
use crate::sweep::{CHECKPOINT_SECONDS, execute, open, verdict};
use duvn::config::{Config, PRESETS};
use duvn_envs::{Environment, registry};
use duvn_lab::beliefs::states;
use duvn_lab::experiment::{Evaluation, Experiment, Planned, Show, run_id};
use duvn_lab::parallel;
use duvn_lab::run::{Outcome, Run, RunError};
use duvn_lab::spec::{Budget, RunSpec};
use duvn_lab::sweep::{End, Options, Watch};
use duvn_lab::{seeds, settings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Train an agent in an environment, over one or more seeds.
#[derive(clap::Args)]
#[command(after_long_help = help())]
pub struct Args {
    /// The environment, for example Chain-10 (`duvn envs` lists them).
    env: String,
    /// The agent, for example duvn-deep (`duvn agents` lists them).
    #[arg(long)]
    agent: String,
    /// The seeds: 0..5 is 0 to 4; 3; 0..5,10.
    #[arg(long, default_value = "0", allow_hyphen_values = true)]
    seeds: String,
    /// Episodes of each run: 500, 10k, 1e6 (default: 1000).
    #[arg(long, conflicts_with = "steps", value_parser = count_of, allow_negative_numbers = true)]
    episodes: Option<u64>,
    /// Environment steps of each run, instead of episodes.
    #[arg(long, value_parser = count_of, allow_negative_numbers = true)]
    steps: Option<u64>,
    /// End each run with the episode that solves the task, if that comes before.
    #[arg(long)]
    until_solved: bool,
    /// Change one setting, for example gamma=0.99 (all are listed below).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    assignments: Vec<String>,
    /// A TOML file with settings, one 'key = value' a line; --set comes after it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Runs at a time (default: one a core).
    #[arg(long, value_parser = size, allow_negative_numbers = true)]
    jobs: Option<usize>,
    /// A folder for records and checkpoints, as `duvn sweep` makes it: the same command goes on where it was stopped.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Go on with runs that are in the folder with a smaller budget, to this one.
    #[arg(long, requires = "out")]
    extend: bool,
    /// Go on with runs that were begun with another instruction set. They get other bits and are marked.
    #[arg(long, requires = "out")]
    any_isa: bool,
    /// Record what the agent believes of every state after these episodes, such as 0,20,100 (index observations only).
    #[arg(long, value_delimiter = ',', value_name = "EPISODES")]
    watch: Vec<u64>,
    /// One JSON object a run.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    beside: Beside,
}

/// Presets and knobs, for `duvn train --help`.
fn help() -> String {
    let mut text = String::from("Agents:\n");
    for preset in PRESETS {
        text += &(columns(&format!("  {}", preset.name), 18, preset.about) + "\n");
    }
    text += "\nSettings (--set KEY=VALUE; defaults are those of egreedy, other agents change some):\n";
    for knob in Config::knobs() {
        let about = format!("{} [{}] (default {})", knob.about, knob.expects, knob.default);
        text += &(columns(&format!("  {}", knob.name), 21, &about) + "\n");
    }
    text += "\nCtrl-C, SIGTERM, SIGUSR1 and SIGUSR2 end the runs cleanly: what was learnt so far is reported, with \
             \"interrupted\": true in JSON and exit code 75. A second Ctrl-C ends the program at once, with exit \
             code 130.\n";
    text
}

const DEFAULT_EPISODES: u64 = 1000;

pub fn run(args: &Args) -> Result<(), Failure> {
    let specs = specs(args)?;
    let jobs = jobs(args.jobs)?;
    // Faults of usage show before any work is done.
    Run::check(&specs[0]).map_err(Failure::usage)?;
    let stop = flag_on_signal()?;
    if args.out.is_none() && !args.watch.is_empty() {
        return Err(Failure::usage("--watch needs a folder to record into: name one with --out"));
    }
    if !args.watch.is_empty() {
        states(&args.env).map_err(Failure::usage)?;
    }
    match (&args.out, args.beside.serve) {
        (Some(out), _) => recorded(args, out, specs, jobs, stop),
        (None, true) => {
            let out = Passing::new()?;
            recorded(args, &out.0, specs, jobs, stop)
        }
        (None, false) => {
            note(
                "the agent will not be kept: add --out DIR to keep it, for `duvn eval`, `duvn play` and `duvn report`",
            );
            report(args, &unrecorded(&specs, jobs, &stop))
        }
    }
}

/// A folder that lasts as long as the program: for runs that are shown and not kept.
struct Passing(PathBuf);

impl Passing {
    fn new() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("duvn-train-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| {
            Failure::failed(format!("cannot make {}: {error}; name a folder with --out", folder.display()))
        })?;
        Ok(Passing(folder))
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // What is left is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Trains with records and checkpoints.
fn recorded(
    args: &Args,
    out: &Path,
    specs: Vec<RunSpec>,
    jobs: usize,
    signal: Arc<AtomicBool>,
) -> Result<(), Failure> {
    let evaluation = Evaluation::default();
    let planned = |(place, spec): (usize, RunSpec)| Planned {
        id: run_id(&spec, evaluation),
        place: place as u64,
        panel: spec.env.clone(),
        group: String::new(),
        spec,
        evaluation,
        watch: args.watch.clone(),
    };
    let show = Show {
        title: "Training".into(),
        about: String::new(),
        columns: 2,
        note: String::new(),
        rerun: std::env::args().collect::<Vec<_>>().join(" "),
    };
    let runs = specs.into_iter().enumerate().map(planned).collect();
    let experiment = Experiment { name: "train".into(), show, runs };
    let store = open(out, &experiment, args.extend)?;
    let checkpoint_every = Duration::from_secs_f64(CHECKPOINT_SECONDS);
    let dashboard = args.beside.start(out, jobs, signal)?;
    let stop = dashboard.stop_flag();
    let options = Options { jobs, checkpoint_every, retry: true, any_isa: args.any_isa, stop };
    let ends = execute(&store, &experiment.runs, &options)?;
    let verdict = report(args, &ends);
    dashboard.over();
    verdict
}

/// Trains and keeps nothing.
fn unrecorded(specs: &[RunSpec], jobs: usize, stop: &AtomicBool) -> Vec<End> {
    let screen = Screen::new(specs.len());
    let ends = parallel::map(specs, jobs, |spec| {
        if stop.load(Ordering::Relaxed) {
            return End::NotBegun;
        }
        let end = train(spec, stop, &screen).unwrap_or_else(|error| End::Failed(error.to_string()));
        screen.ended(spec, &end);
        end
    });
    screen.clear();
    ends
}

fn train(spec: &RunSpec, stop: &AtomicBool, screen: &Screen) -> Result<End, RunError> {
    let mut run = Run::new(spec.clone())?;
    screen.begun(spec, &run);
    let at_its_end = run.drive(stop, |run, record| {
        if record.is_some() {
            screen.moved(spec, run);
            run.warnings().iter().for_each(|warning| screen.warned(spec, warning));
        }
        Ok::<_, RunError>(())
    })?;
    run.warnings().iter().for_each(|warning| screen.warned(spec, warning));
    Ok(if at_its_end { End::Done(run.outcome()) } else { End::Stopped(run.outcome()) })
}

fn specs(args: &Args) -> Result<Vec<RunSpec>, Failure> {
    let toml = args.config.as_deref().map(read_text).transpose()?;
    let observations = registry::make(&args.env, 0).map_err(Failure::usage)?.observation_space();
    let config = settings::resolve(&args.agent, &observations, toml.as_deref(), &args.assignments)
        .map_err(Failure::usage)?;
    let budget = match (args.episodes, args.steps) {
        (Some(0), _) => return Err(Failure::usage("--episodes cannot be 0: write 1 or more")),
        (_, Some(0)) => return Err(Failure::usage("--steps cannot be 0: write 1 or more")),
        (_, Some(steps)) => Budget::Steps(steps),
        (episodes, None) => Budget::Episodes(episodes.unwrap_or(DEFAULT_EPISODES)),
    };
    let seeds = seeds::parse(&args.seeds).map_err(Failure::usage)?;
    let spec = |seed| RunSpec {
        env: args.env.clone(),
        agent: args.agent.clone(),
        config: config.clone(),
        seed,
        budget,
        until_solved: args.until_solved,
    };
    Ok(seeds.into_iter().map(spec).collect())
}

/// Prints what came of the runs; the first fault, if any, is the program's.
fn report(args: &Args, ends: &[End]) -> Result<(), Failure> {
    let outcomes: Vec<&Outcome> = ends
        .iter()
        .filter_map(|end| match end {
            End::Done(outcome) | End::DoneBefore(outcome) | End::Stopped(outcome) => Some(outcome),
            _ => None,
        })
        .collect();
    if !args.json && !outcomes.is_empty() {
        print_line("  seed  episodes     steps  first reward  solved at  mean of last 100  steps/s")?;
    }
    for outcome in outcomes {
        let line = if args.json {
            serde_json::to_string(outcome).map_err(Failure::failed)?
        } else {
            format!(
                "{:>6}  {:>8}  {:>8}  {:>12}  {:>9}  {:>16}  {:>7.0}",
                outcome.seed,
                outcome.episodes,
                outcome.steps,
                count(outcome.first_reward_episode),
                count(outcome.solved_episode),
                number(outcome.mean_return_last_100),
                outcome.steps_per_second,
            )
        };
        print_line(&line)?;
    }
    let left = ends.iter().filter(|end| matches!(end, End::Stopped(_) | End::NotBegun)).count();
    if left > 0 && args.out.is_none() {
        return Err(Failure::left(format!(
            "stopped with {left} of {} runs unfinished; with --out DIR the same command could go on with them",
            ends.len()
        )));
    }
    let fault = ends.iter().find_map(|end| match end {
        End::Failed(error) | End::FailedBefore(error) => Some(error),
        _ => None,
    });
    match (verdict(ends), fault) {
        // With one sentence to say, the reason is worth more than the count.
        (Err(Failure::Failed(_)), Some(fault)) => Err(Failure::failed(fault)),
        (verdict, _) => verdict,
    }
}
