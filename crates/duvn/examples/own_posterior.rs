//! A posterior of one's own: no network at all, but a table of means and counts, which is all that a small world needs.
//!
//! The value of each state and action is believed to be N(mean, prior² / (1 + n)) after n updates. A draw is one standard normal
//! for each of them, so that acting greedily on a draw is Thompson sampling (randomised value functions; Osband et al. 2019).
//!
//! `cargo run --release -p duvn-core --example own_posterior`

use duvn::net::{Health, Input, LoadError, Rows, Shape, Tensor, Which};
use duvn::posterior::{Draw, Posterior, Question, Source, TrainingBatch};
use duvn::returns::{Discrepancy, Mean};
use duvn::{Agent, Axes, Config, Training, preset};
use duvn_envs::{Environment, StateError, registry};
use std::sync::Arc;

struct Table {
    shape: Shape,
    prior: f32,
    /// By state, then action, as are the others.
    means: Vec<f32>,
    target: Vec<f32>,
    counts: Vec<f32>,
}

impl Table {
    fn new(states: usize, actions: usize, prior: f32) -> Self {
        let shape = Shape::heads(Input::OneHot(states), vec![], actions, 1);
        let zeros = vec![0.0; states * actions];
        Table { shape, prior, means: zeros.clone(), target: zeros.clone(), counts: zeros }
    }

    /// Where a state begins.
    fn at(&self, state: u32) -> usize {
        state as usize * self.shape.actions
    }

    fn tensor(&self, name: &str, data: &[f32]) -> Tensor {
        let states = data.len() / self.shape.actions;
        Tensor { name: name.into(), shape: vec![states, self.shape.actions], data: data.to_vec() }
    }
}

/// The agent gives a posterior for states the numbers of states.
fn states(rows: Rows<'_>) -> &[u32] {
    match rows {
        Rows::Index(states) => states,
        Rows::Dense(_) => &[],
    }
}

impl Posterior for Table {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn draw(&self, source: &mut Source, draw: &mut Draw) {
        draw.numbers.clear();
        draw.numbers.extend((0..self.means.len()).map(|_| source.stream.normal()));
    }

    fn beliefs<'d>(&mut self, rows: Rows<'_>, draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]) {
        for (row, (&state, out)) in states(rows).iter().zip(out.chunks_mut(self.shape.actions)).enumerate() {
            for (action, out) in out.iter_mut().enumerate() {
                let at = self.at(state) + action;
                let sigma = self.prior / (1.0 + self.counts[at]).sqrt();
                *out = self.means[at] + sigma * draw_of(row).numbers[at];
            }
        }
    }

    fn centres(&self) -> usize {
        1
    }

    fn central_beliefs(&mut self, _centre: usize, rows: Rows<'_>, out: &mut [f32]) {
        for (&state, out) in states(rows).iter().zip(out.chunks_mut(self.shape.actions)) {
            out.copy_from_slice(&self.means[self.at(state)..][..self.shape.actions]);
        }
    }

    fn learners(&self) -> usize {
        1
    }

    /// Targets look at a draw too: what is uncertain at the next state is uncertain before it.
    fn value(&mut self, _learner: usize, question: Question<'_>, source: &mut Source, out: &mut [f32]) {
        let table = if question.which == Which::Online { &self.means } else { &self.target };
        let mut say =
            |at: usize| table[at] + self.prior / (1.0 + self.counts[at]).sqrt() * source.stream.normal();
        let (states, actions) = (states(question.rows), self.shape.actions);
        match question.taken {
            Some(taken) => {
                for ((&state, &action), out) in states.iter().zip(taken).zip(out) {
                    *out = say(state as usize * actions + usize::from(action));
                }
            }
            None => {
                for (&state, out) in states.iter().zip(out.chunks_mut(actions)) {
                    out.iter_mut().enumerate().for_each(|(a, out)| *out = say(state as usize * actions + a));
                }
            }
        }
    }

    fn values_vary(&self) -> bool {
        true
    }

    fn remember(&mut self, _slot: u32) {}

    /// A step towards each target: a tenth of the way, more while little is known.
    fn train(&mut self, _learner: usize, batch: TrainingBatch<'_>, _source: &mut Source) -> Health {
        let rows = states(batch.rows).iter().zip(batch.actions).zip(batch.targets).zip(batch.found);
        for (((&state, &action), &target), found) in rows {
            let at = self.at(state) + usize::from(action);
            let difference = f64::from(target - self.means[at]);
            *found = Discrepancy { loss: difference * difference, temporal_difference: difference.abs() };
            self.counts[at] += 0.1;
            self.means[at] += (1.0 / (1.0 + self.counts[at])).max(0.1) * (target - self.means[at]);
        }
        Health::Finite
    }

    fn sync_target(&mut self, tau: f32) {
        for (target, mean) in self.target.iter_mut().zip(&self.means) {
            *target += tau * (mean - *target);
        }
    }

    fn weights(&self) -> Vec<Tensor> {
        vec![self.tensor("means", &self.means)]
    }

    fn tensors(&self) -> Vec<Tensor> {
        let parts = [("means", &self.means), ("target", &self.target), ("counts", &self.counts)];
        parts.iter().map(|(name, data)| self.tensor(name, data)).collect()
    }

    fn load(&mut self, tensors: &[Tensor]) -> Result<(), LoadError> {
        let (len, parts) = (self.means.len(), [&mut self.means, &mut self.target, &mut self.counts]);
        for (name, part) in ["means", "target", "counts"].into_iter().zip(parts) {
            let found = tensors.iter().find(|tensor| tensor.name == name && tensor.data.len() == len);
            part.clone_from(&found.ok_or(LoadError::Missing { name: name.into() })?.data);
        }
        Ok(())
    }

    fn freeze(&self) -> Vec<u8> {
        Vec::new()
    }

    fn thaw(&mut self, _bytes: &[u8]) -> Result<(), StateError> {
        Ok(())
    }
}

/// The mean return of the last fifty of 600 episodes on a Chain of ten.
pub fn train() -> Result<f64, Box<dyn std::error::Error>> {
    let env = registry::make("Chain-10", 0)?;
    let (observations, actions) = (env.observation_space(), env.action_space());
    let settings = [("policy", "greedy"), ("backup", "max"), ("target_sync", "1"), ("learning_starts", "1")];
    let mut config: Config = preset("egreedy")?;
    settings.iter().try_for_each(|(key, value)| config.set(key, value))?;
    // A draw for the whole episode, as an ensemble would keep a member.
    config.parameter_scope = duvn::config::Scope::Episode;
    let config = config.check()?;
    let policy = duvn::policy::policy(&config);
    let axes = Axes { posterior: Box::new(Table::new(11, 2, 1.0)), returns: Arc::new(Mean), policy };
    let agent = Agent::with_axes(&config, axes, &observations, 0)?;
    debug_assert_eq!(actions.to_string(), "Discrete(2)");
    let mut training = Training::new(env, agent, 0);
    let mut returns = Vec::new();
    for _ in 0..600 {
        returns.push(training.episode()?.ret);
    }
    Ok(returns[550..].iter().sum::<f64>() / 50.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("mean return of the last 50 episodes on Chain-10: {:.2}", train()?);
    Ok(())
}
