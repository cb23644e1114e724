//! The bodies, the ground and what is between them, and one time step of it all.

use super::body::{Body, Edge, Motion, Part};
use super::contact::{Change, Contact, ContactSolver};
use super::geometry::{Vec2, least, vec2};
use super::island::{Hinges, Island, hinged};
use super::joint::{Hinge, HingeImpulse, Stop};
use super::{
    BAUMGARTE, LINEAR_SLOP, POSITION_ITERATIONS, STILL_SPEED, STILL_SPIN, TIME_STEP, TIME_TO_SLEEP,
    VELOCITY_ITERATIONS,
};
use serde::{Deserialize, Serialize};

/// How many bodies move.
pub const BODIES: usize = 3;
/// The number of the hull; 1 and 2 are the legs.
pub const HULL: usize = 0;
/// How many edges the ground has.
pub const EDGES: usize = 11;

/// What never changes: the parts, and the hinges that hold leg number i + 1 to the hull.
#[derive(Clone, Copy, Debug)]
pub struct Craft {
    /// The hull and the legs.
    pub parts: [Part; BODIES],
    /// One for each leg.
    pub hinges: [Hinge; 2],
}

/// What touches the ground, as the reward sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    /// The hull has touched it.
    pub crashed: bool,
    /// The leg's last news from the ground was of touching. A leg on two edges that leaves one of them
    /// counts as off the ground.
    pub legs: [bool; 2],
}

impl Touch {
    /// Takes notice of a change of a part's contact with the ground.
    pub fn note(&mut self, part: u8, change: Option<Change>) {
        match (part, change) {
            (_, None) => {}
            (0, Some(change)) => self.crashed |= change == Change::Began,
            (leg, Some(change)) => self.legs[usize::from(leg - 1)] = change == Change::Began,
        }
    }
}

/// Everything that decides the future of the bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(super) bodies: [Body; BODIES],
    stops: [Stop; 2],
    hinge_impulses: [HingeImpulse; 2],
    pub(super) edges: [Edge; EDGES],
    /// Oldest first. Everything that goes through the contacts takes the youngest first.
    pub(super) contacts: Vec<Contact>,
    pub(super) touch: Touch,
}

/// The simulation.
#[derive(Debug)]
pub struct World {
    pub(super) craft: Craft,
    pub(super) state: State,
    pub(super) island: Island,
    gravity: Vec2,
    /// What turns the hull during the next step. Every step ends with none, so that it is not part of the state.
    torque: f32,
}

impl World {
    /// A world without ground, with the parts lying on top of each other, until [`start`](Self::start).
    /// `gravity` is negative downwards.
    pub fn new(craft: Craft, gravity: f32) -> Self {
        let state = State {
            bodies: Default::default(),
            stops: Default::default(),
            hinge_impulses: Default::default(),
            edges: Default::default(),
            contacts: Vec::with_capacity(BODIES * EDGES),
            touch: Touch::default(),
        };
        let island = Island::with_room(BODIES * EDGES);
        World { craft, state, island, gravity: vec2(0.0, gravity), torque: 0.0 }
    }

    /// Puts the parts at rest at `places` (origin and angle) above the ground.
    pub fn start(&mut self, places: [(Vec2, f32); BODIES], edges: [Edge; EDGES]) {
        let mut contacts = std::mem::take(&mut self.state.contacts);
        contacts.clear();
        self.state = State {
            bodies: std::array::from_fn(|i| Body::new(&self.craft.parts[i], places[i].0, places[i].1)),
            stops: Default::default(),
            hinge_impulses: Default::default(),
            edges,
            contacts,
            touch: Touch::default(),
        };
        self.find_contacts([true; BODIES]);
    }

    /// What decides the future.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes on from `state`, if it is the state of a world like this.
    pub fn set_state(&mut self, mut state: State) -> Result<(), &'static str> {
        let fits = |c: &Contact| usize::from(c.edge) < EDGES && usize::from(c.part) < BODIES;
        if state.contacts.len() > BODIES * EDGES || !state.contacts.iter().all(fits) {
            return Err("a contact is with a part or an edge that does not exist");
        }
        state.contacts.reserve_exact(BODIES * EDGES - state.contacts.len());
        self.state = state;
        Ok(())
    }

    /// The bodies.
    pub fn body(&self, number: usize) -> &Body {
        &self.state.bodies[number]
    }

    /// What touches the ground.
    pub fn touch(&self) -> Touch {
        self.state.touch
    }

    /// The corners of a part, in the world.
    pub fn outline(&self, number: usize) -> impl Iterator<Item = Vec2> {
        let pose = self.state.bodies[number].pose;
        self.craft.parts[number].corners().iter().map(move |&corner| pose.place(corner))
    }

    /// A force on the hull's mass centre during the next step.
    pub fn pull_hull(&mut self, force: Vec2) {
        self.state.bodies[HULL].force += force;
    }

    /// A torque on the hull during the next step.
    pub fn twist_hull(&mut self, torque: f32) {
        self.torque += torque;
    }

    /// An impulse on the hull at a point of the world.
    pub fn push_hull(&mut self, impulse: Vec2, point: Vec2) {
        self.state.bodies[HULL].push(&self.craft.parts[HULL], impulse, point);
    }

    /// One time step.
    pub fn step(&mut self) {
        self.update_contacts();
        self.solve();
        self.solve_impacts();
        for body in &mut self.state.bodies {
            body.force = Vec2::default();
        }
        self.torque = 0.0;
    }

    /// Drops the contacts whose bounds no longer overlap and updates the others.
    fn update_contacts(&mut self) {
        let State { bodies, edges, contacts, touch, .. } = &mut self.state;
        for i in (0..contacts.len()).rev() {
            let contact = &mut contacts[i];
            let (edge, number) = (&edges[usize::from(contact.edge)], usize::from(contact.part));
            let body = &mut bodies[number];
            if !body.awake {
                continue;
            }
            if edge.bounds.overlaps(&body.bounds) {
                touch.note(contact.part, contact.update(edge, &self.craft.parts[number], body));
            } else {
                if contact.touching {
                    touch.note(contact.part, Some(Change::Ended));
                }
                contacts.remove(i);
            }
        }
    }

    /// Adds the contacts that the parts that `moved` have come near to.
    pub(super) fn find_contacts(&mut self, moved: [bool; BODIES]) {
        let State { bodies, edges, contacts, .. } = &mut self.state;
        for (e, edge) in (0..).zip(edges) {
            for (p, body) in (0..).zip(bodies.iter_mut()) {
                if moved[usize::from(p)]
                    && edge.bounds.overlaps(&body.bounds)
                    && !contacts.iter().any(|c: &Contact| c.edge == e && c.part == p)
                {
                    contacts.push(Contact::new(e, p));
                    body.wake();
                }
            }
        }
    }

    /// Impulses, movement and corrections for all bodies, which the hinges make one island.
    fn solve(&mut self) {
        // The search through the island starts at the youngest body that is awake, and takes the youngest
        // constraint first: this fixes the order in which constraints are solved.
        let awake = |number: usize| self.state.bodies[number].awake;
        let (bodies, hinges) = match () {
            _ if awake(2) => ([2, 0, 1], Hinges::SecondFirst),
            _ if awake(1) => ([1, 0, 2], Hinges::FirstFirst),
            _ if awake(0) => ([0, 1, 2], Hinges::SecondFirst),
            _ => return,
        };
        self.gather(bodies);
        self.move_bodies(hinges);
        let settled = self.correct(hinges);
        for (number, body) in self.state.bodies.iter_mut().enumerate() {
            body.sweep.to = self.island.places[number];
            body.motion = self.island.moves[number];
            body.update_pose(&self.craft.parts[number]);
        }
        self.fall_asleep(settled);
        let moved = std::array::from_fn(|i| self.state.bodies[i].update_bounds(&self.craft.parts[i]));
        self.find_contacts(moved);
    }

    /// Brings the bodies and their contacts, in this order of bodies, into the island.
    fn gather(&mut self, order: [usize; BODIES]) {
        let (State { bodies, edges, contacts, .. }, island) = (&mut self.state, &mut self.island);
        island.clear();
        for (number, body) in bodies.iter_mut().enumerate() {
            body.wake();
            body.sweep.from = body.sweep.to;
            island.places[number] = body.sweep.to;
            let Motion { v, w } = body.motion;
            let part = &self.craft.parts[number];
            let v = v + TIME_STEP * (self.gravity + part.inv_mass * body.force);
            let torque = if number == HULL { self.torque } else { 0.0 };
            island.moves[number] = Motion { v, w: w + TIME_STEP * part.inv_inertia * torque };
        }
        for number in order {
            let part = &self.craft.parts[number];
            for (i, contact) in contacts.iter().enumerate().rev() {
                if usize::from(contact.part) == number && contact.enabled && contact.touching {
                    let friction = mixed_friction(&edges[usize::from(contact.edge)], part);
                    let mut solver = ContactSolver::new(i, contact, friction);
                    solver.prepare(part, island.places[number]);
                    island.contact_impulses.push(solver.remembered());
                    island.contacts.push(solver);
                }
            }
        }
        for (solver, sum) in island.contacts.iter().zip(&island.contact_impulses) {
            solver.warm_start(&self.craft.parts[solver.part], &mut island.moves[solver.part], sum);
        }
    }

    /// Solves for the velocities and moves the bodies with them.
    fn move_bodies(&mut self, hinges: Hinges) {
        let island = &mut self.island;
        island.hinge_impulses = self.state.hinge_impulses;
        for &hinge in hinges.numbers() {
            let parts = [&self.craft.parts[HULL], &self.craft.parts[hinge + 1]];
            island.hinges[hinge] = self.craft.hinges[hinge].prepare(
                parts,
                [island.places[HULL], island.places[hinge + 1]],
                hinged(&mut island.moves, hinge),
                &mut self.state.stops[hinge],
                &mut island.hinge_impulses[hinge],
                TIME_STEP,
            );
        }
        island.iterate(&self.craft, hinges, VELOCITY_ITERATIONS);
        self.state.hinge_impulses = island.hinge_impulses;
        for (solver, sum) in island.contacts.iter().zip(&island.contact_impulses) {
            solver.remember(sum, &mut self.state.contacts[solver.contact]);
        }
        for (place, moves) in island.places.iter_mut().zip(&mut island.moves) {
            moves.carry(place, TIME_STEP);
        }
    }

    /// Corrects what still overlaps or has come apart. Says whether little was left in the end.
    fn correct(&mut self, hinges: Hinges) -> bool {
        (0..POSITION_ITERATIONS).any(|_| {
            let mut good = self.island.correct_contacts(&self.craft, BAUMGARTE) >= -3.0 * LINEAR_SLOP;
            for &hinge in hinges.numbers() {
                let parts = [&self.craft.parts[HULL], &self.craft.parts[hinge + 1]];
                let places = hinged(&mut self.island.places, hinge);
                good &= self.craft.hinges[hinge].correct(parts, places, self.state.stops[hinge]);
            }
            good
        })
    }

    /// Sends the bodies to sleep when all of them have lain still for long enough.
    fn fall_asleep(&mut self, settled: bool) {
        let mut shortest = f32::MAX;
        for body in &mut self.state.bodies {
            let Motion { v, w } = body.motion;
            if w * w > STILL_SPIN * STILL_SPIN || v.dot(v) > STILL_SPEED * STILL_SPEED {
                body.still_for = 0.0;
            } else {
                body.still_for += TIME_STEP;
            }
            shortest = least(shortest, body.still_for);
        }
        if shortest >= TIME_TO_SLEEP && settled {
            self.state.bodies.iter_mut().for_each(Body::sleep);
        }
    }
}

/// The geometric mean of the two coefficients.
pub fn mixed_friction(edge: &Edge, part: &Part) -> f32 {
    (edge.friction * part.friction).sqrt()
}
