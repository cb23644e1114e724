//! Landing a craft with two legs between two flags, with an engine below and one on each side.

mod engines;
mod physics;

use crate::canvas::{Canvas, Colour, Point};
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, thaw};
use engines::Engines;
use physics::geometry::{Vec2, vec2};
use physics::{Craft, Edge, HULL, Hinge, Part, World, WorldState};
use serde::{Deserialize, Serialize};
use std::f32::consts::PI;

const FPS: f64 = 50.0;
/// Pixels a metre.
const SCALE: f64 = 30.0;
const MAIN_ENGINE_POWER: f64 = 13.0;
const SIDE_ENGINE_POWER: f64 = 0.6;
/// The force of the first step is drawn up to this.
const INITIAL_RANDOM: f64 = 1000.0;
const HULL_OUTLINE: [(f64, f64); 6] =
    [(17.0, -10.0), (17.0, 0.0), (14.0, 17.0), (-14.0, 17.0), (-17.0, 0.0), (-17.0, -10.0)];
const LEG_AWAY: f64 = 20.0;
const LEG_DOWN: f64 = 18.0;
const LEG_SIZE: (f64, f64) = (2.0, 8.0);
const LEG_SPRING_TORQUE: f32 = 40.0;
const SIDE_ENGINE_HEIGHT: f64 = 14.0;
const SIDE_ENGINE_AWAY: f64 = 12.0;
const MAIN_ENGINE_Y_LOCATION: f64 = 4.0;
/// The view in metres.
const WIDTH: f64 = 600.0 / SCALE;
const HEIGHT: f64 = 400.0 / SCALE;
/// Points of the terrain.
const CHUNKS: usize = 11;
const HELIPAD_Y: f64 = HEIGHT / 4.0;

/// What can be chosen about a landing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landing {
    /// Actions are throttles, in place of one engine or none.
    pub continuous: bool,
    /// Negative downwards; Gymnasium allows -12 to 0.
    pub gravity: f64,
    /// The wind that blows while no leg is on the ground.
    pub wind: Option<Wind>,
}

/// How strong a wind can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// The greatest force.
    pub power: f64,
    /// The greatest torque.
    pub turbulence: f64,
}

impl Default for Landing {
    /// That of `LunarLander-v3`.
    fn default() -> Self {
        Landing { continuous: false, gravity: -10.0, wind: None }
    }
}

/// Gymnasium's `LunarLander-v3`: land with a main engine and one on each side.
///
/// A discrete action does nothing or fires the left, the main or the right engine. A continuous one is two
/// throttles from -1 to 1: the main engine runs from half to full power above 0, the left one below -0.5 and the right
/// one above 0.5 of the second.
///
/// An observation is x, y (relative to the pad), their velocities, angle, angular velocity, and whether
/// each leg touches the ground. The reward is the change of a potential (near, slow, upright, legs down), less the
/// fuel; -100 in the step of a crash or of leaving the view, +100 in the step in which the craft
/// has come to rest.
///
/// The physics are those of Box2D 2.3, rewritten; the same seed and actions give Gymnasium's numbers.
#[derive(Debug)]
pub struct LunarLander {
    landing: Landing,
    rng: NumpyRng,
    world: World,
    flight: Flight,
}

/// What a flight has to it besides its physics.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Flight {
    heights: [f64; CHUNKS],
    potential: f64,
    observation: [f32; 8],
    /// Where force and torque of the wind are in their courses.
    gusts: [i64; 2],
}

/// How strongly the wind blows at a moment, from -1 to 1: tanh(sin(2kt) + sin(πkt)) with k = 0.01, which never
/// repeats itself.
fn gust(moment: i64) -> f64 {
    ((0.02 * moment as f64).sin() + (std::f64::consts::PI * 0.01 * moment as f64).sin()).tanh()
}

fn metres(x: f64, y: f64) -> Vec2 {
    vec2((x / SCALE) as f32, (y / SCALE) as f32)
}

fn craft() -> Craft {
    let hull = Part::new(HULL_OUTLINE.map(|(x, y)| metres(x, y)), 5.0, 0.1);
    let size = metres(LEG_SIZE.0, LEG_SIZE.1);
    let leg = Part::cuboid(size.x, size.y, 1.0, 0.2);
    let hinge = |i: f64, lower: f64, upper: f64| Hinge {
        hull_anchor: vec2(0.0, 0.0),
        leg_anchor: metres(i * LEG_AWAY, LEG_DOWN),
        reference: (i * 0.05) as f32,
        lower: lower as f32,
        upper: upper as f32,
        speed: (0.3 * i) as f32,
        torque: LEG_SPRING_TORQUE,
    };
    Craft { parts: [hull, leg, leg], hinges: [hinge(-1.0, 0.9 - 0.5, 0.9), hinge(1.0, -0.9, -0.9 + 0.5)] }
}

fn terrain_x(i: usize) -> f64 {
    WIDTH / (CHUNKS - 1) as f64 * i as f64
}

/// The ground: a floor at zero and a line through these heights.
fn terrain(heights: &[f64; CHUNKS]) -> [Edge; CHUNKS] {
    let point = |i: usize| vec2(terrain_x(i) as f32, heights[i] as f32);
    std::array::from_fn(|i| match i {
        0 => Edge::new([vec2(0.0, 0.0), vec2(WIDTH as f32, 0.0)], 0.2),
        _ => Edge::new([point(i - 1), point(i)], 0.1),
    })
}

/// Where hull and legs start.
fn start() -> [(Vec2, f32); 3] {
    let place = |x: f64, angle: f64| (vec2(x as f32, HEIGHT as f32), angle as f32);
    let leg = |i: f64| place(WIDTH / 2.0 - i * LEG_AWAY / SCALE, i * 0.05);
    [place(WIDTH / 2.0, 0.0), leg(-1.0), leg(1.0)]
}

impl LunarLander {
    /// A lander whose random numbers start from `seed` until `reset` says otherwise.
    pub fn new(landing: Landing, seed: u64) -> Self {
        let mut lander = LunarLander {
            landing,
            rng: NumpyRng::new(seed),
            world: World::new(craft(), landing.gravity as f32),
            flight: Flight {
                heights: [HELIPAD_Y; CHUNKS],
                potential: 0.0,
                observation: [0.0; 8],
                gusts: [0; 2],
            },
        };
        lander.world.start(start(), terrain(&lander.flight.heights));
        lander
    }

    /// Lets the wind blow on the hull for one step, if there is one and no leg is on the ground.
    fn blow(&mut self) {
        let Some(wind) = self.landing.wind else { return };
        if self.world.touch().legs.contains(&true) {
            return;
        }
        let [force, torque] = self.flight.gusts.map(gust);
        self.world.pull_hull(vec2((force * wind.power) as f32, 0.0));
        self.world.twist_hull((torque * wind.turbulence) as f32);
        self.flight.gusts = self.flight.gusts.map(|moment| moment.wrapping_add(1));
    }

    /// Runs the engines, lets the world go on and judges what came of it.
    fn act(&mut self, engines: Engines) -> Step {
        self.blow();
        let (sin, cos) = {
            let angle = f64::from(self.world.body(HULL).sweep.to.a);
            (angle.sin(), angle.cos())
        };
        let dispersion = [(); 2].map(|()| self.rng.uniform(-1.0, 1.0) / SCALE);
        let Engines { main, side, direction } = engines;
        if main > 0.0 {
            let along = MAIN_ENGINE_Y_LOCATION / SCALE + 2.0 * dispersion[0];
            let ox = sin * along + -cos * dispersion[1];
            let oy = -cos * along - sin * dispersion[1];
            self.fire([ox, oy], [MAIN_ENGINE_POWER, main], [0.0, 0.0]);
        }
        if side > 0.0 {
            let across = 3.0 * dispersion[1] + direction * SIDE_ENGINE_AWAY / SCALE;
            let ox = sin * dispersion[0] + -cos * across;
            let oy = -cos * dispersion[0] - sin * across;
            // The nozzle is taken to be 17 to the side and 14 up, whatever the outline says.
            let nozzle = [-(sin * 17.0 / SCALE), cos * SIDE_ENGINE_HEIGHT / SCALE];
            self.fire([ox, oy], [SIDE_ENGINE_POWER, side], nozzle);
        }
        self.world.step();

        let state = self.seen();
        self.flight.observation = state.map(|x| x as f32);
        let potential = -100.0 * (state[0] * state[0] + state[1] * state[1]).sqrt()
            - 100.0 * (state[2] * state[2] + state[3] * state[3]).sqrt()
            - 100.0 * state[4].abs()
            + 10.0 * state[6]
            + 10.0 * state[7];
        let mut reward = potential - self.flight.potential - main * 0.30 - side * 0.03;
        self.flight.potential = potential;
        let mut terminated = false;
        if self.world.touch().crashed || state[0].abs() >= 1.0 {
            (reward, terminated) = (-100.0, true);
        }
        if !self.world.body(HULL).awake {
            (reward, terminated) = (100.0, true);
        }
        Step { reward, terminated, truncated: false }
    }

    /// Blows gas along `offset`, from there and `nozzle` beside the hull's origin, with this power and throttle.
    fn fire(&mut self, offset: [f64; 2], [power, throttle]: [f64; 2], nozzle: [f64; 2]) {
        let Vec2 { x, y } = self.world.body(HULL).pose.origin;
        let impulse = offset.map(|o| (-o * power * throttle) as f32);
        let point =
            [(f64::from(x) + offset[0] + nozzle[0]) as f32, (f64::from(y) + offset[1] + nozzle[1]) as f32];
        self.world.push_hull(vec2(impulse[0], impulse[1]), vec2(point[0], point[1]));
    }

    /// The observation before it is rounded to `f32`.
    fn seen(&self) -> [f64; 8] {
        let (hull, touch) = (self.world.body(HULL), self.world.touch());
        let position = hull.pose.origin;
        let [x, y, vx, vy, angle, spin] =
            [position.x, position.y, hull.motion.v.x, hull.motion.v.y, hull.sweep.to.a, hull.motion.w]
                .map(f64::from);
        [
            (x - WIDTH / 2.0) / (WIDTH / 2.0),
            (y - (HELIPAD_Y + LEG_DOWN / SCALE)) / (HEIGHT / 2.0),
            vx * (WIDTH / 2.0) / FPS,
            vy * (HEIGHT / 2.0) / FPS,
            angle,
            20.0 * spin / FPS,
            f64::from(u8::from(touch.legs[0])),
            f64::from(u8::from(touch.legs[1])),
        ]
    }
}

impl Environment for LunarLander {
    fn observation_space(&self) -> Space {
        let high = vec![2.5, 2.5, 10.0, 10.0, 2.0 * PI, 10.0, 1.0, 1.0];
        let low = vec![-2.5, -2.5, -10.0, -10.0, -2.0 * PI, -10.0, -0.0, -0.0];
        Space::Box { low, high }
    }

    fn action_space(&self) -> Space {
        if self.landing.continuous { Space::symmetric_box(&[1.0; 2]) } else { Space::Discrete(4) }
    }

    fn reset(&mut self, seed: Option<u64>) {
        self.rng.restart(seed);
        let mut rough = [(); CHUNKS + 1].map(|()| self.rng.uniform(0.0, HEIGHT / 2.0));
        rough[CHUNKS / 2 - 2..=CHUNKS / 2 + 2].fill(HELIPAD_Y);
        self.flight.heights =
            std::array::from_fn(|i| 0.33 * (rough[(i + CHUNKS) % (CHUNKS + 1)] + rough[i] + rough[i + 1]));
        self.world.start(start(), terrain(&self.flight.heights));
        let force = [(); 2].map(|()| self.rng.uniform(-INITIAL_RANDOM, INITIAL_RANDOM) as f32);
        self.world.pull_hull(vec2(force[0], force[1]));
        if self.landing.wind.is_some() {
            self.flight.gusts = [(); 2].map(|()| self.rng.integers(-9999, 9999));
        }
        self.act(Engines::default());
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.flight.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let engines = match (action, self.landing.continuous) {
            (Action::Index(index @ 0..4), false) => Engines::of_index(index),
            (Action::Vector(&[main, side]), true) => Engines::of_throttles([main, side]),
            _ => return Err(StepError::action(action, &self.action_space())),
        };
        Ok(self.act(engines))
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(&self.rng, self.world.state(), &self.flight)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (rng, world, flight): (NumpyRng, WorldState, Flight) = thaw(state)?;
        self.world.set_state(world).map_err(|why| StateError::Misfit(why.into()))?;
        (self.rng, self.flight) = (rng, flight);
        Ok(())
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        const GROUND: Colour = Colour::WHITE;
        const CRAFT: Colour = Colour(128, 102, 230);
        const FLAG: Colour = Colour(204, 204, 0);
        canvas.view((0.0, 0.0), (WIDTH, HEIGHT), Colour::BLACK);
        let surface = (0..CHUNKS).map(|i| (terrain_x(i), self.flight.heights[i]));
        let ground: Vec<Point> = surface.chain([(WIDTH, 0.0), (0.0, 0.0)]).collect();
        canvas.polygon(&ground, GROUND);
        for part in [HULL, 1, 2] {
            let corners: Vec<Point> =
                self.world.outline(part).map(|v| (f64::from(v.x), f64::from(v.y))).collect();
            canvas.polygon(&corners, CRAFT);
        }
        let pixels = |count: f64| count / SCALE;
        for x in [CHUNKS / 2 - 1, CHUNKS / 2 + 1].map(terrain_x) {
            let (foot, top) = (HELIPAD_Y, HELIPAD_Y + pixels(50.0));
            canvas.line(&[(x, foot), (x, top)], pixels(1.0), Colour::WHITE);
            canvas.polygon(&[(x, top), (x, top - pixels(10.0)), (x + pixels(25.0), top - pixels(5.0))], FLAG);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A canvas that keeps the polygons.
    struct Polygons(Vec<Vec<Point>>);

    impl Canvas for Polygons {
        fn view(&mut self, _low: Point, _high: Point, _background: Colour) {}
        fn polygon(&mut self, corners: &[Point], _colour: Colour) {
            self.0.push(corners.to_vec());
        }
        fn circle(&mut self, _centre: Point, _radius: f64, _colour: Colour) {}
        fn line(&mut self, _points: &[Point], _width: f64, _colour: Colour) {}
    }

    #[test]
    fn the_picture_shows_ground_craft_and_flags_where_they_are() {
        let mut lander = LunarLander::new(Landing::default(), 0);
        lander.reset(Some(3));
        let mut picture = Polygons(Vec::new());
        assert!(lander.draw(&mut picture));
        let [ground, hull, one, two, cloths @ ..] = &picture.0[..] else { panic!("{:?}", picture.0) };
        let centre = |corners: &[Point]| {
            let n = corners.len() as f64;
            (corners.iter().map(|p| p.0).sum::<f64>() / n, corners.iter().map(|p| p.1).sum::<f64>() / n)
        };
        assert_eq!(ground.len(), CHUNKS + 2);
        let (x, y) = centre(hull);
        let seen = lander.seen();
        assert!((x - (10.0 + 10.0 * seen[0])).abs() < 0.1, "{x}");
        assert!((y - (HELIPAD_Y + 0.6 + 6.67 * seen[1])).abs() < 0.2, "{y}");
        // The first leg is on the right.
        assert!(centre(one).0 > x && centre(two).0 < x);
        assert_eq!(cloths.len(), 2);
        assert!(cloths.iter().flatten().all(|corner| corner.1 >= HELIPAD_Y));
    }

    #[test]
    fn every_engine_pushes_its_own_way() {
        let after = |action: usize| {
            let mut lander = LunarLander::new(Landing::default(), 0);
            lander.reset(Some(5));
            (0..10).for_each(|_| drop(lander.step(action.into())));
            lander.flight.observation
        };
        let [idle, left, main, right] = [0, 1, 2, 3].map(after);
        assert!(main[3] > idle[3] + 0.1, "the main engine lifts");
        assert!(left[5] > idle[5] && idle[5] > right[5], "the side engines turn");
    }
}
