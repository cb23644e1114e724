//! What both outputs draw: a list of shapes in points, y downwards. SVG and PNG see the same list, so
//! they cannot disagree.

use super::Colour;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    pub fn grown(&self, by: f64) -> Rect {
        let (width, height) = (self.width + 2.0 * by, self.height + 2.0 * by);
        Rect { x: self.x - by, y: self.y - by, width, height }
    }

    pub fn contains(&self, x: f64, y: f64) -> bool {
        (self.x..=self.right()).contains(&x) && (self.y..=self.bottom()).contains(&y)
    }

    pub fn corners(&self) -> Vec<(f64, f64)> {
        vec![(self.x, self.y), (self.right(), self.y), (self.right(), self.bottom()), (self.x, self.bottom())]
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    pub colour: Colour,
    pub width: f64,
    pub dash: &'static [f64],
}

impl Stroke {
    pub fn solid(colour: Colour, width: f64) -> Self {
        Stroke { colour, width, dash: &[] }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fill {
    pub colour: Colour,
    pub opacity: f64,
}

impl Fill {
    pub fn opaque(colour: Colour) -> Self {
        Fill { colour, opacity: 1.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    /// Where the anchor's baseline is.
    pub at: (f64, f64),
    pub content: String,
    pub size: f64,
    pub bold: bool,
    pub anchor: Anchor,
    /// Reads upwards instead of to the right.
    pub upwards: bool,
    pub colour: Colour,
}

impl Text {
    pub fn new(at: (f64, f64), content: impl Into<String>, size: f64, anchor: Anchor) -> Self {
        let colour = super::style::INK;
        Text { at, content: content.into(), size, bold: false, anchor, upwards: false, colour }
    }

    pub fn width(&self) -> f64 {
        super::font::width(&self.content, self.size, self.bold)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Line {
        points: Vec<(f64, f64)>,
        stroke: Stroke,
    },
    Polygon {
        points: Vec<(f64, f64)>,
        fill: Fill,
        outline: Option<Stroke>,
    },
    Circle {
        centre: (f64, f64),
        radius: f64,
        fill: Fill,
        outline: Option<Stroke>,
    },
    /// A rectangle with hard edges: neighbours leave no seam.
    Cell {
        rect: Rect,
        colour: Colour,
    },
    Text(Text),
    /// What lies outside of `to` is not seen.
    Clip {
        to: Rect,
        shapes: Vec<Shape>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scene {
    pub width: f64,
    pub height: f64,
    /// For readers that do not see the picture.
    pub title: String,
    pub shapes: Vec<Shape>,
}
