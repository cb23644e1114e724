//! Where a part touches an edge of the ground: at most two points and the face they lie on.

use super::body::{Edge, MAX_CORNERS, Part};
use super::geometry::{Pose, Vec2, least};
use super::{ANGULAR_SLOP, POLYGON_RADIUS};
use serde::{Deserialize, Serialize};

/// Which of the two shapes the contact plane belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Face {
    /// The edge: the points are corners of the part, in the part's frame.
    #[default]
    OfEdge,
    /// A side of the part: the points are ends of the edge, in the world.
    OfPart,
}

/// What made a contact point, so that it is recognised one step later: a feature of each shape, that is a
/// corner or a face with its number. Box2D's numbering is kept, which lets a few different points pass for
/// the same: that decides which impulses are carried over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feature {
    edge: u8,
    part: u8,
    edge_is_face: bool,
    part_is_face: bool,
}

impl Feature {
    fn swapped(self) -> Self {
        Feature {
            edge: self.part,
            part: self.edge,
            edge_is_face: self.part_is_face,
            part_is_face: self.edge_is_face,
        }
    }
}

/// One point of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The point, in the frame that [`Face`] says.
    pub local: Vec2,
    /// What made it.
    pub feature: Feature,
    /// The impulse along the normal in the last step, where the next one starts from.
    pub normal_impulse: f32,
    /// The impulse of friction in the last step.
    pub tangent_impulse: f32,
}

/// A contact's geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifold {
    /// Whose face.
    pub face: Face,
    /// The face's outward normal, in its owner's frame.
    pub normal: Vec2,
    /// A point of the face, in its owner's frame.
    pub plane: Vec2,
    points: [Point; 2],
    count: u8,
}

impl Manifold {
    /// The points of contact.
    pub fn points(&self) -> &[Point] {
        &self.points[..usize::from(self.count.min(2))]
    }

    /// The points of contact.
    pub fn points_mut(&mut self) -> &mut [Point] {
        &mut self.points[..usize::from(self.count.min(2))]
    }

    /// Takes over the impulses of the points that `old` had as well.
    pub fn inherit(&mut self, old: &Manifold) {
        for point in self.points_mut() {
            if let Some(before) = old.points().iter().find(|before| before.feature == point.feature) {
                point.normal_impulse = before.normal_impulse;
                point.tangent_impulse = before.tangent_impulse;
            }
        }
    }
}

/// A point on its way through the clipping.
#[derive(Clone, Copy, Default)]
struct Clipped {
    at: Vec2,
    feature: Feature,
}

/// Cuts off what of the segment lies beyond the line n · x = offset; `None` if an end falls away with
/// nothing to replace it.
fn clip(segment: [Clipped; 2], normal: Vec2, offset: f32, reference: u8) -> Option<[Clipped; 2]> {
    let [first, second] = segment;
    let (d0, d1) = (normal.dot(first.at) - offset, normal.dot(second.at) - offset);
    let cut = || Clipped {
        at: first.at + (d0 / (d0 - d1)) * (second.at - first.at),
        feature: Feature {
            edge: reference,
            part: first.feature.part,
            edge_is_face: false,
            part_is_face: true,
        },
    };
    match (d0 <= 0.0, d1 <= 0.0) {
        (true, true) => Some(segment),
        (true, false) if d0 * d1 < 0.0 => Some([first, cut()]),
        (false, true) if d0 * d1 < 0.0 => Some([second, cut()]),
        _ => None,
    }
}

/// The contact between an edge and a part, found by separating axes: the axis of least overlap gives the
/// face, and the side of the other shape that faces it is clipped to the face's width.
///
/// Points count as touching while the skins of the two shapes overlap.
pub fn collide(edge: &Edge, part: &Part, pose: Pose) -> Manifold {
    const TOUCHING: f32 = 2.0 * POLYGON_RADIUS;
    let apart = Manifold::default();
    let [v1, v2] = edge.ends;
    let front = edge.normal.dot(pose.place(part.centroid) - v1) >= 0.0;
    let normal = if front { edge.normal } else { -edge.normal };

    let count = part.corners().len();
    let mut corners = [Vec2::default(); MAX_CORNERS];
    let mut edge_separation = f32::MAX;
    for (world, &corner) in corners.iter_mut().zip(part.corners()) {
        *world = pose.place(corner);
        let separation = normal.dot(*world - v1);
        if separation < edge_separation {
            edge_separation = separation;
        }
    }
    if edge_separation > TOUCHING {
        return apart;
    }

    let mut normals = [Vec2::default(); MAX_CORNERS];
    let mut best: Option<(usize, f32)> = None;
    for (i, &local) in part.normals().iter().enumerate() {
        normals[i] = pose.rotation.turn(local);
        let n = -normals[i];
        let separation = least(n.dot(corners[i] - v1), n.dot(corners[i] - v2));
        if separation > TOUCHING {
            return apart;
        }
        let faces_edge = (n + normal).dot(normal) >= -ANGULAR_SLOP;
        if faces_edge && best.is_none_or(|(_, most)| separation > most) {
            best = Some((i, separation));
        }
    }

    // The edge is preferred by a margin, so that the choice does not flicker from step to step.
    let side = best.filter(|&(_, separation)| separation > 0.98 * edge_separation + 0.001);
    let corner = |i: usize| Clipped {
        at: corners[i],
        feature: Feature { edge: 0, part: i as u8, edge_is_face: true, part_is_face: false },
    };
    let following = |i: usize| if i + 1 < count { i + 1 } else { 0 };
    let (incident, from, to, face_normal, reference) = match side {
        None => {
            let mut opposite = 0;
            for i in 1..count {
                if normal.dot(normals[i]) < normal.dot(normals[opposite]) {
                    opposite = i;
                }
            }
            let incident = [corner(opposite), corner(following(opposite))];
            let (from, to, reference) = if front { (v1, v2, [0, 1]) } else { (v2, v1, [1, 0]) };
            (incident, from, to, normal, reference)
        }
        Some((i, _)) => {
            let feature = Feature { edge: 0, part: i as u8, edge_is_face: false, part_is_face: true };
            let incident = [v1, v2].map(|at| Clipped { at, feature });
            let next = following(i);
            (incident, corners[i], corners[next], normals[i], [i as u8, next as u8])
        }
    };

    let across = face_normal.clockwise();
    let clipped = clip(incident, across, across.dot(from), reference[0])
        .and_then(|segment| clip(segment, -across, (-across).dot(to), reference[1]));
    let Some(clipped) = clipped else { return apart };

    let mut manifold = match side {
        None => Manifold { face: Face::OfEdge, normal: face_normal, plane: from, ..apart },
        Some((i, _)) => {
            Manifold { face: Face::OfPart, normal: part.normals()[i], plane: part.corners()[i], ..apart }
        }
    };
    for Clipped { at, feature } in clipped {
        if face_normal.dot(at - from) <= TOUCHING {
            let (local, feature) =
                if side.is_none() { (pose.unplace(at), feature) } else { (at, feature.swapped()) };
            manifold.points[usize::from(manifold.count)] = Point { local, feature, ..Point::default() };
            manifold.count += 1;
        }
    }
    manifold
}

/// A manifold seen in the world: the normal from the edge to the part, and for each point its place (half
/// way between the two skins).
pub fn world_points(manifold: &Manifold, pose: Pose) -> (Vec2, [Vec2; 2]) {
    let mut places = [Vec2::default(); 2];
    let (normal, plane) = match manifold.face {
        Face::OfEdge => (manifold.normal, manifold.plane),
        Face::OfPart => (pose.rotation.turn(manifold.normal), pose.place(manifold.plane)),
    };
    for (place, point) in places.iter_mut().zip(manifold.points()) {
        let at = match manifold.face {
            Face::OfEdge => pose.place(point.local),
            Face::OfPart => point.local,
        };
        let on_face = at + (POLYGON_RADIUS - (at - plane).dot(normal)) * normal;
        let on_other = at - POLYGON_RADIUS * normal;
        *place = 0.5 * (on_face + on_other);
    }
    match manifold.face {
        Face::OfEdge => (normal, places),
        Face::OfPart => (-normal, places),
    }
}

/// Of one point: the normal from the edge to the part, its place and how far the skins are apart.
pub fn separation(manifold: &Manifold, pose: Pose, point: &Point) -> (Vec2, Vec2, f32) {
    let gap =
        |at: Vec2, plane: Vec2, normal: Vec2| (at - plane).dot(normal) - POLYGON_RADIUS - POLYGON_RADIUS;
    match manifold.face {
        Face::OfEdge => {
            let at = pose.place(point.local);
            (manifold.normal, at, gap(at, manifold.plane, manifold.normal))
        }
        Face::OfPart => {
            let normal = pose.rotation.turn(manifold.normal);
            let at = point.local;
            (-normal, at, gap(at, pose.place(manifold.plane), normal))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::vec2;
    use super::*;

    fn ground() -> Edge {
        Edge::new([vec2(0.0, 0.0), vec2(10.0, 0.0)], 0.1)
    }

    fn at(y: f32, angle: f32) -> Manifold {
        let part = Part::cuboid(1.0, 1.0, 1.0, 0.1);
        collide(&ground(), &part, Pose::about(vec2(5.0, y), angle, Vec2::default()))
    }

    #[test]
    fn a_flat_box_touches_with_two_points_and_a_high_one_with_none() {
        assert_eq!(at(1.01, 0.0).points().len(), 2);
        assert_eq!(at(1.03, 0.0).points().len(), 0);
    }

    #[test]
    fn a_tilted_box_touches_with_its_corner() {
        let half_diagonal = 2.0f32.sqrt();
        let manifold = at(half_diagonal, std::f32::consts::FRAC_PI_4);
        assert_eq!(manifold.points().len(), 1);
        let corner = manifold.points()[0].local;
        assert!((corner.x.abs() - 1.0).abs() < 1e-5 && (corner.y.abs() - 1.0).abs() < 1e-5, "{corner:?}");
    }

    #[test]
    fn the_same_corner_keeps_its_impulse() {
        let mut before = at(1.0, 0.0);
        before.points_mut()[1].normal_impulse = 3.0;
        let mut after = at(0.995, 0.001);
        after.inherit(&before);
        assert_eq!(after.points()[1].normal_impulse, 3.0);
        assert_eq!(after.points()[0].normal_impulse, 0.0);
    }
}
