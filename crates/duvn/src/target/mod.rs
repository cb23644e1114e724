//! Bellman targets for a batch of remembered transitions: one-step SARSA, expected SARSA, off-policy
//! maximum, and SARSA(lambda) along the recorded trace.

mod rule;
mod trace;
mod valuer;

pub use trace::{Fresh, Known};

use crate::config::{CheckedConfig, Decider, TraceCut};
use crate::local::Local;
use crate::net::Which;
use crate::policy::{Beliefs, Moment, Policy};
use crate::posterior::{Posterior, Question, SeveralDraws, Source};
use crate::replay::Ring;
use crate::returns::{Backup, Mixture, ReturnModel};
use crate::rng::Stream;
use rule::{NextState, Rule, Winner, rule};
use trace::{Traces, room};
use valuer::{Parts, Valuer};

/// What making targets looks at.
pub struct Sources<'a> {
    /// The value networks, current and target.
    pub posterior: &'a mut dyn Posterior,
    /// Whose targets they are.
    pub learner: usize,
    /// The meaning of what the networks say.
    pub model: &'a dyn ReturnModel,
    /// The policy, which draws next actions.
    pub policy: &'a dyn Policy,
    /// Local uncertainty, which stands beside the network's.
    pub local: &'a mut Local,
    /// Where draws of the parameters come from.
    pub source: &'a mut Source,
    /// Random numbers for next actions and samples.
    pub stream: &'a mut Stream,
    /// Environment steps so far.
    pub step: u64,
}

/// Makes targets, in two steps: the traces of a batch are [followed](Targets::follow) once, and every learner
/// [makes](Targets::make) its own targets of them. Keeps its buffers from batch to batch.
pub struct Targets {
    gamma: f64,
    lambda: f64,
    cut: TraceCut,
    decider: Decider,
    masks: usize,
    rule: Box<dyn Rule>,
    traces: Traces,
    /// The deciding pass.
    beliefs: Vec<f32>,
    several: SeveralDraws,
    values: Vec<f32>,
    /// By row: the parts of the mixture at the next state, and their weights.
    parts: Vec<f32>,
    weights: Vec<f32>,
    terminal: Vec<f32>,
    trace: Vec<f32>,
}

impl Targets {
    /// Targets as `config` asks for.
    pub fn new(config: &CheckedConfig) -> Self {
        Targets {
            gamma: config.gamma,
            lambda: config.lambda,
            cut: config.trace_cut,
            decider: config.decider,
            masks: config.mc_samples,
            rule: rule(config),
            traces: Traces::new(
                if config.lambda > 0.0 { config.trace_steps } else { 1 },
                config.lambda == 1.0 && config.trace_cut == TraceCut::Never,
            ),
            beliefs: Vec::new(),
            several: SeveralDraws::default(),
            values: Vec::new(),
            parts: Vec::new(),
            weights: Vec::new(),
            terminal: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// From now on `decider` decides on next states.
    pub fn set_decider(&mut self, decider: Decider) {
        self.decider = decider;
    }

    /// From now on steps are discounted by `gamma`.
    pub fn set_gamma(&mut self, gamma: f64) {
        self.gamma = gamma;
    }

    /// Follows the trace of each slot and lists the next states that need a value. Next actions will be drawn
    /// from the policy, but for those that are `known`.
    pub fn follow(&mut self, slots: &[u32], known: Known, ring: &Ring) {
        self.traces.follow(slots, known, ring);
    }

    /// Writes the target of each slot that was [followed](Targets::follow), as the learner of `sources` sees it.
    pub fn make(&mut self, sources: &mut Sources<'_>, out: &mut [f32]) {
        self.make_room(sources);
        if self.traces.rows() > 0 {
            self.decide(sources);
            self.value(sources);
        }
        self.propagate(sources, out);
    }

    /// Takes room for as many next states as there can be at once. How many there are changes from batch to
    /// batch, and later batches would allocate.
    fn make_room(&mut self, sources: &Sources<'_>) {
        let rows = self.traces.most_rows();
        let (actions, width) = (sources.posterior.shape().actions, sources.model.outputs());
        let parts = rows * self.masks * self.rule.parts(actions);
        self.rule.reset(rows, actions);
        room(&mut self.beliefs, rows * actions * width);
        room(&mut self.values, rows * actions * width);
        room(&mut self.parts, parts * width);
        room(&mut self.weights, parts);
    }

    /// Decides on every next state.
    fn decide(&mut self, sources: &mut Sources<'_>) {
        let Sources { posterior, learner, model, policy, local, source, stream, step } = sources;
        let rows = self.traces.next().as_rows();
        let numbers = posterior.shape().actions * model.outputs();
        self.beliefs.resize(self.traces.rows() * numbers, 0.0);
        let which = match self.decider {
            Decider::Online => Which::Online,
            Decider::Target => Which::Target,
        };
        let question = Question { which, rows, taken: None };
        posterior.value(*learner, question, source, &mut self.beliefs);
        local.widen(*model, rows, None, &mut self.beliefs);
        // Where asking again gives the same answer, one draw says it all.
        let further = if posterior.values_vary() { policy.draws() - 1 } else { 0 };
        if further > 0 {
            self.several.ask(*posterior, (local, *model), source, (*learner, question), further);
        }
        let mut moment = Moment { step: *step, index: None };
        for (row, parameters) in self.beliefs.chunks_exact_mut(numbers).enumerate() {
            let others = if further > 0 { self.several.of(row) } else { &[] };
            let beliefs = Beliefs { model: *model, parameters, others };
            if self.traces.is_first(row) {
                moment.index = policy.draw_index(stream);
            }
            let state = NextState { beliefs, moment, known: self.traces.known(row) };
            if let Some(Winner { action, draw }) = self.rule.decide(state, *policy, stream) {
                // The draw that chose an action is the one that values it, where this pass is asked for values.
                let (width, at) = (model.outputs(), action * model.outputs());
                parameters[at..at + width].copy_from_slice(&others[(draw - 1) * numbers + at..][..width]);
            }
        }
    }

    /// Fills `parts` and `weights`: for each row, what the target network believes of what the rule decided on, under
    /// each of the draws that a target averages.
    fn value(&mut self, sources: &mut Sources<'_>) {
        let rows = self.traces.rows();
        let (actions, width) = (sources.posterior.shape().actions, sources.model.outputs());
        let share = 1.0 / self.masks as f32;
        self.weights.clear();
        for row in 0..rows {
            let start = self.weights.len();
            for _ in 0..self.masks {
                self.weights.extend(self.rule.weights(row).iter().map(|weight| weight * share));
            }
            // Where a row has one part, the action drawn, there is nothing to share out.
            let shared = self.cut == TraceCut::Policy && self.rule.parts(actions) == actions;
            if let Some(action) = self.traces.followed(row).filter(|_| shared) {
                let (lambda, p) = (self.lambda as f32, self.rule.agreement(row, action));
                let weights = self.weights[start..].chunks_exact_mut(actions);
                weights.for_each(|weights| leave_to_trace(weights, action, lambda, p));
            }
        }
        let len = self.rule.parts(actions) * width;
        let stride = self.masks * len;
        self.parts.resize(rows * stride, 0.0);
        for mask in 0..self.masks {
            // The pass in which the target network decided has the values already.
            let reuse = mask == 0 && self.decider == Decider::Target;
            let mut valuer = Valuer {
                sources,
                next: self.traces.next().as_rows(),
                rows,
                decided: reuse.then_some(&self.beliefs),
                scratch: &mut self.values,
            };
            let mut parts = Parts { numbers: &mut self.parts, stride, at: mask * len, len };
            self.rule.value(&mut valuer, &mut parts);
        }
    }

    /// Sends the beliefs back along each trace.
    fn propagate(&mut self, sources: &mut Sources<'_>, out: &mut [f32]) {
        let Sources { model, stream, .. } = sources;
        let rows = self.traces.rows().max(1);
        let (weights, parts) = (self.weights.len() / rows, self.parts.len() / rows);
        self.terminal.resize(model.outputs(), 0.0);
        model.terminal(&mut self.terminal);
        self.trace.resize(model.target_width(), 0.0);
        for (target, steps) in out.chunks_exact_mut(model.target_width()).zip(self.traces.samples()) {
            for (steps_on, step) in steps.iter().rev().enumerate() {
                let next = match step.row {
                    None => Mixture { weights: &[1.0], parameters: &self.terminal },
                    Some(row) => Mixture {
                        weights: &self.weights[row * weights..][..weights],
                        parameters: &self.parts[row * parts..][..parts],
                    },
                };
                self.trace.copy_from_slice(target);
                let followed = step.row.and_then(|row| Some((row, self.traces.followed(row)?)));
                let share = match (self.cut, followed) {
                    (TraceCut::Policy, Some((row, action))) => {
                        self.lambda * f64::from(self.rule.agreement(row, action))
                    }
                    _ => self.lambda,
                };
                let trace = (steps_on > 0).then_some((share, &self.trace[..]));
                let backup = Backup { reward: f64::from(step.reward), gamma: self.gamma, next, trace };
                model.propagate(&backup, stream, target);
            }
        }
    }
}

/// Leaves to the trace a share lambda of what the action taken weighs. With p(a) the policy's probabilities, the others keep
/// theirs and the one taken has (1 - lambda) p(a'): that is 1 - lambda p(a') in all, by which they are divided to sum to what
/// they did before.
fn leave_to_trace(weights: &mut [f32], taken: u8, lambda: f32, p: f32) {
    let left = 1.0 - lambda * p;
    if left > 0.0 {
        weights[usize::from(taken)] *= 1.0 - lambda;
        weights.iter_mut().for_each(|weight| *weight /= left);
    }
}

#[cfg(test)]
mod tests;
