//! Believed against true values: what `duvn-deep` believes in three small worlds whose true values dynamic programming
//! gives. It starts without what keeps values true (separate sub-networks everywhere, no guard against loops); then one
//! setting is changed at a time; last comes the preset as it is.
//!
//! `cargo run --release -p duvn-lab --example exact_values -- docs/results 20000 50,51 [128,128,128]`
//!
//! writes `exact-values.csv`, `exact-values.svg` and `exact-values.png` into the folder and prints a table. Looks that
//! the file of numbers has already are not made again, so that it can be stopped at any moment; without seeds (`""`) it
//! draws what is there.

use duvn::Config;
use duvn_envs::envs::MountainCar;
use duvn_envs::{Environment, Observation, registry};
use duvn_lab::exact::{Plane, Seen, World};
use duvn_lab::figures::{Axis, Curve, Figure, Mark, Panel, Rule, Series};
use duvn_lab::run::{Budget, Run, RunSpec};
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::Path;

/// Stands for the hidden layers that are asked for.
const LAYERS: &str = "LAYERS";

/// The preset with settings of its own for each kind of observation, and its own layers.
const PRESET: &str = "the preset";

/// Without any cure, then one suspect at a time, then what cures it.
const CHANGES: &[(&str, &[(&str, &str)])] = &[
    ("none", &[]),
    ("shared layers", &[("trunk", LAYERS), ("hidden", "[]")]),
    ("layer_norm=true", &[("layer_norm", "true")]),
    ("decider=online", &[("decider", "online")]),
    ("bound=returns", &[("bound", "returns")]),
    ("sigma_gamma=0.98", &[("sigma_gamma", "0.98")]),
    ("error_clip=0.1", &[("error_clip", "0.1")]),
    ("target_sync=200", &[("target_sync", "200")]),
    ("learning_rate=0.001", &[("learning_rate", "0.001")]),
    ("three steps", &[("lambda", "1"), ("trace_steps", "3")]),
    ("inputs=raw", &[("inputs", "raw")]),
    ("inputs=running", &[("inputs", "running")]),
    ("loops=guard", &[("loops", "guard")]),
    ("online, bound, sigma_gamma", &[("decider", "online"), ("bound", "returns"), ("sigma_gamma", "0.98")]),
    (PRESET, &[]),
];

/// Looks in a run.
const LOOKS: u64 = 20;

/// A world with the true value of some of its states; the first is the start.
struct Known {
    env: &'static str,
    states: Vec<(Seen, f64)>,
}

impl Known {
    fn is_box(&self) -> bool {
        matches!(self.states.first(), Some((Seen::Vector(_), _)))
    }
}

fn grid(env: &'static str, gamma: f64) -> Result<Known, Box<dyn Error>> {
    let world = World::explore(&mut registry::make(env, 0)?, 10_000)?;
    let values = world.values(gamma);
    Ok(Known { env, states: world.states.into_iter().zip(values).collect() })
}

const CAR: ([f64; 2], [f64; 2]) = ([-1.2, -0.07], [0.6, 0.07]);

/// One step of MountainCar, from position and velocity.
fn drive([position, velocity]: [f64; 2], action: usize) -> (f64, Option<[f64; 2]>) {
    let push = action as f64 - 1.0;
    let velocity = (velocity + push * 0.001 - 0.0025 * (3.0 * position).cos()).clamp(-0.07, 0.07);
    let position = (position + velocity).clamp(-1.2, 0.6);
    let velocity = if position == -1.2 && velocity < 0.0 { 0.0 } else { velocity };
    (-1.0, (position < 0.5).then_some([position, velocity]))
}

/// States on the best ways from twenty starts, the first from the middle of the valley.
fn car(gamma: f64) -> Result<Known, Box<dyn Error>> {
    check_car()?;
    let plane = Plane::solve(CAR, [361, 281], 3, gamma, drive);
    let mut states = Vec::new();
    for start in 0..20 {
        let mut at = if start == 0 { [-0.5, 0.0] } else { [-0.6 + 0.01 * f64::from(start), 0.0] };
        let (mut earned, mut weight) = (0.0, 1.0);
        let expected = plane.value(at);
        for step in 0..1000 {
            if step % 10 == 0 {
                let seen = Seen::Vector(at.iter().map(|&x| x as f32).collect());
                states.push((seen, plane.value(at)));
            }
            let worth = |action: usize| {
                let (reward, to) = drive(at, action);
                reward + gamma * to.map_or(0.0, |to| plane.value(to))
            };
            let best = (0..3).max_by(|a, b| worth(*a).total_cmp(&worth(*b))).unwrap_or(0);
            let (reward, to) = drive(at, best);
            earned += weight * reward;
            weight *= gamma;
            let Some(next) = to else { break };
            at = next;
        }
        if start == 0 {
            eprintln!("MountainCar from -0.5: {expected:.2} by the grid, {earned:.2} earned by acting on it");
        }
    }
    Ok(Known { env: "MountainCar-v0", states })
}

/// That `drive` is the environment's own step.
fn check_car() -> Result<(), Box<dyn Error>> {
    let mut env = MountainCar::new(0.0);
    env.reset(Some(0));
    let see = |env: &MountainCar| match env.observation() {
        Observation::Vector(at) => [f64::from(at[0]), f64::from(at[1])],
        Observation::Index(_) => [0.0; 2],
    };
    for step in 0..300 {
        let (before, action) = (see(&env), step / 7 % 3);
        env.step(action.into())?;
        let (_, to) = drive(before, action);
        let after = see(&env);
        let far = to.is_some_and(|to| (0..2).any(|i| (to[i] - after[i]).abs() > 1e-6));
        assert!(!far, "{before:?} {action}: {to:?} instead of {after:?}");
    }
    Ok(())
}

/// What is believed at one moment: over all states, and at the start.
#[derive(Clone, Copy)]
struct Look {
    steps: u64,
    believed: f64,
    /// The root of the mean square of believed - true.
    error: f64,
    start: f64,
    sigma: f64,
}

fn look(run: &mut Run, known: &Known) -> Result<Look, Box<dyn Error>> {
    let (mut believed, mut squares, mut first) = (0.0, 0.0, None);
    for (seen, truth) in &known.states {
        let views = run.agent_mut().inspect(seen.as_observation(), 1)?;
        let best = views.iter().copied().max_by(|a, b| a.mean.total_cmp(&b.mean));
        let best = best.ok_or("there is no action")?;
        first.get_or_insert((best.mean, best.sigma));
        believed += best.mean;
        squares += (best.mean - truth).powi(2);
    }
    let (count, (start, sigma)) = (known.states.len() as f64, first.unwrap_or_default());
    Ok(Look { steps: run.steps(), believed: believed / count, error: (squares / count).sqrt(), start, sigma })
}

type Looks = BTreeMap<(String, String, u64), Vec<Look>>;

fn read(path: &Path) -> Looks {
    let mut looks = Looks::new();
    for line in std::fs::read_to_string(path).unwrap_or_default().lines().skip(1) {
        let cells: Vec<&str> = line.split(';').collect();
        let [env, change, seed, steps, believed, error, start, sigma] = cells[..] else { continue };
        let number = |text: &str| text.parse().unwrap_or(f64::NAN);
        let look = Look {
            steps: steps.parse().unwrap_or(0),
            believed: number(believed),
            error: number(error),
            start: number(start),
            sigma: number(sigma),
        };
        let key = (env.into(), change.into(), seed.parse().unwrap_or(0));
        looks.entry(key).or_default().push(look);
    }
    looks
}

fn train(
    known: &Known,
    (name, change): (&str, &[(&str, &str)]),
    seed: u64,
    steps: u64,
    layers: &str,
) -> Result<Vec<Look>, Box<dyn Error>> {
    let mut config: Config = duvn::preset("duvn-deep")?;
    if name == PRESET {
        let gamma = config.gamma;
        config = duvn::preset_for("duvn-deep", &registry::make(known.env, 0)?.observation_space())?;
        config.gamma = gamma;
    } else {
        config.set("hidden", layers)?;
        config.set("loops", "ignore")?;
    }
    for (key, value) in change {
        config.set(key, if *value == LAYERS { layers } else { value })?;
    }
    let (env, agent, budget) = (known.env.into(), "duvn-deep".into(), Budget::Steps(steps));
    let mut run = Run::new(RunSpec { env, agent, config, seed, budget, until_solved: false })?;
    let mut looks = vec![look(&mut run, known)?];
    for part in 1..=LOOKS {
        while run.steps() < part * steps / LOOKS {
            run.step()?;
        }
        looks.push(look(&mut run, known)?);
    }
    Ok(looks)
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
    sum / count
}

/// Whether anything was trained there.
fn has_looks(known: &Known, looks: &Looks) -> bool {
    looks.keys().any(|(env, ..)| env == known.env)
}

/// One row a change, one column a world: the mean over states of what is believed, a line a seed.
fn figure(worlds: &[Known], looks: &Looks, steps: u64) -> Figure {
    let mut panels = Vec::new();
    let shown: Vec<_> = worlds.iter().filter(|known| has_looks(known, looks)).collect();
    for (change, _) in CHANGES {
        for known in &shown {
            // With several worlds a row is a change, so that a panel without lines keeps its place.
            if shown.len() == 1 && !looks.keys().any(|(_, name, _)| name == change) {
                continue;
            }
            let truth = mean(known.states.iter().map(|state| state.1));
            let mut marks = vec![Mark::Rule(Rule::horizontal(truth, "true"))];
            let lines = |change: &str, series: &Series| -> Vec<Mark> {
                let own = looks.iter().filter(|((env, name, _), _)| env == known.env && name == change);
                own.map(|(_, looks)| {
                    let points = looks.iter().map(|look| (look.steps as f64, look.believed)).collect();
                    Mark::Curve(Curve { markers: false, ..Curve::new(series.clone(), points) })
                })
                .collect()
            };
            let (before, after) = (Series::method("egreedy"), Series::method("duvn"));
            let before = Series { name: "without any cure".into(), ..before };
            let after = Series { name: "with the change above the panel".into(), ..after };
            marks.extend(lines(CHANGES[0].0, &before));
            if *change != CHANGES[0].0 {
                marks.extend(lines(change, &after));
            }
            let x = Axis::new("environment step").from_to(0.0, steps as f64);
            let note = known.env.split('?').next().unwrap_or("").into();
            let (title, y) = ((*change).into(), Axis::new("value"));
            panels.push(Panel { title, note, marks, ..Panel::new(x, y) });
        }
    }
    let title = "Believed against true values: the mean over states".into();
    let footer =
        "max over actions of the mean, a line a seed; the dashed line is the truth by dynamic programming"
            .into();
    Figure { title, footer, size: (185.0, 78.0), ..Figure::new(panels, if shown.len() == 2 { 2 } else { 3 }) }
}

fn table(worlds: &[Known], looks: &Looks) {
    println!(
        "| change | world | believed - true, mean over states | error (root of mean square) | start: believed | sigma |"
    );
    for (change, _) in CHANGES {
        for known in worlds.iter().filter(|known| has_looks(known, looks)) {
            let truth = mean(known.states.iter().map(|state| state.1));
            let own = looks.iter().filter(|((env, name, _), _)| env == known.env && name == change);
            let last: Vec<Look> = own.filter_map(|(_, looks)| looks.last().copied()).collect();
            if last.is_empty() {
                continue;
            }
            let show = |value: fn(&Look) -> f64, less: f64| {
                let texts: Vec<_> = last.iter().map(|look| format!("{:.2}", value(look) - less)).collect();
                texts.join(", ")
            };
            println!(
                "| {change} | {} (true at start {:.2}, mean {truth:.2}) | {} | {} | {} | {} |",
                known.env,
                known.states[0].1,
                show(|look| look.believed, truth),
                show(|look| look.error, 0.0),
                show(|look| look.start, 0.0),
                show(|look| look.sigma, 0.0),
            );
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(arguments.first().map_or("docs/results", String::as_str));
    let steps: u64 = arguments.get(1).map_or(Ok(20_000), |text| text.parse())?;
    let seeds = arguments.get(2).map_or("50,51", String::as_str);
    let given = seeds.split(',').filter(|text| !text.is_empty());
    let seeds: Vec<u64> = given.map(str::parse).collect::<Result<_, _>>()?;
    let layers = arguments.get(3).map_or("[128,128,128]", String::as_str);
    let gamma = duvn::preset("duvn-deep")?.gamma;
    let worlds = [grid("FrozenLake-v1?slippery=false", gamma)?, grid("PointMaze-10", gamma)?, car(gamma)?];
    std::fs::create_dir_all(folder)?;
    let path = folder.join("exact-values.csv");
    let mut looks = read(&path);
    let mut file = std::fs::File::options().create(true).append(true).open(&path)?;
    if file.metadata()?.len() == 0 {
        writeln!(file, "env;change;seed;steps;believed;error;start;sigma")?;
    }
    for known in &worlds {
        for seed in &seeds {
            for (change, settings) in CHANGES {
                let key = (known.env.to_string(), (*change).to_string(), *seed);
                let only = match *change {
                    "inputs=raw" | "inputs=running" => known.is_box(),
                    "loops=guard" => !known.is_box(),
                    _ => true,
                };
                if looks.contains_key(&key) || !only {
                    continue;
                }
                let found = train(known, (change, settings), *seed, steps, layers)?;
                let line = |look: &Look| {
                    let Look { steps, believed, error, start, sigma } = look;
                    format!("{};{change};{seed};{steps};{believed};{error};{start};{sigma}\n", known.env)
                };
                file.write_all(found.iter().map(line).collect::<String>().as_bytes())?;
                eprintln!("{} {change} seed {seed}", known.env);
                looks.insert(key, found);
            }
        }
    }
    let figure = figure(&worlds, &looks, steps);
    std::fs::write(folder.join("exact-values.svg"), figure.to_svg())?;
    std::fs::write(folder.join("exact-values.png"), figure.to_png(2.0)?)?;
    table(&worlds, &looks);
    Ok(())
}
