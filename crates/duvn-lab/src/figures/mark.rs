//! The data that a panel shows.

use super::axis::{Extent, Scale};
use super::style::{Dash, FAINT, Marker, Series, Style};
use crate::stats::Interval;

/// One thing drawn in a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line, with a band around it.
    Curve(Curve),
    /// Points with error bars.
    Points(Points),
    /// Bars that stand on zero.
    Bars(Bars),
    /// A line across the panel.
    Rule(Rule),
    /// A grid of colours.
    Heat(Heat),
    /// Words at a place.
    Label(Label),
    /// A closed shape.
    Area(Area),
}

/// A line through points in order of x. A value that is not a number interrupts it.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name and look.
    pub series: Series,
    /// x and y.
    pub points: Vec<(f64, f64)>,
    /// x, low and high of the interval around it.
    pub band: Vec<(f64, f64, f64)>,
    /// Whether y stays until the next x instead of running there straight (survival curves).
    pub stepped: bool,
    /// Whether a few markers tell it apart in grey.
    pub markers: bool,
}

impl Curve {
    /// A curve with its markers and no band.
    pub fn new(series: Series, points: Vec<(f64, f64)>) -> Self {
        Curve { series, points, band: Vec::new(), stepped: false, markers: true }
    }

    /// A curve of estimates with the band of their intervals. Where there is no interval the band is interrupted.
    pub fn of_estimates(series: Series, points: &[(f64, f64, Option<Interval>)]) -> Self {
        let ends = |interval: Option<Interval>| interval.map_or((f64::NAN, f64::NAN), |i| (i.low, i.high));
        let band = points.iter().map(|&(x, _, interval)| (x, ends(interval).0, ends(interval).1)).collect();
        Curve::new(series, points.iter().map(|&(x, y, _)| (x, y)).collect()).with_band(band)
    }

    /// The same curve with a band.
    pub fn with_band(self, band: Vec<(f64, f64, f64)>) -> Self {
        Curve { band, ..self }
    }
}

/// Points with error bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// Name and look.
    pub series: Series,
    /// The points.
    pub points: Vec<Point>,
    /// Whether a line joins them.
    pub joined: bool,
}

/// A point with its error bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it is.
    pub x: f64,
    /// Where it is.
    pub y: f64,
    /// The two ends of its error bar.
    pub bar: Option<(f64, f64)>,
}

/// Bars that stand on zero: a histogram, or one bar a category.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Name and look.
    pub series: Series,
    /// The left end, the right end and the height of each.
    pub bars: Vec<(f64, f64, f64)>,
}

/// A line across the panel: a threshold, a mean, a known optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The x of a vertical line, else the y of a horizontal one.
    pub at: f64,
    /// Whether it runs from bottom to top.
    pub vertical: bool,
    /// The words beside it.
    pub label: String,
    /// The look.
    pub style: Style,
}

impl Rule {
    /// The quiet look of reference lines.
    pub const STYLE: Style = Style { colour: FAINT, dash: Dash::Short, marker: Marker::Circle, width: 1.0 };

    /// A horizontal line at `y`.
    pub fn horizontal(y: f64, label: impl Into<String>) -> Self {
        Rule { at: y, vertical: false, label: label.into(), style: Self::STYLE }
    }

    /// A vertical line at `x`.
    pub fn vertical(x: f64, label: impl Into<String>) -> Self {
        Rule { at: x, vertical: true, label: label.into(), style: Self::STYLE }
    }
}

/// A grid of colours, with its colour bar beside the panel. The cell of row `i` and column `j` is the unit
/// square around x = j, y = i; turn the y axis around to have row 0 on top.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The rows. What is not a number is left blank.
    pub rows: Vec<Vec<f64>>,
    /// The values of the two ends of the colour bar; by default the least and the greatest.
    pub range: Option<(f64, f64)>,
    /// What is measured.
    pub label: String,
}

/// Words, centred above a place in the panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where.
    pub x: f64,
    /// Where.
    pub y: f64,
    /// What.
    pub text: String,
}

/// A closed shape, with a marker at each corner and its inside tinted.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// Name and look.
    pub series: Series,
    /// Its corners in order; the last is joined with the first.
    pub corners: Vec<(f64, f64)>,
}

impl Heat {
    /// The values of the two ends of the colour bar.
    pub(super) fn ends(&self) -> (f64, f64) {
        let data = Extent::of(self.rows.iter().flatten().copied(), Scale::Linear, 0.0);
        match self.range {
            Some((low, high)) if low < high => (low, high),
            _ if data.low < data.high => (data.low, data.high),
            _ if data.low == data.high => (data.low - 0.5, data.low + 0.5),
            _ => (0.0, 1.0),
        }
    }
}

impl Mark {
    /// The name and look under which the legend lists it.
    pub(super) fn series(&self) -> Option<&Series> {
        let series = match self {
            Mark::Curve(curve) => &curve.series,
            Mark::Points(points) => &points.series,
            Mark::Bars(bars) => &bars.series,
            Mark::Area(area) => &area.series,
            Mark::Rule(_) | Mark::Heat(_) | Mark::Label(_) => return None,
        };
        (!series.name.is_empty()).then_some(series)
    }

    /// What it needs of the x axis.
    pub(super) fn x_extent(&self, scale: Scale) -> Extent {
        match self {
            Mark::Curve(curve) => {
                let band = curve.band.iter().map(|band| band.0);
                Extent::of(curve.points.iter().map(|point| point.0).chain(band), scale, 0.0)
            }
            Mark::Points(points) => Extent::of(points.points.iter().map(|point| point.x), scale, 0.05),
            Mark::Bars(bars) => Extent::of(bars.bars.iter().flat_map(|bar| [bar.0, bar.1]), scale, 0.03),
            Mark::Rule(rule) => Extent::of(rule.vertical.then_some(rule.at), scale, 0.05),
            Mark::Heat(heat) => {
                let columns = heat.rows.iter().map(Vec::len).max().filter(|&columns| columns > 0);
                Extent::of(columns.iter().flat_map(|&n| [-0.5, n as f64 - 0.5]), scale, 0.0)
            }
            Mark::Label(label) => Extent::of([label.x], scale, 0.05),
            Mark::Area(area) => Extent::of(area.corners.iter().map(|corner| corner.0), scale, 0.05),
        }
    }

    /// What it needs of the y axis.
    pub(super) fn y_extent(&self, scale: Scale) -> Extent {
        match self {
            Mark::Curve(curve) => {
                let band = curve.band.iter().flat_map(|band| [band.1, band.2]);
                Extent::of(curve.points.iter().map(|point| point.1).chain(band), scale, 0.05)
            }
            Mark::Points(points) => {
                let ends = |point: &Point| {
                    let (low, high) = point.bar.unwrap_or((point.y, point.y));
                    [point.y, low, high]
                };
                Extent::of(points.points.iter().flat_map(ends), scale, 0.06)
            }
            Mark::Bars(bars) => {
                let heights = bars.bars.iter().map(|bar| bar.2);
                let base = (!bars.bars.is_empty()).then_some(0.0);
                let extent = Extent::of(heights.chain(base), scale, 0.08);
                // On a logarithmic axis the lowest bar must still be seen.
                let stands = scale == Scale::Linear && extent.low == 0.0;
                Extent { pad_low: if stands { 0.0 } else { extent.pad_low }, ..extent }
            }
            Mark::Rule(rule) => Extent::of((!rule.vertical).then_some(rule.at), scale, 0.08),
            Mark::Heat(heat) => {
                let rows = Some(heat.rows.len()).filter(|&rows| rows > 0);
                Extent::of(rows.iter().flat_map(|&n| [-0.5, n as f64 - 0.5]), scale, 0.0)
            }
            Mark::Label(label) => Extent::of([label.y], scale, 0.12),
            Mark::Area(area) => Extent::of(area.corners.iter().map(|corner| corner.1), scale, 0.05),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_interval_interrupts_the_band_alone() {
        let at = |estimate: f64| Some(Interval { estimate, low: estimate - 1.0, high: estimate + 2.0 });
        let series = Series::method("duvn");
        let curve =
            Curve::of_estimates(series, &[(1.0, 5.0, at(5.0)), (2.0, 6.0, None), (3.0, 7.0, at(7.0))]);
        assert_eq!(curve.points, [(1.0, 5.0), (2.0, 6.0), (3.0, 7.0)]);
        assert_eq!((curve.band[0], curve.band[2]), ((1.0, 4.0, 7.0), (3.0, 6.0, 9.0)));
        assert!(curve.band[1].1.is_nan());
    }

    #[test]
    fn bars_stand_on_the_axis() {
        let bars = Bars { series: Series::method("duvn"), bars: vec![(0.0, 1.0, 4.0)] };
        let extent = Mark::Bars(bars).y_extent(Scale::Linear);
        assert_eq!((extent.low, extent.high, extent.pad_low), (0.0, 4.0, 0.0));
    }

    #[test]
    fn a_heat_map_of_one_value_has_a_range() {
        let ends = |rows: Vec<Vec<f64>>, range| Heat { rows, range, label: String::new() }.ends();
        assert_eq!(ends(vec![vec![2.0, 2.0]], None), (1.5, 2.5));
        assert_eq!(ends(vec![], None), (0.0, 1.0));
        assert_eq!(ends(vec![vec![1.0, f64::NAN, 3.0]], Some((5.0, 5.0))), (1.0, 3.0));
    }
}
