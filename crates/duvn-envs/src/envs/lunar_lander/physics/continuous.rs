//! Continuous collision: the part of a time step after an impact with the ground.

use super::body::Sweep;
use super::contact::{Contact, ContactSolver};
use super::geometry::least;
use super::impact::time_of_impact;
use super::island::Hinges;
use super::world::{BODIES, State, World, mixed_friction};
use super::{
    IMPACT_BAUMGARTE, IMPACT_POSITION_ITERATIONS, LINEAR_SLOP, MAX_IMPACTS, TIME_STEP, VELOCITY_ITERATIONS,
};

impl World {
    /// Takes back movements through the ground: the bodies are stopped at their impacts, one after the
    /// other, and go on from there without minding their hinges until the next step.
    pub fn solve_impacts(&mut self) {
        for body in &mut self.state.bodies {
            body.sweep.since = 0.0;
        }
        for contact in &mut self.state.contacts {
            (contact.impact, contact.impacts) = (None, 0);
        }
        let mut ground_since = 0.0;
        while let Some((first, alpha)) = self.first_impact(&mut ground_since) {
            let State { bodies, edges, contacts, touch, .. } = &mut self.state;
            let contact = &mut contacts[first];
            let number = usize::from(contact.part);
            let (part, body) = (&self.craft.parts[number], &mut bodies[number]);
            let before = body.sweep;
            body.advance(part, alpha);
            touch.note(contact.part, contact.update(&edges[usize::from(contact.edge)], part, body));
            contact.impact = None;
            contact.impacts += 1;
            if !contact.touching {
                contact.enabled = false;
                body.sweep = before;
                body.update_pose(part);
                continue;
            }
            ground_since = alpha;
            body.wake();
            self.solve_impact(first, alpha);
        }
    }

    /// The contact with the earliest impact and its time, if there is one before the end of the step.
    fn first_impact(&mut self, ground_since: &mut f32) -> Option<(usize, f32)> {
        let State { bodies, edges, contacts, .. } = &mut self.state;
        let (mut first, mut earliest) = (None, 1.0);
        for (i, contact) in contacts.iter_mut().enumerate().rev() {
            if !contact.enabled || contact.impacts > MAX_IMPACTS {
                continue;
            }
            let number = usize::from(contact.part);
            let alpha = match contact.impact {
                Some(alpha) => alpha,
                None if !bodies[number].awake => continue,
                None => {
                    // The ground keeps the time of its last impact, and part and ground go on from the
                    // later one.
                    let sweep: &mut Sweep = &mut bodies[number].sweep;
                    if *ground_since < sweep.since {
                        *ground_since = sweep.since;
                    } else if sweep.since < *ground_since {
                        sweep.advance(*ground_since);
                    }
                    let since = sweep.since;
                    let edge = &edges[usize::from(contact.edge)];
                    let alpha = time_of_impact(edge, &self.craft.parts[number], sweep)
                        .map_or(1.0, |beta| least(since + (1.0 - since) * beta, 1.0));
                    contact.impact = Some(alpha);
                    alpha
                }
            };
            if alpha < earliest {
                (first, earliest) = (Some(i), alpha);
            }
        }
        first.filter(|_| 1.0 - 10.0 * f32::EPSILON >= earliest).map(|first| (first, earliest))
    }

    /// Solves the contacts of the part that hits the ground at `alpha`, the one that hits first, and moves
    /// the part for the rest of the step.
    fn solve_impact(&mut self, first: usize, alpha: f32) {
        let (State { bodies, edges, contacts, touch, .. }, island) = (&mut self.state, &mut self.island);
        let number = usize::from(contacts[first].part);
        let (part, body) = (&self.craft.parts[number], &mut bodies[number]);
        island.clear();
        let mut gather = |i: usize, contact: &Contact| {
            let friction = mixed_friction(&edges[usize::from(contact.edge)], part);
            island.contacts.push(ContactSolver::new(i, contact, friction));
            island.contact_impulses.push(Default::default());
        };
        gather(first, &contacts[first]);
        for i in (0..contacts.len()).rev().filter(|&i| i != first) {
            let contact = &mut contacts[i];
            if usize::from(contact.part) == number {
                touch.note(contact.part, contact.update(&edges[usize::from(contact.edge)], part, body));
                if contact.touching {
                    gather(i, contact);
                }
            }
        }
        island.places[number] = body.sweep.to;
        island.moves[number] = body.motion;
        for _ in 0..IMPACT_POSITION_ITERATIONS {
            if island.correct_contacts(&self.craft, IMPACT_BAUMGARTE) >= -1.5 * LINEAR_SLOP {
                break;
            }
        }
        body.sweep.from = island.places[number];
        for solver in &mut island.contacts {
            solver.prepare(part, island.places[number]);
        }
        island.iterate(&self.craft, Hinges::Out, VELOCITY_ITERATIONS);
        island.moves[number].carry(&mut island.places[number], (1.0 - alpha) * TIME_STEP);
        body.motion = island.moves[number];
        body.sweep.to = island.places[number];
        body.update_pose(part);

        let mut moved = [false; BODIES];
        moved[number] = body.update_bounds(part);
        for contact in contacts.iter_mut().filter(|contact| usize::from(contact.part) == number) {
            contact.impact = None;
        }
        self.find_contacts(moved);
    }
}
