//! Where everything of a figure goes: titles, panels in their grid, axes, legend, footer.

use super::axis::{Axis, Extent, View};
use super::draw::{self, Frame};
use super::heat;
use super::legend::{Legend, ROW};
use super::mark::Mark;
use super::scene::{Anchor, Rect, Scene, Shape, Stroke, Text};
use super::style::{FAINT, GRID, INK};
use super::{Figure, LegendPlace, Panel, font};

const MARGIN: f64 = 10.0;
const TICK_SIZE: f64 = 9.0;
const LABEL_SIZE: f64 = 10.0;
const PANEL_TITLE_SIZE: f64 = 10.5;
const TITLE_SIZE: f64 = 13.0;
const FOOTER_SIZE: f64 = 8.5;
const TICK: f64 = 3.5;

/// A panel with its axes settled.
struct Settled<'a> {
    panel: &'a Panel,
    x: View,
    y: View,
    x_ticks: Vec<(f64, String)>,
    y_ticks: Vec<(f64, String)>,
    shows_x: bool,
    shows_y: bool,
}

/// The room around the panels of one column or one row of the grid.
#[derive(Clone, Copy, Default)]
struct Room {
    before: f64,
    after: f64,
}

pub(super) fn scene(figure: &Figure) -> Scene {
    let columns = figure.columns.clamp(1, figure.panels.len().max(1));
    let rows = figure.panels.len().div_ceil(columns);
    let panels = settle(figure, columns);
    let (plot_width, plot_height) = figure.panel_size();

    let mut across = vec![Room::default(); columns];
    let mut down = vec![Room::default(); rows];
    for (i, panel) in panels.iter().enumerate() {
        let (column, row) = (&mut across[i % columns], &mut down[i / columns]);
        column.before = column.before.max(panel.left_room());
        column.after = column.after.max(panel.right_room());
        row.before = row.before.max(panel.top_room());
        row.after = row.after.max(panel.bottom_room());
    }

    let legend = Legend::new(figure.panels.iter().flat_map(|panel| &panel.marks));
    let beside = figure.legend == LegendPlace::Right && !legend.is_empty();
    let grid_width: f64 = across.iter().map(|room| room.before + plot_width + room.after).sum();
    let aside = if beside { 12.0 + legend.column_width() } else { 0.0 };
    let width = (grid_width + aside + 2.0 * MARGIN).max(120.0);
    let inner = width - 2.0 * MARGIN;

    let mut shapes = Vec::new();
    let mut y = MARGIN;
    for line in wrap(&figure.title, TITLE_SIZE, true, inner) {
        y += TITLE_SIZE + 3.0;
        let text = Text::new((width / 2.0, y - 3.0), line, TITLE_SIZE, Anchor::Middle);
        shapes.push(Shape::Text(Text { bold: true, ..text }));
    }
    let top = y;
    for (row, cells) in panels.chunks(columns).enumerate() {
        y += down[row].before;
        let mut x = MARGIN;
        for (column, panel) in cells.iter().enumerate() {
            x += across[column].before;
            let rect = Rect { x, y, width: plot_width, height: plot_height };
            panel.draw(rect, &mut shapes);
            x += plot_width + across[column].after;
        }
        y += plot_height + down[row].after;
    }
    if beside {
        let free = y - top - legend.rows(0.0).len() as f64 * ROW;
        shapes.extend(legend.draw_column(MARGIN + grid_width + 12.0, top + (free / 2.0).max(0.0)));
    } else if figure.legend == LegendPlace::Bottom && !legend.is_empty() {
        shapes.extend(legend.draw_rows(MARGIN, y + 6.0, inner));
        y += 6.0 + legend.rows(inner).len() as f64 * ROW;
    }
    for line in wrap(&figure.footer, FOOTER_SIZE, false, inner) {
        y += FOOTER_SIZE + 4.0;
        let text = Text::new((MARGIN, y), line, FOOTER_SIZE, Anchor::Start);
        shapes.push(Shape::Text(Text { colour: FAINT, ..text }));
    }
    let titles = std::iter::once(&figure.title).chain(figure.panels.iter().map(|panel| &panel.title));
    let title = titles.filter(|title| !title.is_empty()).cloned().collect::<Vec<_>>().join(", ");
    Scene { width, height: (y + MARGIN).max(40.0), title, shapes }
}

/// Settles the ranges and ticks of all panels; shared axes get the range of all data.
fn settle<'a>(figure: &'a Figure, columns: usize) -> Vec<Settled<'a>> {
    let x_data = |panel: &Panel| joined(panel.marks.iter().map(|mark| mark.x_extent(panel.x.scale)));
    let y_data = |panel: &Panel| joined(panel.marks.iter().map(|mark| mark.y_extent(panel.y.scale)));
    let x_all = joined(figure.panels.iter().map(x_data));
    let y_all = joined(figure.panels.iter().map(y_data));
    let (width, height) = figure.panel_size();
    let settled = |(i, panel): (usize, &'a Panel)| {
        let Panel { x, y, .. } = panel;
        let below = i + columns < figure.panels.len();
        let x_view = View::new(x, if figure.share_x { x_all } else { x_data(panel) });
        let y_view = View::new(y, if figure.share_y { y_all } else { y_data(panel) });
        Settled {
            panel,
            x: x_view,
            y: y_view,
            x_ticks: ticks_without_overlap(x, &x_view, width),
            y_ticks: ticks(y, &y_view, (height / 22.0) as usize),
            shows_x: !figure.share_x || !below,
            shows_y: !figure.share_y || i % columns == 0,
        }
    };
    figure.panels.iter().enumerate().map(settled).collect()
}

fn joined(extents: impl Iterator<Item = Extent>) -> Extent {
    extents.fold(Extent::EMPTY, Extent::join)
}

fn ticks(axis: &Axis, view: &View, count: usize) -> Vec<(f64, String)> {
    match &axis.ticks {
        Some(ticks) => ticks.iter().filter(|(value, _)| view.holds(*value)).cloned().collect(),
        None => view.ticks(count.max(2)),
    }
}

/// As many ticks as leave a gap between their labels.
fn ticks_without_overlap(axis: &Axis, view: &View, width: f64) -> Vec<(f64, String)> {
    let fits = |ticks: &[(f64, String)]| {
        let ends = |(value, label): &(f64, String)| {
            let half = font::width(label, TICK_SIZE, false) / 2.0 + 4.0;
            let at = view.place(*value).unwrap_or(0.0) * width;
            (at - half, at + half)
        };
        let ends: Vec<_> = ticks.iter().map(ends).collect();
        ends.windows(2).all(|pair| pair[0].1 <= pair[1].0 || pair[1].1 <= pair[0].0)
    };
    let most = ((width / 45.0) as usize).max(2);
    let tried = (2..=most).rev().map(|count| ticks(axis, view, count));
    tried.into_iter().find(|ticks| fits(ticks)).unwrap_or_else(|| ticks(axis, view, 2))
}

impl Settled<'_> {
    fn left_room(&self) -> f64 {
        let ticks = self.y_ticks.iter().map(|(_, label)| font::width(label, TICK_SIZE, false));
        let widest = ticks.fold(0.0, f64::max);
        let label = if self.panel.y.label.is_empty() { 0.0 } else { LABEL_SIZE + 6.0 };
        // The first label of the x axis may reach out by half of its width.
        let first = self.x_ticks.first().filter(|_| self.shows_x);
        let reach = first.map_or(0.0, |(_, label)| font::width(label, TICK_SIZE, false) / 2.0);
        if self.shows_y { (TICK + 3.0 + widest + label).max(reach) } else { reach.max(8.0) }
    }

    fn right_room(&self) -> f64 {
        let heat = self.panel.marks.iter().any(|mark| matches!(mark, Mark::Heat(_)));
        let last = self.x_ticks.last().filter(|_| self.shows_x);
        let reach = last.map_or(0.0, |(value, label)| {
            let beyond = 1.0 - self.x.place(*value).unwrap_or(1.0);
            // At most half of the label, less what lies between its tick and the end of the axis.
            font::width(label, TICK_SIZE, false) / 2.0 - beyond * 60.0
        });
        reach.max(10.0).max(draw::rule_room(&self.panel.marks)) + if heat { heat::BAR_ROOM } else { 0.0 }
    }

    fn top_room(&self) -> f64 {
        let titled = !self.panel.title.is_empty() || !self.panel.note.is_empty();
        if titled { PANEL_TITLE_SIZE + 12.0 } else { 10.0 }
    }

    fn bottom_room(&self) -> f64 {
        let label = if self.panel.x.label.is_empty() { 0.0 } else { LABEL_SIZE + 5.0 };
        if self.shows_x { TICK + TICK_SIZE + 4.0 + label } else { 4.0 }
    }

    fn draw(&self, rect: Rect, shapes: &mut Vec<Shape>) {
        let frame = Frame { rect, x: self.x, y: self.y };
        let marks = &self.panel.marks;
        if !marks.iter().any(|mark| matches!(mark, Mark::Heat(_))) {
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
        self.draw_axes(&frame, shapes);
        shapes.extend(on_top);
        self.draw_titles(&rect, shapes);
        for mark in marks {
            if let Mark::Heat(heat) = mark {
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
        for x in self.x.minor_ticks().into_iter().filter_map(|value| frame.place_x(value)) {
            let points = vec![(x, rect.bottom()), (x, rect.bottom() + 0.6 * TICK)];
            shapes.push(Shape::Line { points, stroke });
        }
        for y in self.y.minor_ticks().into_iter().filter_map(|value| frame.place_y(value)) {
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
            shapes.push(Shape::Text(Text::new(at, self.panel.x.label.as_str(), LABEL_SIZE, Anchor::Middle)));
        }
        if self.shows_y && !self.panel.y.label.is_empty() {
            let at = (rect.x - TICK - widest - 9.0, rect.y + rect.height / 2.0);
            let text = Text::new(at, self.panel.y.label.as_str(), LABEL_SIZE, Anchor::Middle);
            shapes.push(Shape::Text(Text { upwards: true, ..text }));
        }
    }

    /// Title to the left and note to the right above the panel, made smaller where they would meet.
    fn draw_titles(&self, rect: &Rect, shapes: &mut Vec<Shape>) {
        let Panel { title, note, .. } = self.panel;
        let width = font::width(title, PANEL_TITLE_SIZE, true) + font::width(note, TICK_SIZE, false) + 8.0;
        let shrink = (rect.width / width).clamp(0.6, 1.0);
        let y = rect.y - 5.0;
        if !title.is_empty() {
            let text = Text::new((rect.x, y), title.as_str(), PANEL_TITLE_SIZE * shrink, Anchor::Start);
            shapes.push(Shape::Text(Text { bold: true, ..text }));
        }
        if !note.is_empty() {
            let text = Text::new((rect.right(), y), note.as_str(), TICK_SIZE * shrink, Anchor::End);
            shapes.push(Shape::Text(text));
        }
    }
}

/// Breaks text into lines that fit into `width`, between words.
fn wrap(text: &str, size: f64, bold: bool, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if font::width(&format!("{line} {word}"), size, bold) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::{Curve, Heat, Rule, Series};
    use super::*;

    #[test]
    fn long_titles_are_broken_between_words() {
        let lines = wrap("a title of quite a few words", 10.0, false, 60.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| font::width(line, 10.0, false) <= 60.0));
        assert_eq!(lines.join(" "), "a title of quite a few words");
        assert_eq!(wrap("", 10.0, false, 60.0), Vec::<String>::new());
    }

    /// Visits every point of every shape, and the corners of text.
    fn points(shapes: &[Shape], visit: &mut dyn FnMut((f64, f64))) {
        for shape in shapes {
            match shape {
                Shape::Line { points, .. } | Shape::Polygon { points, .. } => {
                    points.iter().for_each(|point| visit(*point));
                }
                Shape::Circle { centre, .. } => visit(*centre),
                Shape::Cell { rect, .. } => rect.corners().into_iter().for_each(&mut *visit),
                Shape::Clip { to, shapes } => {
                    to.corners().into_iter().for_each(&mut *visit);
                    self::points(shapes, visit);
                }
                Shape::Text(text) => {
                    let (x, y) = text.at;
                    let width = text.width();
                    let (before, after) = match text.anchor {
                        Anchor::Start => (0.0, width),
                        Anchor::Middle => (width / 2.0, width / 2.0),
                        Anchor::End => (width, 0.0),
                    };
                    let ends = if text.upwards {
                        [(x - 0.8 * text.size, y + before), (x, y - after)]
                    } else {
                        [(x - before, y - 0.8 * text.size), (x + after, y)]
                    };
                    ends.into_iter().for_each(&mut *visit);
                }
            }
        }
    }

    fn wavy(methods: &[&str], x: impl Fn(f64) -> f64) -> Panel {
        let curve = |(i, method): (usize, &&str)| {
            let y = |t: f64| (t + i as f64).sin() * 1e3;
            let points: Vec<_> = (0..50).map(|t| (x(f64::from(t)), y(f64::from(t)))).collect();
            let band = points.iter().map(|&(x, y)| (x, y - 50.0, y + 90.0)).collect();
            Mark::Curve(Curve::new(Series::method(method), points).with_band(band))
        };
        let marks = methods.iter().enumerate().map(curve).collect();
        let (x, y) = (Axis::new("a label of some length"), Axis::new("another label"));
        Panel { title: "A panel".into(), note: "a note".into(), marks, ..Panel::new(x, y) }
    }

    #[test]
    fn nothing_lies_outside_of_the_page() {
        let all = ["egreedy", "boltzmann", "parametric", "return", "duvn", "duvn-deep", "bootdqn", "ube"];
        let mut ruled = wavy(&all, |t| t * 1e5);
        ruled.marks.push(Mark::Rule(Rule::horizontal(500.0, "a threshold")));
        ruled.marks.push(Mark::Rule(Rule::vertical(4e6, "a moment")));
        let heat = Mark::Heat(Heat {
            rows: vec![vec![1.0, f64::NAN], vec![0.25, -1.0, 3.0]],
            range: None,
            label: "a measure".into(),
        });
        let heat = Panel { marks: vec![heat], ..Panel::new(Axis::new("x"), Axis::new("y")) };
        let panels = vec![wavy(&all[..3], |t| t), ruled, heat];
        for (columns, legend) in [(1, LegendPlace::Bottom), (2, LegendPlace::Right), (9, LegendPlace::None)] {
            let figure = Figure {
                title: "A title that is long enough to need more than one line of the page".into(),
                footer: "footer ".repeat(60),
                legend,
                ..Figure::new(panels.clone(), columns)
            };
            let scene = scene(&figure);
            let page = Rect { x: 0.0, y: 0.0, width: scene.width, height: scene.height };
            points(&scene.shapes, &mut |(x, y)| assert!(page.contains(x, y), "({x}, {y}) on {page:?}"));
        }
    }

    #[test]
    fn all_data_lie_inside_the_axes() {
        let figure = Figure::new(vec![wavy(&["duvn", "return"], |t| t)], 1);
        let mut clips = 0;
        for shape in scene(&figure).shapes {
            let Shape::Clip { to, shapes } = shape else { continue };
            clips += 1;
            points(&shapes, &mut |(x, y)| assert!(to.contains(x, y), "({x}, {y}) in {to:?}"));
        }
        assert_eq!(clips, 1);
    }

    #[test]
    fn shared_axes_have_one_range_and_are_labelled_once() {
        let panels = vec![wavy(&["duvn"], |t| t), wavy(&["duvn"], |t| 10.0 * t), wavy(&["duvn"], |t| t)];
        let shared = Figure { share_x: true, share_y: true, ..Figure::new(panels, 2) };
        let settled = settle(&shared, 2);
        assert!(settled.iter().all(|panel| (panel.x.low, panel.x.high) == (0.0, 490.0)));
        // The second panel of the first row has nothing below it.
        let shows = |panel: &Settled<'_>| (panel.shows_x, panel.shows_y);
        let shown: Vec<_> = settled.iter().map(shows).collect();
        assert_eq!(shown, [(false, true), (true, false), (true, true)]);
    }

    #[test]
    fn labels_of_ticks_never_overlap() {
        for width in [60.0, 100.0, 230.0] {
            for high in [1.0, 999_000.0, 1234.5] {
                let axis = Axis::new("").from_to(0.0, high);
                let view = View::new(&axis, Extent::EMPTY);
                let ticks = ticks_without_overlap(&axis, &view, width);
                assert!(ticks.len() >= 2, "{width} {high}");
                for pair in ticks.windows(2) {
                    let apart = (view.place(pair[1].0).unwrap() - view.place(pair[0].0).unwrap()) * width;
                    let needed = pair.iter().map(|(_, label)| font::width(label, TICK_SIZE, false) / 2.0);
                    assert!(apart > needed.sum::<f64>(), "{width} {high} {pair:?}");
                }
            }
        }
    }
}
