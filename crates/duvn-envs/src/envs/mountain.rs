//! The valley that MountainCar, MountainCarBsuite and MountainCarContinuous share.

use crate::Space;
use crate::canvas::{Canvas, Colour, rectangle};
use serde::{Deserialize, Serialize};

/// The left wall.
pub(super) const LEFT: f64 = -1.2;
/// The right end of the track.
pub(super) const RIGHT: f64 = 0.6;
/// Between which places an episode starts.
pub(super) const START: [f64; 2] = [-0.6, -0.4];
/// The greatest speed.
pub(super) const MAX_SPEED: f64 = 0.07;
/// How strongly the slope pulls.
pub(super) const GRAVITY: f64 = 0.0025;

/// How strongly a push of the discrete cars drives.
const FORCE: f64 = 0.001;
/// Where the flag of the discrete cars is.
pub(super) const GOAL: f64 = 0.5;

/// A discrete car.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Car {
    pub(super) position: f64,
    pub(super) velocity: f64,
}

impl Car {
    /// A step under a push of -1, 0 or 1. What a wall does to the velocity is for the task to say.
    pub(super) fn advance(&mut self, push: f64) {
        self.velocity += push * FORCE + (3.0 * self.position).cos() * -GRAVITY;
        self.velocity = self.velocity.clamp(-MAX_SPEED, MAX_SPEED);
        self.position = (self.position + self.velocity).clamp(LEFT, RIGHT);
    }
}

/// Position and velocity.
pub(super) fn observation_space() -> Space {
    Space::Box { low: vec![LEFT as f32, -MAX_SPEED as f32], high: vec![RIGHT as f32, MAX_SPEED as f32] }
}

fn height(x: f64) -> f64 {
    (3.0 * x).sin() * 0.45 + 0.55
}

/// Draws the valley with its flag at `goal` and the car at `position`.
pub(super) fn draw(canvas: &mut dyn Canvas, position: f64, goal: f64) {
    canvas.view((LEFT, 0.0), (RIGHT, 1.2), Colour::WHITE);
    let track: Vec<_> = (0..=100).map(|i| LEFT + (RIGHT - LEFT) * f64::from(i) / 100.0).collect();
    let track: Vec<_> = track.into_iter().map(|x| (x, height(x))).collect();
    canvas.line(&track, 0.006, Colour::BLACK);
    let foot = (goal, height(goal));
    canvas.line(&[foot, (goal, foot.1 + 0.15)], 0.006, Colour::BLACK);
    canvas.polygon(
        &[(goal, foot.1 + 0.15), (goal, foot.1 + 0.11), (goal + 0.07, foot.1 + 0.13)],
        Colour(204, 204, 0),
    );
    let slope = 3.0 * 0.45 * (3.0 * position).cos();
    let (sin, cos) = slope.atan().sin_cos();
    let place = |(x, y): (f64, f64)| {
        (position + x * cos - y * sin, height(position) + x * sin + y * cos + 0.02 * cos)
    };
    canvas.polygon(&rectangle((-0.06, 0.0), (0.06, 0.06)).map(place), Colour::BLACK);
    for x in [-0.03, 0.03] {
        canvas.circle(place((x, 0.0)), 0.02, Colour(128, 128, 128));
    }
}
