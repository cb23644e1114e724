//! What is believed about the network's parameters: the first axis of an agent.
//!
//! A posterior owns the value networks. It makes *draws* of their parameters to act by, says what returns are like
//! under a draw, values next states for targets, and learns. Whether a draw is a dropout mask, one of several
//! networks or something else is its own business.

/// What every posterior over a single `network` does alike, inside its `impl Posterior`.
macro_rules! one_network {
    () => {
        fn shape(&self) -> &Shape {
            self.network.shape()
        }

        fn centres(&self) -> usize {
            1
        }

        fn learners(&self) -> usize {
            1
        }

        /// Without a mask: where units are dropped, kept ones are scaled up, so that this is the mean network.
        fn central_beliefs(&mut self, _centre: usize, rows: Rows<'_>, out: &mut [f32]) {
            self.network.beliefs(Question { which: Which::Online, rows, taken: None }, None, out);
        }

        fn remember(&mut self, _slot: u32) {}

        fn sync_target(&mut self, tau: f32) {
            self.network.sync_target(tau);
        }

        fn weights(&self) -> Vec<Tensor> {
            self.network.weights()
        }

        fn networks(&self) -> Vec<&ValueNetwork> {
            vec![&self.network]
        }

        fn tensors(&self) -> Vec<Tensor> {
            self.network.tensors("0/")
        }

        fn load(&mut self, tensors: &[Tensor]) -> Result<(), LoadError> {
            self.network.load("0/", tensors)
        }

        fn freeze(&self) -> Vec<u8> {
            duvn_envs::freeze(&self.network.steps())
        }

        fn thaw(&mut self, bytes: &[u8]) -> Result<(), StateError> {
            self.network.set_steps(duvn_envs::thaw(bytes)?);
            Ok(())
        }
    };
}

mod dropout;
mod ensemble;
mod normalised;
mod point;
#[cfg(test)]
pub(crate) mod scripted;
mod several;

pub use dropout::Dropout;
pub use ensemble::Ensemble;
pub use normalised::Normalised;
pub use point::Point;
pub(crate) use several::SeveralDraws;

pub use crate::value::{Question, TrainingBatch};

use crate::config::{CheckedConfig, MemberTargets, PosteriorKind};
use crate::net::{Health, Input, LoadError, MaskRng, Masks, Rows, Shape, ShapeError, Tensor};
use crate::returns::ReturnModel;
use crate::rng::Stream;
use crate::running::Running;
use crate::value::ValueNetwork;
use duvn_envs::{Observation, StateError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One draw of the parameters, as an actor keeps it. Each posterior uses what it needs and leaves the rest empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// Which of several networks.
    pub member: usize,
    /// The hidden units that are kept: one row of masks over all actions.
    pub masks: Masks,
    /// Anything that is numbers: an index, a sample of weights.
    pub numbers: Vec<f32>,
}

/// Where draws come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Random bits for dropout masks.
    pub masks: MaskRng,
    /// Random numbers for all else.
    pub stream: Stream,
}

impl Source {
    /// A source that draws from `stream`.
    pub fn new(mut stream: Stream) -> Self {
        Source { masks: MaskRng::new(stream.bits()), stream }
    }
}

/// A belief about the parameters of the value network.
///
/// Beliefs are written as decoded parameters of the return model: rows x actions x outputs, or rows x outputs where
/// one action a row is asked for. Slices of a wrong length are errors of the calling program: methods panic.
pub trait Posterior: Send {
    /// The shape of its network, or of each of them.
    fn shape(&self) -> &Shape;

    /// An observation has come to an agent that learns, as its environment gave it.
    fn see(&mut self, _observation: Observation<'_>) {}

    /// The statistics of what has come, where rows are brought to their scale before a network gets them.
    fn running(&self) -> Option<&Running> {
        None
    }

    /// Draws parameters to act by, into `draw`.
    fn draw(&self, source: &mut Source, draw: &mut Draw);

    /// Draws parameters to compare with those of [`draw`](Self::draw): the `number`-th beside them, from 1.
    fn draw_beside(&self, _number: usize, source: &mut Source, draw: &mut Draw) {
        self.draw(source, draw);
    }

    /// What is believed of every action in each of `rows`, row i under the draw `draw_of(i)`.
    fn beliefs<'d>(&mut self, rows: Rows<'_>, draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]);

    /// Whether `draw`, which was read from a file, is one that [`draw`](Self::draw) could have made.
    fn takes(&self, _draw: &Draw) -> bool {
        true
    }

    /// How many sets of parameters stand for the posterior's mean: one, or every member of an ensemble.
    fn centres(&self) -> usize;

    /// What is believed of every action under one of those sets.
    fn central_beliefs(&mut self, centre: usize, rows: Rows<'_>, out: &mut [f32]);

    /// How many learners share a batch, each with targets of its own: one, or every member of an ensemble.
    fn learners(&self) -> usize;

    /// Whether the targets of one learner are those of all.
    fn shares_targets(&self) -> bool {
        false
    }

    /// Answers a question for one learner's targets, under fresh draws where the posterior has them.
    fn value(&mut self, learner: usize, question: Question<'_>, source: &mut Source, out: &mut [f32]);

    /// Whether two answers to the same question can differ.
    fn values_vary(&self) -> bool;

    /// A transition has come to be remembered in `slot` of the replay, in the place of what was there.
    fn remember(&mut self, slot: u32);

    /// One step of training for one learner. Says whether the numbers it left are ones to go on with.
    fn train(&mut self, learner: usize, batch: TrainingBatch<'_>, source: &mut Source) -> Health;

    /// Moves what targets are made with towards the current parameters: all the way where `tau` is 1.
    fn sync_target(&mut self, tau: f32);

    /// The weights that are trained, as named tensors: what a trained posterior is known by.
    fn weights(&self) -> Vec<Tensor>;

    /// The networks that [`central_beliefs`](Self::central_beliefs) asks, where it is networks and nothing else; to take them to
    /// other programs.
    fn networks(&self) -> Vec<&crate::ValueNetwork> {
        Vec::new()
    }

    /// Everything that is numbers by the thousand: weights, target weights and moments, under names of their own.
    fn tensors(&self) -> Vec<Tensor>;

    /// Goes on with such tensors.
    fn load(&mut self, tensors: &[Tensor]) -> Result<(), LoadError>;

    /// Everything else that decides how it goes on.
    fn freeze(&self) -> Vec<u8>;

    /// Goes on from [`freeze`](Self::freeze).
    fn thaw(&mut self, bytes: &[u8]) -> Result<(), StateError>;
}

/// The posterior that `config` asks for, with first weights from the seed's own streams.
pub fn posterior(
    config: &CheckedConfig,
    input: Input,
    actions: usize,
    model: Arc<dyn ReturnModel>,
    seed: u64,
) -> Result<Box<dyn Posterior>, ShapeError> {
    let mut weights = Stream::new(seed, "weights");
    let mut network = || ValueNetwork::new(config, input, actions, Arc::clone(&model), &mut weights);
    Ok(match config.posterior {
        PosteriorKind::Point => Box::new(Point::new(network()?)),
        PosteriorKind::Dropout => Box::new(Dropout::new(network()?, config.keep as f32)),
        PosteriorKind::Ensemble => {
            let members = (0..config.members).map(|_| network()).collect::<Result<_, _>>()?;
            let stream = Stream::new(seed, "bootstrapping");
            let mut ensemble = Ensemble::new(members, config.bootstrap, config.replay, stream);
            if config.member_targets == MemberTargets::Mean {
                let steps = if config.lambda > 0.0 { config.trace_steps } else { 1 };
                ensemble = ensemble.with_shared_targets(config.batch * steps);
            }
            if config.compares_quantiles() {
                ensemble = ensemble.in_turn();
            }
            Box::new(ensemble)
        }
    })
}
