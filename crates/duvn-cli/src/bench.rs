use crate::allocations;
use crate::failure::{Failure, print_line};
use crate::stop::flag_on_signal;
use duvn_lab::bench::{Earlier, Measurement, Options, benches, select};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Measure how fast this machine trains, acts and steps, against its own limit.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub struct Args {
    /// One JSON object a measurement.
    #[arg(long)]
    json: bool,
    /// Fewer and shorter repetitions: a glance in seconds.
    #[arg(long)]
    quick: bool,
    /// Only benchmarks whose names begin with this, for example train or loop-duvn.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Divide each measurement by that of an earlier run: a file that `duvn bench --json` wrote.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

const HELP: &str = "\
Rates are per CPU-second of one thread: the median of several repetitions, with the least and the
greatest. Each repetition stands beside a measurement of the peak, so that percentages hold on a
busy machine too.

Benchmarks:
  peak, peak-avx2        multiply-adds on registers, with the instruction set in use and with AVX2
  train-BATCHxACTIONS    one training step with dropout: 4 numbers seen, 3 x 128 units an action
  train-norm-, train-quantiles-, train-shared-
                         the same with LayerNorm; with 51 outputs; two layers of 256 for all actions
  act-network            outputs of 2 actions for one observation, with a fresh dropout mask
  act-agent              a decision of the preset duvn: the same, and its Thompson draw
  loop-PRESET-ENV        everything: environment, acting, replay, targets, one update a step
  actors-K-ENV           everything, preset dqn in K environments at once, one update a step
  seldom-K-ENV           the same with one update for 32 steps: acting is most of the work
  two-cores              two runs at once against one run alone, by the wall clock
  env-ENV                environment steps with random actions
  start-help, start-envs from start to end of `duvn --help` and `duvn envs`, by the wall clock
  memory-PRESET-ENV      the most resident memory of a run whose replay is full

Keys of --json:
  name, unit             the benchmark, and what rate and spread are counted in
  rate, spread           the median of the repetitions; [least, greatest]
  repetitions            how many there were
  flops                  floating-point operations of one step or decision; of a loop the least
                         that its update needs: training, and one value at every next state
  percent_of_peak        those as a share of the peak with the instruction set in use
  percent_of_avx2_peak   those as a share of the peak with AVX2 (a machine with AVX-512 has both)
  allocations            requests for memory of one step
  bytes                  read and written by one step, estimated: parameters, moments, activations
  isa                    the instruction set in use
  ratio                  with --compare: this measurement divided by the earlier one of its name, unit
                         and instruction set; of shares of the peak where both have them
Where a key has no meaning it is null.";

pub fn run(args: &Args) -> Result<(), Failure> {
    allocations::watch();
    let program = std::env::current_exe().ok();
    let options = Options { quick: args.quick, allocations: allocations::requests, program };
    let mut chosen = benches(&options);
    if let Some(only) = &args.only {
        if only.is_empty() {
            return Err(Failure::usage(
                "--only names no benchmark: write the beginning of a name, such as train",
            ));
        }
        chosen = select(chosen, only).map_err(Failure::usage)?;
    }
    let earlier = args.compare.as_deref().map(read_earlier).transpose()?;
    let stop = flag_on_signal()?;
    if !args.json {
        let head = format!(
            "{:<26} {:>12}  {:<22} {:>23}  {:>8} {:>7} {:>7} {:>7} {:>9}",
            "name", "rate", "unit", "least .. greatest", "MFLOP", "% peak", "% avx2", "alloc", "kB"
        );
        print_line(&if earlier.is_some() { format!("{head} {:>7}", "ratio") } else { head })?;
    }
    for bench in chosen {
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::left("stopped before all benchmarks were run"));
        }
        let measurement = bench.run(&options).map_err(Failure::failed)?;
        let ratio = earlier.as_ref().map(|earlier| earlier.ratio(&measurement));
        let line = if args.json {
            serde_json::to_string(&Line { measurement, ratio }).map_err(Failure::failed)?
        } else {
            row(&measurement, ratio.flatten())
        };
        print_line(&line)?;
    }
    Ok(())
}

/// A line of `--json`; `ratio` stands there only if there is something to compare with.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    measurement: Measurement,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<Option<f64>>,
}

const WROTE: &str = "name a file that `duvn bench --json` wrote";

fn read_earlier(path: &Path) -> Result<Earlier, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}; {WROTE}", path.display())))?;
    Earlier::parse(&text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

fn row(measurement: &Measurement, ratio: Option<f64>) -> String {
    let Measurement { name, rate, unit, spread: [least, greatest], .. } = measurement;
    let unit = match &measurement.isa {
        Some(isa) => format!("{unit} ({isa})"),
        None => unit.to_string(),
    };
    let optional = |value: Option<f64>, decimals: usize| {
        value.map_or_else(String::new, |value| format!("{value:.decimals$}"))
    };
    let line = format!(
        "{name:<26} {:>12}  {unit:<22} {:>23}  {:>8} {:>7} {:>7} {:>7} {:>9} {:>7}",
        number(*rate),
        format!("{} .. {}", number(*least), number(*greatest)),
        optional(measurement.flops.map(|flops| flops / 1e6), 3),
        optional(measurement.percent_of_peak, 1),
        optional(measurement.percent_of_avx2_peak, 1),
        measurement.allocations.map_or_else(String::new, |count| format!("{count}")),
        optional(measurement.bytes.map(|bytes| bytes / 1e3), 0),
        optional(ratio, 3),
    );
    line.trim_end().to_string()
}

/// Large numbers whole, small ones with two decimals.
fn number(value: f64) -> String {
    if value.abs() >= 1000.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
