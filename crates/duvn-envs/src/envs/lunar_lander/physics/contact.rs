//! Contacts of the parts with the ground: friction and non-penetration, as impulses and as corrections.
//!
//! The ground does not move, so that only the part's side of every equation is left.

use super::body::{Body, Edge, Motion, Part, Place};
use super::geometry::{Pose, Vec2, clamp, greatest, least, vec2};
use super::manifold::{Manifold, collide, separation, world_points};
use super::{LINEAR_SLOP, MAX_LINEAR_CORRECTION};
use serde::{Deserialize, Serialize};

/// A part and an edge near each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The number of the edge.
    pub edge: u8,
    /// The number of the part.
    pub part: u8,
    /// Where they touch, if they do.
    pub manifold: Manifold,
    /// Whether they do.
    pub touching: bool,
    /// Switched off for the rest of a step in which the time of impact proved false.
    pub enabled: bool,
    /// How often it was the first impact in this step.
    pub impacts: u8,
    /// The time of impact in this step, where it is known.
    pub impact: Option<f32>,
}

/// What an update of a contact found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They touch and did not before.
    Began,
    /// They touched and do not now.
    Ended,
}

impl Contact {
    /// The contact of a part with an edge, yet to be updated.
    pub fn new(edge: u8, part: u8) -> Self {
        Contact { edge, part, enabled: true, ..Contact::default() }
    }

    /// Finds the points of contact anew, keeping the impulses of those that stay.
    pub fn update(&mut self, edge: &Edge, part: &Part, body: &mut Body) -> Option<Change> {
        let old = std::mem::replace(&mut self.manifold, collide(edge, part, body.pose));
        self.manifold.inherit(&old);
        self.enabled = true;
        let touched = std::mem::replace(&mut self.touching, !self.manifold.points().is_empty());
        if self.touching == touched {
            return None;
        }
        body.wake();
        Some(if self.touching { Change::Began } else { Change::Ended })
    }
}

/// The impulses of a contact's points, summed over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactImpulse {
    /// Along the normal.
    normal: [f32; 2],
    /// Along the ground.
    tangent: [f32; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct PointSolver {
    /// From the mass centre.
    arm: Vec2,
    normal_mass: f32,
    tangent_mass: f32,
}

/// A contact made ready for the iterations of one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactSolver {
    /// The number of the part.
    pub part: usize,
    /// The contact's place in the world's list.
    pub contact: usize,
    manifold: Manifold,
    friction: f32,
    normal: Vec2,
    points: [PointSolver; 2],
    /// How many points the velocity iterations use.
    count: usize,
    /// k11, k12, k22 of K = J M⁻¹ Jᵀ for the two normals.
    k: [f32; 3],
    /// The same of K⁻¹.
    inv_k: [f32; 3],
}

impl ContactSolver {
    /// A solver that knows the geometry, for corrections of position.
    pub fn new(index: usize, contact: &Contact, friction: f32) -> Self {
        ContactSolver {
            part: usize::from(contact.part),
            contact: index,
            manifold: contact.manifold,
            friction,
            ..ContactSolver::default()
        }
    }

    /// The impulses of the last step.
    pub fn remembered(&self) -> ContactImpulse {
        let mut impulse = ContactImpulse::default();
        for (i, point) in self.manifold.points().iter().enumerate() {
            (impulse.normal[i], impulse.tangent[i]) = (point.normal_impulse, point.tangent_impulse);
        }
        impulse
    }

    /// Writes the impulses of this step into the contact.
    pub fn remember(&self, impulse: &ContactImpulse, contact: &mut Contact) {
        for (i, point) in contact.manifold.points_mut().iter_mut().enumerate().take(self.count) {
            (point.normal_impulse, point.tangent_impulse) = (impulse.normal[i], impulse.tangent[i]);
        }
    }

    /// Works out arms and effective masses with the part at `place`.
    pub fn prepare(&mut self, part: &Part, place: Place) {
        let (m, i) = (part.inv_mass, part.inv_inertia);
        let (normal, places) = world_points(&self.manifold, Pose::about(place.c, place.a, part.centre));
        let tangent = normal.clockwise();
        self.normal = normal;
        self.count = self.manifold.points().len();
        for (point, at) in self.points.iter_mut().zip(places).take(self.count) {
            let arm = at - place.c;
            let (rn, rt) = (arm.cross(normal), arm.cross(tangent));
            *point = PointSolver {
                arm,
                normal_mass: 1.0 / (m + i * rn * rn),
                tangent_mass: 1.0 / (m + i * rt * rt),
            };
        }
        if self.count == 2 {
            let (rn1, rn2) = (self.points[0].arm.cross(normal), self.points[1].arm.cross(normal));
            let (k11, k22, k12) = (m + i * rn1 * rn1, m + i * rn2 * rn2, m + i * rn1 * rn2);
            // Two points that say nearly the same make K ill-conditioned: one is enough then.
            if k11 * k11 < 1000.0 * (k11 * k22 - k12 * k12) {
                let inv_det = 1.0 / (k11 * k22 - k12 * k12);
                self.k = [k11, k12, k22];
                self.inv_k = [inv_det * k22, -inv_det * k12, inv_det * k11];
            } else {
                self.count = 1;
            }
        }
    }

    /// Applies the impulses of the last step.
    pub fn warm_start(&self, part: &Part, moves: &mut Motion, sum: &ContactImpulse) {
        for (i, point) in self.points.iter().enumerate().take(self.count) {
            let impulse = sum.normal[i] * self.normal + sum.tangent[i] * self.normal.clockwise();
            moves.push(part, point.arm, impulse);
        }
    }

    /// One velocity iteration: friction first, then the normals, which matter more.
    pub fn iterate(&self, part: &Part, moves: &mut Motion, sum: &mut ContactImpulse) {
        let tangent = self.normal.clockwise();
        for (i, point) in self.points.iter().enumerate().take(self.count) {
            let slip = moves.at(point.arm).dot(tangent);
            let most = self.friction * sum.normal[i];
            let total = clamp(sum.tangent[i] + point.tangent_mass * -slip, -most, most);
            let impulse = total - sum.tangent[i];
            sum.tangent[i] = total;
            moves.push(part, point.arm, impulse * tangent);
        }
        if self.count == 1 {
            let point = &self.points[0];
            let approach = moves.at(point.arm).dot(self.normal);
            let total = greatest(sum.normal[0] + -point.normal_mass * approach, 0.0);
            let impulse = total - sum.normal[0];
            sum.normal[0] = total;
            moves.push(part, point.arm, impulse * self.normal);
        } else {
            self.iterate_two(part, moves, sum);
        }
    }

    /// Both normals at once: with x the total impulses and vₙ = K x + b the normal velocities after them,
    /// looks for x ≥ 0, vₙ ≥ 0, x · vₙ = 0 among the four combinations of touching and parting.
    fn iterate_two(&self, part: &Part, moves: &mut Motion, sum: &mut ContactImpulse) {
        let [p1, p2] = &self.points;
        let [k11, k12, k22] = self.k;
        let [i11, i12, i22] = self.inv_k;
        let [a1, a2] = sum.normal;
        let b = vec2(moves.at(p1.arm).dot(self.normal), moves.at(p2.arm).dot(self.normal))
            - vec2(k11 * a1 + k12 * a2, k12 * a1 + k22 * a2);

        let both = -vec2(i11 * b.x + i12 * b.y, i12 * b.x + i22 * b.y);
        let first = -p1.normal_mass * b.x;
        let second = -p2.normal_mass * b.y;
        let x = if both.x >= 0.0 && both.y >= 0.0 {
            both
        } else if first >= 0.0 && k12 * first + b.y >= 0.0 {
            vec2(first, 0.0)
        } else if second >= 0.0 && k12 * second + b.x >= 0.0 {
            vec2(0.0, second)
        } else if b.x >= 0.0 && b.y >= 0.0 {
            vec2(0.0, 0.0)
        } else {
            return;
        };
        let (push1, push2) = ((x.x - a1) * self.normal, (x.y - a2) * self.normal);
        moves.v += part.inv_mass * (push1 + push2);
        moves.w += part.inv_inertia * (p1.arm.cross(push1) + p2.arm.cross(push2));
        sum.normal = [x.x, x.y];
    }

    /// Moves the part out of the ground by a fraction `rate` of what is too deep. Gives the deepest
    /// separation it met.
    pub fn correct(&self, part: &Part, place: &mut Place, rate: f32) -> f32 {
        let mut deepest = 0.0;
        for point in self.manifold.points() {
            let pose = Pose::about(place.c, place.a, part.centre);
            let (normal, at, gap) = separation(&self.manifold, pose, point);
            deepest = least(deepest, gap);
            let arm = at - place.c;
            let c = clamp(rate * (gap + LINEAR_SLOP), -MAX_LINEAR_CORRECTION, 0.0);
            let rn = arm.cross(normal);
            let impulse = (-c / (part.inv_mass + part.inv_inertia * rn * rn)) * normal;
            place.c += part.inv_mass * impulse;
            place.a += part.inv_inertia * arm.cross(impulse);
        }
        deepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resting() -> (Part, Body, ContactSolver) {
        let part = Part::cuboid(0.5, 0.5, 1.0, 0.2);
        let mut body = Body::new(&part, vec2(5.0, 0.5), 0.0);
        let edge = Edge::new([vec2(0.0, 0.0), vec2(10.0, 0.0)], 0.1);
        let mut contact = Contact::new(0, 0);
        assert_eq!(contact.update(&edge, &part, &mut body), Some(Change::Began));
        let mut solver = ContactSolver::new(0, &contact, 0.5);
        solver.prepare(&part, body.sweep.to);
        (part, body, solver)
    }

    #[test]
    fn a_falling_box_is_stopped_and_rubs() {
        let (part, _, solver) = resting();
        let mut moves = Motion { v: vec2(1.0, -2.0), w: 0.0 };
        let mut sum = ContactImpulse::default();
        for _ in 0..100 {
            solver.iterate(&part, &mut moves, &mut sum);
        }
        for point in &solver.points {
            assert!(moves.at(point.arm).y > -1e-5);
        }
        // Coulomb: friction takes no more than half of the normal impulse.
        let normal: f32 = sum.normal.iter().sum();
        let tangent: f32 = sum.tangent.iter().sum();
        assert!(tangent.abs() <= 0.5 * normal + 1e-6);
        assert!(moves.v.x < 1.0);
    }

    #[test]
    fn a_rising_box_feels_nothing() {
        let (part, _, solver) = resting();
        let mut moves = Motion { v: vec2(0.0, 1.0), w: 0.0 };
        solver.iterate(&part, &mut moves, &mut ContactImpulse::default());
        assert_eq!(moves, Motion { v: vec2(0.0, 1.0), w: 0.0 });
    }

    #[test]
    fn correction_leaves_the_slop() {
        let (part, body, solver) = resting();
        let mut place = body.sweep.to;
        for _ in 0..200 {
            solver.correct(&part, &mut place, 0.2);
        }
        // Two skins of 0.01 overlap by the slop of 0.005.
        assert!((place.c.y - (0.5 + 0.02 - 0.005)).abs() < 1e-4, "{place:?}");
    }
}
