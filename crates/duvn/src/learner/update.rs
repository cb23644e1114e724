//! Learning from what is remembered.

use super::{Axes, Counters, Learner, Pending};
use crate::actor::Actor;
use crate::config::{BoundKind, Decider, LoopKind};
use crate::error::LearnError;
use crate::net::Health;
use crate::posterior::TrainingBatch;
use crate::replay::{Ending, Gathered, Ring};
use crate::returns::Discrepancy;
use crate::target::{Fresh, Known, Sources};

/// Buffers for an update.
#[derive(Default)]
pub(super) struct Batch {
    slots: Vec<u32>,
    rows: Gathered,
    actions: Vec<u8>,
    weights: Vec<f32>,
    /// Of one learner of the posterior, as is `found`.
    targets: Vec<f32>,
    found: Vec<Discrepancy>,
    /// Mean over the learners.
    mean: Vec<Discrepancy>,
}

impl Learner {
    /// Makes the updates that are due after the steps taken since the last call. `actors` tell what they did next.
    pub(crate) fn learn(&mut self, actors: &[Actor]) -> Result<(), LearnError> {
        if self.config.train_episodes > 0 {
            return self.learn_in_epochs();
        }
        for next in 0..self.course.pending.len() {
            let Pending { step, slot, actor } = self.course.pending[next];
            let due = step.is_multiple_of(self.config.train_every as u64);
            if due && self.replay.ring().len() >= self.config.learning_starts.max(1) {
                let actor = actors.get(actor).filter(|actor| actor.last == Some(slot));
                let next_action = actor.and_then(Actor::chosen).map(|action| action as u8);
                for _ in 0..self.config.updates {
                    let known = self.sample(Fresh { slot, next_action });
                    self.update(known)?;
                }
            }
        }
        self.course.pending.clear();
        Ok(())
    }

    /// After so many episodes, trains on each of their transitions once, in any order, with next actions as they were taken; once
    /// enough is remembered, as many replayed ones follow. (The loop of the authors' later code.)
    fn learn_in_epochs(&mut self) -> Result<(), LearnError> {
        let Some(&Pending { slot: newest, .. }) = self.course.pending.last() else { return Ok(()) };
        let over = |slot: u32, ring: &Ring| ring.get(slot).ending != Ending::No;
        let ring = self.replay.ring();
        // What is not learnt from by then would be forgotten.
        let full = self.course.pending.len() >= ring.capacity();
        let due = full
            || (over(newest, ring)
                && self.course.pending.iter().filter(|pending| over(pending.slot, ring)).count()
                    >= self.config.train_episodes);
        if !due || (ring.len() < self.config.learning_starts && !full) {
            return Ok(());
        }
        let replays = ring.len() >= self.config.replay_starts;
        for _ in 0..self.config.updates {
            // Fisher and Yates: every order is as likely as any other.
            for last in (1..self.course.pending.len()).rev() {
                self.course.pending.swap(last, self.course.sampling.below(last + 1));
            }
            let mut from = 0;
            while from < self.course.pending.len() {
                let size = self.config.batch.min(self.course.pending.len() - from);
                self.batch.slots.clear();
                self.batch
                    .slots
                    .extend(self.course.pending[from..from + size].iter().map(|pending| pending.slot));
                self.update(Known::Recorded)?;
                if replays {
                    self.batch.slots.resize(self.config.batch, 0);
                    self.replay.sample(&mut self.batch.slots, &mut self.course.sampling);
                    self.update(Known::None)?;
                }
                from += size;
            }
        }
        self.course.pending.clear();
        Ok(())
    }

    /// One update on the batch's slots: its targets, a step of training for each learner, new priorities, and the target network's
    /// turn.
    fn update(&mut self, known: Known) -> Result<(), LearnError> {
        let Batch { slots, rows, actions, weights, targets, found, mean } = &mut self.batch;
        let Axes { posterior, returns, policy } = &mut self.axes;
        rows.clear();
        actions.clear();
        for &slot in slots.iter() {
            let transition = self.replay.ring().get(slot);
            rows.push(transition.observation);
            actions.push(transition.action);
        }
        self.targets.follow(slots, known, self.replay.ring());
        let guarded = self.course.loops.found() && self.config.loops == LoopKind::Guard;
        if self.course.loops.found() {
            self.targets.set_decider(Decider::Online);
            if self.config.loops == LoopKind::Horizon {
                let gamma = self.course.loops.discount(self.config.gamma);
                self.targets.set_gamma(gamma);
                self.local.look_ahead(gamma);
            }
        }
        let waiting =
            self.config.rate_waits > 0.0 && !self.course.loops.found() && !self.local.outcomes_vary();
        let size = slots.len();
        let share = 1.0 / posterior.learners() as f64;
        mean.clear();
        mean.resize(size, Discrepancy::default());
        found.resize(size, Discrepancy::default());
        weights.clear();
        weights.resize(size, 1.0);
        // Beta rises from its first value to 1.
        let risen = (self.course.counters.updates as f64 / self.config.importance_updates as f64).min(1.0);
        let beta = self.config.importance + (1.0 - self.config.importance) * risen;
        if !self.local.outcomes_vary() {
            self.replay.weigh(slots, beta, weights);
        }
        targets.resize(size * returns.target_width(), 0.0);
        for learner in 0..posterior.learners() {
            let mut sources = Sources {
                posterior: &mut **posterior,
                learner,
                model: &**returns,
                policy: &**policy,
                local: &mut self.local,
                source: &mut self.course.source,
                stream: &mut self.course.backing_up,
                step: self.course.counters.steps,
            };
            let known = learner > 0 && sources.posterior.shares_targets();
            if !known {
                self.targets.make(&mut sources, targets);
            }
            if !known && (guarded || self.config.bound == BoundKind::Returns) {
                let gamma = self.config.gamma.min(self.config.sigma_gamma);
                let guard = if guarded { self.config.loop_gamma.min(gamma) } else { gamma };
                let most = self.local.most(guard);
                for target in targets.chunks_exact_mut(returns.target_width()) {
                    returns.bound(target, self.course.earned.bounds());
                    if guard < gamma {
                        returns.damp(target, (guard / gamma) as f32);
                    }
                    returns.bound_spread(target, most);
                }
            }
            let rows = rows.as_rows();
            let remembered = self.replay.ring().len();
            let batch = TrainingBatch { slots, rows, actions, targets, weights, remembered, waiting, found };
            let health = posterior.train(learner, batch, &mut self.course.source);
            if health == Health::NonFinite {
                let Counters { steps: step, updates, .. } = self.course.counters;
                return Err(LearnError::NotFinite { step, update: updates + 1 });
            }
            for (mean, found) in mean.iter_mut().zip(found.iter()) {
                mean.loss += share * found.loss;
                mean.temporal_difference += share * found.temporal_difference;
            }
        }

        self.course.counters.updates += 1;
        self.course.counters.loss = mean.iter().map(|found| found.loss).sum::<f64>() / size as f64;
        if !self.course.counters.loss.is_finite() {
            let Counters { loss, steps: step, updates: update } = self.course.counters;
            return Err(LearnError::Diverged { loss, step, update });
        }
        for (&slot, found) in slots.iter().zip(mean.iter()) {
            self.replay.learnt(slot, found.temporal_difference as f32);
        }
        if self.course.counters.updates.is_multiple_of(self.config.target_sync as u64) {
            posterior.sync_target(self.config.target_tau as f32);
        }
        Ok(())
    }

    /// Fills the batch with remembered transitions, `fresh` first if it is to be in it. Where outcomes are known to vary, a
    /// mean is right only if every outcome comes as often as it did: what surprised most is what happens least, and
    /// whoever looks at it more often believes in a world that is not there.
    fn sample(&mut self, fresh: Fresh) -> Known {
        let Batch { slots, .. } = &mut self.batch;
        slots.resize(self.config.batch, 0);
        if self.local.outcomes_vary() {
            self.replay.sample_evenly(slots, &mut self.course.sampling);
            return Known::None;
        }
        let fresh = self.config.fresh.then_some(fresh);
        let replayed = match fresh {
            Some(Fresh { slot, .. }) => {
                slots[0] = slot;
                &mut slots[1..]
            }
            None => &mut slots[..],
        };
        self.replay.sample(replayed, &mut self.course.sampling);
        fresh.map_or(Known::None, Known::Newest)
    }
}
