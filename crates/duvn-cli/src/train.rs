use crate::failure::{Failure, print_line};
use crate::stop::flag_on_signal;
use duvn::config::{Config, PRESETS};
use duvn_lab::parallel;
use duvn_lab::run::{Budget, Outcome, Run, RunError, RunSpec};
use duvn_lab::{seeds, settings};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Train an agent in an environment, over one or more seeds.
#[derive(clap::Args)]
#[command(after_long_help = help())]
pub struct Args {
    /// The environment, for example Chain-10 (`duvn envs` lists them).
    env: String,
    /// The preset to start from.
    #[arg(long)]
    agent: String,
    /// The seeds: 0..5 is 0 to 4; 3; 0..5,10.
    #[arg(long, default_value = "0")]
    seeds: String,
    /// Episodes of each run.
    #[arg(long, conflicts_with = "steps")]
    episodes: Option<u64>,
    /// Environment steps of each run, instead of episodes.
    #[arg(long)]
    steps: Option<u64>,
    /// Set one knob, for example gamma=0.99 (they are listed below).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    assignments: Vec<String>,
    /// A TOML file with knobs, one 'key = value' a line; --set comes after it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Runs at a time (default: one a core).
    #[arg(long)]
    jobs: Option<usize>,
    /// A folder for the records: settings.toml, runs.jsonl, episodes.csv.
    #[arg(long)]
    out: Option<PathBuf>,
    /// One JSON object a run.
    #[arg(long)]
    json: bool,
}

/// Presets and knobs, for `duvn train --help`.
fn help() -> String {
    let mut text = String::from("Agents:\n");
    for preset in PRESETS {
        text += &format!("  {:<12} {}\n", preset.name, preset.about);
    }
    text += "\nKnobs (--set KEY=VALUE; defaults are those of egreedy, presets change some):\n";
    for knob in Config::knobs() {
        text +=
            &format!("  {:<20} {} [{}] (default {})\n", knob.name, knob.about, knob.expects, knob.default);
    }
    text += "\nCtrl-C ends the runs cleanly: what was learnt so far is reported, with \"interrupted\": true in JSON and \
             exit code 0. A second Ctrl-C ends the program at once, with exit code 130.\n";
    text
}

const DEFAULT_EPISODES: u64 = 1000;

pub fn run(args: &Args) -> Result<(), Failure> {
    let specs = specs(args)?;
    let jobs = match args.jobs {
        Some(0) => return Err(Failure::usage("--jobs cannot be 0: write 1 or more")),
        Some(jobs) => jobs,
        None => parallel::default_threads(),
    };
    // Faults of usage show before any work is done.
    Run::new(specs[0].clone()).map_err(Failure::usage)?;
    let records = args.out.as_deref().map(|folder| Records::create(folder, &specs[0].config)).transpose()?;
    let stop = flag_on_signal()?;
    let screen = Screen::new();
    let results = parallel::map(&specs, jobs, |spec| {
        (!stop.load(Ordering::Relaxed)).then(|| train(spec, &stop, &screen))
    });
    report(args, results, records, stop.load(Ordering::Relaxed))
}

fn specs(args: &Args) -> Result<Vec<RunSpec>, Failure> {
    let toml = args.config.as_deref().map(read).transpose()?;
    let config =
        settings::resolve(&args.agent, toml.as_deref(), &args.assignments).map_err(Failure::usage)?;
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
    };
    Ok(seeds.into_iter().map(spec).collect())
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))
}

/// A finished or stopped run, with its episodes as (return, length).
struct Trained {
    outcome: Outcome,
    episodes: Vec<(f64, u64)>,
}

fn train(spec: &RunSpec, stop: &AtomicBool, screen: &Screen) -> Result<Trained, RunError> {
    let mut run = Run::new(spec.clone())?;
    let bar = screen.bar(spec);
    let mut episodes = Vec::new();
    while !run.finished() && !stop.load(Ordering::Relaxed) {
        if let Some(episode) = run.step()? {
            episodes.push((episode.ret, episode.length));
            bar.show(&run);
        }
    }
    let outcome = run.outcome();
    screen.finished(bar, &outcome);
    Ok(Trained { outcome, episodes })
}

/// Progress on stderr: bars on a terminal, one line a finished run elsewhere.
struct Screen {
    bars: Option<MultiProgress>,
}

struct Bar(Option<ProgressBar>);

impl Screen {
    fn new() -> Self {
        Screen { bars: std::io::stderr().is_terminal().then(MultiProgress::new) }
    }

    fn bar(&self, spec: &RunSpec) -> Bar {
        Bar(self.bars.as_ref().map(|bars| {
            let bar = bars.add(ProgressBar::new(1000).with_prefix(format!("seed {}", spec.seed)));
            let style =
                ProgressStyle::with_template("{prefix:>9} {bar:30} {percent:>3} %  eta {eta:<4} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        }))
    }

    fn finished(&self, bar: Bar, outcome: &Outcome) {
        let line = format!(
            "{} {} seed {}: {} episodes, {} steps, mean of the last 100 returns {}, {:.1} s",
            outcome.env,
            outcome.agent,
            outcome.seed,
            outcome.episodes,
            outcome.steps,
            number(outcome.mean_return_last_100),
            outcome.seconds,
        );
        match (&self.bars, bar.0) {
            (Some(_), Some(bar)) => bar.finish_and_clear(),
            _ => eprintln!("{line}"),
        }
    }
}

impl Bar {
    fn show(&self, run: &Run) {
        let Some(bar) = &self.0 else { return };
        bar.set_position((run.share() * 1000.0) as u64);
        let progress = run.progress();
        bar.set_message(format!(
            "episode {}, mean of the last 100 returns {}",
            progress.episodes,
            number(progress.recent_mean())
        ));
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.3}"))
}

fn count(value: Option<u64>) -> String {
    value.map_or_else(|| "-".into(), |value| value.to_string())
}

/// The records of `--out`.
struct Records {
    runs: std::fs::File,
    episodes: std::fs::File,
}

impl Records {
    fn create(folder: &Path, config: &Config) -> Result<Self, Failure> {
        let create = || {
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join("settings.toml"), settings::to_toml(config))?;
            Ok(Records {
                runs: std::fs::File::create(folder.join("runs.jsonl"))?,
                episodes: std::fs::File::create(folder.join("episodes.csv"))?,
            })
        };
        create().map_err(|error: std::io::Error| {
            let folder = folder.display();
            Failure::usage(format!(
                "cannot write to {folder}: {error}; name a folder that can be written with --out"
            ))
        })
    }

    fn write(&mut self, trained: &[Trained]) -> std::io::Result<()> {
        use std::io::Write;
        let mut table = String::from("seed,episode,return,length\n");
        for Trained { outcome, episodes } in trained {
            writeln!(self.runs, "{}", serde_json::to_string(outcome)?)?;
            for (index, (ret, length)) in episodes.iter().enumerate() {
                table += &format!("{},{},{ret},{length}\n", outcome.seed, index + 1);
            }
        }
        self.episodes.write_all(table.as_bytes())
    }
}

/// Prints what came of the runs and writes their records; the first fault, if any, is the program's.
fn report(
    args: &Args,
    results: Vec<Option<Result<Trained, RunError>>>,
    records: Option<Records>,
    stopped: bool,
) -> Result<(), Failure> {
    let mut trained = Vec::new();
    let mut fault = None;
    for result in results.into_iter().flatten() {
        match result {
            Ok(run) => trained.push(run),
            Err(error) if fault.is_none() => fault = Some(error),
            Err(error) => eprintln!("duvn: {error}"),
        }
    }
    if let Some(mut records) = records {
        records
            .write(&trained)
            .map_err(|error| Failure::failed(format!("cannot write the records: {error}")))?;
    }
    if !args.json && !trained.is_empty() {
        print_line("  seed  episodes     steps  first reward  solved at  mean of last 100  steps/s")?;
    }
    for Trained { outcome, .. } in &trained {
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
    if stopped {
        eprintln!("duvn: stopped; what was learnt so far is reported above");
    }
    match fault {
        Some(error) if error.is_usage() => Err(Failure::usage(error)),
        Some(error) => Err(Failure::failed(error)),
        None => Ok(()),
    }
}
