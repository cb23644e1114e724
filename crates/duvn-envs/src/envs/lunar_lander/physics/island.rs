//! The bodies that act on each other in one step, and the iterations over their constraints.

use super::body::{Motion, Place};
use super::contact::{ContactImpulse, ContactSolver};
use super::joint::{HingeImpulse, HingeSolver};
use super::world::{BODIES, Craft, HULL};

/// What velocity iterations change: velocities and summed impulses.
#[derive(Debug, Default, PartialEq)]
pub struct Unknowns {
    /// Of each body.
    pub moves: [Motion; BODIES],
    /// Of each hinge.
    pub hinges: [HingeImpulse; 2],
    /// Of each contact, in the order of the solvers.
    pub contacts: Vec<ContactImpulse>,
}

impl Unknowns {
    fn copy_from(&mut self, other: &Unknowns) {
        self.moves = other.moves;
        self.hinges = other.hinges;
        self.contacts.clone_from(&other.contacts);
    }
}

/// The constraints of one step and what is solved for. Kept from step to step for its memory alone.
#[derive(Debug, Default)]
pub struct Island {
    /// The unknowns.
    pub unknowns: Unknowns,
    /// Where the bodies are.
    pub places: [Place; BODIES],
    /// The hinges, by their numbers.
    pub hinges: [HingeSolver; 2],
    /// The contacts, in the order in which they are solved.
    pub contacts: Vec<ContactSolver>,
    earlier: Unknowns,
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
        self.unknowns.contacts.clear();
        self.unknowns.contacts.reserve(room);
        self.earlier.contacts.reserve(room);
    }

    /// `times` rounds over the hinges numbered `hinges` and then the contacts.
    ///
    /// A round is a function of the unknowns alone. So when they come back to what they were a few rounds
    /// ago, the rounds go in a circle from there on, and whole circles are left out: the result is
    /// that of all the rounds, to the bit.
    pub fn iterate(&mut self, craft: &Craft, hinges: &[usize], times: u32) {
        /// Circles of up to this many rounds are noticed.
        const LONGEST_CIRCLE: u32 = 8;
        let mut left = times;
        let mut since = 0;
        self.earlier.copy_from(&self.unknowns);
        while left > 0 {
            self.round(craft, hinges);
            (left, since) = (left - 1, since + 1);
            if self.unknowns == self.earlier {
                left %= since;
                break;
            }
            if since == LONGEST_CIRCLE {
                self.earlier.copy_from(&self.unknowns);
                since = 0;
            }
        }
        for _ in 0..left {
            self.round(craft, hinges);
        }
    }

    fn round(&mut self, craft: &Craft, hinges: &[usize]) {
        let Unknowns { moves, hinges: hinge_sums, contacts: contact_sums } = &mut self.unknowns;
        for &hinge in hinges {
            let parts = [&craft.parts[HULL], &craft.parts[hinge + 1]];
            self.hinges[hinge].iterate(parts, hinged(moves, hinge), &mut hinge_sums[hinge]);
        }
        for (solver, sum) in self.contacts.iter().zip(contact_sums) {
            solver.iterate(&craft.parts[solver.part], &mut moves[solver.part], sum);
        }
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
