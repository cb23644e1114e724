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
    earlier: Earlier,
}

/// What a round depends on, a few rounds ago; but for the stops, which tell by themselves.
#[derive(Debug, Default)]
struct Earlier {
    moves: [Motion; BODIES],
    motors: [f32; 2],
    contacts: Vec<ContactImpulse>,
}

/// Circles of up to this many rounds are noticed.
const LONGEST_CIRCLE: usize = 8;

/// What the rounds since a remembered one have added to the sums of the hinges.
struct Circle<const N: usize> {
    changes: [[HingeChange; N]; LONGEST_CIRCLE],
    length: usize,
}

impl<const N: usize> Circle<N> {
    fn is_steady(&self) -> bool {
        self.changes[..self.length].iter().flatten().all(|change| change.steady)
    }
}

/// Both bodies of hinge number `hinge`: the hull and its leg.
pub fn hinged<T>(bodies: &mut [T; BODIES], hinge: usize) -> [&mut T; 2] {
    let [hull, one, two] = bodies;
    [hull, if hinge == 0 { one } else { two }]
}

impl Island {
    /// Forgets the last step, with room for every contact there can be.
    pub fn clear(&mut self, room: usize) {
        self.contacts.clear();
        self.contacts.reserve(room);
        self.contact_impulses.clear();
        self.contact_impulses.reserve(room);
        self.earlier.contacts.reserve(room);
    }

    /// `times` rounds over the hinges numbered `hinges` and then the contacts.
    ///
    /// The rounds soon go in a circle, most often of one round: everything comes back to what it was, to the
    /// bit, but for the sums of the hinges, which creep on by the same amounts each time. From
    /// there on no more than those additions are needed, and the result is that of all the rounds.
    pub fn iterate<const N: usize>(&mut self, craft: &Craft, hinges: [usize; N], times: u32) {
        let mut circle = Circle { changes: [[HingeChange::default(); N]; LONGEST_CIRCLE], length: 0 };
        let mut left = times;
        while left > 0 {
            if circle.length == 0 {
                self.remember();
            }
            circle.changes[circle.length] = self.round(craft, hinges);
            circle.length += 1;
            left -= 1;
            if self.is_as_remembered() && circle.is_steady() {
                left = self.creep(hinges, &circle, left);
                circle.length = 0;
            } else if circle.length == LONGEST_CIRCLE {
                circle.length = 0;
            }
        }
    }

    fn round<const N: usize>(&mut self, craft: &Craft, hinges: [usize; N]) -> [HingeChange; N] {
        let changes = hinges.map(|hinge| {
            let parts = [&craft.parts[HULL], &craft.parts[hinge + 1]];
            let sum = &mut self.hinge_impulses[hinge];
            self.hinges[hinge].iterate(parts, hinged(&mut self.moves, hinge), sum)
        });
        for (solver, sum) in self.contacts.iter().zip(&mut self.contact_impulses) {
            solver.iterate(&craft.parts[solver.part], &mut self.moves[solver.part], sum);
        }
        changes
    }

    fn remember(&mut self) {
        self.earlier.moves = self.moves;
        self.earlier.motors = self.hinge_impulses.map(|impulse| impulse.motor);
        self.earlier.contacts.clone_from(&self.contact_impulses);
    }

    fn is_as_remembered(&self) -> bool {
        self.moves == self.earlier.moves
            && self.hinge_impulses.map(|impulse| impulse.motor) == self.earlier.motors
            && self.contact_impulses == self.earlier.contacts
    }

    /// As many whole circles as there are in `times` rounds, but none in which a stop begins or ceases to
    /// give. Gives how many rounds are left.
    fn creep<const N: usize>(&mut self, hinges: [usize; N], circle: &Circle<N>, times: u32) -> u32 {
        let length = circle.length as u32;
        let mut left = times;
        while left >= length {
            let before = self.hinge_impulses;
            for changes in &circle.changes[..circle.length] {
                for (&hinge, change) in hinges.iter().zip(changes) {
                    let sum = &mut self.hinge_impulses[hinge];
                    if !self.hinges[hinge].repeats(change, sum) {
                        self.hinge_impulses = before;
                        return left;
                    }
                    self.hinges[hinge].repeat(change, sum);
                }
            }
            left -= length;
            if self.hinge_impulses == before {
                return left % length;
            }
        }
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
