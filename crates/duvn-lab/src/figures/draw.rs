//! Marks as shapes, inside a frame.

use super::axis::View;
use super::heat;
use super::mark::{Area, Bars, Curve, Label, Mark, Point, Points, Rule};
use super::scene::{Anchor, Fill, Rect, Shape, Stroke, Text};
use super::style::{Marker, PAPER, Style};

const BAND_OPACITY: f64 = 0.18;
const MARKER_SIZE: f64 = 3.0;
const LABEL_SIZE: f64 = 9.0;
/// How many points lie between two markers of a curve.
const MARKER_EVERY: f64 = 55.0;

/// Where a panel's data are drawn, and what its axes show.
pub(super) struct Frame {
    pub rect: Rect,
    pub x: View,
    pub y: View,
}

impl Frame {
    /// Where a point of the data lies on the page; `None` where the axes cannot show it.
    pub fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.place_x(x)?, self.place_y(y)?))
    }

    pub fn place_x(&self, x: f64) -> Option<f64> {
        Some(self.rect.x + self.x.place(x)? * self.rect.width)
    }

    pub fn place_y(&self, y: f64) -> Option<f64> {
        Some(self.rect.bottom() - self.y.place(y)? * self.rect.height)
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        self.x.holds(x) && self.y.holds(y)
    }
}

/// The shapes of a mark: those to be clipped to the frame, and those on top that may reach over its edge
/// (markers, labels). The mark is the `index`-th of `count` whose markers should not cover each other.
pub(super) fn mark(mark: &Mark, frame: &Frame, (index, count): (usize, usize)) -> (Vec<Shape>, Vec<Shape>) {
    match mark {
        Mark::Curve(it) => curve(it, frame, (index as f64 + 0.5) / count.max(1) as f64),
        Mark::Points(it) => points(it, frame),
        Mark::Bars(it) => (bars(it, frame), Vec::new()),
        Mark::Rule(it) => rule(it, frame),
        Mark::Heat(it) => (heat::cells(it, frame), Vec::new()),
        Mark::Label(it) => (Vec::new(), label(it, frame)),
        Mark::Area(it) => area(it, frame),
    }
}

fn line(style: &Style) -> Stroke {
    Stroke { colour: style.colour, width: style.width, dash: style.dash.lengths() }
}

/// Splits points at those that have no place.
fn pieces<T>(places: impl Iterator<Item = Option<T>>) -> Vec<Vec<T>> {
    let mut pieces = vec![Vec::new()];
    for place in places {
        match (place, pieces.last_mut()) {
            (Some(place), Some(piece)) => piece.push(place),
            _ => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// A staircase through `points`: y stays until the next x.
fn staircase(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let corners = points.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    corners.chain(points.last().copied()).collect()
}

fn curve(curve: &Curve, frame: &Frame, offset: f64) -> (Vec<Shape>, Vec<Shape>) {
    let style = &curve.series.style;
    let path = |points: Vec<(f64, f64)>| if curve.stepped { staircase(&points) } else { points };
    let mut inside = Vec::new();
    let ends = |&(x, low, high): &(f64, f64, f64)| Some((frame.place(x, low)?, frame.place(x, high)?));
    for piece in pieces(curve.band.iter().map(ends)) {
        let (low, high): (Vec<_>, Vec<_>) = piece.into_iter().unzip();
        let mut points = path(low);
        points.extend(path(high).into_iter().rev());
        let fill = Fill { colour: style.colour, opacity: BAND_OPACITY };
        inside.push(Shape::Polygon { points, fill, outline: None });
    }
    let mut on_top = Vec::new();
    for piece in pieces(curve.points.iter().map(|&(x, y)| frame.place(x, y))) {
        if let [(x, y)] = piece[..] {
            // One point makes no line: show it as what it is.
            on_top.extend(frame.rect.grown(0.01).contains(x, y).then(|| marker(style, (x, y))));
        }
        inside.push(Shape::Line { points: path(piece), stroke: line(style) });
    }
    if curve.markers {
        on_top.extend(sparse(curve, frame, offset).into_iter().map(|at| marker(style, at)));
    }
    (inside, on_top)
}

/// The points of a curve nearest to evenly spaced places, which `offset` moves along for each curve.
fn sparse(curve: &Curve, frame: &Frame, offset: f64) -> Vec<(f64, f64)> {
    let held = curve.points.iter().filter(|&&(x, y)| frame.holds(x, y));
    let places: Vec<(f64, f64)> = held.filter_map(|&(x, y)| frame.place(x, y)).collect();
    let count = (frame.rect.width / MARKER_EVERY).floor().max(1.0);
    let every = frame.rect.width / count;
    let nearest = |i: i32| {
        let wanted = frame.rect.x + (f64::from(i) + offset) * every;
        let distance = |place: &(f64, f64)| (place.0 - wanted).abs();
        let nearest = places.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        (distance(&nearest) <= every / 2.0).then_some(nearest)
    };
    let mut chosen: Vec<_> = (0..count as i32).filter_map(nearest).collect();
    chosen.dedup();
    chosen
}

fn points(points: &Points, frame: &Frame) -> (Vec<Shape>, Vec<Shape>) {
    let style = &points.series.style;
    let mut inside = Vec::new();
    if points.joined {
        for piece in pieces(points.points.iter().map(|point| frame.place(point.x, point.y))) {
            inside.push(Shape::Line { points: piece, stroke: line(style) });
        }
    }
    for &Point { x, bar, .. } in &points.points {
        let Some((low, high)) = bar else { continue };
        let (Some(low), Some(high)) = (frame.place(x, low), frame.place(x, high)) else { continue };
        let stroke = Stroke::solid(style.colour, 1.1);
        inside.push(Shape::Line { points: vec![low, high], stroke });
        for (x, y) in [low, high] {
            inside.push(Shape::Line { points: vec![(x - 2.5, y), (x + 2.5, y)], stroke });
        }
    }
    let held = points.points.iter().filter(|point| frame.holds(point.x, point.y));
    let on_top = held.filter_map(|point| Some(marker(style, frame.place(point.x, point.y)?))).collect();
    (inside, on_top)
}

fn area(area: &Area, frame: &Frame) -> (Vec<Shape>, Vec<Shape>) {
    let style = &area.series.style;
    let corners: Vec<_> = area.corners.iter().filter_map(|&(x, y)| frame.place(x, y)).collect();
    let on_top = corners.iter().map(|&at| marker(style, at)).collect();
    let fill = Fill { colour: style.colour, opacity: BAND_OPACITY };
    let closed = corners.iter().chain(corners.first()).copied().collect();
    let inside = Shape::Polygon { points: corners, fill, outline: None };
    (vec![inside, Shape::Line { points: closed, stroke: line(style) }], on_top)
}

fn bars(bars: &Bars, frame: &Frame) -> Vec<Shape> {
    let style = &bars.series.style;
    let base = frame.place_y(0.0).unwrap_or(frame.rect.bottom());
    let bar = |&(left, right, height): &(f64, f64, f64)| {
        let (left, top) = frame.place(left, height)?;
        let right = frame.place_x(right)?;
        let rect = Rect { x: left.min(right), y: top, width: (right - left).abs(), height: base - top };
        let fill = Fill { colour: style.colour, opacity: 0.45 };
        let outline = Some(Stroke::solid(style.colour, 0.6));
        Some(Shape::Polygon { points: rect.corners(), fill, outline })
    };
    bars.bars.iter().filter(|bar| bar.2 != 0.0).filter_map(bar).collect()
}

fn rule(rule: &Rule, frame: &Frame) -> (Vec<Shape>, Vec<Shape>) {
    let rect = &frame.rect;
    let place = if rule.vertical { frame.place_x(rule.at) } else { frame.place_y(rule.at) };
    let axis = if rule.vertical { &frame.x } else { &frame.y };
    let Some(at) = place.filter(|_| axis.holds(rule.at)) else { return (Vec::new(), Vec::new()) };
    let ends = if rule.vertical {
        vec![(at, rect.bottom()), (at, rect.y)]
    } else {
        vec![(rect.x, at), (rect.right(), at)]
    };
    let inside = vec![Shape::Line { points: ends, stroke: line(&rule.style) }];
    if rule.label.is_empty() {
        return (inside, Vec::new());
    }
    // A horizontal line is named outside of the panel, where the words hide nothing; a vertical one on the
    // side where there is more room.
    let (place, anchor) = if !rule.vertical {
        ((rect.right() + 3.0, at + 0.36 * LABEL_SIZE), Anchor::Start)
    } else if at - rect.x > 0.6 * rect.width {
        ((at - 4.0, rect.y + LABEL_SIZE + 1.0), Anchor::End)
    } else {
        ((at + 4.0, rect.y + LABEL_SIZE + 1.0), Anchor::Start)
    };
    let text = Text::new(place, rule.label.as_str(), LABEL_SIZE, anchor);
    let text = Text { colour: rule.style.colour, ..text };
    (inside, if rule.vertical { on_paper(text) } else { vec![Shape::Text(text)] })
}

/// The room that the names of horizontal lines take to the right of the panel.
pub(super) fn rule_room(marks: &[Mark]) -> f64 {
    let named = marks.iter().filter_map(|mark| match mark {
        Mark::Rule(rule) if !rule.vertical && !rule.label.is_empty() => Some(&rule.label),
        _ => None,
    });
    named.map(|label| super::font::width(label, LABEL_SIZE, false) + 6.0).fold(0.0, f64::max)
}

fn label(label: &Label, frame: &Frame) -> Vec<Shape> {
    let Some((x, y)) = frame.place(label.x, label.y).filter(|_| frame.holds(label.x, label.y)) else {
        return Vec::new();
    };
    on_paper(Text::new((x, y - 4.0), label.text.as_str(), LABEL_SIZE, Anchor::Middle))
}

/// Text on a patch of the background, so that it can be read over lines, which still shine through.
fn on_paper(text: Text) -> Vec<Shape> {
    let left = match text.anchor {
        Anchor::Start => text.at.0,
        Anchor::Middle => text.at.0 - text.width() / 2.0,
        Anchor::End => text.at.0 - text.width(),
    };
    let rect = Rect { x: left, y: text.at.1 - 0.8 * text.size, width: text.width(), height: text.size };
    let fill = Fill { colour: PAPER, opacity: 0.7 };
    vec![Shape::Polygon { points: rect.grown(1.0).corners(), fill, outline: None }, Shape::Text(text)]
}

/// The sign of a data point.
pub(super) fn marker(style: &Style, (x, y): (f64, f64)) -> Shape {
    let size = MARKER_SIZE;
    let fill = Fill::opaque(style.colour);
    let outline = Some(Stroke::solid(PAPER, 0.6));
    let polygon = |points: &[(f64, f64)]| Shape::Polygon {
        points: points.iter().map(|(dx, dy)| (x + dx * size, y + dy * size)).collect(),
        fill,
        outline,
    };
    // A cross of arms `0.4` thick.
    let plus: Vec<(f64, f64)> = (0..4)
        .flat_map(|quarter| {
            let turn = |(x, y): (f64, f64)| match quarter {
                0 => (x, y),
                1 => (-y, x),
                2 => (-x, -y),
                _ => (y, -x),
            };
            [(0.4, -0.4), (1.2, -0.4), (1.2, 0.4)].map(turn)
        })
        .collect();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    match style.marker {
        Marker::Circle => Shape::Circle { centre: (x, y), radius: size, fill, outline },
        Marker::Square => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        Marker::TriangleUp => polygon(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
        Marker::OpenTriangle => Shape::Polygon {
            points: [(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]
                .map(|(dx, dy)| (x + dx * size, y + dy * size))
                .to_vec(),
            fill: Fill::opaque(PAPER),
            outline: Some(Stroke::solid(style.colour, 1.1)),
        },
        Marker::TriangleDown => polygon(&[(0.0, 1.2), (-1.1, -0.8), (1.1, -0.8)]),
        Marker::Diamond => polygon(&[(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0)]),
        Marker::Plus => polygon(&plus),
        Marker::Cross => {
            let turned: Vec<_> = plus.iter().map(|(x, y)| ((x - y) * half, (x + y) * half)).collect();
            polygon(&turned)
        }
        Marker::Star => {
            let tip = |i: u32| {
                let (angle, reach) =
                    (f64::from(i) * 0.2 * std::f64::consts::PI, if i.is_multiple_of(2) { 1.4 } else { 0.6 });
                (reach * angle.sin(), -reach * angle.cos())
            };
            polygon(&(0..10).map(tip).collect::<Vec<_>>())
        }
    }
}
