//! The rigid bodies of the lander: three convex parts, two hinges and a ground that does not move.
//!
//! The method is that of Box2D 2.3 (sequential impulses, continuous collision against the ground, islands
//! that fall asleep), cut down to what the lander needs. It is done in the same order and in `f32`, so
//! that the numbers are the same, to the bit.

mod body;
mod contact;
mod continuous;
mod distance;
pub mod geometry;
mod impact;
mod island;
mod joint;
mod manifold;
mod trigonometry;
mod world;

pub use body::{Edge, Part};
pub use joint::Hinge;
pub use world::{Craft, HULL, State as WorldState, World};

/// Seconds a step.
const TIME_STEP: f32 = 1.0 / 50.0;
/// Rounds of impulses in a step.
const VELOCITY_ITERATIONS: u32 = 180;
/// Rounds of corrections in a step, at most.
const POSITION_ITERATIONS: u32 = 60;
/// Rounds of corrections at an impact, at most.
const IMPACT_POSITION_ITERATIONS: u32 = 20;

/// A length that does not matter.
const LINEAR_SLOP: f32 = 0.005;
/// An angle that does not matter.
const ANGULAR_SLOP: f32 = 2.0 / 180.0 * std::f32::consts::PI;
/// The thickness of the skin around every shape.
const POLYGON_RADIUS: f32 = 2.0 * LINEAR_SLOP;
/// The furthest a body moves in a step.
const MAX_TRANSLATION: f32 = 2.0;
/// The furthest a body turns in a step.
const MAX_ROTATION: f32 = 0.5 * std::f32::consts::PI;
/// The furthest one correction moves a body.
const MAX_LINEAR_CORRECTION: f32 = 0.2;
/// The furthest one correction turns a body.
const MAX_ANGULAR_CORRECTION: f32 = 8.0 / 180.0 * std::f32::consts::PI;
/// How much of an overlap a correction removes.
const BAUMGARTE: f32 = 0.2;
/// The same at an impact.
const IMPACT_BAUMGARTE: f32 = 0.75;
/// How often one contact may be the first impact of a step.
const MAX_IMPACTS: u8 = 8;
/// How long bodies lie still before they sleep.
const TIME_TO_SLEEP: f32 = 0.5;
/// The speed that counts as lying still.
const STILL_SPEED: f32 = 0.01;
/// The angular speed that counts as lying still.
const STILL_SPIN: f32 = 2.0 / 180.0 * std::f32::consts::PI;
