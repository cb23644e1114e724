//! bsuite's radar plot: how good agents are at what each tag stands for.

use super::Report;
use crate::figures::{
    Area, Axis, Colour, Curve, Dash, Figure, Label, LegendPlace, Mark, Marker, Panel, Series, Style,
};
use duvn_envs::registry::bsuite::Tag;
use std::f64::consts::TAU;

/// Scores below this are drawn here, so that a polygon does not collapse into lines.
const LEAST: f64 = 0.05;
/// The rings, from the inside.
const RINGS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Where the names of tags stand.
const NAMES: f64 = 1.14;

/// The radar plot of agents over the tags of which at least one of them has a score. An agent that lacks some of them has no
/// corner there, and the footer says so.
pub fn radar(reports: &[Report], note: &str) -> Figure {
    let known = |tag: &Tag| reports.iter().any(|report| report.tag(*tag).is_some());
    let tags: Vec<Tag> = Tag::ALL.into_iter().filter(known).collect();
    let spokes = tags.len().max(1);
    let at = |spoke: usize, reach: f64| {
        let angle = TAU * spoke as f64 / spokes as f64;
        (reach * angle.sin(), reach * angle.cos())
    };
    let around = |reach: f64| (0..=spokes).map(|spoke| at(spoke % spokes, reach)).collect();
    let mut marks: Vec<Mark> = RINGS.iter().map(|&ring| thin(around(ring))).collect();
    marks.extend((0..tags.len()).map(|spoke| thin(vec![(0.0, 0.0), at(spoke, 1.0)])));
    let scored = |report: &&Report| tags.iter().any(|&tag| report.tag(tag).is_some());
    let mut footer = String::from(note);
    for report in reports.iter().filter(scored) {
        let corner = |(spoke, &tag): (usize, &Tag)| Some(at(spoke, report.tag(tag)?.clamp(LEAST, 1.0)));
        let corners = tags.iter().enumerate().filter_map(corner).collect();
        let series = Series::method(&report.agent);
        let lacks = tags.iter().filter(|tag| report.tag(**tag).is_none());
        let lacks: Vec<_> = lacks.map(|tag| tag.name().replace('_', " ")).collect();
        if !lacks.is_empty() {
            let gap = if footer.is_empty() { "" } else { " " };
            footer += &format!("{gap}Without a score of {}: {}.", lacks.join(", "), series.name);
        }
        marks.push(Mark::Area(Area { series, corners }));
    }
    let label = |(x, y): (f64, f64), text: String| Mark::Label(Label { x, y, text });
    marks.extend(tags.iter().enumerate().map(|(spoke, tag)| {
        let (x, y) = at(spoke, NAMES);
        label((x, y - 0.03), tag.name().replace('_', " "))
    }));
    // Between the first two spokes, where no corner lies.
    let beside = TAU / (2.0 * spokes as f64);
    let ring = |&ring: &f64| label((ring * beside.sin(), ring * beside.cos() - 0.03), ring.to_string());
    marks.extend(RINGS.iter().filter(|_| !tags.is_empty()).map(ring));
    let axis = |reach: f64| Axis::new("").from_to(-reach, reach);
    let panel = Panel { marks, bare: true, ..Panel::new(axis(1.45), axis(1.25)) };
    Figure {
        title: "bsuite".into(),
        footer,
        legend: LegendPlace::Bottom,
        size: (435.0, 375.0),
        ..Figure::new(vec![panel], 1)
    }
}

/// A line of the web.
fn thin(points: Vec<(f64, f64)>) -> Mark {
    let style =
        Style { colour: Colour(0xd0, 0xd0, 0xd0), dash: Dash::Solid, marker: Marker::Circle, width: 0.7 };
    Mark::Curve(Curve { markers: false, ..Curve::new(Series::unnamed(style), points) })
}

#[cfg(test)]
mod tests {
    use super::super::Scored;
    use super::*;

    #[test]
    fn each_agent_is_one_polygon_over_the_tags_with_scores() {
        let scored = |name, tags, score| Scored { name, tags, score, runs: 1, over: 1 };
        let agent = |agent: &str, score: f64| Report {
            agent: agent.into(),
            experiments: vec![
                scored("bandit", &[Tag::Basic], Some(score)),
                scored("deep_sea_stochastic", &[Tag::Exploration, Tag::Noise], Some(0.0)),
                scored("catch_scale", &[Tag::Scale], None),
            ],
        };
        let without = Report { agent: "egreedy".into(), experiments: Vec::new() };
        let mut part = agent("ube", 0.7);
        part.experiments.remove(0);
        let figure = radar(&[agent("duvn", 0.5), agent("dqn", 1.0), without, part], "Shortened.");
        assert_eq!(figure.footer, "Shortened. Without a score of basic: UBE.");
        let areas: Vec<_> = figure.panels[0]
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Area(area) => Some(&area.corners),
                _ => None,
            })
            .collect();
        assert_eq!(
            (areas.len(), areas[0].len()),
            (3, 3),
            "nothing is known of scale, nor of an agent without scores"
        );
        assert_eq!(areas[2].len(), 2, "what was not run is no corner");
        let reach = |(x, y): (f64, f64)| (1e9 * x.hypot(y)).round() / 1e9;
        assert_eq!(areas[0].iter().map(|&corner| reach(corner)).collect::<Vec<_>>(), [0.5, LEAST, LEAST]);
        assert_eq!(areas[1][0], (0.0, 1.0), "the first tag is on top");
        let svg = figure.to_svg();
        assert!(svg.contains("basic") && svg.contains("exploration") && !svg.contains("credit"));
        radar(&[], "").to_svg();
    }
}
