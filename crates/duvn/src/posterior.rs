//! What is believed about the network's parameters: the first axis of an agent.

use crate::config::{Config, PosteriorKind, Scope};
use crate::net::{Extent, MaskRng, Masks, Shape};
use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// Draws of the network's parameters. A point posterior has only one; with Monte-Carlo dropout a draw is a
/// dropout mask over the hidden units (paper, section 2.1).
pub struct Posterior {
    keep: Option<f32>,
    scope: Scope,
    source: MaskRng,
    /// The source as it was before this episode's mask was drawn.
    episode_source: MaskRng,
    decision: Masks,
    batch: Masks,
}

/// What a posterior needs to go on after an interruption.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PosteriorState {
    source: MaskRng,
    episode_source: MaskRng,
}

impl Posterior {
    /// The posterior that `config` asks for; masks come from `stream`.
    pub fn new(config: &Config, stream: &mut Stream) -> Self {
        let source = MaskRng::new(stream.bits());
        Posterior {
            keep: (config.posterior == PosteriorKind::Dropout).then_some(config.keep as f32),
            scope: config.mask_scope,
            episode_source: source.clone(),
            source,
            decision: Masks::new(),
            batch: Masks::new(),
        }
    }

    /// Starts an episode: draws the mask that it will keep, if masks are kept.
    pub fn begin_episode(&mut self, shape: &Shape) {
        if let (Some(keep), Scope::Episode) = (self.keep, self.scope) {
            self.episode_source = self.source.clone();
            self.decision.draw(shape, Extent::AllActions, 1, keep, &mut self.source);
        }
    }

    /// The draw for one decision.
    pub fn for_decision(&mut self, shape: &Shape) -> Option<&Masks> {
        let keep = self.keep?;
        if self.scope == Scope::Step {
            self.decision.draw(shape, Extent::AllActions, 1, keep, &mut self.source);
        }
        Some(&self.decision)
    }

    /// A fresh draw for each row of a batch.
    pub fn for_batch(&mut self, shape: &Shape, extent: Extent, rows: usize) -> Option<&Masks> {
        self.batch.draw(shape, extent, rows, self.keep?, &mut self.source);
        Some(&self.batch)
    }

    /// What is needed to go on after an interruption.
    pub fn state(&self) -> PosteriorState {
        PosteriorState { source: self.source.clone(), episode_source: self.episode_source.clone() }
    }

    /// Goes on from a [`state`](Self::state): draws the mask of its episode once more.
    pub fn restore(&mut self, state: PosteriorState, shape: &Shape) {
        self.source = state.episode_source;
        self.begin_episode(shape);
        self.source = state.source;
    }
}
