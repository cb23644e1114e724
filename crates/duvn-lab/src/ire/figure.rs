use super::entropy::groups;
use super::{Estimator, Ird, Kde};
use crate::figures::{
    Axis, Bars, Colour, Curve, Dash, Figure, LegendPlace, Mark, Marker, Panel, Rule, Series, Style,
};

/// The histograms of initial return distributions, one panel each, with kernel density, mean and entropy.
pub fn figure(irds: &[Ird]) -> Figure {
    let columns = if irds.len() == 4 { 2 } else { 3 };
    let most_steps = irds.iter().map(|ird| ird.max_steps).max().unwrap_or_default();
    let traces = irds.iter().map(|ird| ird.returns.len()).max().unwrap_or_default();
    let mut panels: Vec<Panel> = irds.iter().map(panel).collect();
    for (_, panel) in panels.iter_mut().enumerate().filter(|(i, _)| i % columns != 0) {
        panel.y.label.clear();
    }
    Figure {
        title: "Initial return distributions".into(),
        footer: format!(
            "{traces} traces of at most {most_steps} steps under the uniform random policy. Dashed: mean. IRE: \
             Shannon entropy of the returns in nats, of their values or, where it says so, of equal bins."
        ),
        legend: LegendPlace::Bottom,
        size: (205.0, 120.0),
        ..Figure::new(panels, columns)
    }
}

fn look(colour: Colour, dash: Dash) -> Style {
    Style { colour, dash, marker: Marker::Circle, width: 1.4 }
}

fn panel(ird: &Ird) -> Panel {
    let empty =
        Panel { title: ird.env.clone(), ..Panel::new(Axis::new("return"), Axis::new("share of traces")) };
    let (Some(summary), Some(groups)) = (ird.summary(), groups(&ird.returns)) else { return empty };
    let kde = Kde::new(&ird.returns);
    let Histogram { width, bars } = Histogram::new(&groups, kde.as_ref());
    let (low, high) = (groups[0].0, groups[groups.len() - 1].0);
    let room = if low < high { (high - low) * 0.04 + width } else { 10.0 * width };
    let (low, high) = (low - room, high + room);

    let blue = Series { name: "histogram".into(), style: look(Colour(0x56, 0xb4, 0xe9), Dash::Solid) };
    let orange = Series { name: "kernel density".into(), style: look(Colour(0xd5, 0x5e, 0x00), Dash::Solid) };
    let mut marks = vec![Mark::Bars(Bars { series: blue, bars })];
    if let Some(kde) = kde {
        // In shares of traces a bar, like the histogram, and no narrower than a bar of the same area.
        let kde = kde.no_narrower_than(width / BELL);
        let at = |i: i32| low + (high - low) * f64::from(i) / 600.0;
        let points = (0..=600).map(|i| (at(i), kde.density(at(i)) * width)).collect();
        marks.push(Mark::Curve(Curve { markers: false, ..Curve::new(orange, points) }));
    }
    let mean =
        Rule { style: look(Colour(0x26, 0x26, 0x26), Dash::Short), ..Rule::vertical(summary.mean, "") };
    marks.push(Mark::Rule(mean));
    let binned = match summary.entropy.estimator {
        Estimator::Bins(bins) => format!(" ({bins} bins)"),
        _ => String::new(),
    };
    Panel {
        note: format!("mean {}, IRE {:.3}{binned}", three_digits(summary.mean), summary.entropy.nats),
        x: empty.x.from_to(low, high),
        marks,
        ..empty
    }
}

/// A number with three digits that matter, and none that do not.
fn three_digits(value: f64) -> String {
    let decimals = if value == 0.0 { 0.0 } else { (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0) };
    let text = format!("{:.*}", decimals as usize, value.abs());
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{}{text}", if value < 0.0 && text != "0" { "−" } else { "" })
}

/// How many bandwidths wide the bar is that has the height and the area of a bell.
const BELL: f64 = 2.506_628_274_631_000_7;

/// Bars of one width: left end, right end, share of traces.
struct Histogram {
    width: f64,
    bars: Vec<(f64, f64, f64)>,
}

impl Histogram {
    const BARS: f64 = 60.0;

    /// Where returns are few values, each has its own bar, as wide as its bell. Where they lie on a
    /// lattice (whole numbers), each bar holds the same number of its points; else bars are a
    /// [`BARS`](Self::BARS)th of the range wide.
    fn new(groups: &[(f64, usize)], kde: Option<&Kde>) -> Self {
        let range = groups[groups.len() - 1].0 - groups[0].0;
        let step = groups.windows(2).map(|pair| pair[1].0 - pair[0].0).fold(range, f64::min);
        let thin = range / Self::BARS;
        if range <= 0.0 {
            return Self::around_values(groups, (groups[0].0.abs() / 50.0).max(0.05));
        }
        if step >= thin {
            let bell = kde.map_or(step, |kde| kde.bandwidth * BELL);
            return Self::around_values(groups, bell.clamp(thin, step));
        }
        let on_lattice = |&(value, _): &(f64, usize)| {
            let steps = (value - groups[0].0) / step;
            (steps - steps.round()).abs() < 1e-3
        };
        if range / step < 1e6 && groups.iter().all(on_lattice) {
            let width = step * (thin / step).ceil();
            Self::side_by_side(groups, groups[0].0 - step / 2.0, width)
        } else {
            Self::side_by_side(groups, groups[0].0, thin)
        }
    }

    fn around_values(groups: &[(f64, usize)], width: f64) -> Self {
        let total: usize = groups.iter().map(|group| group.1).sum();
        let bar = |&(value, count): &(f64, usize)| {
            (value - width / 2.0, value + width / 2.0, count as f64 / total as f64)
        };
        Histogram { width, bars: groups.iter().map(bar).collect() }
    }

    fn side_by_side(groups: &[(f64, usize)], first: f64, width: f64) -> Self {
        let total: usize = groups.iter().map(|group| group.1).sum();
        let mut bars: Vec<(f64, f64, f64)> = Vec::new();
        for &(value, count) in groups {
            let left = first + ((value - first) / width).floor() * width;
            let share = count as f64 / total as f64;
            match bars.last_mut() {
                Some(bar) if bar.0 == left => bar.2 += share,
                _ => bars.push((left, left + width, share)),
            }
        }
        Histogram { width, bars }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ird(returns: Vec<f64>) -> Ird {
        Ird { env: "Own".into(), returns, max_steps: 500 }
    }

    #[test]
    fn bars_hold_every_trace_once() {
        for returns in [
            vec![-200.0; 10],
            vec![0.0, 0.0, 1.0],
            (0..5000).map(|i| f64::from(i % 137)).collect(),
            (0..5000).map(|i| (f64::from(i) * 0.618).fract() * 40.0 - 300.0).collect(),
        ] {
            let groups = groups(&returns).unwrap();
            let bars = Histogram::new(&groups, Kde::new(&returns).as_ref()).bars;
            let total: f64 = bars.iter().map(|bar| bar.2).sum();
            assert!((total - 1.0).abs() < 1e-9 && bars.len() <= 75, "{} bars, {total}", bars.len());
            let held = |&(value, _): &(f64, usize)| {
                bars.iter().any(|bar| bar.0 - 1e-9 <= value && value <= bar.1 + 1e-9)
            };
            assert!(groups.iter().all(held));
        }
    }

    #[test]
    fn whole_numbers_are_shared_evenly_among_bars() {
        let returns: Vec<f64> = (0..1370).map(|i| f64::from(i % 137)).collect();
        let groups = groups(&returns).unwrap();
        let Histogram { width, bars } = Histogram::new(&groups, Kde::new(&returns).as_ref());
        assert_eq!(width, 3.0);
        // The last bar holds what is left over: 137 = 45 * 3 + 2.
        assert!(bars[..45].iter().all(|bar| (bar.2 - 3.0 / 137.0).abs() < 1e-9));
    }

    #[test]
    fn bars_of_a_few_values_stand_at_the_values() {
        for returns in [vec![0.0, 1.0, 2.0, 3.0], [vec![0.0; 9999], vec![1.0]].concat()] {
            let groups = groups(&returns).unwrap();
            let bars = Histogram::new(&groups, Kde::new(&returns).as_ref()).bars;
            assert_eq!(bars.len(), groups.len());
            for (bar, group) in bars.iter().zip(groups) {
                assert!(((bar.0 + bar.1) / 2.0 - group.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn means_are_written_shortly() {
        let written = [-205.011, 0.00088, 1.49726, 0.0, -200.0, 1e-9, 123_456.0].map(three_digits);
        assert_eq!(written, ["−205", "0.00088", "1.5", "0", "−200", "0", "123456"]);
    }

    #[test]
    fn every_panel_names_its_environment_and_entropy() {
        let svg = figure(&[ird(vec![0.0, 1.0, 2.0, 3.0]), ird(vec![5.0]), ird(vec![])]).to_svg();
        assert_eq!(svg.matches(">Own<").count(), 3);
        assert!(svg.contains("IRE 1.386") && svg.contains("IRE 0.000"), "{svg}");
    }
}
