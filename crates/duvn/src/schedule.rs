//! How the learning rate falls.

use crate::config::{Config, ScheduleKind};
use std::f64::consts::PI;

/// The learning rate by update: from its first value to a share of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Schedule {
    kind: ScheduleKind,
    first: f64,
    /// The share that is left in the end.
    end: f64,
    updates: u64,
    /// The share that there is while it waits.
    waiting: f64,
}

impl Schedule {
    pub(crate) fn new(config: &Config) -> Self {
        Schedule {
            kind: config.rate_schedule,
            first: config.learning_rate,
            end: config.rate_end,
            updates: config.rate_updates as u64,
            waiting: config.rate_waits,
        }
    }

    /// The rate while it waits with falling.
    pub(crate) fn waiting(&self) -> f32 {
        (self.first * self.waiting) as f32
    }

    /// The rate of the update after `done` others. With x = min(done / updates, 1) it is first (end + (1 - end) s), where s is
    /// 1 - x (linear) or (1 + cos(pi x)) / 2 (cosine).
    pub(crate) fn rate(&self, done: u64) -> f32 {
        let x = (done as f64 / self.updates as f64).min(1.0);
        let left = match self.kind {
            ScheduleKind::Constant => return self.first as f32,
            ScheduleKind::Linear => 1.0 - x,
            ScheduleKind::Cosine => 0.5 * (1.0 + (PI * x).cos()),
        };
        (self.first * (self.end + (1.0 - self.end) * left)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 1 to 0.2 in 100 updates; a quarter of the way the cosine has 0.8536 left of what it loses.
    #[test]
    fn rates_are_those_worked_by_hand() {
        let rates = |kind| {
            let schedule = Schedule { kind, first: 1.0, end: 0.2, updates: 100, waiting: 0.5 };
            assert_eq!(schedule.waiting(), 0.5);
            [0, 25, 50, 100, 1000].map(|done| schedule.rate(done))
        };
        assert_eq!(rates(ScheduleKind::Constant), [1.0; 5]);
        let close = |found: [f32; 5], expected: [f32; 5]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?}");
        };
        close(rates(ScheduleKind::Linear), [1.0, 0.8, 0.6, 0.2, 0.2]);
        close(rates(ScheduleKind::Cosine), [1.0, 0.8828, 0.6, 0.2, 0.2]);
    }
}
