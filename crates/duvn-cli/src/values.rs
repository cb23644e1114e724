use crate::failure::{Failure, print_line};
use crate::film::Film;
use crate::numbers::{count, seed, size};
use crate::stop::flag_on_signal;
use duvn::config::ReturnKind;
use duvn_envs::{Environment, registry};
use duvn_lab::beliefs::{ValuesError, states, watch};
use duvn_lab::disk::write_whole;
use duvn_lab::figures::Figure;
use duvn_lab::run::{Budget, RunSpec};
use duvn_lab::settings;
use duvn_lab::values::{densities, figure, watch_distributions};
use std::path::PathBuf;

/// Draw what an agent believes of every state, at chosen moments of its training.
#[derive(clap::Args)]
pub struct Args {
    /// The environment: one whose observations are indices, such as Chain-25, Toy or DeepSea-10.
    env: String,
    /// The agent, for example duvn-deep (`duvn agents` lists them).
    #[arg(long)]
    agent: String,
    /// The seed.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// The moments: after so many episodes, in rising order; 0 is before the first.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 20, 50, 100], value_parser = count, allow_negative_numbers = true)]
    at: Vec<u64>,
    /// Change one setting, as in `duvn train`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    assignments: Vec<String>,
    /// Draws of the parameters for each state.
    #[arg(long, default_value_t = 30, value_parser = size, allow_negative_numbers = true)]
    draws: usize,
    /// The folder for values.svg, values.png and, with --gif, values.gif.
    #[arg(long, default_value = "results/values")]
    out: PathBuf,
    /// Draw the distribution of the return itself in these states, by action, instead of mean and uncertainty
    /// in all of them.
    #[arg(long, value_name = "STATES", value_delimiter = ',', conflicts_with = "gif")]
    densities: Vec<usize>,
    /// Also a film of so many pictures, from the first moment to the last.
    #[arg(long, value_name = "PICTURES", value_parser = count, allow_negative_numbers = true)]
    gif: Option<u64>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let observations = registry::make(&args.env, args.seed).map_err(Failure::usage)?.observation_space();
    let config =
        settings::resolve(&args.agent, &observations, None, &args.assignments).map_err(Failure::usage)?;
    let (first, last) = match (args.at.first(), args.at.last()) {
        (Some(&first), Some(&last)) => (first, last),
        _ => return Err(Failure::usage(ValuesError::Moments)),
    };
    if args.gif == Some(0) {
        return Err(Failure::usage("--gif cannot be 0: write 1 or more"));
    }
    if !args.densities.is_empty() && config.returns == ReturnKind::Mean {
        return Err(Failure::usage(format!(
            "{} expects one number and no distribution: leave --densities out, or choose an agent such as qrdqn",
            args.agent
        )));
    }
    let budget = Budget::Episodes(last.max(1));
    let (env, agent, seed) = (args.env.clone(), args.agent.clone(), args.seed);
    let spec = RunSpec { env, agent, config, seed, budget, until_solved: false };
    let unwritable = |error: std::io::Error| {
        Failure::usage(format!("cannot write to {}: {error}; name a folder with --out", args.out.display()))
    };
    let explain = |error: ValuesError| match &error {
        ValuesError::Run(run) if !run.is_usage() => Failure::failed(error),
        _ => Failure::usage(error),
    };
    states(&args.env).map_err(explain)?;
    std::fs::create_dir_all(&args.out).map_err(unwritable)?;
    let stop = flag_on_signal()?;
    let see = |at: &[u64]| watch(&spec, at, args.draws, &stop).map_err(explain);

    let nothing = || Failure::left("stopped before the first moment: nothing was drawn");
    let (picture, drawn) = if args.densities.is_empty() {
        let moments = see(&args.at)?;
        let drawn = moments.len();
        ((drawn > 0).then(|| figure(&spec, &moments)).ok_or_else(nothing)?, drawn)
    } else {
        let moments = watch_distributions(&spec, &args.at, &args.densities, &stop).map_err(explain)?;
        let drawn = moments.len();
        ((drawn > 0).then(|| densities(&spec, &args.densities, &moments)).ok_or_else(nothing)?, drawn)
    };
    let png = picture.to_png(2.0).map_err(Failure::failed)?;
    for (name, bytes) in [("values.svg", picture.to_svg().into_bytes()), ("values.png", png)] {
        let path = args.out.join(name);
        write_whole(&path, &bytes).map_err(unwritable)?;
        print_line(&path.display().to_string())?;
    }
    let wanted = args.at.len();
    if drawn < wanted {
        return Err(Failure::left(format!("stopped: {drawn} of {wanted} moments were drawn")));
    }
    match args.gif {
        None => Ok(()),
        Some(pictures) => {
            let span = last - first;
            let mut at: Vec<_> =
                (0..pictures).map(|k| first + span * k / pictures.max(2).saturating_sub(1)).collect();
            at.dedup();
            let moments = see(&at)?;
            if moments.len() < at.len() {
                return Err(Failure::left("stopped: no film was made"));
            }
            film(args, &figure(&spec, &moments), moments.len())
        }
    }
}

/// One picture a moment. All have the colours and axes of the whole, so that they can be compared.
fn film(args: &Args, whole: &Figure, moments: usize) -> Result<(), Failure> {
    let mut film: Option<Film> = None;
    for moment in 0..moments {
        let panels = whole.panels.iter().skip(moment).step_by(moments.max(1)).cloned().collect();
        let figure = Figure { panels, columns: 1, ..whole.clone() };
        let mut pixels = figure.to_pixels(1.5).map_err(Failure::failed)?;
        let size = (pixels.width, pixels.height);
        let film = match &mut film {
            Some(film) => film,
            None => film.insert(Film::new(&args.out.join("values.gif"), size, 5.0)?),
        };
        film.add(size, &mut pixels.rgba)?;
    }
    film.map_or(Ok(()), |film| print_line(&film.finish()?))
}
