//! Figures of the quality of a paper, as SVG and as PNG, from data alone.
//!
//! A [`Figure`] is a grid of [`Panel`]s; a panel has two [`Axis`] and a list of [`Mark`]s (curves with
//! bands, points with error bars, bars, reference lines, heat maps). [`Series::method`] gives each method
//! the same colour, dash and marker everywhere. The typeface is built in: nothing of the machine is used,
//! and equal figures give equal bytes.
//!
//! ```
//! use duvn_lab::figures::{Axis, Curve, Figure, Mark, Panel, Series};
//!
//! let curve = Curve::new(Series::method("duvn"), vec![(0.0, 0.0), (500.0, 0.4), (1000.0, 0.9)])
//!     .with_band(vec![(0.0, 0.0, 0.1), (500.0, 0.2, 0.6), (1000.0, 0.8, 1.0)]);
//! let panel = Panel {
//!     title: "Chain-10".into(),
//!     marks: vec![Mark::Curve(curve)],
//!     ..Panel::new(Axis::new("episode"), Axis::new("return"))
//! };
//! let figure = Figure { title: "Learning curves".into(), ..Figure::new(vec![panel], 1) };
//! let (svg, png) = (figure.to_svg(), figure.to_png(2.0)?);
//! # assert!(svg.starts_with("<svg") && png.starts_with(b"\x89PNG"));
//! # Ok::<(), duvn_lab::figures::FigureError>(())
//! ```

mod axis;
mod draw;
mod font;
mod heat;
mod layout;
mod legend;
mod mark;
mod panel;
mod png;
mod scene;
mod style;
mod svg;
mod terminal;

pub use axis::{Axis, Scale};
pub use font::Word;
pub use mark::{Area, Bars, Curve, Heat, Label, Mark, Point, Points, Rule};
pub use style::{Colour, Dash, Marker, Series, Style};
pub use terminal::terminal;

/// Panels in a grid, with what stands around them.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The heading; may be empty.
    pub title: String,
    /// Small words below: what was left out, how many seeds; may be empty.
    pub footer: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// How many panels stand side by side.
    pub columns: usize,
    /// Where the legend stands.
    pub legend: LegendPlace,
    /// Whether all panels have one x axis, labelled below the last row only.
    pub share_x: bool,
    /// Whether all panels have one y axis, labelled left of the first column only.
    pub share_y: bool,
    /// Width and height of the area of each panel where data are drawn, in points.
    pub size: (f64, f64),
}

/// Where the legend stands: never on the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegendPlace {
    /// Below the panels, in as many rows as it takes.
    #[default]
    Bottom,
    /// To the right of the panels.
    Right,
    /// Nowhere.
    None,
}

/// One pair of axes and what is drawn between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The heading, above and to the left; may be empty.
    pub title: String,
    /// A short remark above and to the right; may be empty.
    pub note: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, the last on top.
    pub marks: Vec<Mark>,
    /// Whether its axes are not drawn: the marks are all there is.
    pub bare: bool,
}

/// A picture as pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and alpha of each pixel, row by row from the top.
    pub rgba: Vec<u8>,
}

/// Why a figure could not be painted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The picture would be empty or too large.
    #[error(
        "a picture of {width} x {height} pixels cannot be made: choose a scale above 0 that gives at most {longest} pixels a side"
    )]
    Size {
        /// The width asked for, in pixels.
        width: f64,
        /// The height asked for, in pixels.
        height: f64,
        /// The longest side allowed, in pixels.
        longest: f64,
    },
    /// The PNG encoder failed.
    #[error("the picture could not be encoded as PNG: {0}")]
    Encode(String),
}

impl Panel {
    /// An empty panel.
    pub fn new(x: Axis, y: Axis) -> Self {
        Panel { x, y, ..Panel::default() }
    }
}

impl Figure {
    /// A figure without heading, its legend below, each panel with its own axes.
    pub fn new(panels: Vec<Panel>, columns: usize) -> Self {
        Figure {
            title: String::new(),
            footer: String::new(),
            panels,
            columns,
            legend: LegendPlace::Bottom,
            share_x: false,
            share_y: false,
            size: (230.0, 160.0),
        }
    }

    /// The figure as a self-contained SVG document.
    pub fn to_svg(&self) -> String {
        svg::write(&layout::scene(self))
    }

    /// The figure as a PNG file with `scale` pixels a point (2 is good for screens, 4 for print).
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, FigureError> {
        png::encode(&layout::scene(self), scale)
    }

    /// The figure as pixels, with `scale` pixels a point.
    pub fn to_pixels(&self, scale: f64) -> Result<Pixels, FigureError> {
        let picture = png::paint(&layout::scene(self), scale)?;
        Ok(Pixels { width: picture.width(), height: picture.height(), rgba: picture.take() })
    }

    /// The size of panels, within what makes sense.
    fn panel_size(&self) -> (f64, f64) {
        let sensible = |side: f64| if side.is_finite() { side.clamp(40.0, 4000.0) } else { 200.0 };
        (sensible(self.size.0), sensible(self.size.1))
    }
}
