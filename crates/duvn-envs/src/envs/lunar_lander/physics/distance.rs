//! The distance between an edge and a part, by the algorithm of Gilbert, Johnson and Keerthi: the point of
//! the set of differences {b - a} that is nearest to the origin, on a growing and shrinking simplex.

use super::geometry::{Pose, Vec2};

/// The number of the corner that lies furthest in a direction; the first of equals.
pub fn support(corners: &[Vec2], direction: Vec2) -> usize {
    let mut best = (0, corners[0].dot(direction));
    for (i, corner) in corners.iter().enumerate().skip(1) {
        let value = corner.dot(direction);
        if value > best.1 {
            best = (i, value);
        }
    }
    best.0
}

/// A corner of the set of differences.
#[derive(Clone, Copy, Debug, Default)]
struct Vertex {
    /// Numbers of the edge's end and the part's corner.
    indices: (usize, usize),
    on_edge: Vec2,
    on_part: Vec2,
    difference: Vec2,
    /// Barycentric coordinate of the nearest point.
    weight: f32,
}

/// The corners that carried the nearest point, where the next search of the same pair starts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nearest {
    indices: [(usize, usize); 3],
    count: usize,
    /// Length of two corners, area of three.
    metric: f32,
}

impl Nearest {
    /// End of the edge and corner of the part, for each corner of the simplex.
    pub fn indices(&self) -> &[(usize, usize)] {
        &self.indices[..self.count]
    }
}

/// An edge (in the world) and a part at a pose.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// The ends of the edge.
    pub edge: &'a [Vec2; 2],
    /// The part's corners, in its own frame.
    pub corners: &'a [Vec2],
    /// Where the part is.
    pub pose: Pose,
}

impl Pair<'_> {
    fn vertex(&self, indices: (usize, usize)) -> Vertex {
        let on_edge = self.edge[indices.0];
        let on_part = self.pose.place(self.corners[indices.1]);
        Vertex { indices, on_edge, on_part, difference: on_part - on_edge, weight: 0.0 }
    }
}

#[derive(Clone, Copy, Default)]
struct Simplex {
    v: [Vertex; 3],
    count: usize,
}

impl Simplex {
    fn from(pair: &Pair<'_>, start: &Nearest) -> Self {
        let mut simplex = Simplex::default();
        for &indices in start.indices() {
            simplex.v[simplex.count] = pair.vertex(indices);
            simplex.count += 1;
        }
        if simplex.count > 1 {
            let (old, new) = (start.metric, simplex.metric());
            if new < 0.5 * old || 2.0 * old < new || new < f32::EPSILON {
                simplex.count = 0;
            }
        }
        if simplex.count == 0 {
            simplex.v[0] = Vertex { weight: 1.0, ..pair.vertex((0, 0)) };
            simplex.count = 1;
        }
        simplex
    }

    fn metric(&self) -> f32 {
        let [a, b, c] = self.v.map(|vertex| vertex.difference);
        match self.count {
            2 => (a - b).length(),
            3 => (b - a).cross(c - a),
            _ => 0.0,
        }
    }

    /// Keeps the vertices numbered `kept`, with these weights.
    fn keep<const N: usize>(&mut self, kept: [usize; N], weights: [f32; N]) {
        let old = self.v;
        for slot in 0..N {
            self.v[slot] = Vertex { weight: weights[slot], ..old[kept[slot]] };
        }
        self.count = N;
    }

    /// The part of the segment v₀v₁ nearest to the origin.
    fn reduce_segment(&mut self) {
        let (w1, w2) = (self.v[0].difference, self.v[1].difference);
        let along = w2 - w1;
        let second = -w1.dot(along);
        if second <= 0.0 {
            return self.keep([0], [1.0]);
        }
        let first = w2.dot(along);
        if first <= 0.0 {
            return self.keep([1], [1.0]);
        }
        let scale = 1.0 / (first + second);
        self.keep([0, 1], [first * scale, second * scale]);
    }

    /// The part of the triangle v₀v₁v₂ nearest to the origin, by Voronoi regions.
    fn reduce_triangle(&mut self) {
        let [w1, w2, w3] = self.v.map(|vertex| vertex.difference);
        let (e12, e13, e23) = (w2 - w1, w3 - w1, w3 - w2);
        let (d12_1, d12_2) = (w2.dot(e12), -w1.dot(e12));
        let (d13_1, d13_2) = (w3.dot(e13), -w1.dot(e13));
        let (d23_1, d23_2) = (w3.dot(e23), -w2.dot(e23));
        let area = e12.cross(e13);
        let (d1, d2, d3) = (area * w2.cross(w3), area * w3.cross(w1), area * w1.cross(w2));

        if d12_2 <= 0.0 && d13_2 <= 0.0 {
            self.keep([0], [1.0]);
        } else if d12_1 > 0.0 && d12_2 > 0.0 && d3 <= 0.0 {
            let scale = 1.0 / (d12_1 + d12_2);
            self.keep([0, 1], [d12_1 * scale, d12_2 * scale]);
        } else if d13_1 > 0.0 && d13_2 > 0.0 && d2 <= 0.0 {
            let scale = 1.0 / (d13_1 + d13_2);
            self.keep([0, 2], [d13_1 * scale, d13_2 * scale]);
        } else if d12_1 <= 0.0 && d23_2 <= 0.0 {
            self.keep([1], [1.0]);
        } else if d13_1 <= 0.0 && d23_1 <= 0.0 {
            self.keep([2], [1.0]);
        } else if d23_1 > 0.0 && d23_2 > 0.0 && d1 <= 0.0 {
            let scale = 1.0 / (d23_1 + d23_2);
            self.keep([2, 1], [d23_2 * scale, d23_1 * scale]);
        } else {
            let scale = 1.0 / (d1 + d2 + d3);
            self.keep([0, 1, 2], [d1 * scale, d2 * scale, d3 * scale]);
        }
    }

    /// From the simplex towards the origin.
    fn search_direction(&self) -> Vec2 {
        let first = self.v[0].difference;
        if self.count == 1 {
            return -first;
        }
        let along = self.v[1].difference - first;
        if along.cross(-first) > 0.0 { -along.clockwise() } else { along.clockwise() }
    }

    /// Between the nearest points of the two shapes.
    fn distance(&self) -> f32 {
        let [a, b, _] = &self.v;
        match self.count {
            1 => (a.on_edge - a.on_part).length(),
            2 => {
                let on_edge = a.weight * a.on_edge + b.weight * b.on_edge;
                let on_part = a.weight * a.on_part + b.weight * b.on_part;
                (on_edge - on_part).length()
            }
            _ => 0.0,
        }
    }
}

/// The distance between the two outlines, zero where they overlap. `nearest` is where the search starts
/// (its default: anywhere), and receives where it ended.
pub fn distance(pair: &Pair<'_>, nearest: &mut Nearest) -> f32 {
    let mut simplex = Simplex::from(pair, nearest);
    for _ in 0..20 {
        let seen = simplex.v.map(|vertex| vertex.indices);
        let seen = &seen[..simplex.count];
        match simplex.count {
            2 => simplex.reduce_segment(),
            3 => simplex.reduce_triangle(),
            _ => {}
        }
        if simplex.count == 3 {
            break;
        }
        let direction = simplex.search_direction();
        if direction.dot(direction) < f32::EPSILON * f32::EPSILON {
            break;
        }
        let found =
            (support(pair.edge, -direction), support(pair.corners, pair.pose.rotation.turn_back(direction)));
        // The iteration has ended when nothing new lies further towards the origin. What was found is
        // not part of the simplex then.
        if seen.contains(&found) {
            break;
        }
        simplex.v[simplex.count] = pair.vertex(found);
        simplex.count += 1;
    }
    *nearest = Nearest {
        indices: simplex.v.map(|vertex| vertex.indices),
        count: simplex.count,
        metric: simplex.metric(),
    };
    simplex.distance()
}

#[cfg(test)]
mod tests {
    use super::super::geometry::vec2;
    use super::*;

    const BOX: [Vec2; 4] = [vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(1.0, 1.0), vec2(-1.0, 1.0)];
    const GROUND: [Vec2; 2] = [vec2(0.0, 0.0), vec2(10.0, 0.0)];

    fn apart(centre: Vec2, angle: f32) -> f32 {
        let pair = Pair { edge: &GROUND, corners: &BOX, pose: Pose::about(centre, angle, Vec2::default()) };
        distance(&pair, &mut Nearest::default())
    }

    #[test]
    fn distances_to_face_corner_and_end() {
        assert!((apart(vec2(5.0, 3.0), 0.0) - 2.0).abs() < 1e-6);
        assert!((apart(vec2(5.0, 3.0), std::f32::consts::FRAC_PI_4) - (3.0 - 2.0f32.sqrt())).abs() < 1e-5);
        assert!((apart(vec2(14.0, 5.0), 0.0) - 5.0).abs() < 1e-6);
        assert!(apart(vec2(5.0, 0.5), 0.3) < 1e-6);
    }
}
