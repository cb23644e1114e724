//! Runs a preset as `duvn train` does, and prints what the results of random worlds are made of, a line a run:
//!
//! `cargo run --release -p duvn-core --example random_worlds -- RiverSwim-6 40000 100..120 [agent=PRESET] [key=value]...`
//!
//! The preset is `duvn-stochastic` where none is named.
//!
//! Beside the columns of any file of runs there are
//! - `regret` (RiverSwim-6): 3.0645, the best mean return of 20 steps, times the episodes, less what was earned;
//! - `bsuite_episode` (DeepSeaStochastic): where fewer than 80 % of the episodes were bad, from episode 100 on; the run
//!   ends there;
//! - `greedy` (Blackjack): what the greedy policy earns on average, exactly, with the endless deck; `best`: the same of
//!   the best policy.

use duvn::{Agent, Config, Training, preset_for};
use duvn_envs::{Environment, Observation, registry};
use std::error::Error;

/// The best mean return of RiverSwim-6, by dynamic programming over 20 steps.
const RIVER: f64 = 3.0645;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [env, steps, seeds, settings @ ..] = arguments.as_slice() else {
        return Err("write an environment, steps and seeds, such as RiverSwim-6 40000 100..120".into());
    };
    let (first, end) = seeds.split_once("..").ok_or("write seeds as 100..120")?;
    println!(
        "env,agent,seed,episodes,steps,first_reward_episode,solved_episode,mean_return_last_100,regret,bsuite_episode,greedy,best"
    );
    for seed in first.parse()?..end.parse()? {
        println!("{}", run(env, steps.parse()?, seed, settings)?);
    }
    Ok(())
}

/// The name of the preset, and what is set beside it.
fn preset_and_settings(settings: &[String]) -> (&str, impl Iterator<Item = &str>) {
    let named = settings.iter().find_map(|setting| setting.strip_prefix("agent="));
    let rest = settings.iter().map(String::as_str).filter(|setting| !setting.starts_with("agent="));
    (named.unwrap_or("duvn-stochastic"), rest)
}

fn config(env: &registry::Registered, settings: &[String]) -> Result<Config, Box<dyn Error>> {
    let (name, settings) = preset_and_settings(settings);
    let mut config = preset_for(name, &env.observation_space())?;
    for setting in settings {
        let (key, value) = setting.split_once('=').ok_or("write settings as key=value")?;
        config.set(key, value)?;
    }
    Ok(config)
}

fn run(id: &str, steps: u64, seed: u64, settings: &[String]) -> Result<String, Box<dyn Error>> {
    let env = registry::make(id, seed)?;
    let threshold = env.reward_threshold;
    let config = config(&env, settings)?.check()?;
    let agent = Agent::new(&config, &env.observation_space(), &env.action_space(), seed)?;
    let mut training = Training::new(env, agent, seed);
    let (mut done, mut bad, mut returns) = (0, 0, Vec::new());
    let (mut first, mut solved, mut bsuite) = (None, None, None);
    while done < steps && bsuite.is_none() {
        let episode = training.episode()?;
        done += episode.length;
        returns.push(episode.ret);
        let count = returns.len();
        if episode.rewarded && first.is_none() {
            first = Some(count);
        }
        if count >= 100 && threshold.is_some_and(|threshold| last(&returns) >= threshold) {
            solved = solved.or(Some(count));
        }
        if let Some(denoised) = training.denoised_return() {
            bad += usize::from(denoised < 0.5);
            bsuite = (count >= 100 && 10 * bad < 8 * count).then_some(count);
        }
    }
    let regret = RIVER * returns.len() as f64 - returns.iter().sum::<f64>();
    let regret = if id == "RiverSwim-6" { format!("{regret:.1}") } else { String::new() };
    let greedy = if id == "Blackjack-v1" { blackjack(training.agent_mut())? } else { String::from(",") };
    let show = |number: Option<usize>| number.map_or_else(String::new, |number| number.to_string());
    let (count, last) = (returns.len(), last(&returns));
    let (preset, settings) = preset_and_settings(settings);
    let name = std::iter::once(preset).chain(settings).collect::<Vec<_>>().join(" ");
    let (first, solved, bsuite) = (show(first), show(solved), show(bsuite));
    Ok(format!("{id},{name},{seed},{count},{done},{first},{solved},{last:.4},{regret},{bsuite},{greedy}"))
}

/// The mean of the last 100 returns.
fn last(returns: &[f64]) -> f64 {
    let last = &returns[returns.len().saturating_sub(100)..];
    last.iter().sum::<f64>() / last.len().max(1) as f64
}

/// What the agent's greedy policy and the best one earn on average in Blackjack.
fn blackjack(agent: &mut Agent) -> Result<String, Box<dyn Error>> {
    let states: Vec<_> = (0..704).map(Observation::Index).collect();
    let greedy = agent.greedy_all(&states)?;
    let index = |hand: Hand, open: u8| {
        (usize::from(hand.sum()) * 11 + usize::from(open)) * 2 + usize::from(hand.usable())
    };
    let (mut own, mut best) = (0.0, 0.0);
    for (open, chance) in CARDS {
        let dealer = dealer(open);
        for (one, p) in CARDS {
            for (two, q) in CARDS {
                let hand = Hand::of(one).with(two);
                let share = chance * p * q;
                own += share
                    * value(hand, true, &dealer, &|hand, stick, hit| {
                        if greedy[index(hand, open)] == 0 { stick } else { hit }
                    });
                best += share * value(hand, true, &dealer, &|_, stick, hit| f64::max(stick, hit));
            }
        }
    }
    Ok(format!("{own:.5},{best:.5}"))
}

/// Cards, and how often each comes.
const CARDS: [(u8, f64); 10] = [
    (1, 1.0 / 13.0),
    (2, 1.0 / 13.0),
    (3, 1.0 / 13.0),
    (4, 1.0 / 13.0),
    (5, 1.0 / 13.0),
    (6, 1.0 / 13.0),
    (7, 1.0 / 13.0),
    (8, 1.0 / 13.0),
    (9, 1.0 / 13.0),
    (10, 4.0 / 13.0),
];

#[derive(Clone, Copy)]
struct Hand {
    hard: u8,
    ace: bool,
}

impl Hand {
    fn of(card: u8) -> Self {
        Hand { hard: card, ace: card == 1 }
    }

    fn with(self, card: u8) -> Self {
        Hand { hard: self.hard + card, ace: self.ace || card == 1 }
    }

    fn usable(self) -> bool {
        self.ace && self.hard + 10 <= 21
    }

    fn sum(self) -> u8 {
        if self.usable() { self.hard + 10 } else { self.hard }
    }
}

/// How often the dealer ends with 17 to 21, above that, and with a natural, which is in 21 as well.
struct Dealer {
    ends: [f64; 6],
    natural: f64,
}

fn dealer(open: u8) -> Dealer {
    fn play(hand: Hand, chance: f64, ends: &mut [f64; 6]) {
        match hand.sum() {
            sum @ 17.. => ends[usize::from(sum.min(22)) - 17] += chance,
            _ => CARDS.iter().for_each(|&(card, p)| play(hand.with(card), chance * p, ends)),
        }
    }
    let mut ends = [0.0; 6];
    play(Hand::of(open), 1.0, &mut ends);
    let natural = match open {
        1 => 4.0 / 13.0,
        10 => 1.0 / 13.0,
        _ => 0.0,
    };
    Dealer { ends, natural }
}

/// The mean return of a hand (`two`: of two cards), where `choose` makes one value of what sticking and hitting bring.
fn value(hand: Hand, two: bool, dealer: &Dealer, choose: &dyn Fn(Hand, f64, f64) -> f64) -> f64 {
    if hand.sum() > 21 {
        return -1.0;
    }
    let stick = if two && hand.ace && hand.hard == 11 {
        1.0 - dealer.natural
    } else {
        let against = |(end, chance): (usize, &f64)| {
            let other = end + 17;
            let mine = usize::from(hand.sum());
            chance
                * if other > 21 || mine > other {
                    1.0
                } else if mine == other {
                    0.0
                } else {
                    -1.0
                }
        };
        dealer.ends.iter().enumerate().map(against).sum()
    };
    let hit = CARDS.iter().map(|&(card, p)| p * value(hand.with(card), false, dealer, choose)).sum();
    choose(hand, stick, hit)
}
