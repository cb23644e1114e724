//! A scene as PNG: shapes and letters are painted by `tiny-skia`, with the embedded typeface.

use super::font;
use super::scene::{Anchor, Fill, Rect, Scene, Shape, Stroke, Text};
use super::style::PAPER;
use super::{Colour, FigureError};
use tiny_skia::{FillRule, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, StrokeDash, Transform};

/// The longest side of a picture, in pixels: 100 million pixels take 400 MB.
const LONGEST: f64 = 16_384.0;

pub(super) fn encode(scene: &Scene, scale: f64) -> Result<Vec<u8>, FigureError> {
    paint(scene, scale)?.encode_png().map_err(|error| FigureError::Encode(error.to_string()))
}

/// The picture as pixels, all of them opaque.
pub(super) fn paint(scene: &Scene, scale: f64) -> Result<Pixmap, FigureError> {
    let [width, height] = [scene.width, scene.height].map(|side| (side * scale).ceil());
    let too_large = || FigureError::Size { width, height, longest: LONGEST };
    if !(scale > 0.0 && width <= LONGEST && height <= LONGEST) {
        return Err(too_large());
    }
    let pixmap = Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?;
    let mut painter = Painter { pixmap, transform: Transform::from_scale(scale as f32, scale as f32) };
    let Colour(red, green, blue) = PAPER;
    painter.pixmap.fill(tiny_skia::Color::from_rgba8(red, green, blue, 255));
    for shape in &scene.shapes {
        painter.shape(shape, None);
    }
    Ok(painter.pixmap)
}

struct Painter {
    pixmap: Pixmap,
    transform: Transform,
}

impl Painter {
    fn shape(&mut self, shape: &Shape, mask: Option<&Mask>) {
        match shape {
            Shape::Line { points, stroke } => self.stroke(polygon(points, false), stroke, mask),
            Shape::Polygon { points, fill, outline } => {
                self.fill(polygon(points, true), fill, true, mask);
                if let Some(stroke) = outline {
                    self.stroke(polygon(points, true), stroke, mask);
                }
            }
            Shape::Circle { centre: (x, y), radius, fill, outline } => {
                let circle = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                self.fill(circle.clone(), fill, true, mask);
                if let Some(stroke) = outline {
                    self.stroke(circle, stroke, mask);
                }
            }
            Shape::Cell { rect, colour } => self.fill(rectangle(rect), &Fill::opaque(*colour), false, mask),
            Shape::Text(text) => self.text(text, mask),
            Shape::Clip { to, shapes } => {
                let mut inner = Mask::new(self.pixmap.width(), self.pixmap.height());
                if let (Some(inner), Some(path)) = (&mut inner, rectangle(to)) {
                    inner.fill_path(&path, FillRule::Winding, true, self.transform);
                }
                shapes.iter().for_each(|shape| self.shape(shape, inner.as_ref()));
            }
        }
    }

    fn fill(&mut self, path: Option<Path>, fill: &Fill, smooth: bool, mask: Option<&Mask>) {
        let Some(path) = path else { return };
        let mut paint = colour(fill.colour, fill.opacity);
        paint.anti_alias = smooth;
        self.pixmap.fill_path(&path, &paint, FillRule::Winding, self.transform, mask);
    }

    fn stroke(&mut self, path: Option<Path>, stroke: &Stroke, mask: Option<&Mask>) {
        let Some(path) = path else { return };
        let dash = stroke.dash.iter().map(|&length| length as f32).collect();
        let style = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(dash, 0.0),
            ..tiny_skia::Stroke::default()
        };
        let paint = colour(stroke.colour, 1.0);
        self.pixmap.stroke_path(&path, &paint, &style, self.transform, mask);
    }

    fn text(&mut self, text: &Text, mask: Option<&Mask>) {
        let Some(path) = font::outline(&text.content, text.size, text.bold) else { return };
        let back = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => text.width() / 2.0,
            Anchor::End => text.width(),
        };
        let turn = if text.upwards { -90.0 } else { 0.0 };
        let transform = self
            .transform
            .pre_translate(text.at.0 as f32, text.at.1 as f32)
            .pre_concat(Transform::from_rotate(turn))
            .pre_translate(-back as f32, 0.0);
        self.pixmap.fill_path(&path, &colour(text.colour, 1.0), FillRule::Winding, transform, mask);
    }
}

fn colour(Colour(red, green, blue): Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint.anti_alias = true;
    paint
}

fn polygon(points: &[(f64, f64)], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        if i == 0 {
            builder.move_to(x as f32, y as f32);
        } else {
            builder.line_to(x as f32, y as f32);
        }
    }
    if closed {
        builder.close();
    }
    builder.finish()
}

fn rectangle(rect: &Rect) -> Option<Path> {
    polygon(&rect.corners(), true)
}
