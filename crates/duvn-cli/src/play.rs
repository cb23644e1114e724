use crate::eval::{Policy, open};
use crate::failure::{Failure, print_line};
use crate::film::Film;
use crate::numbers::{count, decimal};
use crate::stop::flag_on_signal;
use duvn_envs::raster::Raster;
use duvn_envs::registry::Registered;
use duvn_envs::{Environment, Step};
use duvn_lab::evaluate::Arena;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Watch what a run has learnt, in the terminal or as a GIF.
#[derive(clap::Args)]
pub struct Args {
    /// The run: its folder, or a checkpoint in it.
    run: PathBuf,
    /// Record into this file instead.
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// Episodes to play.
    #[arg(long, default_value_t = 1, value_parser = count, allow_negative_numbers = true)]
    episodes: u64,
    /// How to act: on the best mean, or exploring as in training.
    #[arg(long, value_enum, default_value_t = Policy::Mean)]
    policy: Policy,
    /// Frames a second.
    #[arg(long, default_value_t = 10.0, value_parser = decimal, allow_negative_numbers = true)]
    speed: f64,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if !(0.1..=100.0).contains(&args.speed) {
        return Err(Failure::usage(format!("--speed cannot be {}: write 0.1 to 100", args.speed)));
    }
    let saved = open(&args.run)?;
    let mut agent = saved.agent().map_err(Failure::failed)?;
    let mut arena = Arena::new(&saved.run.spec).map_err(Failure::failed)?;
    let mut stage: Box<dyn Stage> = match &args.gif {
        Some(path) => Box::new(Film::new(path, SIZE, args.speed)?),
        None => Box::new(Terminal::new(args.speed)),
    };
    let stop = flag_on_signal()?;
    for number in 0..args.episodes {
        let mut fault = None;
        let mut ret = 0.0;
        let mut t = 0;
        let played = arena.play(&mut agent, args.policy.acting(), number, |env, moved| {
            if let Some((_, step)) = moved {
                ret += step.reward;
                t += 1;
            }
            let caption = caption(number, t, moved, ret);
            fault = stage.show(env, &caption).err();
            fault.is_none() && !stop.load(Ordering::Relaxed)
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        let played = played.map_err(Failure::failed)?;
        print_line(&format!("episode {}: return {} in {} steps", number + 1, played.ret, played.length))?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    stage.end()
}

fn caption(number: u64, t: u64, moved: Option<(usize, Step)>, ret: f64) -> String {
    match moved {
        None => format!("episode {}  t {t}", number + 1),
        Some((action, step)) => {
            format!("episode {}  t {t}  action {action}  reward {}  return {ret}", number + 1, step.reward)
        }
    }
}

/// Where an episode is shown.
trait Stage {
    fn show(&mut self, env: &Registered, caption: &str) -> Result<(), Failure>;
    fn end(self: Box<Self>) -> Result<(), Failure>;
}

/// Frames in the same place of a terminal; one after another where stdout is none.
struct Terminal {
    live: bool,
    pause: Duration,
}

impl Terminal {
    fn new(speed: f64) -> Self {
        Terminal { live: std::io::stdout().is_terminal(), pause: Duration::from_secs_f64(1.0 / speed) }
    }
}

impl Stage for Terminal {
    fn show(&mut self, env: &Registered, caption: &str) -> Result<(), Failure> {
        let state = env.render_text().unwrap_or_else(|| format!("{:?}", env.observation()));
        if self.live {
            // Clear the screen and start at its top.
            print_line(&format!("\x1b[2J\x1b[H{caption}\n{state}"))?;
            std::io::stdout().flush().map_err(Failure::failed)?;
            std::thread::sleep(self.pause);
            return Ok(());
        }
        print_line(&format!("{caption}\n{state}"))
    }

    fn end(self: Box<Self>) -> Result<(), Failure> {
        Ok(())
    }
}

/// The size of the pictures.
const SIZE: (u32, u32) = (480, 320);

impl Stage for Film {
    fn show(&mut self, env: &Registered, _: &str) -> Result<(), Failure> {
        let mut picture = Raster::new(SIZE.0, SIZE.1).map_err(Failure::failed)?;
        if !env.draw(&mut picture) {
            return Err(Failure::usage(format!(
                "there are no pictures of {}: leave --gif out to watch it in the terminal",
                env.id
            )));
        }
        self.add(SIZE, &mut picture.rgba().to_vec())
    }

    fn end(self: Box<Self>) -> Result<(), Failure> {
        print_line(&self.finish()?)
    }
}
