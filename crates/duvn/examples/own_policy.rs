//! A policy of one's own: information-directed sampling (Russo and Van Roy 2014) on what several draws of the parameters say.
//!
//! It looks at ten draws in every decision. Of an action whose mean is mu over the draws, with a spread of sigma, it takes the
//! regret to be at most max(mu + sigma) - (mu - sigma), and what trying it would teach to be ln(1 + sigma² / rho²). It takes the
//! action that pays least regret, squared, for what it learns.
//!
//! `cargo run --release -p duvn --example own_policy`

use duvn::policy::{Beliefs, Moment, Policy, best_of};
use duvn::rng::Stream;
use duvn::{Agent, Axes, Training, preset};
use duvn_envs::{Environment, registry};

struct InformationDirected {
    draws: usize,
    /// The spread of outcomes that no data can remove.
    rho: f64,
}

impl Policy for InformationDirected {
    fn draws(&self) -> usize {
        self.draws
    }

    fn choose(&self, beliefs: Beliefs<'_>, _moment: Moment, stream: &mut Stream) -> usize {
        let bounds = |action| {
            let (mu, sigma) = beliefs.over_draws(action);
            (mu - sigma, mu + sigma, sigma)
        };
        let best = (0..beliefs.actions()).map(|action| bounds(action).1).fold(f64::NEG_INFINITY, f64::max);
        best_of(beliefs.actions(), stream, |action, _| {
            let (low, _, sigma) = bounds(action);
            let information = (1.0 + (sigma / self.rho).powi(2)).ln() + 1e-5;
            -(best - low).powi(2) / information
        })
    }
}

/// Episodes until the mean return of the last hundred is at 0.95 on a Chain of ten, if that comes within a thousand.
pub fn train() -> Result<Option<usize>, Box<dyn std::error::Error>> {
    let env = registry::make("Chain-10", 0)?;
    let (observations, actions) = (env.observation_space(), env.action_space());
    // Everything but the policy is parametric exploration's: means under dropout.
    let config = preset("parametric")?.check()?;
    let mut axes = Axes::new(&config, &observations, &actions, 0)?;
    axes.policy = Box::new(InformationDirected { draws: 10, rho: 0.1 });
    let agent = Agent::with_axes(&config, axes, &observations, 0)?;
    let mut training = Training::new(env, agent, 0);
    let mut returns = Vec::new();
    for _ in 0..2000 {
        returns.push(training.episode()?.ret);
        let last = &returns[returns.len().saturating_sub(100)..];
        if last.len() == 100 && last.iter().sum::<f64>() >= 95.0 {
            return Ok(Some(returns.len()));
        }
    }
    Ok(None)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match train()? {
        Some(episodes) => println!("Chain-10 is solved after {episodes} episodes"),
        None => println!("Chain-10 is not solved in 2000 episodes"),
    }
    Ok(())
}
