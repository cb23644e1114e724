//! Colours of heat maps: from dark blue over green to yellow, each lighter than the one before, so that
//! the order survives printing in grey.

use super::Colour;
use super::axis::{Axis, Extent, View};
use super::draw::Frame;
use super::mark::Heat;
use super::scene::{Anchor, Rect, Shape, Stroke, Text};
use super::style::INK;

const GAP: f64 = 8.0;
const WIDTH: f64 = 9.0;
const TICK_SIZE: f64 = 9.0;
const LABEL_SIZE: f64 = 10.0;

/// Nine colours of the map known as viridis, evenly spaced.
const STOPS: [u32; 9] =
    [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];

/// The colour at `share` of the way from the lowest to the highest.
pub(super) fn colour(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (at as usize).min(STOPS.len() - 2);
    let mix = |a: u8, b: u8| {
        let (a, b) = (f64::from(a), f64::from(b));
        (a + (at - below as f64) * (b - a)).round() as u8
    };
    let (Colour(r, g, b), Colour(r2, g2, b2)) = (Colour::hex(STOPS[below]), Colour::hex(STOPS[below + 1]));
    Colour(mix(r, r2), mix(g, g2), mix(b, b2))
}

/// The cells of a heat map; neighbours of one colour are one rectangle.
pub(super) fn cells(heat: &Heat, frame: &Frame) -> Vec<Shape> {
    let (low, high) = heat.ends();
    let mut shapes = Vec::new();
    for (i, row) in heat.rows.iter().enumerate() {
        let mut j = 0;
        while j < row.len() {
            let shade = |value: f64| value.is_finite().then(|| colour((value - low) / (high - low)));
            let here = shade(row[j]);
            let run = row[j..].iter().take_while(|&&value| shade(value) == here).count();
            let corner = |x: f64, y: f64| frame.place(x - 0.5, y - 0.5);
            let ends = (corner(j as f64, i as f64), corner((j + run) as f64, (i + 1) as f64));
            if let (Some(colour), (Some(a), Some(b))) = (here, ends) {
                let (x, y) = (a.0.min(b.0), a.1.min(b.1));
                let rect = Rect { x, y, width: (b.0 - a.0).abs(), height: (b.1 - a.1).abs() };
                shapes.push(Shape::Cell { rect, colour });
            }
            j += run;
        }
    }
    shapes
}

fn ticks(heat: &Heat, height: f64) -> (View, Vec<(f64, String)>) {
    let (low, high) = heat.ends();
    let view = View::new(&Axis::new("").from_to(low, high), Extent::EMPTY);
    (view, view.ticks((height / 28.0) as usize))
}

/// From the panel to the baseline of the colour bar's label.
fn label_offset(heat: &Heat, height: f64) -> f64 {
    let labels = ticks(heat, height).1;
    let widths = labels.iter().map(|(_, label)| super::font::width(label, TICK_SIZE, false));
    GAP + WIDTH + 5.0 + widths.fold(0.0, f64::max) + LABEL_SIZE + 2.0
}

/// The width that a colour bar with its labels takes.
pub(super) fn bar_room(heat: &Heat, height: f64) -> f64 {
    label_offset(heat, height) + 4.0
}

/// The colour bar to the right of the panel.
pub(super) fn bar(heat: &Heat, frame: &Rect) -> Vec<Shape> {
    let rect = Rect { x: frame.right() + GAP, width: WIDTH, ..*frame };
    let steps = 64;
    let step = rect.height / f64::from(steps);
    let mut shapes: Vec<Shape> = (0..steps)
        .map(|i| {
            let y = rect.bottom() - f64::from(i + 1) * step;
            // A little more than a step, so that rounding leaves no gap between two of them.
            let rect = Rect { y, height: if i == 0 { step } else { 1.3 * step }, ..rect };
            Shape::Cell { rect, colour: colour((f64::from(i) + 0.5) / f64::from(steps)) }
        })
        .collect();
    let (view, ticks) = ticks(heat, frame.height);
    for (value, label) in ticks {
        let y = rect.bottom() - view.place(value).unwrap_or(0.0) * rect.height;
        let stroke = Stroke::solid(INK, 0.7);
        shapes.push(Shape::Line { points: vec![(rect.right(), y), (rect.right() + 3.0, y)], stroke });
        shapes.push(Shape::Text(Text::new((rect.right() + 5.0, y + 3.3), label, TICK_SIZE, Anchor::Start)));
    }
    let middle = (frame.right() + label_offset(heat, frame.height), rect.y + rect.height / 2.0);
    let label = Text::new(middle, heat.label.as_str(), LABEL_SIZE, Anchor::Middle);
    shapes.push(Shape::Text(Text { upwards: true, ..label }));
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_grows_lighter_all_the_way() {
        let light = |i: i32| {
            let Colour(r, g, b) = colour(f64::from(i) / 100.0);
            0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b)
        };
        assert!((1..=100).all(|i| light(i) > light(i - 1)));
        assert_eq!((colour(-3.0), colour(7.0)), (Colour::hex(STOPS[0]), Colour::hex(STOPS[8])));
    }
}
