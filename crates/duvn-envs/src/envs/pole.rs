//! The cart with a pole on it that CartPole, CartPoleBsuite and CartPoleSwingup share.

use crate::canvas::{Canvas, Colour, bar, rectangle};
use crate::numerics::{pow2, remainder};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// How strongly a push drives the cart.
pub(super) const FORCE: f64 = 10.0;
const GRAVITY: f64 = 9.8;
const CART_MASS: f64 = 1.0;
const POLE_MASS: f64 = 0.1;
const TOTAL_MASS: f64 = POLE_MASS + CART_MASS;
const HALF_LENGTH: f64 = 0.5;
const POLE_MOMENT: f64 = POLE_MASS * HALF_LENGTH;

/// Where the cart is, how far the pole is from upright, and how fast both change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pole {
    pub(super) x: f64,
    pub(super) x_dot: f64,
    pub(super) theta: f64,
    pub(super) theta_dot: f64,
}

impl Pole {
    /// A time step under a force on the cart, by Euler's explicit method: positions move with the old velocities.
    pub(super) fn advance(&mut self, force: f64, seconds: f64, square: impl Fn(f64) -> f64) {
        let (x_acc, theta_acc) = accelerations(force, self.theta, self.theta_dot, square);
        self.x += seconds * self.x_dot;
        self.x_dot += seconds * x_acc;
        self.theta += seconds * self.theta_dot;
        self.theta_dot += seconds * theta_acc;
    }
}

/// The cart of bsuite's tasks: on a track from -3 to 3, for ten seconds of 100 steps each.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct TimedPole {
    pub(super) pole: Pole,
    pub(super) time: f64,
}

impl TimedPole {
    pub(super) const X_LIMIT: f64 = 3.0;
    const SECONDS: f64 = 0.01;
    const MAX_TIME: f64 = 10.0;

    /// A step under a push of -1, 0 or 1.
    pub(super) fn advance(&mut self, push: f64) {
        self.pole.advance(push * FORCE, Self::SECONDS, pow2);
        self.pole.theta = remainder(self.pole.theta, 2.0 * PI);
        self.time += Self::SECONDS;
    }

    /// Whether the ten seconds are over.
    pub(super) fn over(&self) -> bool {
        self.time > Self::MAX_TIME
    }

    /// x/3, ẋ/3, sin θ, cos θ, θ̇ and the share of the time that is over.
    pub(super) fn seen(&self) -> [f64; 6] {
        let Pole { x, x_dot, theta, theta_dot } = self.pole;
        let (sin, cos) = theta.sin_cos();
        [x / Self::X_LIMIT, x_dot / Self::X_LIMIT, sin, cos, theta_dot, self.time / Self::MAX_TIME]
    }

    pub(super) fn draw(&self, canvas: &mut dyn Canvas) {
        draw(canvas, self.pole, Self::X_LIMIT, (-1.4, 1.4));
    }
}

/// The accelerations (ẍ, θ̈) of the cart and of the pole under a force on the cart:
///
/// t = (F + m l θ̇² sin θ) / M,
/// θ̈ = (g sin θ - t cos θ) / (l (4/3 - m cos² θ / M)),
/// ẍ = t - m l θ̈ cos θ / M.
///
/// `square` is how the original squares: by a product (Gymnasium) or by `pow` (bsuite).
fn accelerations(force: f64, theta: f64, theta_dot: f64, square: impl Fn(f64) -> f64) -> (f64, f64) {
    let (sin, cos) = theta.sin_cos();
    let push = (force + POLE_MOMENT * square(theta_dot) * sin) / TOTAL_MASS;
    let theta_acc =
        (GRAVITY * sin - cos * push) / (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * square(cos) / TOTAL_MASS));
    (push - POLE_MOMENT * theta_acc * cos / TOTAL_MASS, theta_acc)
}

/// Draws the cart with its pole on a track that ends at `limit` to both sides.
pub(super) fn draw(canvas: &mut dyn Canvas, pole: Pole, limit: f64, height: (f64, f64)) {
    let Pole { x, theta, .. } = pole;
    canvas.view((-limit, height.0), (limit, height.1), Colour::WHITE);
    canvas.line(&[(-limit, 0.0), (limit, 0.0)], 0.01, Colour::BLACK);
    canvas.polygon(&rectangle((x - 0.2, -0.12), (x + 0.2, 0.12)), Colour::BLACK);
    let foot = (x, 0.06);
    let tip = (x + theta.sin(), 0.06 + theta.cos());
    canvas.polygon(&bar(foot, tip, 0.08), Colour(202, 152, 101));
    canvas.circle(foot, 0.05, Colour(129, 132, 203));
}

#[cfg(test)]
mod tests {
    use super::accelerations;
    use crate::numerics::pow2;

    /// Values of bsuite's `step_cartpole`, where squaring θ̇ or cos θ by a product shows.
    #[test]
    fn accelerations_agree_with_bsuite_to_the_last_bit() {
        for (force, theta, theta_dot, expected) in [
            (0.0, 4.459374242622392, -3.163306118211451, (-0.6048808919012246, -14.459107945641192)),
            (-10.0, 6.247734098435196, -7.269401172866852, (-9.821160730785124, 14.201461109999135)),
        ] {
            assert_eq!(accelerations(force, theta, theta_dot, pow2), expected);
            assert_ne!(accelerations(force, theta, theta_dot, |x| x * x), expected);
        }
    }
}
