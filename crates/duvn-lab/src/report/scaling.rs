//! What becomes of a task as its size grows: how many runs solve it, and how long that takes them.

use super::data::{Data, TaskRuns};
use super::pictures::{Picture, figure};
use crate::figures::{Axis, Curve, Dash, Figure, Mark, Marker, Panel, Point, Points, Rule, Series, Style};
use crate::results::{Ended, Results};
use crate::stats::{KaplanMeier, share_interval};
use duvn_envs::registry::{self, Member};

/// Tasks that differ by their size alone.
struct Family<'a> {
    /// The name they share, such as Chain.
    name: String,
    /// Size and task, the smallest first.
    sizes: Vec<(f64, &'a TaskRuns)>,
}

/// The families among `tasks`, in order. A task has its size at the end of its name, and can be solved.
fn families<'a>(tasks: &[&'a TaskRuns]) -> Vec<Family<'a>> {
    let mut families: Vec<Family> = Vec::new();
    for &task in tasks.iter().filter(|task| task.about.threshold.is_some()) {
        let Some((name, size)) = family_and_size(&task.about.env) else { continue };
        let size = f64::from(size);
        match families.iter_mut().find(|family| family.name == name) {
            Some(family) => family.sizes.push((size, task)),
            None => families.push(Family { name, sizes: vec![(size, task)] }),
        }
    }
    for family in &mut families {
        family.sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    families
}

/// `Chain-10?reward_scale=2` is of the family `Chain?reward_scale=2` and has size 10.
pub fn family_and_size(env: &str) -> Option<(String, u32)> {
    let Member { family, size, parameters } = registry::member(env)?;
    let question = if parameters.is_empty() { "" } else { "?" };
    let size = u32::try_from(size).ok().filter(|size| *size > 0)?;
    Some((format!("{family}{question}{parameters}"), size))
}

impl Family<'_> {
    fn ends(&self) -> (f64, f64) {
        let size = |entry: Option<&(f64, &TaskRuns)>| entry.map_or(1.0, |entry| entry.0);
        (size(self.sizes.first()), size(self.sizes.last()))
    }

    /// The place of the `at`-th agent beside the others, from -1/2 to 1/2: error bars of agents with the same
    /// result can be told apart.
    fn beside(data: &Data, at: usize) -> f64 {
        let count = data.agents.len().max(1) as f64;
        (at as f64 + 0.5) / count - 0.5
    }
}

/// The share of runs that solved the task, by its size.
pub fn solved_by_size(data: &Data, tasks: &[&TaskRuns], group: &str, name: String) -> Option<Picture> {
    let families: Vec<_> = families(tasks).into_iter().filter(|family| family.sizes.len() >= 2).collect();
    let panels: Vec<_> = families.iter().filter_map(|family| solved_panel(data, family)).collect();
    (!panels.is_empty()).then(|| Picture {
        name,
        caption: "Share of runs that solved the task by its size, with exact 95 % intervals \
                  (Clopper-Pearson; none with fewer than 5 runs)."
            .into(),
        figure: Figure { size: (380.0, 200.0), ..figure(data, group, "solved runs", panels) },
    })
}

fn solved_panel(data: &Data, family: &Family<'_>) -> Option<Panel> {
    let mark = |(at, agent): (usize, &String)| {
        let point = |(place, (_, task)): (usize, &(f64, &TaskRuns))| {
            let (solved, over) = task.agent(agent)?.results.solved();
            let x = place as f64 + 0.5 * Family::beside(data, at);
            let bar = share_interval(solved, over).map(|interval| (interval.low, interval.high));
            (over > 0).then(|| Point { x, y: solved as f64 / over as f64, bar })
        };
        let points: Vec<_> = family.sizes.iter().enumerate().filter_map(point).collect();
        (!points.is_empty())
            .then(|| Mark::Points(Points { series: Series::method(agent), points, joined: true }))
    };
    let marks: Vec<_> = data.agents.iter().enumerate().filter_map(mark).collect();
    let tick = |(at, (size, _)): (usize, &(f64, &TaskRuns))| (at as f64, size.to_string());
    let ticks = family.sizes.iter().enumerate().map(tick).collect();
    let x = Axis::new(format!("size of {}", family.name)).with_ticks(ticks);
    let x = x.from_to(-0.5, family.sizes.len() as f64 - 0.5);
    let y = Axis::new("share of runs that solved it").from_to(-0.03, 1.03);
    (!marks.is_empty()).then(|| Panel { marks, ..Panel::new(x, y) })
}

/// What a run comes to, sooner or later.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    FirstReward,
    Solved,
}

impl Event {
    const ALL: [Event; 2] = [Event::FirstReward, Event::Solved];

    fn of(self, run: &Ended) -> Option<u64> {
        match self {
            Event::FirstReward => run.first_reward_episode,
            Event::Solved => run.solved_episode,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Event::FirstReward => "episodes to the first reward",
            Event::Solved => "episodes until solved",
        }
    }
}

/// When half of the runs of an agent had come to an event.
enum Half {
    /// At this episode, with its 95 % interval, whose upper end may be unknown, where there is one.
    At { median: f64, interval: Option<(f64, Option<f64>)> },
    /// Not by this episode, the last of the longest run.
    After(f64),
}

impl Half {
    fn of(results: &Results, event: Event) -> Option<Self> {
        let times = results.times(|run| event.of(run));
        let curve = KaplanMeier::new(&times)?;
        let interval = || curve.median_interval().map(|(low, high)| (low.unwrap_or(0.0), high));
        Some(match curve.median() {
            Some(median) => Half::At { median, interval: interval() },
            None => Half::After(times.iter().map(|outcome| outcome.time).fold(1.0, f64::max)),
        })
    }

    /// The least and the greatest number that a panel has to show.
    fn extent(&self) -> (f64, f64) {
        match *self {
            Half::At { median, interval } => {
                interval.map_or((median, median), |(low, high)| (low.max(1.0), high.unwrap_or(median)))
            }
            Half::After(episode) => (episode, episode),
        }
    }
}

/// A curve that is known from elsewhere.
struct Reference {
    label: &'static str,
    dash: Dash,
    episodes: fn(f64) -> f64,
}

/// What is known of a family.
fn references(family: &str, event: Event) -> &'static [Reference] {
    // Each wrong action of a chain costs an episode, and half of all first guesses are wrong.
    const CHAIN: [Reference; 1] = [Reference {
        label: "N/2 + 1: no learner is sooner on average",
        dash: Dash::Dashed,
        episodes: |n| n / 2.0 + 1.0,
    }];
    const DEEP_SEA: [Reference; 2] = [
        Reference {
            label: "BootDQN + RPF, published fit",
            dash: Dash::Dashed,
            episodes: |n| 10f64.powf(3.0 * n.log10() - 0.5),
        },
        Reference {
            label: "Successor Uncertainties, published fit",
            dash: Dash::Dotted,
            episodes: |n| 10f64.powf(2.5 * n.log10() - 0.95),
        },
    ];
    match (family, event) {
        ("Chain", Event::FirstReward) => &CHAIN,
        ("DeepSea", _) => &DEEP_SEA,
        _ => &[],
    }
}

/// How many episodes it takes, by the size of the task.
pub fn scaling(data: &Data, tasks: &[&TaskRuns], group: &str, name: String) -> Option<Picture> {
    let families: Vec<_> = families(tasks).into_iter().filter(|family| family.sizes.len() >= 3).collect();
    let pair = |family: &Family<'_>| Event::ALL.map(|event| scaling_panel(data, family, event));
    let panels: Vec<Panel> = families.iter().flat_map(pair).flatten().collect();
    (!panels.is_empty()).then(|| Picture {
        name,
        caption: "Episodes by which half of the runs had come to their first reward (left) and had solved the task \
                  (right), by its size: Kaplan-Meier medians with 95 % intervals (beta \
                  product, mid-p; none with fewer than 5 runs). A bar that leaves the panel has no \
                  upper end that the runs could show. An open triangle stands at the last episode where fewer \
                  than half of the runs had come to it by then: the median lies above. Several of them stand above each \
                  other, the lowest at the last episode."
            .into(),
        figure: Figure { columns: 2, size: (250.0, 190.0), ..figure(data, group, "scaling", panels) },
    })
}

/// How far apart open triangles stand that are above each other, on the logarithmic axis.
const STACKED: f64 = 1.22;

fn scaling_panel(data: &Data, family: &Family<'_>, event: Event) -> Option<Panel> {
    let halves = |agent: &String| -> Vec<(f64, Half)> {
        let half =
            |(size, task): &(f64, &TaskRuns)| Some((*size, Half::of(&task.agent(agent)?.results, event)?));
        family.sizes.iter().filter_map(half).collect()
    };
    let agents: Vec<_> = data.agents.iter().map(|agent| (agent, halves(agent))).collect();
    let (smallest, largest) = family.ends();
    let known = references(&family.name, event);
    let ends = |reference: &Reference| ((reference.episodes)(smallest), (reference.episodes)(largest));
    let shown = agents.iter().flat_map(|(_, halves)| halves).map(|(_, half)| half.extent());
    let (low, high) = shown
        .clone()
        .chain(known.iter().map(ends))
        .fold((f64::INFINITY, 0f64), |(low, high), (from, to)| (low.min(from), high.max(to)));
    // Agents that did not get there by the same episode stand above each other.
    let missed = |size: f64| {
        let of_size = move |(of, half): &&(f64, Half)| *of == size && matches!(half, Half::After(_));
        agents.iter().map(|(_, halves)| halves.iter().filter(of_size).count()).sum::<usize>()
    };
    let most_missed = family.sizes.iter().map(|(size, _)| missed(*size)).max().unwrap_or(0);
    let top = 1.4 * high * STACKED.powi(most_missed.saturating_sub(1) as i32);
    shown.clone().next()?;

    let mut marks: Vec<Mark> = known.iter().map(|reference| reference.mark(smallest, largest)).collect();
    // Agents stand side by side over as much of the axis as their markers need, if sizes are that far apart.
    let step = family.sizes.windows(2).map(|pair| (pair[1].0 / pair[0].0).ln()).fold(f64::INFINITY, f64::min);
    let abreast = (0.3 * step).min(0.025 * (largest / smallest).ln() * agents.len() as f64);
    let mut beyond = Vec::new();
    let mut stacked: Vec<f64> = Vec::new();
    for (at, (agent, halves)) in agents.iter().enumerate() {
        let series = Series::method(agent);
        let aside = (abreast * Family::beside(data, at)).exp();
        let (mut points, mut after) = (Vec::new(), Vec::new());
        for (size, half) in halves {
            let x = size * aside;
            match *half {
                Half::At { median, interval } => {
                    let bar = interval.map(|(low, high)| (low.max(1.0), high.unwrap_or(2.0 * top)));
                    points.push(Point { x, y: median, bar });
                }
                Half::After(episode) => {
                    // What is no number interrupts the line.
                    points.push(Point { x, y: f64::NAN, bar: None });
                    let below = stacked.iter().filter(|known| *known == size).count();
                    stacked.push(*size);
                    after.push(Point { x: *size, y: episode * STACKED.powi(below as i32), bar: None });
                }
            }
        }
        if !after.is_empty() {
            let style = Style { marker: Marker::OpenTriangle, ..series.style };
            beyond.push(Mark::Points(Points {
                series: Series::unnamed(style),
                points: after,
                joined: false,
            }));
        }
        if !points.is_empty() {
            marks.push(Mark::Points(Points { series, points, joined: true }));
        }
    }
    if !beyond.is_empty() {
        let style = Style { marker: Marker::OpenTriangle, ..Rule::STYLE };
        let series = Series { name: "fewer than half of the runs by then".into(), style };
        beyond.push(Mark::Points(Points { series, points: Vec::new(), joined: false }));
    }
    marks.extend(beyond);
    let ticks = family.sizes.iter().map(|(size, _)| (*size, size.to_string())).collect();
    let room = (largest / smallest).powf(0.06);
    let x = Axis::log("size N").with_ticks(ticks).from_to(smallest / room, largest * room);
    let y = Axis::log("episodes").from_to(low / 1.4, top);
    let title = format!("{}: {}", family.name, event.title());
    Some(Panel { title, marks, ..Panel::new(x, y) })
}

impl Reference {
    fn mark(&self, smallest: f64, largest: f64) -> Mark {
        const PARTS: i32 = 40;
        let size = |part: i32| smallest * (largest / smallest).powf(f64::from(part) / f64::from(PARTS));
        let points = (0..=PARTS).map(size).map(|size| (size, (self.episodes)(size))).collect();
        let series = Series { name: self.label.into(), style: Style { dash: self.dash, ..Rule::STYLE } };
        Mark::Curve(Curve { markers: false, ..Curve::new(series, points) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_apart_by_name_and_parameters() {
        let family = |env: &str| family_and_size(env).map(|(family, size)| format!("{family} {size}"));
        assert_eq!(family("Chain-10").as_deref(), Some("Chain 10"));
        assert_eq!(family("ChainOrdered-7").as_deref(), Some("ChainOrdered 7"));
        assert_eq!(family("Chain-10?reward_scale=-2").as_deref(), Some("Chain?reward_scale=-2 10"));
        assert_eq!((family("CartPole-v1"), family("Toy"), family("Chain-0")), (None, None, None));
    }

    #[test]
    fn references_are_the_formulas_they_are_named_for() {
        let at = |family, event, n| -> Vec<f64> {
            references(family, event).iter().map(|reference| (reference.episodes)(n)).collect()
        };
        assert_eq!(at("Chain", Event::FirstReward, 100.0), [51.0]);
        assert!(at("Chain", Event::Solved, 100.0).is_empty());
        assert!(at("ChainOrdered", Event::FirstReward, 100.0).is_empty());
        // 10^2.5 and 10^1.55 at N = 10.
        for event in Event::ALL {
            let found = at("DeepSea", event, 10.0);
            assert!((found[0] - 316.2278).abs() < 1e-3 && (found[1] - 35.4813).abs() < 1e-3, "{found:?}");
        }
    }
}
