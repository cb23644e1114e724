//! The time at which a moving part comes to touch an edge, by conservative advancement: a separating axis
//! is held fixed while the root of the separation along it is sought, until no new axis is found.

use super::body::{Edge, Part, Place, Sweep};
use super::distance::{Nearest, Pair, distance, support};
use super::geometry::{Pose, Vec2, greatest};
use super::{LINEAR_SLOP, POLYGON_RADIUS};
use std::f32::consts::PI;

/// The part's way, as a fraction of what is left of the step.
struct Way<'a> {
    edge: &'a Edge,
    part: &'a Part,
    from: Place,
    to: Place,
}

impl Way<'_> {
    fn pose(&self, t: f32) -> Pose {
        let Place { c, a } = self.from.towards(self.to, t);
        Pose::about(c, a, self.part.centre)
    }
}

/// An axis fixed to the world, to the edge or to the part.
enum Axis {
    /// Between an end and a corner.
    World(Vec2),
    /// The normal of the edge and a point of it.
    Edge(Vec2, Vec2),
    /// The normal of a side and a point of it, in the part's frame.
    Part(Vec2, Vec2),
}

impl Axis {
    /// The axis through the nearest features at the time `t`, pointing so that they are apart along it.
    fn through(nearest: &Nearest, way: &Way<'_>, t: f32) -> Axis {
        let pose = way.pose(t);
        let (edge, corners) = (&way.edge.ends, way.part.corners());
        let face = |a: Vec2, b: Vec2| ((b - a).clockwise().unit(), 0.5 * (a + b));
        match *nearest.indices() {
            [(a1, b1), (a2, b2), ..] if a1 == a2 => {
                let (normal, point) = face(corners[b1], corners[b2]);
                let apart = (edge[a1] - pose.place(point)).dot(pose.rotation.turn(normal));
                Axis::Part(if apart < 0.0 { -normal } else { normal }, point)
            }
            [(a1, b1), (a2, _), ..] => {
                let (normal, point) = face(edge[a1], edge[a2]);
                let apart = (pose.place(corners[b1]) - point).dot(normal);
                Axis::Edge(if apart < 0.0 { -normal } else { normal }, point)
            }
            [(a, b)] => Axis::World((pose.place(corners[b]) - edge[a]).unit()),
            [] => Axis::World(Vec2::default()),
        }
    }

    /// The least separation along the axis at the time `t`, and the features that have it.
    fn deepest(&self, way: &Way<'_>, t: f32) -> ((usize, usize), f32) {
        let pose = way.pose(t);
        let corner_towards =
            |direction: Vec2| support(way.part.corners(), pose.rotation.turn_back(direction));
        let features = match *self {
            Axis::World(axis) => (support(&way.edge.ends, axis), corner_towards(-axis)),
            Axis::Edge(normal, _) => (0, corner_towards(-normal)),
            Axis::Part(normal, _) => (support(&way.edge.ends, -pose.rotation.turn(normal)), 0),
        };
        (features, self.between(features, way, pose))
    }

    /// The separation of two features along the axis at the time `t`.
    fn at(&self, features: (usize, usize), way: &Way<'_>, t: f32) -> f32 {
        self.between(features, way, way.pose(t))
    }

    fn between(&self, (end, corner): (usize, usize), way: &Way<'_>, pose: Pose) -> f32 {
        let end = way.edge.ends[end];
        let corner = || pose.place(way.part.corners()[corner]);
        match *self {
            Axis::World(axis) => (corner() - end).dot(axis),
            Axis::Edge(normal, point) => (corner() - point).dot(normal),
            Axis::Part(normal, point) => (end - pose.place(point)).dot(pose.rotation.turn(normal)),
        }
    }
}

/// The fraction of what is left of the step after which the part touches the edge; `None` if it does not,
/// or if it overlaps already.
pub fn time_of_impact(edge: &Edge, part: &Part, sweep: &Sweep) -> Option<f32> {
    const TWO_PI: f32 = 2.0 * PI;
    let turns = TWO_PI * (sweep.from.a / TWO_PI).floor();
    let without_turns = |place: Place| Place { a: place.a - turns, ..place };
    let way = Way { edge, part, from: without_turns(sweep.from), to: without_turns(sweep.to) };

    let target = greatest(LINEAR_SLOP, (POLYGON_RADIUS + POLYGON_RADIUS) - 3.0 * LINEAR_SLOP);
    let tolerance = 0.25 * LINEAR_SLOP;

    let mut now = 0.0;
    let mut nearest = Nearest::default();
    for _ in 0..20 {
        let pair = Pair { edge: &edge.ends, corners: part.corners(), pose: way.pose(now) };
        let apart = distance(&pair, &mut nearest);
        if apart <= 0.0 {
            return None;
        }
        if apart < target + tolerance {
            return Some(now);
        }

        let axis = Axis::through(&nearest, &way, now);
        let mut end = 1.0;
        // Each round pushes `end` back to where the deepest features just touch.
        for _ in 0..16 {
            let (features, s_end) = axis.deepest(&way, end);
            if s_end > target + tolerance {
                return None;
            }
            if s_end > target - tolerance {
                now = end;
                break;
            }
            let s_now = axis.at(features, &way, now);
            if s_now < target - tolerance {
                return None;
            }
            if s_now <= target + tolerance {
                return Some(now);
            }
            if let Some(root) =
                root(|t| axis.at(features, &way, t), (now, s_now), (end, s_end), target, tolerance)
            {
                end = root;
            }
        }
    }
    None
}

/// Where the separation falls to `target` within `tolerance`, by bisection and the secant rule in turn.
fn root(
    separation: impl Fn(f32) -> f32,
    (mut t1, mut s1): (f32, f32),
    (mut t2, mut s2): (f32, f32),
    target: f32,
    tolerance: f32,
) -> Option<f32> {
    for i in 0..50 {
        let t = if i % 2 == 1 { t1 + (target - s1) * (t2 - t1) / (s2 - s1) } else { 0.5 * (t1 + t2) };
        let s = separation(t);
        if (s - target).abs() < tolerance {
            return Some(t);
        }
        if s > target {
            (t1, s1) = (t, s);
        } else {
            (t2, s2) = (t, s);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::geometry::vec2;
    use super::*;

    fn fall(from: f32, to: f32) -> Option<f32> {
        let edge = Edge::new([vec2(0.0, 0.0), vec2(10.0, 0.0)], 0.1);
        let part = Part::cuboid(1.0, 1.0, 1.0, 0.1);
        let at = |y: f32| Place { c: vec2(5.0, y), a: 0.0 };
        time_of_impact(&edge, &part, &Sweep { from: at(from), to: at(to), since: 0.0 })
    }

    #[test]
    fn a_fall_through_the_ground_is_caught_at_its_surface() {
        let t = fall(3.0, -3.0).unwrap();
        let y = 3.0 - 6.0 * t;
        assert!((y - 1.005).abs() < 0.002, "{y}");
    }

    #[test]
    fn a_fall_that_ends_above_the_ground_or_starts_inside_hits_nothing() {
        assert_eq!(fall(3.0, 1.1), None);
        assert_eq!(fall(0.5, -3.0), None);
    }
}
