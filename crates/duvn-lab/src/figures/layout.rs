//! Where everything of a figure goes: titles, panels in their grid, axes, legend, footer.

use super::axis::Extent;
use super::legend::{Legend, ROW};
use super::mark::Mark;
use super::panel::Settled;
use super::scene::{Anchor, Rect, Scene, Shape, Text};
use super::style::FAINT;
use super::{Figure, LegendPlace, Panel, font};

const MARGIN: f64 = 10.0;
const TITLE_SIZE: f64 = 13.0;
const FOOTER_SIZE: f64 = 8.5;

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
    let inner = (grid_width + aside).max(100.0).max(legend.column_width());
    let width = inner + 2.0 * MARGIN;

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
        let height = legend.rows(0.0).len() as f64 * ROW;
        let start = top + ((y - top - height) / 2.0).max(0.0);
        shapes.extend(legend.draw_column(MARGIN + grid_width + 12.0, start));
        y = y.max(start + height);
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
    let settled = |(i, panel): (usize, &'a Panel)| {
        let below = i + columns < figure.panels.len();
        let beside = figure.panels.get(i + 1).filter(|_| (i + 1) % columns != 0);
        let x = if figure.share_x { x_all } else { x_data(panel) };
        let y = if figure.share_y { y_all } else { y_data(panel) };
        Settled {
            shows_x: !figure.share_x || !below,
            shows_y: !figure.share_y || i % columns == 0,
            shows_bar: !beside.is_some_and(|beside| same_colours(panel, beside)),
            ..Settled::new(panel, x, y, figure.panel_size())
        }
    };
    figure.panels.iter().enumerate().map(settled).collect()
}

/// Whether the heat maps of two panels can share a colour bar.
fn same_colours(one: &Panel, other: &Panel) -> bool {
    let colours = |panel: &Panel| -> Vec<((f64, f64), String)> {
        let heats = panel.marks.iter().filter_map(|mark| match mark {
            Mark::Heat(heat) => Some((heat.ends(), heat.label.clone())),
            _ => None,
        });
        heats.collect()
    };
    colours(one) == colours(other)
}

fn joined(extents: impl Iterator<Item = Extent>) -> Extent {
    extents.fold(Extent::EMPTY, Extent::join)
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
    use super::super::{Axis, Curve, Heat, Rule, Series};
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
        let all = vec![wavy(&all[..3], |t| t), ruled.clone(), heat];
        for (panels, columns, legend) in [
            (&all, 1, LegendPlace::Bottom),
            (&all, 2, LegendPlace::Right),
            (&all, 9, LegendPlace::None),
            (&vec![ruled.clone()], 1, LegendPlace::Bottom),
            (&vec![ruled], 1, LegendPlace::Right),
        ] {
            let figure = Figure {
                title: "A title that is long enough to need more than one line of the page".into(),
                footer: "footer ".repeat(60),
                legend,
                size: (90.0, 60.0),
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
    fn maps_side_by_side_share_a_colour_bar() {
        let map = |range, label: &str| {
            let heat = Heat { rows: vec![vec![0.0, 1.0]], range: Some(range), label: label.into() };
            Panel { marks: vec![Mark::Heat(heat)], ..Panel::new(Axis::new("x"), Axis::new("y")) }
        };
        let panels =
            vec![map((0.0, 1.0), "a"), map((0.0, 1.0), "a"), map((0.0, 2.0), "a"), map((0.0, 1.0), "b")];
        let bars = |columns: usize| -> Vec<bool> {
            settle(&Figure::new(panels.clone(), columns), columns)
                .iter()
                .map(|panel| panel.shows_bar)
                .collect()
        };
        assert_eq!(bars(4), [false, true, true, true]);
        assert_eq!(bars(1), [true; 4]);
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
}
