use crate::failure::{Failure, print_line, store_failure};
use crate::numbers::{count, jobs, size};
use crate::report::report_failure;
use crate::stop::flag_on_signal;
use crate::sweep::{CHECKPOINT_SECONDS, conclude, execute, open};
use duvn_envs::registry::bsuite::Tag;
use duvn_lab::bsuite::{Choice, Plan, Report, radar, reference, reports};
use duvn_lab::report::{Cell, Picture, Plain, Table};
use duvn_lab::sweep::Options;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run bsuite: its scores, and its radar plot over what agents are good at. Running it again finishes what is missing.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub struct Args {
    /// An agent, for example duvn-deep (`duvn agents` lists them); may be given several times.
    #[arg(long = "agent", value_name = "AGENT", required = true)]
    agents: Vec<String>,
    /// All 368 settings at their full length, instead of 45 at a tenth of it.
    #[arg(long)]
    full: bool,
    /// Only these of bsuite's experiments, such as bandit,catch.
    #[arg(long, value_delimiter = ',', value_name = "EXPERIMENTS")]
    only: Vec<String>,
    /// No run has more episodes than this: 500, 10k.
    #[arg(long, value_parser = count, allow_negative_numbers = true)]
    episodes: Option<u64>,
    /// Scores of other programs' agents to draw in, a CSV file: agent,experiment,score,runs,episodes.
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// The folder for records, scores and figures (default: results/bsuite, and results/bsuite-quick without --full).
    #[arg(long)]
    out: Option<PathBuf>,
    /// Runs at a time (default: one a core).
    #[arg(long, value_parser = size, allow_negative_numbers = true)]
    jobs: Option<usize>,
    /// Go on with runs that are in the folder with fewer episodes.
    #[arg(long)]
    extend: bool,
    /// Go on with runs that were begun with another instruction set. They get other bits and are marked.
    #[arg(long)]
    any_isa: bool,
    /// One JSON object an agent.
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
bsuite's experiments are those that need neither memory nor pictures: 18 of 23. Scores are from 0 to 1, by bsuite's own
rules; the score of a tag is the mean over its experiments. Without --full they are of a shortened bsuite, and no other
numbers may be held against them.";

pub fn run(args: &Args) -> Result<(), Failure> {
    let stop = flag_on_signal()?;
    if args.episodes == Some(0) {
        return Err(Failure::usage("--episodes cannot be 0: write 1 or more"));
    }
    let jobs = jobs(args.jobs)?;
    let choice = Choice { full: args.full, only: args.only.clone(), most_episodes: args.episodes };
    let mut plan = Plan::new(&args.agents, &choice).map_err(Failure::usage)?;
    let others = args.reference.as_deref().map_or(Ok(Vec::new()), |file| read_reference(file, &plan))?;
    let name = if args.full { "results/bsuite" } else { "results/bsuite-quick" };
    let out = args.out.clone().unwrap_or_else(|| name.into());
    plan.experiment.show.rerun = rerun(args, &out);
    let store = open(&out, &plan.experiment, args.extend)?;
    let checkpoint_every = Duration::from_secs_f64(CHECKPOINT_SECONDS);
    let options = Options { jobs, checkpoint_every, retry: false, any_isa: args.any_isa, stop: &stop };
    let ends = execute(&store, &plan.experiment.runs, &options)?;
    let concluded = conclude(&ends, &out);
    let mut reports = reports(&store, &plan).map_err(store_failure)?;
    reports.extend(others);
    show(args, &plan, &reports, &out)?;
    concluded
}

/// The scores of a file.
fn read_reference(file: &Path, plan: &Plan) -> Result<Vec<Report>, Failure> {
    let of =
        |error: &dyn std::fmt::Display| Failure::usage(format!("--reference {}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| of(&error))?;
    reference(&text, plan).map_err(|error| of(&error))
}

/// The command that does the same again.
fn rerun(args: &Args, out: &Path) -> String {
    let agents: String = args.agents.iter().map(|agent| format!(" --agent {agent}")).collect();
    let full = if args.full { " --full" } else { "" };
    let only = if args.only.is_empty() { String::new() } else { format!(" --only {}", args.only.join(",")) };
    let episodes = args.episodes.map_or_else(String::new, |most| format!(" --episodes {most}"));
    let reference =
        args.reference.as_ref().map_or_else(String::new, |file| format!(" --reference {}", file.display()));
    format!("duvn bsuite{agents}{full}{only}{episodes}{reference} --out {}", out.display())
}

/// Prints the scores and writes them, with the figure, into the folder.
fn show(args: &Args, plan: &Plan, reports: &[Report], out: &Path) -> Result<(), Failure> {
    let show = &plan.experiment.show;
    let (experiments, tags) = (by_experiment(reports), by_tag(reports));
    let caption = "The mean score of the experiments with each tag, from 0 in the middle to 1.";
    let figure = radar(reports, &show.note);
    let plain = Plain {
        title: show.title.clone(),
        about: show.about.clone(),
        note: show.note.clone(),
        pictures: vec![Picture { name: "radar".into(), caption: caption.into(), figure }],
        table: experiments.clone(),
        rerun: show.rerun.clone(),
    };
    let page = plain.write(out).map_err(report_failure)?;
    let file = out.join("scores.csv");
    std::fs::write(&file, csv(reports)).map_err(|error| {
        Failure::failed(format!("cannot write {}: {error}; name a folder with --out", file.display()))
    })?;
    if args.json {
        return reports.iter().try_for_each(|report| print_line(&object(report).to_string()));
    }
    for table in [experiments, tags] {
        let columns: Vec<usize> = (0..table.head.len()).collect();
        table.to_text(&columns).lines().try_for_each(print_line)?;
        print_line("")?;
    }
    print_line(&format!("report: {}", page.display()))
}

/// One row an experiment, one column an agent.
fn by_experiment(reports: &[Report]) -> Table {
    let head = ["experiment", "tags", "runs"].map(String::from).into_iter();
    let head = head.chain(reports.iter().map(|report| report.agent.clone())).collect();
    let Some(first) = reports.first() else { return Table { head, rows: Vec::new() } };
    let row = |at: usize| {
        let experiment = &first.experiments[at];
        let tags: Vec<_> = experiment.tags.iter().map(|tag| words(*tag)).collect();
        let of =
            |report: &Report| report.experiments.get(at).map_or((0, 0), |scored| (scored.over, scored.runs));
        let (over, runs) = reports.iter().map(of).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let runs = if over == runs { runs.to_string() } else { format!("{over} of {runs}") };
        let cells = [experiment.name.to_string(), tags.join(", "), runs].map(Cell::Text).into_iter();
        let score = |report: &Report| cell(report.experiments.get(at).and_then(|scored| scored.score));
        cells.chain(reports.iter().map(score)).collect()
    };
    Table { head, rows: (0..first.experiments.len()).map(row).collect() }
}

/// One row a tag, one column an agent.
fn by_tag(reports: &[Report]) -> Table {
    let head = ["tag".to_string()].into_iter();
    let row = |tag: Tag| {
        let scores = reports.iter().map(|report| cell(report.tag(tag)));
        [Cell::Text(words(tag))].into_iter().chain(scores).collect()
    };
    Table {
        head: head.chain(reports.iter().map(|report| report.agent.clone())).collect(),
        rows: Tag::ALL.into_iter().map(row).collect(),
    }
}

fn words(tag: Tag) -> String {
    tag.name().replace('_', " ")
}

fn cell(score: Option<f64>) -> Cell {
    score.map_or(Cell::Nothing, |score| Cell::Text(format!("{score:.3}")))
}

/// One line an agent and experiment.
fn csv(reports: &[Report]) -> String {
    let mut text = String::from("agent,experiment,tags,runs,over,score\n");
    for report in reports {
        for scored in &report.experiments {
            let tags: Vec<_> = scored.tags.iter().map(|tag| tag.name()).collect();
            let score = scored.score.map_or_else(String::new, |score| score.to_string());
            let (runs, over) = (scored.runs.to_string(), scored.over.to_string());
            text += &[&report.agent, scored.name, &tags.join(" "), &runs, &over, &score].join(",");
            text.push('\n');
        }
    }
    text
}

/// An agent's scores by experiment and by tag.
fn object(report: &Report) -> Value {
    let of = |pairs: Vec<(&str, Option<f64>)>| -> Map<String, Value> {
        pairs.into_iter().map(|(name, score)| (name.to_string(), json!(score))).collect()
    };
    let experiments = report.experiments.iter().map(|scored| (scored.name, scored.score)).collect();
    let tags = Tag::ALL.into_iter().map(|tag| (tag.name(), report.tag(tag))).collect();
    let (runs, over) =
        report.experiments.iter().fold((0, 0), |sum, scored| (sum.0 + scored.runs, sum.1 + scored.over));
    json!({
        "agent": report.agent,
        "scores": of(experiments),
        "tags": of(tags),
        "runs": runs,
        "over": over,
        "finished": report.finished(),
    })
}
