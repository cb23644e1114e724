//! The two uncertainties, apart: a bandit with four arms, two of which are noisy, and two of which are seldom tried. After
//! every so many rounds an agent with two networks of quantiles (`ua-dqn`) is asked of each arm how much more data would
//! tell, and how much would stay.
//!
//! `cargo run --release -p duvn-lab --example two_uncertainties -- docs/results 100..105`
//!
//! writes `bandit-uncertainties.csv`, `.svg` and `.png` into the folder and prints a table.

use duvn::rng::Stream;
use duvn::{ActionView, Agent, Config};
use duvn_envs::{Observation, Space, Step};
use duvn_lab::figures::{Axis, Curve, Figure, Mark, Panel, Rule, Series};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// The arms: what each is called, and the standard deviation of what it pays. All pay 1 on average. The first two are tried in
/// ten of eleven rounds, the others in one.
const ARMS: [(&str, f64); 4] = [
    ("often tried, calm", 0.1),
    ("often tried, noisy", 1.0),
    ("seldom tried, calm", 0.1),
    ("seldom tried, noisy", 1.0),
];

/// The rounds after which the agent is asked.
const LOOKS: [u64; 9] = [11, 22, 44, 88, 176, 352, 704, 1408, 2816];

fn arm(round: u64) -> usize {
    let turn = usize::from(round / 11 % 2 == 1);
    if round % 11 == 10 { 2 + turn } else { (round % 2) as usize }
}

/// `ua-dqn` that learns from the first round on. Without smoothing, quantiles are where they should be however small the noise.
fn config() -> Result<Config, Box<dyn Error>> {
    Ok(Config { kappa: 0.0, learning_starts: 1, ..duvn::preset("ua-dqn")? })
}

/// What is said of every arm, look by look.
fn run(seed: u64) -> Result<Vec<Vec<ActionView>>, Box<dyn Error>> {
    let mut agent = Agent::new(&config()?.check()?, &Space::Discrete(1), &Space::Discrete(ARMS.len()), seed)?;
    let (mut rewards, mut looks) = (Stream::new(seed, "rewards"), Vec::new());
    for round in 0..LOOKS[LOOKS.len() - 1] {
        let arm = arm(round);
        let reward = 1.0 + ARMS[arm].1 * f64::from(rewards.normal());
        agent.begin(Observation::Index(0))?;
        agent.observe_action(
            arm,
            &Step { reward, terminated: true, truncated: false },
            Observation::Index(0),
        )?;
        if LOOKS.contains(&(round + 1)) {
            looks.push(agent.inspect(Observation::Index(0), 1)?);
        }
    }
    Ok(looks)
}

type Of = fn(&ActionView) -> f64;

fn panel(title: &str, y: Axis, runs: &[Vec<Vec<ActionView>>], of: Of) -> Panel {
    let curve = |(arm, (name, _)): (usize, &(&str, f64))| {
        let at = |(look, &round): (usize, &u64)| {
            let values: Vec<f64> = runs.iter().map(|looks| of(&looks[look][arm])).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let (low, high) = values.iter().fold((mean, mean), |(a, b), &value| (a.min(value), b.max(value)));
            (round as f64, mean, low, high)
        };
        let points: Vec<_> = LOOKS.iter().enumerate().map(at).collect();
        let band = points.iter().map(|&(x, _, low, high)| (x, low, high)).collect();
        let line = points.iter().map(|&(x, mean, ..)| (x, mean)).collect();
        Mark::Curve(Curve::new(Series::nth(*name, arm), line).with_band(band))
    };
    let marks = ARMS.iter().enumerate().map(curve).collect();
    Panel { title: title.into(), marks, ..Panel::new(Axis::log("rounds"), y) }
}

fn figure(runs: &[Vec<Vec<ActionView>>]) -> Figure {
    let axis = || Axis::new("standard deviation").from_to(0.0, 1.3);
    let unknown = panel("Epistemic: more data would remove it", axis(), runs, |view| view.epistemic);
    let mut varies = panel("Aleatoric: it would stay", axis(), runs, |view| view.aleatoric);
    varies.marks.push(Mark::Rule(Rule::horizontal(1.0, "noisy arms")));
    varies.marks.push(Mark::Rule(Rule::horizontal(0.1, "calm arms")));
    Figure {
        title: "Four arms of a bandit that differ in both uncertainties".into(),
        footer: format!("mean and range of {} seeds; dashed: how much the arms really vary", runs.len()),
        ..Figure::new(vec![unknown, varies], 2)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, seeds] = arguments.as_slice() else {
        return Err("write a folder and seeds, such as docs/results 100..105".into());
    };
    let (first, end) = seeds.split_once("..").ok_or("write seeds as 100..105")?;
    let (first, end): (u64, u64) = (first.parse()?, end.parse()?);
    let runs = (first..end).map(run).collect::<Result<Vec<_>, _>>()?;
    let mut csv = String::from("seed,rounds,arm,mean,epistemic,aleatoric\n");
    for (seed, looks) in (first..end).zip(&runs) {
        for (round, views) in LOOKS.iter().zip(looks) {
            for ((name, _), view) in ARMS.iter().zip(views) {
                let ActionView { mean, epistemic, aleatoric, .. } = view;
                writeln!(
                    csv,
                    "{seed},{round},{},{mean:.4},{epistemic:.4},{aleatoric:.4}",
                    name.replace(',', "")
                )?;
            }
        }
    }
    let (folder, figure) = (Path::new(folder), figure(&runs));
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("bandit-uncertainties.csv"), csv)?;
    std::fs::write(folder.join("bandit-uncertainties.svg"), figure.to_svg())?;
    std::fs::write(folder.join("bandit-uncertainties.png"), figure.to_png(2.0)?)?;
    println!(
        "| arm | epistemic after {} rounds | after {} | aleatoric after {} |",
        LOOKS[2], LOOKS[8], LOOKS[8]
    );
    println!("| --- | --- | --- | --- |");
    for (arm, (name, _)) in ARMS.iter().enumerate() {
        let mean = |look: usize, of: Of| {
            runs.iter().map(|looks| of(&looks[look][arm])).sum::<f64>() / runs.len() as f64
        };
        let (early, late) = (mean(2, |view| view.epistemic), mean(8, |view| view.epistemic));
        println!("| {name} | {early:.3} | {late:.3} | {:.3} |", mean(8, |view| view.aleatoric));
    }
    Ok(())
}
