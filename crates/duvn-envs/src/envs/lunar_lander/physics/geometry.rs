//! Plane geometry in `f32`. The order of every sum and product is Box2D's: rounding depends on it.

use super::trigonometry::sin_cos;
use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A vector of the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vec2 {
    /// To the right.
    pub x: f32,
    /// Up.
    pub y: f32,
}

/// The vector (x, y).
pub const fn vec2(x: f32, y: f32) -> Vec2 {
    Vec2 { x, y }
}

impl Add for Vec2 {
    type Output = Vec2;
    fn add(self, other: Vec2) -> Vec2 {
        vec2(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Vec2 {
    type Output = Vec2;
    fn sub(self, other: Vec2) -> Vec2 {
        vec2(self.x - other.x, self.y - other.y)
    }
}

impl AddAssign for Vec2 {
    fn add_assign(&mut self, other: Vec2) {
        *self = *self + other;
    }
}

impl SubAssign for Vec2 {
    fn sub_assign(&mut self, other: Vec2) {
        *self = *self - other;
    }
}

impl Neg for Vec2 {
    type Output = Vec2;
    fn neg(self) -> Vec2 {
        vec2(-self.x, -self.y)
    }
}

impl Mul<Vec2> for f32 {
    type Output = Vec2;
    fn mul(self, vector: Vec2) -> Vec2 {
        vec2(self * vector.x, self * vector.y)
    }
}

impl Vec2 {
    /// a · b.
    pub fn dot(self, other: Vec2) -> f32 {
        self.x * other.x + self.y * other.y
    }

    /// The z component of a × b.
    pub fn cross(self, other: Vec2) -> f32 {
        self.x * other.y - self.y * other.x
    }

    /// The velocity ω × r of a point at `self` on a body that turns with `spin`.
    pub fn spun(self, spin: f32) -> Vec2 {
        vec2(-spin * self.y, spin * self.x)
    }

    /// Turned clockwise by a right angle.
    pub fn clockwise(self) -> Vec2 {
        vec2(self.y, -self.x)
    }

    /// |a|.
    pub fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// a / |a|, or a itself where it is too short to have a direction.
    pub fn unit(self) -> Vec2 {
        let length = self.length();
        if length < f32::EPSILON { self } else { (1.0 / length) * self }
    }

    /// The lesser of each component.
    pub fn least(self, other: Vec2) -> Vec2 {
        vec2(least(self.x, other.x), least(self.y, other.y))
    }

    /// The greater of each component.
    pub fn greatest(self, other: Vec2) -> Vec2 {
        vec2(greatest(self.x, other.x), greatest(self.y, other.y))
    }
}

/// The lesser of two numbers, `b` where they are equal.
pub fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The greater of two numbers, `b` where they are equal.
pub fn greatest(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// `x` brought into [low, high].
pub fn clamp(x: f32, low: f32, high: f32) -> f32 {
    greatest(low, least(x, high))
}

/// A rotation, by its sine and cosine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rotation {
    sin: f32,
    cos: f32,
}

impl Rotation {
    /// The rotation by `angle` radians.
    pub fn by(angle: f32) -> Self {
        let (sin, cos) = sin_cos(angle);
        Rotation { sin, cos }
    }

    /// From body to world.
    pub fn turn(self, v: Vec2) -> Vec2 {
        vec2(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y)
    }

    /// From world to body.
    pub fn turn_back(self, v: Vec2) -> Vec2 {
        vec2(self.cos * v.x + self.sin * v.y, -self.sin * v.x + self.cos * v.y)
    }
}

/// Where a body's origin lies and how it is turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// The origin of the body's own frame, in the world.
    pub origin: Vec2,
    /// The body's own axes, in the world.
    pub rotation: Rotation,
}

impl Pose {
    /// The pose of a body whose mass centre, `local` in its own frame, lies at `centre`.
    pub fn about(centre: Vec2, angle: f32, local: Vec2) -> Self {
        let rotation = Rotation::by(angle);
        Pose { origin: centre - rotation.turn(local), rotation }
    }

    /// From body to world.
    pub fn place(self, v: Vec2) -> Vec2 {
        self.rotation.turn(v) + self.origin
    }

    /// From world to body.
    pub fn unplace(self, v: Vec2) -> Vec2 {
        self.rotation.turn_back(v - self.origin)
    }
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    low: Vec2,
    high: Vec2,
}

impl Bounds {
    /// What is added on every side, so that small movements need no new search for neighbours.
    const MARGIN: Vec2 = vec2(0.1, 0.1);

    /// The box around `points`, larger by `radius`.
    pub fn around(points: impl IntoIterator<Item = Vec2>, radius: f32) -> Self {
        let mut points = points.into_iter();
        let first = points.next().unwrap_or_default();
        let (low, high) = points.fold((first, first), |(low, high), v| (low.least(v), high.greatest(v)));
        let skin = vec2(radius, radius);
        Bounds { low: low - skin, high: high + skin }
    }

    /// The least box around both.
    pub fn union(self, other: Bounds) -> Self {
        Bounds { low: self.low.least(other.low), high: self.high.greatest(other.high) }
    }

    /// With the margin on every side.
    pub fn fattened(self) -> Self {
        Bounds { low: self.low - Self::MARGIN, high: self.high + Self::MARGIN }
    }

    /// Stretched to where a body that moved by `displacement` may soon be.
    pub fn ahead(mut self, displacement: Vec2) -> Self {
        let d = 2.0 * displacement;
        *(if d.x < 0.0 { &mut self.low.x } else { &mut self.high.x }) += d.x;
        *(if d.y < 0.0 { &mut self.low.y } else { &mut self.high.y }) += d.y;
        self
    }

    /// Whether `other` lies inside.
    pub fn contains(&self, other: &Bounds) -> bool {
        self.low.x <= other.low.x
            && self.low.y <= other.low.y
            && other.high.x <= self.high.x
            && other.high.y <= self.high.y
    }

    /// Whether the boxes share a point.
    pub fn overlaps(&self, other: &Bounds) -> bool {
        let (d1, d2) = (other.low - self.high, self.low - other.high);
        !(d1.x > 0.0 || d1.y > 0.0 || d2.x > 0.0 || d2.y > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_takes_right_to_up_and_back() {
        let quarter = Rotation::by(std::f32::consts::FRAC_PI_2);
        let up = quarter.turn(vec2(1.0, 0.0));
        assert!((up - vec2(0.0, 1.0)).length() < 1e-6);
        assert!((quarter.turn_back(up) - vec2(1.0, 0.0)).length() < 1e-6);
        assert_eq!(vec2(0.0, 1.0).clockwise(), vec2(1.0, 0.0));
        assert_eq!(vec2(1.0, 0.0).spun(2.0), vec2(0.0, 2.0));
    }

    #[test]
    fn bounds_reach_ahead_of_a_movement_only() {
        let bounds = Bounds::around([vec2(0.0, 0.0), vec2(1.0, 1.0)], 0.0);
        let ahead = bounds.ahead(vec2(1.0, -1.0));
        assert!(ahead.contains(&bounds));
        assert!(ahead.overlaps(&Bounds::around([vec2(2.9, -1.9)], 0.0)));
        assert!(!ahead.overlaps(&Bounds::around([vec2(-0.1, 0.0)], 0.0)));
        assert!(!ahead.overlaps(&Bounds::around([vec2(0.0, 1.1)], 0.0)));
    }
}
