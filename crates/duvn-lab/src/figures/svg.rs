//! A scene as SVG text. Numbers have at most two decimals and no ids are used, so that equal figures
//! give equal bytes and several figures can share one HTML page.

use super::Colour;
use super::font::FAMILY;
use super::scene::{Anchor, Fill, Scene, Shape, Stroke, Text};
use super::style::PAPER;
use crate::escape::escape;
use std::fmt::Write;

pub(super) fn write(scene: &Scene) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let title = escape(&scene.title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FAMILY}\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        hex(PAPER)
    );
    for shape in &scene.shapes {
        write_shape(&mut svg, shape);
    }
    svg.push_str("</svg>\n");
    svg
}

fn write_shape(svg: &mut String, shape: &Shape) {
    // Writing to a String cannot fail.
    let _ = match shape {
        Shape::Line { points, stroke } => {
            writeln!(svg, "<polyline points=\"{}\" fill=\"none\"{}/>", list(points), stroked(stroke))
        }
        Shape::Polygon { points, fill, outline } => {
            let outline = outline.as_ref().map(stroked).unwrap_or_default();
            writeln!(svg, "<polygon points=\"{}\"{}{outline}/>", list(points), filled(fill))
        }
        Shape::Circle { centre: (x, y), radius, fill, outline } => {
            let (x, y, radius) = (number(*x), number(*y), number(*radius));
            let outline = outline.as_ref().map(stroked).unwrap_or_default();
            writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"{}{outline}/>", filled(fill))
        }
        Shape::Cell { rect, colour } => {
            let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(number);
            writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\" \
                 shape-rendering=\"crispEdges\"/>",
                hex(*colour)
            )
        }
        Shape::Text(text) => write_text(svg, text),
        Shape::Clip { to, shapes } => {
            let [x, y, width, height] = [to.x, to.y, to.width, to.height].map(number);
            let _ = writeln!(
                svg,
                "<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
                 viewBox=\"{x} {y} {width} {height}\" overflow=\"hidden\">"
            );
            shapes.iter().for_each(|shape| write_shape(svg, shape));
            writeln!(svg, "</svg>")
        }
    };
}

fn write_text(svg: &mut String, text: &Text) -> std::fmt::Result {
    let (x, y) = (number(text.at.0), number(text.at.1));
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let weight = if text.bold { " font-weight=\"bold\"" } else { "" };
    let turn = if text.upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
    let (size, colour, content) = (number(text.size), hex(text.colour), escape(&text.content));
    writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor}{weight}{turn} fill=\"{colour}\">{content}</text>"
    )
}

fn stroked(stroke: &Stroke) -> String {
    let mut text = format!(
        " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
        hex(stroke.colour),
        number(stroke.width)
    );
    if !stroke.dash.is_empty() {
        let dash: Vec<String> = stroke.dash.iter().map(|&length| number(length)).collect();
        let _ = write!(text, " stroke-dasharray=\"{}\"", dash.join(" "));
    }
    text
}

fn filled(fill: &Fill) -> String {
    let opacity = match fill.opacity {
        1.0 => String::new(),
        opacity => format!(" fill-opacity=\"{}\"", number(opacity)),
    };
    format!(" fill=\"{}\"{opacity}", hex(fill.colour))
}

fn list(points: &[(f64, f64)]) -> String {
    let pairs: Vec<String> = points.iter().map(|&(x, y)| format!("{},{}", number(x), number(y))).collect();
    pairs.join(" ")
}

/// At most two decimals, no trailing zeros, no negative zero.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn hex(Colour(red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [1.0, -0.001, 12.345, 100.0, 0.5].map(number);
        assert_eq!(written, ["1", "0", "12.35", "100", "0.5"]);
    }
}
