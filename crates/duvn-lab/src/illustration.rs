//! The paper's illustration of undirected and directed exploration (App. C): two actions, two scenarios
//! that differ only in how uncertain the value of action 1 is, and how often three policies choose it.
//!
//! The appendix writes mu_X = -1 for the difference of the two values; with its own means it is
//! mu_1 - mu_2 = -2, from which the probabilities that it states (0.08 and 0.35) follow.

use crate::figures::{Axis, Bars, Curve, Figure, Label, Mark, Panel, Series};
use crate::stats::{normal_cdf, normal_density};

/// What is believed about the value of an action: a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    /// The mean.
    pub mu: f64,
    /// The standard deviation.
    pub sigma: f64,
}

/// The beliefs about two actions, of which action 2 looks better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// What it is called.
    pub name: &'static str,
    /// The belief about the action that looks worse.
    pub action_1: Belief,
    /// The belief about the action that looks better.
    pub action_2: Belief,
}

/// The paper's two scenarios: in the second one the value of action 1 is far less certain.
pub const SCENARIOS: [Scenario; 2] = [
    Scenario {
        name: "Scenario I",
        action_1: Belief { mu: 0.0, sigma: 1.0 },
        action_2: Belief { mu: 2.0, sigma: 1.0 },
    },
    Scenario {
        name: "Scenario II",
        action_1: Belief { mu: 0.0, sigma: 5.0 },
        action_2: Belief { mu: 2.0, sigma: 1.0 },
    },
];

/// The paper's ε.
pub const EPSILON: f64 = 0.05;

/// How likely each policy chooses action 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probabilities {
    /// ε-greedy.
    pub egreedy: f64,
    /// Boltzmann (softmax) at temperature 1.
    pub boltzmann: f64,
    /// Thompson sampling.
    pub thompson: f64,
}

impl Scenario {
    /// How likely each policy chooses action 1.
    pub fn probabilities(&self) -> Probabilities {
        let (one, two) = (self.action_1, self.action_2);
        Probabilities {
            egreedy: egreedy(one.mu, two.mu, EPSILON),
            boltzmann: boltzmann(one.mu, two.mu),
            thompson: thompson(one, two),
        }
    }
}

/// ε-greedy as App. C words it: the action that looks worse is chosen with probability ε, the other one
/// otherwise. (Where the exploring action is drawn among both, it is ε / 2.)
pub fn egreedy(mu_1: f64, mu_2: f64, epsilon: f64) -> f64 {
    if mu_1 > mu_2 { 1.0 - epsilon } else { epsilon }
}

/// Boltzmann, `e^mu_1 / (e^mu_1 + e^mu_2) = 1 / (1 + e^(mu_2 - mu_1))`.
pub fn boltzmann(mu_1: f64, mu_2: f64) -> f64 {
    1.0 / (1.0 + (mu_2 - mu_1).exp())
}

/// Thompson sampling, `P(Q_1 > Q_2) = P(X > 0)` for `X = Q_1 - Q_2 ~ N(mu_1 - mu_2, sqrt(sigma_1² + sigma_2²))`.
/// Two values that are equal and certain are chosen alike.
pub fn thompson(one: Belief, two: Belief) -> f64 {
    if one.mu == two.mu {
        return 0.5;
    }
    normal_cdf(one.mu - two.mu, 0.0, one.sigma.hypot(two.sigma))
}

/// The beliefs of both scenarios, and below them how likely each policy chooses action 1.
pub fn figure() -> Figure {
    let densities = SCENARIOS.iter().map(density_panel);
    let policies = SCENARIOS.iter().map(policy_panel);
    Figure {
        title: "Undirected and directed exploration".into(),
        footer: "ε-greedy (ε = 0.05) and Boltzmann see only the means and act alike in both; \
                 Thompson sampling tries the uncertain action more often."
            .into(),
        size: (230.0, 130.0),
        ..Figure::new(densities.chain(policies).collect(), 2)
    }
}

fn density_panel(scenario: &Scenario) -> Panel {
    let curve = |name: &str, index: usize, belief: &Belief| {
        let at = |i: i32| -12.0 + 24.0 * f64::from(i) / 480.0;
        let points: Vec<_> =
            (0..=480).map(|i| (at(i), normal_density(at(i), belief.mu, belief.sigma))).collect();
        let band = points.iter().map(|&(x, y)| (x, 0.0, y)).collect();
        let curve = Curve::new(Series::nth(name, index), points).with_band(band);
        Mark::Curve(Curve { markers: false, ..curve })
    };
    let (one, two) = (scenario.action_1, scenario.action_2);
    Panel {
        title: scenario.name.into(),
        note: format!("μ₁ = {}, σ₁ = {};  μ₂ = {}, σ₂ = {}", one.mu, one.sigma, two.mu, two.sigma),
        marks: vec![curve("action 1", 0, &one), curve("action 2", 1, &two)],
        ..Panel::new(Axis::new("value Q"), Axis::new("density").from_to(0.0, 0.42))
    }
}

fn policy_panel(scenario: &Scenario) -> Panel {
    let Probabilities { egreedy, boltzmann, thompson } = scenario.probabilities();
    let policies = [("ε-greedy", egreedy), ("Boltzmann", boltzmann), ("Thompson", thompson)];
    let style = Series::nth("", 0).style;
    let (mut bars, mut labels, mut ticks) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (name, probability)) in policies.into_iter().enumerate() {
        let x = i as f64;
        bars.push((x - 0.3, x + 0.3, probability));
        labels.push(Mark::Label(Label { x, y: probability, text: format!("{probability:.4}") }));
        ticks.push((x, name.to_string()));
    }
    let mut marks = vec![Mark::Bars(Bars { series: Series::unnamed(style), bars })];
    marks.extend(labels);
    let x = Axis::new("policy").with_ticks(ticks).from_to(-0.6, 2.6);
    Panel { marks, ..Panel::new(x, Axis::new("π(action 1)").from_to(0.0, 0.42)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probabilities_are_those_that_the_paper_states() {
        let [one, two] = SCENARIOS.map(|scenario| scenario.probabilities());
        assert!((one.thompson - 0.0786).abs() < 5e-5, "{one:?}");
        assert!((two.thompson - 0.3474).abs() < 5e-5, "{two:?}");
        // 1 / (1 + e²), whatever the uncertainty.
        assert!((one.boltzmann - 0.119_202_922_022_117_6).abs() < 1e-12);
        assert_eq!((one.boltzmann, one.egreedy), (two.boltzmann, two.egreedy));
        assert_eq!(one.egreedy, 0.05);
    }

    #[test]
    fn certainty_and_indifference_are_limits_of_thompson_sampling() {
        let belief = |mu, sigma| Belief { mu, sigma };
        assert_eq!(thompson(belief(1.0, 2.0), belief(1.0, 0.5)), 0.5);
        assert_eq!(thompson(belief(0.0, 0.0), belief(1.0, 0.0)), 0.0);
        assert_eq!(thompson(belief(1.0, 0.0), belief(1.0, 0.0)), 0.5);
        let (one, two) = (belief(0.3, 1.0), belief(-0.2, 2.0));
        assert!((thompson(one, two) + thompson(two, one) - 1.0).abs() < 1e-15);
        assert_eq!(egreedy(3.0, 2.0, 0.1), 0.9);
    }

    #[test]
    fn the_figure_writes_the_probabilities() {
        let svg = figure().to_svg();
        for number in ["0.0500", "0.1192", "0.0786", "0.3474"] {
            assert!(svg.contains(&format!(">{number}<")), "{number}");
        }
    }
}
