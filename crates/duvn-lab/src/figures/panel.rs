//! One panel: its axes with their ticks, and what is drawn between them.

use super::axis::{Axis, Extent, View};
use super::draw::{self, Frame};
use super::mark::Mark;
use super::scene::{Anchor, Rect, Shape, Stroke, Text};
use super::style::{GRID, INK};
use super::{Panel, font, heat};

const TICK_SIZE: f64 = 9.0;
const LABEL_SIZE: f64 = 10.0;
const TITLE_SIZE: f64 = 10.5;
const TICK: f64 = 3.5;
/// The height of the row that a note takes below a long title.
const NOTE_ROW: f64 = 12.0;

/// A panel with its axes settled.
pub(super) struct Settled<'a> {
    pub panel: &'a Panel,
    pub x: View,
    pub y: View,
    pub x_ticks: Vec<(f64, String)>,
    pub y_ticks: Vec<(f64, String)>,
    pub shows_x: bool,
    pub shows_y: bool,
    /// Whether the colour bar of its heat map is drawn: panels side by side with the same colours share one.
    pub shows_bar: bool,
    /// The height of its drawing area.
    pub height: f64,
    /// Whether title and note stand below each other.
    pub stacked: bool,
}

impl<'a> Settled<'a> {
    /// A panel whose drawing area is of this size. Whether its axes are labelled is said afterwards.
    pub fn new(panel: &'a Panel, x_data: Extent, y_data: Extent, (width, height): (f64, f64)) -> Self {
        let (x, y) = (View::new(&panel.x, x_data), View::new(&panel.y, y_data));
        let x_ticks = ticks_without_overlap(&panel.x, &x, width);
        let y_ticks = ticks(&panel.y, &y, (height / 22.0) as usize);
        let title = font::width(&panel.title, TITLE_SIZE, true);
        let note = font::width(&panel.note, TICK_SIZE, false);
        let stacked = title > 0.0 && note > 0.0 && title + note + 8.0 > width;
        Settled {
            panel,
            x,
            y,
            x_ticks,
            y_ticks,
            shows_x: true,
            shows_y: true,
            shows_bar: true,
            height,
            stacked,
        }
    }
}

impl Settled<'_> {
    pub fn left_room(&self) -> f64 {
        if self.panel.bare {
            return 10.0;
        }
        let ticks = self.y_ticks.iter().map(|(_, label)| font::width(label, TICK_SIZE, false));
        let widest = ticks.fold(0.0, f64::max);
        let label = if self.panel.y.label.is_empty() { 0.0 } else { LABEL_SIZE + 6.0 };
        // The first label of the x axis may reach out by half of its width.
        let first = self.x_ticks.first().filter(|_| self.shows_x);
        let reach = first.map_or(0.0, |(_, label)| font::width(label, TICK_SIZE, false) / 2.0);
        if self.shows_y { (TICK + 3.0 + widest + label).max(reach) } else { reach.max(8.0) }
    }

    pub fn right_room(&self) -> f64 {
        let bars = self.panel.marks.iter().filter_map(|mark| match mark {
            Mark::Heat(heat) if self.shows_bar => Some(heat::bar_room(heat, self.height)),
            _ => None,
        });
        let last = self.x_ticks.last().filter(|_| self.shows_x);
        let reach = last.map_or(0.0, |(value, label)| {
            let beyond = 1.0 - self.x.place(*value).unwrap_or(1.0);
            // At most half of the label, less what lies between its tick and the end of the axis.
            font::width(label, TICK_SIZE, false) / 2.0 - beyond * 60.0
        });
        reach.max(10.0).max(draw::rule_room(&self.panel.marks)) + bars.fold(0.0, f64::max)
    }

    pub fn top_room(&self) -> f64 {
        match (self.panel.title.is_empty() && self.panel.note.is_empty(), self.stacked) {
            (true, _) => 10.0,
            (false, false) => TITLE_SIZE + 12.0,
            (false, true) => TITLE_SIZE + 12.0 + NOTE_ROW,
        }
    }

    pub fn bottom_room(&self) -> f64 {
        if self.panel.bare {
            return 4.0;
        }
        let label = if self.panel.x.label.is_empty() { 0.0 } else { LABEL_SIZE + 5.0 };
        if self.shows_x { TICK + TICK_SIZE + 4.0 + label } else { 4.0 }
    }

    pub fn draw(&self, rect: Rect, shapes: &mut Vec<Shape>) {
        let frame = Frame { rect, x: self.x, y: self.y };
        let marks = &self.panel.marks;
        if !self.panel.bare && !marks.iter().any(|mark| matches!(mark, Mark::Heat(_))) {
            self.draw_grid(&frame, shapes);
        }
        let (mut inside, mut on_top) = (Vec::new(), Vec::new());
        let count = marks.iter().filter(|mark| mark.series().is_some()).count();
        let mut index = 0;
        for mark in marks {
            let (clipped, free) = draw::mark(mark, &frame, (index, count));
            index += usize::from(mark.series().is_some());
            inside.extend(clipped);
            on_top.extend(free);
        }
        shapes.push(Shape::Clip { to: rect.grown(0.8), shapes: inside });
        if !self.panel.bare {
            self.draw_axes(&frame, shapes);
        }
        shapes.extend(on_top);
        self.draw_titles(&rect, shapes);
        for mark in marks {
            if let (Mark::Heat(heat), true) = (mark, self.shows_bar) {
                shapes.extend(heat::bar(heat, &rect));
            }
        }
    }

    fn draw_grid(&self, frame: &Frame, shapes: &mut Vec<Shape>) {
        let (rect, stroke) = (&frame.rect, Stroke::solid(GRID, 0.7));
        for x in self.x_ticks.iter().filter_map(|(value, _)| frame.place_x(*value)) {
            shapes.push(Shape::Line { points: vec![(x, rect.y), (x, rect.bottom())], stroke });
        }
        for y in self.y_ticks.iter().filter_map(|(value, _)| frame.place_y(*value)) {
            shapes.push(Shape::Line { points: vec![(rect.x, y), (rect.right(), y)], stroke });
        }
    }

    fn draw_axes(&self, frame: &Frame, shapes: &mut Vec<Shape>) {
        let (rect, stroke) = (&frame.rect, Stroke::solid(INK, 0.8));
        let corner = vec![(rect.x, rect.y), (rect.x, rect.bottom()), (rect.right(), rect.bottom())];
        shapes.push(Shape::Line { points: corner, stroke });
        for (value, label) in &self.x_ticks {
            let Some(x) = frame.place_x(*value) else { continue };
            shapes.push(Shape::Line { points: vec![(x, rect.bottom()), (x, rect.bottom() + TICK)], stroke });
            if self.shows_x {
                let at = (x, rect.bottom() + TICK + TICK_SIZE + 1.0);
                shapes.push(Shape::Text(Text::new(at, label.as_str(), TICK_SIZE, Anchor::Middle)));
            }
        }
        for x in minor_ticks(&self.panel.x, &self.x).into_iter().filter_map(|value| frame.place_x(value)) {
            let points = vec![(x, rect.bottom()), (x, rect.bottom() + 0.6 * TICK)];
            shapes.push(Shape::Line { points, stroke });
        }
        for y in minor_ticks(&self.panel.y, &self.y).into_iter().filter_map(|value| frame.place_y(value)) {
            shapes.push(Shape::Line { points: vec![(rect.x - 0.6 * TICK, y), (rect.x, y)], stroke });
        }
        let mut widest = 0f64;
        for (value, label) in &self.y_ticks {
            let Some(y) = frame.place_y(*value) else { continue };
            shapes.push(Shape::Line { points: vec![(rect.x - TICK, y), (rect.x, y)], stroke });
            if self.shows_y {
                let at = (rect.x - TICK - 2.5, y + 0.36 * TICK_SIZE);
                let text = Text::new(at, label.as_str(), TICK_SIZE, Anchor::End);
                widest = widest.max(text.width());
                shapes.push(Shape::Text(text));
            }
        }
        if self.shows_x && !self.panel.x.label.is_empty() {
            let at = (rect.x + rect.width / 2.0, rect.bottom() + TICK + TICK_SIZE + LABEL_SIZE + 5.0);
            shapes.push(Shape::Text(fitting(at, &self.panel.x.label, rect.width)));
        }
        if self.shows_y && !self.panel.y.label.is_empty() {
            let at = (rect.x - TICK - widest - 9.0, rect.y + rect.height / 2.0);
            let text = fitting(at, &self.panel.y.label, rect.height);
            shapes.push(Shape::Text(Text { upwards: true, ..text }));
        }
    }

    /// Title to the left and note to the right above the panel, or below each other where they would meet.
    fn draw_titles(&self, rect: &Rect, shapes: &mut Vec<Shape>) {
        let Panel { title, note, .. } = self.panel;
        let y = rect.y - 5.0;
        if !title.is_empty() {
            let size = TITLE_SIZE * (rect.width / font::width(title, TITLE_SIZE, true)).clamp(0.6, 1.0);
            let y = if self.stacked { y - NOTE_ROW } else { y };
            let text = Text::new((rect.x, y), title.as_str(), size, Anchor::Start);
            shapes.push(Shape::Text(Text { bold: true, ..text }));
        }
        if !note.is_empty() {
            let size = TICK_SIZE * (rect.width / font::width(note, TICK_SIZE, false)).clamp(0.6, 1.0);
            let (x, anchor) =
                if self.stacked { (rect.x, Anchor::Start) } else { (rect.right(), Anchor::End) };
            shapes.push(Shape::Text(Text::new((x, y), note.as_str(), size, anchor)));
        }
    }
}

/// The label of an axis, made smaller where the axis is shorter.
fn fitting(at: (f64, f64), label: &str, length: f64) -> Text {
    let shrink = (length / font::width(label, LABEL_SIZE, false).max(1.0)).clamp(0.6, 1.0);
    Text::new(at, label, LABEL_SIZE * shrink, Anchor::Middle)
}

fn ticks(axis: &Axis, view: &View, count: usize) -> Vec<(f64, String)> {
    match &axis.ticks {
        Some(ticks) => ticks.iter().filter(|(value, _)| view.holds(*value)).cloned().collect(),
        None => view.ticks(count.max(2)),
    }
}

/// Ticks between the labelled ones; an axis with ticks of its own has no others.
fn minor_ticks(axis: &Axis, view: &View) -> Vec<f64> {
    if axis.ticks.is_some() { Vec::new() } else { view.minor_ticks() }
}

/// As many ticks as leave a gap between their labels. An axis with ticks of its own keeps them all, but some
/// without their labels.
fn ticks_without_overlap(axis: &Axis, view: &View, width: f64) -> Vec<(f64, String)> {
    let fits = |ticks: &[(f64, String)]| {
        let ends = |(value, label): &(f64, String)| {
            let half = font::width(label, TICK_SIZE, false) / 2.0 + 4.0;
            let at = view.place(*value).unwrap_or(0.0) * width;
            (at - half, at + half)
        };
        let ends: Vec<_> = ticks.iter().filter(|(_, label)| !label.is_empty()).map(ends).collect();
        ends.windows(2).all(|pair| pair[0].1 <= pair[1].0 || pair[1].1 <= pair[0].0)
    };
    let most = ((width / 34.0) as usize).max(2);
    let few = ticks(axis, view, 2);
    let every = |n: usize| -> Vec<(f64, String)> {
        let named = |(at, (value, label)): (usize, &(f64, String))| {
            let label = if at % n == 0 { label.clone() } else { String::new() };
            (axis.ticks.is_some() || at % n == 0).then_some((*value, label))
        };
        few.iter().enumerate().filter_map(named).collect()
    };
    let fewer = (2..=few.len().max(2)).map(every);
    let tried = (2..=most).rev().map(|count| ticks(axis, view, count));
    tried.chain(fewer).find(|ticks| fits(ticks)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_ones_own_stay_where_their_labels_have_no_room() {
        let ticks = (0..9).map(|at| (f64::from(at), format!("{}", 1000 + at))).collect();
        let axis = Axis::new("").from_to(0.0, 8.0).with_ticks(ticks);
        let view = View::new(&axis, Extent::EMPTY);
        let labels = |width| -> Vec<String> {
            ticks_without_overlap(&axis, &view, width).into_iter().map(|(_, label)| label).collect()
        };
        assert!(labels(400.0).iter().all(|label| !label.is_empty()));
        assert_eq!(labels(160.0), ["1000", "", "1002", "", "1004", "", "1006", "", "1008"]);
    }

    #[test]
    fn labels_of_ticks_never_overlap() {
        for width in [60.0, 100.0, 230.0] {
            for (low, high) in [(0.0, 1.0), (0.0, 999_000.0), (0.0, 1234.5), (1_234_567.0, 1_234_569.0)] {
                let axis = Axis::new("").from_to(low, high);
                let view = View::new(&axis, Extent::EMPTY);
                let ticks = ticks_without_overlap(&axis, &view, width);
                assert!(ticks.len() >= if high < 1e6 { 2 } else { 1 }, "{width} {high}");
                for pair in ticks.windows(2) {
                    let apart = (view.place(pair[1].0).unwrap() - view.place(pair[0].0).unwrap()) * width;
                    let needed = pair.iter().map(|(_, label)| font::width(label, TICK_SIZE, false) / 2.0);
                    assert!(apart > needed.sum::<f64>(), "{width} {high} {pair:?}");
                }
            }
        }
    }
}
