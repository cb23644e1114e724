//! The bodies that act on each other in one step, and the iterations over their constraints.

use super::body::{Motion, Place};
use super::contact::{ContactImpulse, ContactSolver};
use super::joint::{HingeChange, HingeImpulse, HingeSolver};
use super::world::{BODIES, Craft, HULL};

/// The constraints of one step and what is solved for. Kept from step to step for its memory alone.
#[derive(Debug, Default)]
pub struct Island {
    /// How the bodies move.
    pub moves: [Motion; BODIES],
    /// Where the bodies are.
    pub places: [Place; BODIES],
    /// The hinges, by their numbers.
    pub hinges: [HingeSolver; 2],
    /// The impulses of the hinges.
    pub hinge_impulses: [HingeImpulse; 2],
    /// The contacts, in the order in which they are solved.
    pub contacts: Vec<ContactSolver>,
    /// The impulses of the contacts.
    pub contact_impulses: Vec<ContactImpulse>,
    earlier_contacts: Vec<ContactImpulse>,
}

/// The order in which the hinges are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hinges {
    /// Hinge 1 before hinge 0.
    SecondFirst,
    /// Hinge 0 before hinge 1.
    FirstFirst,
    /// The hinges are left out.
    Out,
}

impl Hinges {
    /// The numbers in this order.
    pub fn numbers(self) -> &'static [usize] {
        match self {
            Hinges::SecondFirst => &[1, 0],
            Hinges::FirstFirst => &[0, 1],
            Hinges::Out => &[],
        }
    }
}

/// Velocities and the sums of the hinges: what the rounds of iterations are quick on as a local value.
#[derive(Clone, Copy)]
struct Unknowns {
    moves: [Motion; BODIES],
    hinges: [HingeImpulse; 2],
}

impl Unknowns {
    /// Whether a round makes the same of both. The stops tell that by themselves.
    fn is_like(&self, other: &Unknowns) -> bool {
        let motors = |unknowns: &Unknowns| unknowns.hinges.map(|sum| sum.motor);
        self.moves == other.moves && motors(self) == motors(other)
    }
}

/// Circles of up to this many rounds are noticed.
const LONGEST_CIRCLE: usize = 4;

/// What the rounds since a remembered one have added to the sums of the hinges.
#[derive(Default)]
struct Circle {
    changes: [[HingeChange; 2]; LONGEST_CIRCLE],
    length: usize,
}

impl Circle {
    fn rounds(&self) -> &[[HingeChange; 2]] {
        &self.changes[..self.length]
    }

    fn is_steady(&self) -> bool {
        self.rounds().iter().flatten().all(HingeChange::is_steady)
    }
}

/// Both bodies of hinge number `hinge`: the hull and its leg.
pub fn hinged<T>(bodies: &mut [T; BODIES], hinge: usize) -> [&mut T; 2] {
    let [hull, one, two] = bodies;
    [hull, if hinge == 0 { one } else { two }]
}

impl Island {
    /// An island with room for this many contacts.
    pub fn with_room(contacts: usize) -> Self {
        Island {
            contacts: Vec::with_capacity(contacts),
            contact_impulses: Vec::with_capacity(contacts),
            earlier_contacts: Vec::with_capacity(contacts),
            ..Island::default()
        }
    }

    /// Forgets the contacts of the last step.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.contact_impulses.clear();
    }

    /// `times` rounds over the hinges in this order and then the contacts.
    ///
    /// The rounds soon go in a circle, most often of one round: everything comes back to what it was, to the
    /// bit, but for the sums of the hinges, which creep on by the same amounts each time. From
    /// there on no more than those additions are needed, and the result is that of all the rounds.
    pub fn iterate(&mut self, craft: &Craft, hinges: Hinges, times: u32) {
        let hinged = hinges != Hinges::Out;
        match (hinges, self.contacts.is_empty()) {
            (Hinges::SecondFirst, true) => self.rounds::<1, false>(craft, hinged, times),
            (Hinges::FirstFirst, true) => self.rounds::<0, false>(craft, hinged, times),
            (Hinges::FirstFirst, false) => self.rounds::<0, true>(craft, hinged, times),
            (_, _) => self.rounds::<1, true>(craft, hinged, times),
        }
    }

    /// The rounds, with what is known beforehand as constants: the velocities stay in registers then.
    fn rounds<const FIRST: usize, const TOUCHING: bool>(&mut self, craft: &Craft, hinged: bool, times: u32) {
        let mut now = Unknowns { moves: self.moves, hinges: self.hinge_impulses };
        let mut earlier = now;
        let mut circle = Circle::default();
        let mut left = times;
        while left > 0 {
            if circle.length == 0 {
                earlier = now;
                if TOUCHING {
                    self.earlier_contacts.clone_from(&self.contact_impulses);
                }
            }
            if hinged {
                let changes = &mut circle.changes[circle.length];
                changes[0] = self.iterate_hinge(FIRST, craft, &mut now);
                changes[1] = self.iterate_hinge(1 - FIRST, craft, &mut now);
            }
            if TOUCHING {
                for (solver, sum) in self.contacts.iter().zip(&mut self.contact_impulses) {
                    solver.iterate(&craft.parts[solver.part], &mut now.moves[solver.part], sum);
                }
            }
            circle.length += 1;
            left -= 1;
            let closed = now.is_like(&earlier)
                && (!TOUCHING || self.contact_impulses == self.earlier_contacts)
                && (!hinged || circle.is_steady());
            if closed {
                left = self.creep::<FIRST>(&mut now.hinges, &circle, left);
            }
            if closed || circle.length == LONGEST_CIRCLE {
                circle.length = 0;
            }
        }
        (self.moves, self.hinge_impulses) = (now.moves, now.hinges);
    }

    #[inline(always)]
    fn iterate_hinge(&self, hinge: usize, craft: &Craft, now: &mut Unknowns) -> HingeChange {
        let parts = [&craft.parts[HULL], &craft.parts[hinge + 1]];
        self.hinges[hinge].iterate(parts, hinged(&mut now.moves, hinge), &mut now.hinges[hinge])
    }

    /// As many whole circles as there are in `times` rounds, but none in which a stop begins or ceases to
    /// give. Gives how many rounds are left.
    fn creep<const FIRST: usize>(&self, sums: &mut [HingeImpulse; 2], circle: &Circle, times: u32) -> u32 {
        let solvers = [&self.hinges[FIRST], &self.hinges[1 - FIRST]];
        let mut now = [sums[FIRST], sums[1 - FIRST]];
        let length = circle.length as u32;
        let mut left = times;
        while left >= length {
            let before = now;
            let mut same = true;
            for changes in circle.rounds() {
                same &= solvers[0].repeat(&changes[0], &mut now[0]);
                same &= solvers[1].repeat(&changes[1], &mut now[1]);
            }
            if !same {
                now = before;
                break;
            }
            left -= length;
            if now == before {
                left %= length;
            }
        }
        (sums[FIRST], sums[1 - FIRST]) = (now[0], now[1]);
        left
    }

    /// Corrects the contacts' positions; gives the deepest separation met.
    pub fn correct_contacts(&mut self, craft: &Craft, rate: f32) -> f32 {
        let mut deepest = 0.0;
        for solver in &self.contacts {
            let gap = solver.correct(&craft.parts[solver.part], &mut self.places[solver.part], rate);
            deepest = if gap < deepest { gap } else { deepest };
        }
        deepest
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::Part;
    use super::super::geometry::vec2;
    use super::super::joint::{Hinge, Stop};
    use super::*;
    use crate::rng::NumpyRng;

    fn craft() -> Craft {
        let leg = Part::cuboid(0.07, 0.27, 1.0, 0.2);
        let hinge = |side: f32| Hinge {
            leg_anchor: vec2(0.67 * side, 0.6),
            lower: if side < 0.0 { 0.4 } else { -0.9 },
            upper: if side < 0.0 { 0.9 } else { -0.4 },
            speed: 0.3 * side,
            torque: 40.0,
            ..Hinge::default()
        };
        let hull = Part::cuboid(0.57, 0.45, 5.0, 0.1);
        Craft { parts: [hull, leg, leg], hinges: [hinge(-1.0), hinge(1.0)] }
    }

    /// An island in flight, the legs turned by `angle` and everything moving at random.
    fn island(craft: &Craft, angle: f32, rng: &mut NumpyRng) -> Island {
        let mut random = || rng.uniform(-1.0, 1.0) as f32;
        let mut island = Island::default();
        for moves in &mut island.moves {
            *moves = Motion { v: vec2(random(), random()), w: random() };
        }
        island.places[1].a = angle;
        island.places[2].a = -angle;
        for hinge in 0..2 {
            let parts = [&craft.parts[HULL], &craft.parts[hinge + 1]];
            let places = [island.places[HULL], island.places[hinge + 1]];
            let moves = hinged(&mut island.moves, hinge);
            let sum = &mut island.hinge_impulses[hinge];
            sum.motor = 0.8 * random();
            let mut stop = Stop::Free;
            island.hinges[hinge] = craft.hinges[hinge].prepare(parts, places, moves, &mut stop, sum, 0.02);
        }
        island
    }

    #[test]
    fn leaving_circles_out_changes_nothing() {
        let craft = craft();
        for seed in 0..200 {
            let angle = [0.3, 0.6, 1.0][seed as usize % 3];
            let [mut quick, mut plain] = [(); 2].map(|()| island(&craft, angle, &mut NumpyRng::new(seed)));
            for order in [Hinges::SecondFirst, Hinges::FirstFirst] {
                quick.iterate(&craft, order, 180);
                // Rounds asked for one at a time have no circle to close.
                (0..180).for_each(|_| plain.iterate(&craft, order, 1));
                assert_eq!(quick.moves, plain.moves, "seed {seed}");
                assert_eq!(quick.hinge_impulses, plain.hinge_impulses, "seed {seed}");
            }
        }
    }
}
