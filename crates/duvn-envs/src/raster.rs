//! Pictures of environments as pixels (feature `render`).
//!
//! ```
//! use duvn_envs::{Environment, raster::Raster, registry};
//!
//! let mut env = registry::make("CartPole-v1", 0)?;
//! env.reset(Some(0));
//! let mut picture = Raster::new(300, 200)?;
//! assert!(env.draw(&mut picture));
//! assert_eq!(picture.rgba().len(), 300 * 200 * 4);
//! let _png = picture.png()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::canvas::{Canvas, Colour, Point};
use tiny_skia::{FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RasterError {
    /// The picture would have no pixels, or too many.
    #[error("a picture of {width} x {height} pixels cannot be made: write sizes from 1 to 16384")]
    Size {
        /// The width that was asked for.
        width: u32,
        /// The height that was asked for.
        height: u32,
    },
    /// The encoder failed.
    #[error("the picture cannot be written as PNG: {0}")]
    Png(String),
}

/// A picture of a fixed size to draw on.
pub struct Raster {
    pixels: Pixmap,
    /// From world coordinates to pixels.
    transform: Transform,
}

impl Raster {
    /// A white picture that shows the unit square.
    pub fn new(width: u32, height: u32) -> Result<Self, RasterError> {
        let error = RasterError::Size { width, height };
        if width > 16_384 || height > 16_384 {
            return Err(error);
        }
        let pixels = Pixmap::new(width, height).ok_or(error)?;
        let mut raster = Raster { pixels, transform: Transform::identity() };
        raster.view((0.0, 0.0), (1.0, 1.0), Colour::WHITE);
        Ok(raster)
    }

    /// The width in pixels.
    pub fn width(&self) -> u32 {
        self.pixels.width()
    }

    /// The height in pixels.
    pub fn height(&self) -> u32 {
        self.pixels.height()
    }

    /// The pixels row by row from the top, four bytes each: red, green, blue, and 255.
    pub fn rgba(&self) -> &[u8] {
        self.pixels.data()
    }

    /// The picture as the bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, RasterError> {
        self.pixels.encode_png().map_err(|error| RasterError::Png(error.to_string()))
    }

    fn fill(&mut self, path: Option<Path>, colour: Colour) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &paint(colour), FillRule::Winding, self.transform, None);
        }
    }
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint.anti_alias = true;
    paint
}

fn path(points: &[Point], close: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        if i == 0 { builder.move_to(x as f32, y as f32) } else { builder.line_to(x as f32, y as f32) }
    }
    if close {
        builder.close();
    }
    builder.finish()
}

impl Canvas for Raster {
    fn view(&mut self, low: Point, high: Point, Colour(red, green, blue): Colour) {
        let (width, height) = (f64::from(self.width()), f64::from(self.height()));
        let scale = (width / (high.0 - low.0)).min(height / (high.1 - low.1));
        let left = width / 2.0 - scale * (low.0 + high.0) / 2.0;
        let bottom = height / 2.0 + scale * (low.1 + high.1) / 2.0;
        self.transform =
            Transform::from_row(scale as f32, 0.0, 0.0, -scale as f32, left as f32, bottom as f32);
        self.pixels.fill(tiny_skia::Color::from_rgba8(red, green, blue, 255));
    }

    fn polygon(&mut self, corners: &[Point], colour: Colour) {
        self.fill(path(corners, true), colour);
    }

    fn circle(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.fill(PathBuilder::from_circle(centre.0 as f32, centre.1 as f32, radius as f32), colour);
    }

    fn line(&mut self, points: &[Point], width: f64, colour: Colour) {
        let stroke = Stroke {
            width: width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        if let Some(path) = path(points, false) {
            self.pixels.stroke_path(&path, &paint(colour), &stroke, self.transform, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::rectangle;
    use crate::{Environment, registry};

    fn pixel(raster: &Raster, x: u32, y: u32) -> [u8; 4] {
        let at = ((y * raster.width() + x) * 4) as usize;
        raster.rgba()[at..at + 4].try_into().unwrap()
    }

    #[test]
    fn the_world_is_drawn_upright_and_centred() {
        let mut raster = Raster::new(40, 20).unwrap();
        raster.view((0.0, 0.0), (1.0, 1.0), Colour::WHITE);
        raster.polygon(&rectangle((0.0, 0.5), (1.0, 1.0)), Colour(255, 0, 0));
        assert_eq!(pixel(&raster, 20, 4), [255, 0, 0, 255]);
        assert_eq!(pixel(&raster, 20, 15), [255, 255, 255, 255]);
        assert_eq!(pixel(&raster, 5, 4), [255, 255, 255, 255]);
        raster.circle((0.5, 0.25), 0.2, Colour(0, 0, 255));
        assert_eq!(pixel(&raster, 20, 15), [0, 0, 255, 255]);
        raster.line(&[(0.0, 0.0), (1.0, 0.0)], 0.2, Colour::BLACK);
        assert_eq!(pixel(&raster, 20, 19), [0, 0, 0, 255]);
    }

    #[test]
    fn sizes_without_pixels_are_refused() {
        assert!(matches!(Raster::new(0, 5), Err(RasterError::Size { .. })));
        assert!(matches!(Raster::new(5, 1 << 30), Err(RasterError::Size { .. })));
    }

    #[test]
    fn a_picture_shows_what_changes_in_the_state() {
        let ids = [
            "CartPole-v1",
            "MountainCar-v0",
            "Acrobot-v1",
            "CartPoleSwingup-0",
            "PointMaze-10",
            "Taxi-v4",
            "FrozenLake-v1?slippery=false",
            "CliffWalking-v1",
            "DeepSea-8",
            "Catch",
        ];
        for id in ids {
            let mut env = registry::make(id, 0).unwrap();
            env.reset(Some(0));
            let mut pictures = Vec::new();
            for _ in 0..2 {
                let mut raster = Raster::new(120, 80).unwrap();
                assert!(env.draw(&mut raster), "{id}");
                assert!(raster.png().unwrap().starts_with(b"\x89PNG"));
                pictures.push(raster.rgba().to_vec());
                for action in 0..3 {
                    // South, north, south: the taxi is elsewhere then; on ice up to a hole.
                    let done = env.step((action % 2).into()).unwrap().done();
                    if done || (id.starts_with("Cliff") && action == 0) {
                        break;
                    }
                }
            }
            assert!(pictures[0] != pictures[1], "{id}");
        }
    }
}
