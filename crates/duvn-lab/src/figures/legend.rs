//! The legend: outside of the panels, where it hides nothing.

use super::draw;
use super::mark::Mark;
use super::scene::{Anchor, Fill, Rect, Shape, Stroke, Text};
use super::style::{INK, Series};

const SIZE: f64 = 10.0;
const SAMPLE: f64 = 28.0;
const GAP: f64 = 16.0;
pub(super) const ROW: f64 = 16.0;

/// What the sample of an entry shows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    line: bool,
    band: bool,
    marker: bool,
    bar: bool,
}

/// The entries of all panels, each name once, in the order in which they appear.
pub(super) struct Legend {
    entries: Vec<(Series, Sample)>,
}

impl Legend {
    pub fn new<'a>(marks: impl Iterator<Item = &'a Mark>) -> Self {
        let mut entries: Vec<(Series, Sample)> = Vec::new();
        for mark in marks {
            let Some(series) = mark.series() else { continue };
            let sample = match mark {
                Mark::Curve(curve) => {
                    Sample { line: true, band: !curve.band.is_empty(), marker: curve.markers, bar: false }
                }
                Mark::Points(points) => Sample { line: points.joined, band: false, marker: true, bar: false },
                Mark::Area(_) => Sample { line: true, band: true, marker: true, bar: false },
                _ => Sample { line: false, band: false, marker: false, bar: true },
            };
            match entries.iter_mut().find(|(known, _)| known.name == series.name) {
                Some((_, known)) => {
                    known.line |= sample.line;
                    known.band |= sample.band;
                    known.marker |= sample.marker;
                    known.bar |= sample.bar;
                }
                None => entries.push((series.clone(), sample)),
            }
        }
        Legend { entries }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn entry_width(&self, i: usize) -> f64 {
        SAMPLE + 5.0 + super::font::width(&self.entries[i].0.name, SIZE, false)
    }

    /// The width of a legend with one entry a row.
    pub fn column_width(&self) -> f64 {
        (0..self.entries.len()).map(|i| self.entry_width(i)).fold(0.0, f64::max)
    }

    /// Its entries in rows that fit into `width`.
    pub fn rows(&self, width: f64) -> Vec<Vec<usize>> {
        let mut rows: Vec<Vec<usize>> = Vec::new();
        let mut used = f64::INFINITY;
        for i in 0..self.entries.len() {
            let needed = self.entry_width(i) + GAP;
            match rows.last_mut() {
                Some(row) if used + needed - GAP <= width => row.push(i),
                _ => {
                    rows.push(vec![i]);
                    used = 0.0;
                }
            }
            used += needed;
        }
        rows
    }

    /// Its rows below each other, each centred in `width`, from (`x`, `y`) on.
    pub fn draw_rows(&self, x: f64, y: f64, width: f64) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for (at, row) in self.rows(width).into_iter().enumerate() {
            let total: f64 = row.iter().map(|&i| self.entry_width(i) + GAP).sum::<f64>() - GAP;
            let mut x = x + ((width - total) / 2.0).max(0.0);
            for i in row {
                shapes.extend(self.draw_entry(i, x, y + (at as f64 + 0.5) * ROW));
                x += self.entry_width(i) + GAP;
            }
        }
        shapes
    }

    /// Its entries below each other.
    pub fn draw_column(&self, x: f64, y: f64) -> Vec<Shape> {
        let entry = |i: usize| self.draw_entry(i, x, y + (i as f64 + 0.5) * ROW);
        (0..self.entries.len()).flat_map(entry).collect()
    }

    fn draw_entry(&self, i: usize, x: f64, y: f64) -> Vec<Shape> {
        let (Series { name, style }, sample) = &self.entries[i];
        let rect = Rect { x, y: y - 5.0, width: SAMPLE, height: 10.0 };
        let patch = |opacity: f64, outline: Option<Stroke>| Shape::Polygon {
            points: rect.corners(),
            fill: Fill { colour: style.colour, opacity },
            outline,
        };
        let mut shapes = Vec::new();
        if sample.bar {
            shapes.push(patch(0.45, Some(Stroke::solid(style.colour, 0.6))));
        } else if sample.band {
            shapes.push(patch(0.18, None));
        }
        if sample.line {
            let stroke = Stroke { colour: style.colour, width: style.width, dash: style.dash.lengths() };
            shapes.push(Shape::Line { points: vec![(x, y), (x + SAMPLE, y)], stroke });
        }
        if sample.marker {
            shapes.push(draw::marker(style, (x + SAMPLE / 2.0, y)));
        }
        let text = Text::new((x + SAMPLE + 5.0, y + 0.36 * SIZE), name.as_str(), SIZE, Anchor::Start);
        shapes.push(Shape::Text(Text { colour: INK, ..text }));
        shapes
    }
}
