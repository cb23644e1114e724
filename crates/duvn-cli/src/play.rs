use crate::blocks::blocks;
use crate::eval::{Policy, open};
use crate::failure::{Failure, print_line};
use crate::film::Film;
use crate::numbers::{count, decimal, small};
use crate::screen::no_colour;
use crate::stop::flag_on_signal;
use duvn::ActionView;
use duvn_envs::canvas::{Canvas, Colour, rectangle};
use duvn_envs::raster::Raster;
use duvn_envs::registry::{self, Registered};
use duvn_envs::{Environment, Observation, Space, Step};
use duvn_lab::board::{action_names, dimension_names};
use duvn_lab::evaluate::Arena;
use duvn_lab::figures::{Series, Word};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Watch what a run has learnt, in the terminal or as a GIF.
#[derive(clap::Args)]
pub struct Args {
    /// The run, for example results/first/chain-10/duvn-deep/seed-3; or the file of a checkpoint.
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
    /// Frames a second (default: as fast as the task is in the world, 4 for grids).
    #[arg(long, value_parser = decimal, allow_negative_numbers = true)]
    speed: Option<f64>,
    /// Show what the agent believes of each action: mean, sigma, spread, and how probably it is taken.
    #[arg(long)]
    values: bool,
    /// Letters of text instead of pictures in the terminal.
    #[arg(long)]
    text: bool,
    /// Columns of a picture in the terminal.
    #[arg(long, default_value_t = 72, value_parser = small, allow_negative_numbers = true)]
    width: u32,
}

/// Draws of the parameters in a look at a state.
const DRAWS: usize = 10;

pub fn run(args: &Args) -> Result<(), Failure> {
    if args.speed.is_some_and(|speed| !(0.1..=100.0).contains(&speed)) {
        let speed = args.speed.unwrap_or_default();
        return Err(Failure::usage(format!("--speed cannot be {speed}: write 0.1 to 100")));
    }
    if !(10..=400).contains(&args.width) {
        return Err(Failure::usage(format!("--width cannot be {}: write 10 to 400", args.width)));
    }
    if args.episodes == 0 {
        return Err(Failure::usage("--episodes cannot be 0: write 1 or more"));
    }
    let saved = open(&args.run)?;
    let mut agent = saved.agent().map_err(Failure::failed)?;
    let mut arena = Arena::new(&saved.run.spec).map_err(Failure::failed)?;
    let env = saved.run.spec.env.as_str();
    let speed = args.speed.unwrap_or_else(|| natural_speed(env));
    let mut stage: Box<dyn Stage> = match &args.gif {
        Some(path) => {
            let height = SIZE.1 + if args.values { STRIP } else { 0 };
            Box::new(Film::new(path, (SIZE.0, height), speed)?)
        }
        None => Box::new(Terminal::new(speed, args)),
    };
    let stop = flag_on_signal()?;
    for number in 0..args.episodes {
        let (mut fault, mut ret, mut t) = (None, 0.0, 0);
        let played = arena.play_asking(&mut agent, args.policy.acting(), number, |agent, env, moved| {
            if let Some((_, step)) = moved {
                ret += step.reward;
                t += 1;
            }
            let views = match args.values.then(|| agent.inspect(env.observation(), DRAWS)) {
                None => Vec::new(),
                Some(Ok(views)) => views,
                Some(Err(error)) => {
                    fault = Some(Failure::failed(error));
                    return false;
                }
            };
            let scene = Scene { env, caption: caption(env, number, t, moved, ret), views: &views };
            fault = stage.show(&scene).err();
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

/// Steps a second of the task in the world, as Gymnasium shows it.
fn natural_speed(env: &str) -> f64 {
    match registry::stem(env) {
        "CartPole" | "CartPoleBsuite" | "CartPoleSwingup" | "LunarLander" | "LunarLanderContinuous" => 50.0,
        "MountainCar" | "MountainCarBsuite" | "MountainCarContinuous" | "Pendulum" => 30.0,
        "Acrobot" => 15.0,
        _ => 4.0,
    }
}

fn caption(env: &Registered, number: u64, t: u64, moved: Option<(usize, Step)>, ret: f64) -> String {
    let number = number + 1;
    let Some((action, step)) = moved else { return format!("episode {number}  t {t}") };
    let names = match env.action_space() {
        Space::Discrete(count) => action_names(&env.id, count),
        Space::Box { .. } => Vec::new(),
    };
    let action = names.get(action).cloned().unwrap_or_else(|| format!("action {action}"));
    // Sums of rewards have digits that nobody wants to see.
    let ret = format!("{ret:.6}");
    let ret = ret.trim_end_matches('0').trim_end_matches('.');
    format!("episode {number}  t {t}  {action}  reward {}  return {ret}", step.reward)
}

/// An observation as numbers with their names.
fn numbers(env: &Registered) -> String {
    match env.observation() {
        Observation::Index(state) => format!("state {state}"),
        Observation::Vector(values) => {
            let names = dimension_names(&env.id, values.len());
            let pairs = names.iter().zip(values).map(|(name, value)| format!("{name} {value:.4}"));
            pairs.collect::<Vec<_>>().join("  ")
        }
    }
}

/// What is to be shown.
struct Scene<'a> {
    env: &'a Registered,
    caption: String,
    /// What is believed of every action; empty where nobody wants to know.
    views: &'a [ActionView],
}

/// Where an episode is shown.
trait Stage {
    fn show(&mut self, scene: &Scene<'_>) -> Result<(), Failure>;
    fn end(self: Box<Self>) -> Result<(), Failure>;
}

/// Frames in the same place of a terminal; one after another where stdout is none.
struct Terminal {
    live: bool,
    pictures: bool,
    /// Without what a terminal alone understands, or the user does not want.
    plain: bool,
    width: u32,
    pause: Duration,
    next: Option<Instant>,
}

impl Terminal {
    fn new(speed: f64, args: &Args) -> Self {
        let live = std::io::stdout().is_terminal();
        let pause = Duration::from_secs_f64(1.0 / speed);
        let plain = !live || no_colour();
        Terminal { live, pictures: !plain && !args.text, plain, width: args.width, pause, next: None }
    }

    /// The state as a picture of half blocks, as text, or as numbers: the best that there is.
    fn picture(&self, env: &Registered) -> Result<String, Failure> {
        if self.pictures {
            let mut raster = Raster::new(self.width, 2 * (self.width / 3)).map_err(Failure::failed)?;
            if env.draw(&mut raster) {
                return Ok(blocks(raster.rgba(), self.width as usize));
            }
        }
        let text = env.render_text().unwrap_or_else(|| numbers(env));
        // Environments mark where the agent is by reverse video.
        Ok(if self.plain { text.replace("\x1b[7m", "[").replace("\x1b[0m", "]") } else { text })
    }
}

impl Stage for Terminal {
    fn show(&mut self, scene: &Scene<'_>) -> Result<(), Failure> {
        let state = self.picture(scene.env)?;
        let values = lines(scene);
        if !self.live {
            return print_line(&format!("{}\n{state}{values}", scene.caption));
        }
        // From the top of the screen over what is there: a screen that is cleared for every frame flickers.
        let clear = if self.next.is_none() { "\x1b[2J" } else { "" };
        let text = format!("{}\n{state}{values}", scene.caption).replace('\n', "\x1b[K\n");
        print_line(&format!("{clear}\x1b[H{text}\x1b[K\x1b[J"))?;
        std::io::stdout().flush().map_err(Failure::failed)?;
        // What drawing took is not waited for again, so that the speed is the one asked for.
        let now = Instant::now();
        let next = self.next.map_or(now, |next| next.max(now)) + self.pause;
        std::thread::sleep(next - now);
        self.next = Some(next);
        Ok(())
    }

    fn end(self: Box<Self>) -> Result<(), Failure> {
        Ok(())
    }
}

/// A line an action: what is believed of it.
fn lines(scene: &Scene<'_>) -> String {
    let names = action_names(&scene.env.id, scene.views.len());
    let best = scene.views.iter().map(|view| view.mean).fold(f64::NEG_INFINITY, f64::max);
    // An uncertainty that the agent does not have is 0 of all actions: that is no number.
    let column = |of: fn(&ActionView) -> f64| -> Vec<String> {
        let has = scene.views.iter().any(|view| of(view) > 0.0);
        let text = |view| if has { format!("{:.3}", of(view)) } else { "–".into() };
        scene.views.iter().map(text).collect()
    };
    let (sigmas, spreads) = (column(|view| view.sigma), column(|view| view.spread));
    let line = |(at, view): (usize, &ActionView)| {
        let bar = "█".repeat((view.probability.clamp(0.0, 1.0) * 20.0).round() as usize);
        let mark = if view.mean == best { '*' } else { ' ' };
        format!(
            "\n{mark} {:<14} mean {:>9.3}  sigma {:>8}  spread {:>8}  p {:>5.2} {bar}",
            names[at], view.mean, sigmas[at], spreads[at], view.probability
        )
    };
    scene.views.iter().enumerate().map(line).collect()
}

/// The size of the pictures.
const SIZE: (u32, u32) = (480, 320);

/// The height of the strip with what is believed.
const STRIP: u32 = 100;

/// The height of the line of it that says what is what, and the width of the names of actions.
const HEAD: f64 = 18.0;
const NAMES: f64 = 92.0;

const GREY: Colour = Colour(0x5c, 0x5f, 0x66);

/// What is believed as a row of intervals: a dot at the mean, a whisker of one deviation to each side, and a bar whose
/// length is the probability of the action. One row an action, from the top.
fn strip(views: &[ActionView], names: &[String]) -> Result<Vec<u8>, Failure> {
    let mut raster = Raster::new(SIZE.0, STRIP).map_err(Failure::failed)?;
    let deviation = |view: &ActionView| view.sigma.hypot(view.spread);
    let low = views.iter().map(|view| view.mean - deviation(view)).fold(f64::INFINITY, f64::min);
    let high = views.iter().map(|view| view.mean + deviation(view)).fold(f64::NEG_INFINITY, f64::max);
    let (wide, tall) = (f64::from(SIZE.0), f64::from(STRIP));
    raster.view((0.0, 0.0), (wide, tall), Colour::WHITE);
    let room = 0.7 * wide - NAMES - 24.0;
    let place = |value: f64| NAMES + 12.0 + (value - low) / (high - low).max(1e-9) * room;
    let row = (tall - HEAD) / views.len().max(1) as f64;
    for (at, view) in views.iter().enumerate() {
        // In the colours of figures.
        let (y, colour) = (tall - HEAD - (at as f64 + 0.5) * row, Series::nth("", at).style.colour);
        let ends = [(place(view.mean - deviation(view)), y), (place(view.mean + deviation(view)), y)];
        raster.line(&ends, 3.0, colour);
        raster.circle((place(view.mean), y), 5.0_f64.min(0.4 * row), colour);
        let to = 0.72 * wide + 0.26 * wide * view.probability.clamp(0.0, 1.0);
        raster.polygon(
            &rectangle((0.72 * wide, y - 0.3 * row), (to.max(0.72 * wide + 1.0), y + 0.3 * row)),
            colour,
        );
    }
    let mut pixels = raster.rgba().to_vec();
    let mut head = |text: &str, x: f64| write(&mut pixels, &Word::new(text, 11.0), (x, HEAD / 2.0), GREY);
    head("action", 8.0);
    head(&format!("return: mean ± deviation, {low:.3} to {high:.3}"), NAMES + 6.0);
    head("probability", 0.72 * wide);
    for (at, name) in names.iter().enumerate() {
        let word = Word::new(name, 12.0_f64.min(0.85 * row));
        write(&mut pixels, &word, (8.0, HEAD + (at as f64 + 0.5) * row), Series::nth("", at).style.colour);
    }
    Ok(pixels)
}

/// Writes a word into a strip: its left end and its middle are at `(x, y)`, seen from the top.
fn write(pixels: &mut [u8], word: &Word, (x, y): (f64, f64), Colour(red, green, blue): Colour) {
    let (wide, tall) = (SIZE.0 as usize, STRIP as usize);
    let (left, top) = (x as usize, (y - word.height as f64 / 2.0).max(0.0) as usize);
    for (at, &cover) in word.cover.iter().enumerate() {
        let (column, line) = (left + at % word.width, top + at / word.width);
        if column >= wide || line >= tall {
            continue;
        }
        let first = 4 * (line * wide + column);
        for (pixel, ink) in pixels[first..first + 3].iter_mut().zip([red, green, blue]) {
            let mixed = u16::from(*pixel) * u16::from(255 - cover) + u16::from(ink) * u16::from(cover);
            *pixel = (mixed / 255) as u8;
        }
    }
}

impl Stage for Film {
    fn show(&mut self, scene: &Scene<'_>) -> Result<(), Failure> {
        let mut picture = Raster::new(SIZE.0, SIZE.1).map_err(Failure::failed)?;
        if !scene.env.draw(&mut picture) {
            return Err(Failure::usage(format!(
                "there are no pictures of {}: leave --gif out to watch it in the terminal",
                scene.env.id
            )));
        }
        let (mut pixels, mut height) = (picture.rgba().to_vec(), SIZE.1);
        if !scene.views.is_empty() {
            let names = action_names(&scene.env.id, scene.views.len());
            pixels.extend(strip(scene.views, &names)?);
            height += STRIP;
        }
        self.add((SIZE.0, height), &mut pixels)
    }

    fn end(self: Box<Self>) -> Result<(), Failure> {
        print_line(&self.finish()?)
    }
}
