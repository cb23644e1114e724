//! A hinge between the hull and a leg, with a motor and two stops.

use super::body::{Motion, Part, Place};
use super::geometry::{Rotation, Vec2, clamp, vec2};
use super::{ANGULAR_SLOP, LINEAR_SLOP, MAX_ANGULAR_CORRECTION};
use serde::{Deserialize, Serialize};

/// What a hinge is: it holds a point of the hull on a point of the leg.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hinge {
    /// The point of the hull.
    pub hull_anchor: Vec2,
    /// The point of the leg.
    pub leg_anchor: Vec2,
    /// The angle between the two that counts as zero.
    pub reference: f32,
    /// The stop on the negative side.
    pub lower: f32,
    /// The stop on the positive side.
    pub upper: f32,
    /// The speed that the motor aims at.
    pub speed: f32,
    /// The torque the motor has for it.
    pub torque: f32,
}

/// Whether a hinge lies on one of its stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// It swings freely.
    #[default]
    Free,
    /// It can only turn up.
    Lower,
    /// It can only turn down.
    Upper,
}

/// The impulses of a hinge, summed over a step; the next step starts from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HingeImpulse {
    /// What holds the two points together.
    pub point: Vec2,
    /// What the stop gives.
    pub stop: f32,
    /// What the motor gives.
    pub motor: f32,
}

/// What one iteration added to the sums. Numbers only, for the same reason as in [`HingeSolver`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HingeChange {
    point: Vec2,
    turn: f32,
    /// 1 if the stop would have had to pull, and gave nothing.
    pulled: f32,
    /// 1 if it depended on something of the stop's sum beside its sign.
    unsteady: f32,
}

impl HingeChange {
    /// Whether it depended on nothing of the stop's sum but its sign.
    pub fn is_steady(&self) -> bool {
        self.unsteady == 0.0
    }
}

/// A hinge made ready for the velocity iterations of one step.
///
/// With the rows of the Jacobian J = [-1 -rₕ× 1 rₗ×; 0 -1 0 1], the matrix is K = J M⁻¹ Jᵀ, of which the upper
/// left 2 x 2 block serves while the stop gives nothing.
///
/// The layout is fixed and holds numbers only: compilers load three of them as four, and a fourth that is a flag is a
/// subnormal number, which makes every product a hundred times slower.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct HingeSolver {
    /// The sign of what the stop must not give, which would be to pull: -1 at the lower, 1 at the upper, 0 without one.
    pulling: f32,
    hull_arm: Vec2,
    leg_arm: Vec2,
    speed: f32,
    max_impulse: f32,
    motor_mass: f32,
    /// The columns of K.
    k: [[f32; 3]; 3],
    /// Column 2 × column 3.
    k23: [f32; 3],
    inv_det3: f32,
    inv_det2: f32,
}

fn cross3(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot3(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn inverse_or_zero(x: f32) -> f32 {
    if x != 0.0 { 1.0 / x } else { x }
}

impl Hinge {
    fn angle(&self, hull: Place, leg: Place) -> f32 {
        leg.a - hull.a - self.reference
    }

    /// Looks at the stops, builds the matrix and applies the impulses of the last step.
    pub fn prepare(
        &self,
        [hull, leg]: [&Part; 2],
        [hull_at, leg_at]: [Place; 2],
        [hull_moves, leg_moves]: [&mut Motion; 2],
        stop: &mut Stop,
        impulse: &mut HingeImpulse,
        step: f32,
    ) -> HingeSolver {
        let a = Rotation::by(hull_at.a).turn(self.hull_anchor - hull.centre);
        let b = Rotation::by(leg_at.a).turn(self.leg_anchor - leg.centre);
        let (m_a, m_b, i_a, i_b) = (hull.inv_mass, leg.inv_mass, hull.inv_inertia, leg.inv_inertia);

        let angle = self.angle(hull_at, leg_at);
        let now = match angle {
            _ if angle <= self.lower => Stop::Lower,
            _ if angle >= self.upper => Stop::Upper,
            _ => Stop::Free,
        };
        if now != *stop || now == Stop::Free {
            impulse.stop = 0.0;
        }
        *stop = now;

        let k11 = m_a + m_b + a.y * a.y * i_a + b.y * b.y * i_b;
        let k12 = -a.y * a.x * i_a - b.y * b.x * i_b;
        let k13 = -a.y * i_a - b.y * i_b;
        let k22 = m_a + m_b + a.x * a.x * i_a + b.x * b.x * i_b;
        let k23 = a.x * i_a + b.x * i_b;
        let k = [[k11, k12, k13], [k12, k22, k23], [k13, k23, i_a + i_b]];

        let turning = impulse.motor;
        hull_moves.v -= m_a * impulse.point;
        hull_moves.w -= i_a * (a.cross(impulse.point) + turning + impulse.stop);
        leg_moves.v += m_b * impulse.point;
        leg_moves.w += i_b * (b.cross(impulse.point) + turning + impulse.stop);

        let columns23 = cross3(k[1], k[2]);
        HingeSolver {
            hull_arm: a,
            leg_arm: b,
            pulling: match now {
                Stop::Free => 0.0,
                Stop::Lower => -1.0,
                Stop::Upper => 1.0,
            },
            speed: self.speed,
            max_impulse: step * self.torque,
            motor_mass: 1.0 / (i_a + i_b),
            k,
            k23: columns23,
            inv_det3: inverse_or_zero(dot3(k[0], columns23)),
            inv_det2: inverse_or_zero(k11 * k22 - k12 * k12),
        }
    }

    /// Moves the two bodies so that the anchors meet and the stop holds. Says whether they nearly did.
    pub fn correct(&self, [hull, leg]: [&Part; 2], [hull_at, leg_at]: [&mut Place; 2], stop: Stop) -> bool {
        let (m_a, m_b, i_a, i_b) = (hull.inv_mass, leg.inv_mass, hull.inv_inertia, leg.inv_inertia);

        let angle = self.angle(*hull_at, *leg_at);
        let (angular_error, correction) = match stop {
            Stop::Free => (0.0, None),
            Stop::Lower => {
                let c = angle - self.lower;
                (-c, Some(clamp(c + ANGULAR_SLOP, -MAX_ANGULAR_CORRECTION, 0.0)))
            }
            Stop::Upper => {
                let c = angle - self.upper;
                (c, Some(clamp(c - ANGULAR_SLOP, 0.0, MAX_ANGULAR_CORRECTION)))
            }
        };
        if let Some(c) = correction {
            let impulse = -(1.0 / (i_a + i_b)) * c;
            hull_at.a -= i_a * impulse;
            leg_at.a += i_b * impulse;
        }

        let a = Rotation::by(hull_at.a).turn(self.hull_anchor - hull.centre);
        let b = Rotation::by(leg_at.a).turn(self.leg_anchor - leg.centre);
        let c = leg_at.c + b - hull_at.c - a;
        let k11 = m_a + m_b + i_a * a.y * a.y + i_b * b.y * b.y;
        let k12 = -i_a * a.x * a.y - i_b * b.x * b.y;
        let k22 = m_a + m_b + i_a * a.x * a.x + i_b * b.x * b.x;
        let inv_det = inverse_or_zero(k11 * k22 - k12 * k12);
        let impulse = -vec2(inv_det * (k22 * c.x - k12 * c.y), inv_det * (k11 * c.y - k12 * c.x));
        hull_at.c -= m_a * impulse;
        hull_at.a -= i_a * a.cross(impulse);
        leg_at.c += m_b * impulse;
        leg_at.a += i_b * b.cross(impulse);

        c.length() <= LINEAR_SLOP && angular_error <= ANGULAR_SLOP
    }
}

impl HingeSolver {
    /// Solves the upper left 2 x 2 block of K for `rhs`.
    #[inline(always)]
    fn solve2(&self, rhs: Vec2) -> Vec2 {
        let [[k11, k12, _], [_, k22, _], _] = self.k;
        vec2(self.inv_det2 * (k22 * rhs.x - k12 * rhs.y), self.inv_det2 * (k11 * rhs.y - k12 * rhs.x))
    }

    /// Solves K for `rhs` by Cramer's rule.
    #[inline(always)]
    fn solve3(&self, rhs: [f32; 3]) -> [f32; 3] {
        let [k1, k2, k3] = self.k;
        [
            self.inv_det3 * dot3(rhs, self.k23),
            self.inv_det3 * dot3(k1, cross3(rhs, k3)),
            self.inv_det3 * dot3(k1, cross3(k2, rhs)),
        ]
    }

    /// One velocity iteration: the motor first, then the point together with the stop.
    #[inline(always)]
    pub fn iterate(
        &self,
        [hull, leg]: [&Part; 2],
        [hull_moves, leg_moves]: [&mut Motion; 2],
        sum: &mut HingeImpulse,
    ) -> HingeChange {
        let (i_a, i_b) = (hull.inv_inertia, leg.inv_inertia);
        let wanted = -self.motor_mass * (leg_moves.w - hull_moves.w - self.speed);
        let before = *sum;
        let total = before.motor + wanted;
        let mut turn = |motor: f32| {
            hull_moves.w -= i_a * motor;
            leg_moves.w += i_b * motor;
        };
        // Branches, not a clamp: the processor foresees them and need not wait, neither for a motor within
        // its range nor for one that gives its all.
        if total.abs() < self.max_impulse {
            sum.motor = total;
            turn(total - before.motor);
        } else {
            sum.motor = clamp(total, -self.max_impulse, self.max_impulse);
            if sum.motor != before.motor {
                turn(sum.motor - before.motor);
            }
        }

        let drift =
            leg_moves.v + self.leg_arm.spun(leg_moves.w) - hull_moves.v - self.hull_arm.spun(hull_moves.w);
        if self.pulling == 0.0 {
            let point = self.solve2(-drift);
            sum.point += point;
            hull_moves.v -= hull.inv_mass * point;
            hull_moves.w -= i_a * self.hull_arm.cross(point);
            leg_moves.v += leg.inv_mass * point;
            leg_moves.w += i_b * self.leg_arm.cross(point);
            return HingeChange { point, ..HingeChange::default() };
        }

        let [x, y, z] = self.solve3([drift.x, drift.y, leg_moves.w - hull_moves.w]);
        let (mut point, turn) = (vec2(-x, -y), -z);
        let total = sum.stop + turn;
        let pulled = self.pulls(total);
        let mut given = turn;
        if pulled {
            // A stop cannot pull: take back what it gave and solve for the point alone.
            point = self.solve2(-drift + sum.stop * vec2(self.k[2][0], self.k[2][1]));
            given = -sum.stop;
            sum.stop = 0.0;
        } else {
            sum.stop = total;
        }
        sum.point += point;
        hull_moves.v -= hull.inv_mass * point;
        hull_moves.w -= i_a * (self.hull_arm.cross(point) + given);
        leg_moves.v += leg.inv_mass * point;
        leg_moves.w += i_b * (self.leg_arm.cross(point) + given);
        let number = |flag: bool| if flag { 1.0 } else { 0.0 };
        HingeChange { point, turn, pulled: number(pulled), unsteady: number(pulled && before.stop != 0.0) }
    }

    /// Whether the stop would have to pull for this sum of its impulses.
    #[inline(always)]
    fn pulls(&self, total: f32) -> bool {
        total * self.pulling > 0.0
    }

    /// Adds `change` to the sums once more. Says whether an iteration from the same velocities would have done
    /// that: not if the stop would have begun or ceased to pull.
    #[inline(always)]
    pub fn repeat(&self, change: &HingeChange, sum: &mut HingeImpulse) -> bool {
        let total = sum.stop + change.turn;
        let pulled = change.pulled != 0.0;
        sum.stop = if pulled { sum.stop } else { total };
        sum.point += change.point;
        self.pulls(total) == pulled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> [Part; 2] {
        [Part::cuboid(1.0, 1.0, 1.0, 0.1), Part::cuboid(0.2, 0.5, 1.0, 0.1)]
    }

    const HINGE: Hinge = Hinge {
        hull_anchor: vec2(1.0, 0.0),
        leg_anchor: vec2(0.0, 0.5),
        reference: 0.0,
        lower: -0.5,
        upper: 0.5,
        speed: 0.3,
        torque: 1e3,
    };

    fn iterated(leg_angle: f32) -> ([Motion; 2], HingeSolver) {
        let [hull, leg] = &parts();
        let places = [Place::default(), Place { c: vec2(1.0, -0.5), a: leg_angle }];
        let mut moves = [Motion { v: vec2(1.0, 2.0), w: 0.5 }, Motion::default()];
        let (mut stop, mut impulse) = (Stop::Free, HingeImpulse::default());
        let [a, b] = &mut moves;
        let solver = HINGE.prepare([hull, leg], places, [a, b], &mut stop, &mut impulse, 0.02);
        for _ in 0..200 {
            let [a, b] = &mut moves;
            solver.iterate([hull, leg], [a, b], &mut impulse);
        }
        (moves, solver)
    }

    #[test]
    fn iterations_bring_the_anchors_to_one_velocity_and_the_motor_to_its_speed() {
        let ([hull, leg], solver) = iterated(0.0);
        assert!((hull.at(solver.hull_arm) - leg.at(solver.leg_arm)).length() < 1e-5);
        assert!((leg.w - hull.w - 0.3).abs() < 1e-5);
    }

    #[test]
    fn a_hinge_on_its_stop_does_not_turn_further() {
        let ([hull, leg], solver) = iterated(0.6);
        assert_eq!(solver.pulling, 1.0);
        assert!(leg.w - hull.w < 1e-4);
    }

    #[test]
    fn correction_draws_the_anchors_together() {
        let [hull, leg] = &parts();
        let (mut a, mut b) = (Place::default(), Place { c: vec2(1.05, -0.5), a: 0.0 });
        let mut good = false;
        for _ in 0..10 {
            good = HINGE.correct([hull, leg], [&mut a, &mut b], Stop::Free);
        }
        let gap = (b.c + Rotation::by(b.a).turn(HINGE.leg_anchor))
            - (a.c + Rotation::by(a.a).turn(HINGE.hull_anchor));
        assert!(good && gap.length() < 1e-4, "{gap:?}");
    }
}
