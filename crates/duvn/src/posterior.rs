//! What is believed about the network's parameters: the first axis of an agent.

use crate::config::{Config, PosteriorKind, Scope};
use crate::net::{Extent, MaskRng, Masks, Shape};
use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// Draws of the network's parameters. A point posterior has only one; with Monte-Carlo dropout a draw is a
/// dropout mask over the hidden units (paper, section 2.1); of an ensemble it is a member.
pub struct Posterior {
    keep: Option<f32>,
    members: usize,
    scope: Scope,
    draws: Draws,
    decision: Masks,
    batch: Masks,
}

/// Where draws come from, and the one that stands: what a posterior needs to go on after an interruption.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draws {
    masks: MaskRng,
    /// The source of masks as it was before this episode's mask was drawn.
    episode_masks: MaskRng,
    choice: Stream,
    member: usize,
}

impl Posterior {
    /// The posterior that `config` asks for; draws come from `stream`.
    pub fn new(config: &Config, mut stream: Stream) -> Self {
        let masks = MaskRng::new(stream.bits());
        Posterior {
            keep: (config.posterior == PosteriorKind::Dropout).then_some(config.keep as f32),
            members: members(config),
            scope: config.parameter_scope,
            draws: Draws { episode_masks: masks.clone(), masks, choice: stream, member: 0 },
            decision: Masks::new(),
            batch: Masks::new(),
        }
    }

    /// Starts an episode: makes the draw that it will keep, if draws are kept.
    pub fn begin_episode(&mut self, shape: &Shape) {
        if self.scope == Scope::Episode {
            self.draw_member();
            self.draws.episode_masks = self.draws.masks.clone();
            self.draw_mask(shape);
        }
    }

    /// The draw for one decision: the member that decides, and its dropout mask.
    pub fn for_decision(&mut self, shape: &Shape) -> (usize, Option<&Masks>) {
        if self.scope == Scope::Step {
            self.draw_member();
            self.draw_mask(shape);
        }
        (self.draws.member, self.keep.map(|_| &self.decision))
    }

    /// Whether another mask could say something else.
    pub fn has_masks(&self) -> bool {
        self.keep.is_some()
    }

    /// A fresh mask for each row of a batch.
    pub fn for_batch(&mut self, shape: &Shape, extent: Extent, rows: usize) -> Option<&Masks> {
        self.batch.draw(shape, extent, rows, self.keep?, &mut self.draws.masks);
        Some(&self.batch)
    }

    fn draw_member(&mut self) {
        if self.members > 1 {
            self.draws.member = self.draws.choice.below(self.members);
        }
    }

    fn draw_mask(&mut self, shape: &Shape) {
        if let Some(keep) = self.keep {
            self.decision.draw(shape, Extent::AllActions, 1, keep, &mut self.draws.masks);
        }
    }

    /// What is needed to go on after an interruption.
    pub fn draws(&self) -> &Draws {
        &self.draws
    }

    /// Goes on from [`draws`](Self::draws): makes the mask of its episode once more.
    pub fn restore(&mut self, draws: Draws, shape: &Shape) {
        self.draws.masks = draws.episode_masks.clone();
        self.draw_mask(shape);
        self.draws = draws;
    }
}

/// How many networks a posterior needs.
pub fn members(config: &Config) -> usize {
    if config.posterior == PosteriorKind::Ensemble { config.members } else { 1 }
}
