//! The moving parts: their shapes and masses, which never change, and how they lie and move.

use super::geometry::{Bounds, Pose, Vec2, vec2};
use super::{MAX_ROTATION, MAX_TRANSLATION, POLYGON_RADIUS};
use serde::{Deserialize, Serialize};

/// The most corners a part has.
pub const MAX_CORNERS: usize = 6;

/// A convex polygon with a mass: what a body is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part {
    corners: [Vec2; MAX_CORNERS],
    normals: [Vec2; MAX_CORNERS],
    count: usize,
    /// The centroid of the outline, from which a contact's side is judged.
    pub centroid: Vec2,
    /// The centre of mass.
    pub centre: Vec2,
    /// 1 / mass.
    pub inv_mass: f32,
    /// 1 / moment of inertia about the centre of mass.
    pub inv_inertia: f32,
    /// Coulomb's coefficient.
    pub friction: f32,
}

impl Part {
    /// A part with the corners counter-clockwise.
    ///
    /// Centroid and mass centre are the same point, summed about the origin and about the mean corner:
    /// Box2D rounds them differently and uses both.
    pub fn new<const N: usize>(outline: [Vec2; N], density: f32, friction: f32) -> Self {
        const { assert!(N >= 3 && N <= MAX_CORNERS) };
        const THIRD: f32 = 1.0 / 3.0;
        let mut part = Part { count: N, friction, ..Part::default() };
        part.corners[..N].copy_from_slice(&outline);
        let sides = || outline.iter().zip(outline.iter().cycle().skip(1));

        let (mut area, mut weighted) = (0.0, Vec2::default());
        for ((&from, &to), normal) in sides().zip(&mut part.normals) {
            *normal = (to - from).clockwise().unit();
            let triangle = 0.5 * from.cross(to);
            area += triangle;
            weighted += (triangle * THIRD) * (from + to);
        }
        part.centroid = (1.0 / area) * weighted;

        let middle = (1.0 / N as f32) * outline.iter().fold(Vec2::default(), |sum, &corner| sum + corner);
        let (mut area, mut weighted, mut second_moment) = (0.0, Vec2::default(), 0.0);
        for (&from, &to) in sides() {
            let (e1, e2) = (from - middle, to - middle);
            let double_area = e1.cross(e2);
            let triangle = 0.5 * double_area;
            area += triangle;
            weighted += (triangle * THIRD) * (e1 + e2);
            let xx = e1.x * e1.x + e2.x * e1.x + e2.x * e2.x;
            let yy = e1.y * e1.y + e2.y * e1.y + e2.y * e2.y;
            second_moment += (0.25 * THIRD * double_area) * (xx + yy);
        }
        let mass = density * area;
        let offset = (1.0 / area) * weighted;
        let centre = offset + middle;
        let about_origin = density * second_moment + mass * (centre.dot(centre) - offset.dot(offset));
        part.inv_mass = 1.0 / mass;
        part.centre = part.inv_mass * (mass * centre);
        part.inv_inertia = 1.0 / (about_origin - mass * part.centre.dot(part.centre));
        part
    }

    /// A box with half-width and half-height; centroid and normals are set, free of rounding.
    pub fn cuboid(half_width: f32, half_height: f32, density: f32, friction: f32) -> Self {
        let (w, h) = (half_width, half_height);
        let mut part = Part::new([vec2(-w, -h), vec2(w, -h), vec2(w, h), vec2(-w, h)], density, friction);
        part.centroid = Vec2::default();
        part.normals[..4].copy_from_slice(&[
            vec2(0.0, -1.0),
            vec2(1.0, 0.0),
            vec2(0.0, 1.0),
            vec2(-1.0, 0.0),
        ]);
        part
    }

    /// The corners, counter-clockwise.
    pub fn corners(&self) -> &[Vec2] {
        &self.corners[..self.count]
    }

    /// The outward normals; number i belongs to the side from corner i to the next.
    pub fn normals(&self) -> &[Vec2] {
        &self.normals[..self.count]
    }

    /// The box around the part at `pose`.
    fn bounds(&self, pose: Pose) -> Bounds {
        Bounds::around(self.corners().iter().map(|&corner| pose.place(corner)), POLYGON_RADIUS)
    }
}

/// Where a mass centre is and how its body is turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The mass centre.
    pub c: Vec2,
    /// The angle.
    pub a: f32,
}

impl Place {
    /// The place a fraction `beta` of the way to `end`.
    pub fn towards(self, end: Place, beta: f32) -> Place {
        Place { c: (1.0 - beta) * self.c + beta * end.c, a: (1.0 - beta) * self.a + beta * end.a }
    }
}

/// A velocity and a turning speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// The velocity of the mass centre.
    pub v: Vec2,
    /// The angular velocity.
    pub w: f32,
}

impl Motion {
    /// The velocity of the point at `r` from the mass centre.
    pub fn at(self, r: Vec2) -> Vec2 {
        self.v + r.spun(self.w)
    }

    /// Takes an impulse at `r` from the mass centre.
    pub fn push(&mut self, part: &Part, r: Vec2, impulse: Vec2) {
        self.v += part.inv_mass * impulse;
        self.w += part.inv_inertia * r.cross(impulse);
    }

    /// Moves `place` on for a time `h`, after bounding how far that may be.
    pub fn carry(&mut self, place: &mut Place, h: f32) {
        let translation = h * self.v;
        if translation.dot(translation) > MAX_TRANSLATION * MAX_TRANSLATION {
            self.v = (MAX_TRANSLATION / translation.length()) * self.v;
        }
        let rotation = h * self.w;
        if rotation * rotation > MAX_ROTATION * MAX_ROTATION {
            self.w *= MAX_ROTATION / rotation.abs();
        }
        place.c += h * self.v;
        place.a += h * self.w;
    }
}

/// The way of a body within one time step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// Where it was at the time `since`.
    pub from: Place,
    /// Where it is at the end of the step.
    pub to: Place,
    /// A fraction of the step.
    pub since: f32,
}

impl Sweep {
    /// Moves the start on to the time `alpha`.
    pub fn advance(&mut self, alpha: f32) {
        let beta = (alpha - self.since) / (1.0 - self.since);
        self.from = self.from.towards(self.to, beta);
        self.since = alpha;
    }
}

/// What moves and sleeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Where it comes from and is.
    pub sweep: Sweep,
    /// `sweep.to` as a transform.
    pub pose: Pose,
    /// How it moves.
    pub motion: Motion,
    /// The force on the mass centre during the next step.
    pub force: Vec2,
    /// Whether it is simulated at all.
    pub awake: bool,
    /// How long it has hardly moved.
    pub still_for: f32,
    /// The fattened box in which contacts are looked for.
    pub bounds: Bounds,
}

impl Body {
    /// A body at rest whose origin is at `origin`.
    pub fn new(part: &Part, origin: Vec2, angle: f32) -> Self {
        let mut body = Body { awake: true, ..Body::default() };
        body.pose = Pose::about(origin, angle, Vec2::default());
        let place = Place { c: body.pose.place(part.centre), a: angle };
        body.sweep = Sweep { from: place, to: place, since: 0.0 };
        body.bounds = part.bounds(body.pose).fattened();
        body
    }

    /// Wakes the body up; one that was awake keeps its count of stillness.
    pub fn wake(&mut self) {
        if !self.awake {
            self.awake = true;
            self.still_for = 0.0;
        }
    }

    /// Brings the body to a stop until something wakes it.
    pub fn sleep(&mut self) {
        self.awake = false;
        self.still_for = 0.0;
        self.motion = Motion::default();
        self.force = Vec2::default();
    }

    /// An impulse at a point of the world; wakes the body.
    pub fn push(&mut self, part: &Part, impulse: Vec2, point: Vec2) {
        self.wake();
        self.motion.push(part, point - self.sweep.to.c, impulse);
    }

    /// Brings the pose in line with the place.
    pub fn update_pose(&mut self, part: &Part) {
        self.pose = Pose::about(self.sweep.to.c, self.sweep.to.a, part.centre);
    }

    /// Goes back to where the body was at the fraction `alpha` of the step.
    pub fn advance(&mut self, part: &Part, alpha: f32) {
        self.sweep.advance(alpha);
        self.sweep.to = self.sweep.from;
        self.update_pose(part);
    }

    /// Makes new bounds if the movement has left the old ones. Says whether it did.
    pub fn update_bounds(&mut self, part: &Part) -> bool {
        let before = Pose::about(self.sweep.from.c, self.sweep.from.a, part.centre);
        let swept = part.bounds(before).union(part.bounds(self.pose));
        if self.bounds.contains(&swept) {
            return false;
        }
        self.bounds = swept.fattened().ahead(self.pose.origin - before.origin);
        true
    }
}

/// A straight piece of the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The two ends.
    pub ends: [Vec2; 2],
    /// The normal on the right of the way from the first end to the second.
    pub normal: Vec2,
    /// Coulomb's coefficient.
    pub friction: f32,
    /// The fattened box in which contacts are looked for.
    pub bounds: Bounds,
}

impl Edge {
    /// The edge between two points.
    pub fn new(ends: [Vec2; 2], friction: f32) -> Self {
        let normal = (ends[1] - ends[0]).unit().clockwise();
        Edge { ends, normal, friction, bounds: Bounds::around(ends, POLYGON_RADIUS).fattened() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_the_mass_and_inertia_of_the_textbook() {
        let part = Part::cuboid(1.0, 2.0, 3.0, 0.0);
        let mass = 3.0 * 2.0 * 4.0;
        assert!((part.inv_mass - 1.0 / mass).abs() < 1e-7);
        let inertia = mass * (2.0f32.powi(2) + 4.0f32.powi(2)) / 12.0;
        assert!((part.inv_inertia * inertia - 1.0).abs() < 1e-5);
        assert_eq!(part.normals(), [vec2(0.0, -1.0), vec2(1.0, 0.0), vec2(0.0, 1.0), vec2(-1.0, 0.0)]);
    }

    #[test]
    fn an_off_centre_push_turns_the_body() {
        let part = Part::cuboid(1.0, 1.0, 1.0, 0.0);
        let mut body = Body::new(&part, vec2(5.0, 5.0), 0.0);
        body.push(&part, vec2(0.0, 4.0), vec2(6.0, 5.0));
        assert_eq!(body.motion.v, vec2(0.0, 1.0));
        assert!((body.motion.w - 4.0 * part.inv_inertia).abs() < 1e-6);
    }
}
