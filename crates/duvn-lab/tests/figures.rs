//! Figures as a user of the crate sees them.

use duvn_lab::figures::*;

fn panel(marks: Vec<Mark>) -> Panel {
    Panel { marks, ..Panel::new(Axis::new("episode"), Axis::new("return")) }
}

fn curve(points: &[(f64, f64)]) -> Mark {
    Mark::Curve(Curve::new(Series::method("duvn"), points.to_vec()))
}

/// The pixels of a PNG: width, height and RGBA.
fn pixels(figure: &Figure, scale: f64) -> tiny_skia::Pixmap {
    tiny_skia::Pixmap::decode_png(&figure.to_png(scale).unwrap()).unwrap()
}

#[test]
fn equal_figures_give_equal_bytes() {
    let figure = || Figure::new(vec![panel(vec![curve(&[(0.0, 1.0), (2.0, 5.0)])])], 1);
    assert_eq!(figure().to_svg(), figure().to_svg());
    assert_eq!(figure().to_png(1.5), figure().to_png(1.5));
    // Several figures on one page must not share ids.
    assert!(!figure().to_svg().contains("id="));
}

#[test]
fn data_of_any_kind_are_drawn_without_nonsense() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, 5e-324];
    let pairs: Vec<(f64, f64)> = odd.iter().flat_map(|&x| odd.map(|y| (x, y))).collect();
    let points = pairs.iter().map(|&(x, y)| Point { x, y, bar: Some((y, x)) }).collect();
    let series = || Series::method("an unknown one");
    let triples: Vec<_> = pairs.iter().map(|&(x, y)| (x, y, x)).collect();
    let every_kind = vec![
        Mark::Curve(Curve {
            stepped: true,
            ..Curve::new(series(), pairs.clone()).with_band(triples.clone())
        }),
        Mark::Points(Points { series: series(), points, joined: true }),
        Mark::Bars(Bars { series: series(), bars: triples }),
        Mark::Rule(Rule::horizontal(f64::NAN, "never")),
        Mark::Rule(Rule::vertical(f64::INFINITY, "never")),
        Mark::Heat(Heat { rows: vec![odd.to_vec(), vec![]], range: Some((1.0, 0.0)), label: "x".into() }),
        Mark::Label(Label { x: f64::NAN, y: 0.0, text: "never".into() }),
    ];
    let mut panels = vec![panel(vec![]), panel(vec![curve(&[])]), panel(vec![curve(&[(3.0, 4.0)])])];
    for mark in every_kind {
        panels.push(panel(vec![mark.clone()]));
        panels.push(Panel { marks: vec![mark], ..Panel::new(Axis::log("x"), Axis::log("y")) });
    }
    let figure = Figure { size: (f64::NAN, -3.0), ..Figure::new(panels, 0) };
    let svg = figure.to_svg();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(!svg.contains(">never<"));
    figure.to_png(1.0).unwrap();
    let nothing = Figure::new(vec![], 3);
    assert!(nothing.to_svg().ends_with("</svg>\n") && nothing.to_png(1.0).is_ok());
}

#[test]
fn a_single_point_is_seen() {
    let alone = Figure::new(vec![panel(vec![curve(&[(3.0, 4.0)])])], 1).to_svg();
    let absent = Figure::new(vec![panel(vec![curve(&[(3.0, f64::NAN)])])], 1).to_svg();
    let diamonds = |svg: &str| svg.matches("<polygon").count();
    // The sample of the legend, and with it the point.
    assert_eq!(diamonds(&absent), 1);
    assert!(diamonds(&alone) > 1);
}

#[test]
fn the_legend_names_each_method_once() {
    let panels = vec![panel(vec![curve(&[(0.0, 0.0)])]), panel(vec![curve(&[(1.0, 1.0)])])];
    let svg = Figure::new(panels.clone(), 2).to_svg();
    assert_eq!(svg.matches(">DUVN<").count(), 1);
    let without = Figure { legend: LegendPlace::None, ..Figure::new(panels, 2) };
    assert_eq!(without.to_svg().matches(">DUVN<").count(), 0);
}

#[test]
fn text_is_painted_with_the_typeface_that_is_built_in() {
    let titled = |title: &str| Figure { title: title.into(), ..Figure::new(vec![], 1) };
    let dark = |figure: &Figure| {
        let page = pixels(figure, 2.0);
        page.pixels().iter().filter(|pixel| pixel.red() < 100).count()
    };
    assert_eq!(dark(&titled("")), 0);
    // More letters, more ink, also beyond ASCII.
    let (one, three, greek) = (dark(&titled("m")), dark(&titled("mmm")), dark(&titled("ε σ μ")));
    assert!(one > 20 && three > 2 * one && greek > 2 * one / 2, "{one} {three} {greek}");
}

#[test]
fn scale_decides_the_number_of_pixels() {
    let figure = Figure::new(vec![panel(vec![])], 1);
    let (one, two) = (pixels(&figure, 1.0), pixels(&figure, 2.0));
    assert!(two.width().abs_diff(2 * one.width()) <= 1 && two.height().abs_diff(2 * one.height()) <= 1);
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        let error = figure.to_png(scale).unwrap_err();
        assert!(error.to_string().contains("choose a scale"), "{error}");
    }
}

#[test]
fn neighbouring_cells_of_a_heat_map_leave_no_seam() {
    let heat = Heat { rows: vec![vec![1.0; 7]; 7], range: Some((0.0, 1.0)), label: String::new() };
    let figure = Figure { size: (101.0, 101.0), ..Figure::new(vec![panel(vec![Mark::Heat(heat)])], 1) };
    let page = pixels(&figure, 1.37);
    let yellow = |x: u32, y: u32| {
        let pixel = page.pixel(x, y).unwrap();
        (pixel.red(), pixel.green(), pixel.blue()) == (0xfd, 0xe7, 0x25)
    };
    // Rows are rectangles of their own: look down a column.
    let middle = page.width() / 2 - 10;
    let column: Vec<u32> = (0..page.height()).filter(|&y| yellow(middle, y)).collect();
    let first_block = column.iter().zip(column[0]..).take_while(|(found, next)| **found == *next).count();
    assert!(first_block >= 130, "{first_block} pixels in one piece");
}
