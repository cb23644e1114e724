//! What environments draw their pictures with: a few shapes in world coordinates.

/// A point in world coordinates: x to the right, y up.
pub type Point = (f64, f64);

/// An opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(
    /// Red.
    pub u8,
    /// Green.
    pub u8,
    /// Blue.
    pub u8,
);

impl Colour {
    /// White, the usual background.
    pub const WHITE: Colour = Colour(255, 255, 255);
    /// Black.
    pub const BLACK: Colour = Colour(0, 0, 0);

    /// The colour 0xRRGGBB.
    pub const fn hex(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Colour(red, green, blue)
    }
}

/// Something that shapes can be drawn on, later ones over earlier ones.
pub trait Canvas {
    /// Clears the picture to `background` and shows the rectangle from `low` (lower left) to `high` (upper
    /// right) in it, as large as fits without distortion. To be called before anything is drawn.
    fn view(&mut self, low: Point, high: Point, background: Colour);

    /// Fills a polygon.
    fn polygon(&mut self, corners: &[Point], colour: Colour);

    /// Fills a disc.
    fn circle(&mut self, centre: Point, radius: f64, colour: Colour);

    /// Strokes the path through `points`, `width` world units wide.
    fn line(&mut self, points: &[Point], width: f64, colour: Colour);
}

/// The corners of a bar of the given `width` from `start` to `end`.
pub fn bar(start: Point, end: Point, width: f64) -> [Point; 4] {
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let scale = width / 2.0 / dx.hypot(dy).max(f64::MIN_POSITIVE);
    let (nx, ny) = (-dy * scale, dx * scale);
    [
        (start.0 + nx, start.1 + ny),
        (end.0 + nx, end.1 + ny),
        (end.0 - nx, end.1 - ny),
        (start.0 - nx, start.1 - ny),
    ]
}

/// The corners of an upright rectangle.
pub fn rectangle(low: Point, high: Point) -> [Point; 4] {
    [low, (high.0, low.1), high, (low.0, high.1)]
}
