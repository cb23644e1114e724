use crate::failure::{Failure, print_line};
use crate::numbers::count;
use clap::ValueEnum;
use duvn_lab::evaluate::{Acting, Arena, Played};
use duvn_lab::saved::{Saved, SavedError};
use duvn_lab::stats;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Evaluate what a run has learnt, finished or not.
#[derive(clap::Args)]
pub struct Args {
    /// The run, for example results/first/chain-10/duvn-deep/seed-3; or the file of a checkpoint.
    run: PathBuf,
    /// Episodes to play.
    #[arg(long, default_value_t = 100, value_parser = count, allow_negative_numbers = true)]
    episodes: u64,
    /// How to act: on the best mean, or exploring as in training.
    #[arg(long, value_enum, default_value_t = Policy::Mean)]
    policy: Policy,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

/// How to act.
#[derive(Clone, Copy, ValueEnum)]
pub enum Policy {
    /// On the best mean.
    Mean,
    /// As in training.
    Explore,
}

impl Policy {
    pub fn acting(self) -> Acting {
        match self {
            Policy::Mean => Acting::Mean,
            Policy::Explore => Acting::Explore,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Policy::Mean => "mean",
            Policy::Explore => "explore",
        }
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if args.episodes == 0 {
        return Err(Failure::usage("--episodes cannot be 0: write 1 or more"));
    }
    let saved = open(&args.run)?;
    let mut agent = saved.agent().map_err(Failure::failed)?;
    let mut arena = Arena::new(&saved.run.spec).map_err(Failure::failed)?;
    let mut played: Vec<Played> = Vec::new();
    for number in 0..args.episodes {
        let episode = arena.play(&mut agent, args.policy.acting(), number, |_, _| true);
        played.push(episode.map_err(Failure::failed)?);
    }
    let returns: Vec<f64> = played.iter().map(|episode| episode.ret).collect();
    let lengths: Vec<f64> = played.iter().map(|episode| episode.length as f64).collect();
    let (mean, sd) = (stats::mean(&returns), stats::standard_deviation(&returns));
    let (least, most) = (stats::quantile(&returns, 0.0), stats::quantile(&returns, 1.0));
    let (spec, trained) = (&saved.run.spec, saved.checkpoint.snapshot.episodes);
    if args.json {
        return print_line(
            &json!({
                "env": spec.env, "agent": spec.agent, "seed": spec.seed, "policy": args.policy.name(),
                "episodes": args.episodes, "mean_return": mean, "sd_return": sd, "min_return": least,
                "max_return": most, "mean_length": stats::mean(&lengths), "trained_episodes": trained,
            })
            .to_string(),
        );
    }
    let show = crate::screen::number;
    print_line(&format!(
        "{} {} seed {}, after {trained} episodes of training, policy {}",
        spec.env,
        spec.agent,
        spec.seed,
        args.policy.name()
    ))?;
    print_line(&format!(
        "{} episodes: return {} (sd {}, from {} to {}), length {}",
        args.episodes,
        show(mean),
        show(sd),
        show(least),
        show(most),
        show(stats::mean(&lengths)),
    ))
}

/// Opens a run; a warning about its checkpoints goes to stderr.
pub fn open(path: &Path) -> Result<Saved, Failure> {
    let failure =
        |error: SavedError| if error.is_usage() { Failure::usage(error) } else { Failure::failed(error) };
    let saved = Saved::open(path).map_err(failure)?;
    if let Some(warning) = &saved.warning {
        eprintln!("duvn: {warning}");
    }
    Ok(saved)
}
