use super::{Backup, Discrepancy, ReturnModel, means};
use crate::config::{Config, Propagation};
use crate::net::{Kernels, Regression, isa};
use crate::normal;
use crate::rng::Stream;

/// Quantiles of the return (Dabney et al. 2018): theta_i stands for the level tau_i = (i + 1/2) / N, and the
/// return is as likely to be any of them.
///
/// A target is a list of values that are equally likely: r + gamma theta'_j, or samples of it. Parts of a
/// mixture are in the list by their weights, with values evenly from each.
pub struct Quantile {
    count: usize,
    /// tau_i.
    levels: Vec<f32>,
    kappa: f32,
    /// Quantiles of N(0,1) at the levels, scaled to the variance 1.
    normal: Vec<f32>,
    sampled: Option<usize>,
    /// Whether draws are compared quantile by quantile.
    compared: bool,
}

impl Quantile {
    /// The quantiles that `config` asks for.
    pub fn new(config: &Config) -> Self {
        let count = config.quantiles;
        let level = |i: usize| (i as f64 + 0.5) / count as f64;
        let scores: Vec<f64> = (0..count).map(|i| normal::quantile(level(i))).collect();
        let sd = (scores.iter().map(|score| score * score).sum::<f64>() / count as f64).sqrt();
        Quantile {
            count,
            levels: (0..count).map(|i| level(i) as f32).collect(),
            kappa: config.kappa as f32,
            normal: scores.iter().map(|score| (score / sd) as f32).collect(),
            sampled: (config.propagation == Propagation::Sampling).then_some(config.samples),
            compared: config.compares_quantiles(),
        }
    }

    fn theta<'a>(&self, parameters: &'a [f32]) -> &'a [f32] {
        &parameters[..self.count]
    }
}

fn mean(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64
}

/// The quantile of a list of quantiles at the level `share`: a straight line between the two next to it, and
/// beyond the first and the last level these themselves.
pub fn between(theta: &[f32], share: f64) -> f64 {
    let last = theta.len() - 1;
    let at = (share * theta.len() as f64 - 0.5).clamp(0.0, last as f64);
    let below = at as usize;
    let rest = at - below as f64;
    let (low, high) = (f64::from(theta[below]), f64::from(theta[(below + 1).min(last)]));
    low + rest * (high - low)
}

/// The quantile-regression loss of `theta` at the levels `tau` against values psi that are equally likely:
///
/// L = sum over i of mean over j of |tau_i - 1{u < 0}| h(u), u = psi_j - theta_i,
///
/// with Huber's h(u) = u²/2 for |u| <= kappa and kappa (|u| - kappa/2) beyond, or |u| where kappa is 0. As in
/// rlax, it is not divided by kappa. Writes the gradient by theta.
pub fn quantile_loss(theta: &[f32], tau: &[f32], psi: &[f32], kappa: f32, gradient: &mut [f32]) -> f64 {
    let mut regression = Regression { theta, tau, psi, kappa, gradient, loss: 0.0 };
    Kernels::best(isa()).regress(&mut regression);
    regression.loss
}

impl ReturnModel for Quantile {
    fn outputs(&self) -> usize {
        self.count
    }

    fn target_width(&self) -> usize {
        self.sampled.unwrap_or(self.count)
    }

    fn decode(&self, _outputs: &mut [f32]) {}

    fn terminal(&self, parameters: &mut [f32]) {
        parameters[..self.count].fill(0.0);
    }

    fn mean(&self, parameters: &[f32]) -> f64 {
        mean(self.theta(parameters))
    }

    fn sd(&self, parameters: &[f32]) -> f64 {
        let theta = self.theta(parameters);
        let mean = mean(theta);
        let squares = theta.iter().map(|&theta| (f64::from(theta) - mean).powi(2)).sum::<f64>();
        (squares / self.count as f64).sqrt()
    }

    fn levels(&self) -> usize {
        if self.compared { self.count } else { 0 }
    }

    fn quantile(&self, parameters: &[f32], share: f64) -> f64 {
        between(self.theta(parameters), share)
    }

    /// The mean of the quantiles below the level, the last of them in part.
    fn tail_mean(&self, parameters: &[f32], share: f64) -> f64 {
        let whole = share * self.count as f64;
        let taken = self.theta(parameters).iter().enumerate().map(|(i, &theta)| {
            let part = (whole - i as f64).clamp(0.0, 1.0);
            part * f64::from(theta)
        });
        taken.sum::<f64>() / whole
    }

    fn at(&self, parameters: &[f32], z: f64) -> f64 {
        between(self.theta(parameters), normal::below(z))
    }

    fn has_spread(&self) -> bool {
        true
    }

    /// theta_i + c g_i, with g_i the quantiles of N(0,1). The two are as one in order, hence var(theta) + 2 c
    /// cov + c² = var(theta) + width²; c solves that, so that the variance is exact whatever the shape.
    fn widen(&self, parameters: &mut [f32], width: f32) {
        let theta = &mut parameters[..self.count];
        let average = mean(theta);
        let products = theta.iter().zip(&self.normal);
        let covariance =
            products.map(|(&theta, &g)| (f64::from(theta) - average) * f64::from(g)).sum::<f64>().max(0.0)
                / self.count as f64;
        let square = f64::from(width).powi(2);
        // The stable form of sqrt(cov² + width²) - cov.
        let root = (covariance * covariance + square).sqrt();
        let c = if square > 0.0 { square / (root + covariance) } else { 0.0 };
        theta.iter_mut().zip(&self.normal).for_each(|(theta, g)| *theta += c as f32 * g);
    }

    fn shrink(&self, parameters: &mut [f32], share: f32) {
        let theta = &mut parameters[..self.count];
        let away = (mean(theta) * f64::from(1.0 - share)) as f32;
        theta.iter_mut().for_each(|theta| *theta -= away);
    }

    fn shift(&self, parameters: &mut [f32], by: f32) {
        parameters[..self.count].iter_mut().for_each(|theta| *theta += by);
    }

    fn recentre(&self, parameters: &mut [f32], other: &[f32]) {
        let away = (self.mean(other) - self.mean(parameters)) as f32;
        parameters[..self.count].iter_mut().for_each(|theta| *theta += away);
    }

    fn settle(&self, parameters: &mut [f32], z: f64) {
        let away = (self.at(parameters, z) - self.mean(parameters)) as f32;
        parameters[..self.count].iter_mut().for_each(|theta| *theta += away);
    }

    fn prior_scales(&self, config: &Config) -> Vec<f32> {
        vec![config.prior_mu as f32; self.count]
    }

    fn bound(&self, target: &mut [f32], (low, high): (f32, f32)) {
        let width = self.target_width();
        target[..width].iter_mut().for_each(|psi| *psi = psi.clamp(low, high));
    }

    /// The i-th value stands at (i + 1/2) / M of the parts, laid side by side as long as their weights; or,
    /// by sampling, at a random place of them.
    fn propagate(&self, backup: &Backup<'_>, stream: &mut Stream, target: &mut [f32]) {
        let count = self.target_width();
        let alone = match (backup.trace, backup.next.weights) {
            (Some((1.0, trace)), _) => Some(&trace[..count]),
            (None, [1.0]) => Some(self.theta(backup.next.parameters)),
            _ => None,
        };
        if let (None, Some(values)) = (self.sampled, alone) {
            // What has nothing beside it goes through in its order.
            for (psi, &next) in target[..count].iter_mut().zip(values) {
                *psi = (backup.reward + backup.gamma * f64::from(next)) as f32;
            }
            return;
        }
        for (i, psi) in target[..count].iter_mut().enumerate() {
            let place = match self.sampled {
                None => (i as f64 + 0.5) / count as f64,
                Some(_) => stream.uniform(),
            };
            let next = self.value_at(backup, place, count);
            *psi = (backup.reward + backup.gamma * f64::from(next)) as f32;
        }
    }

    fn loss(&self, outputs: &[f32], target: &[f32], gradient: &mut [f32]) -> Discrepancy {
        let (theta, target) = (self.theta(outputs), &target[..self.target_width()]);
        let loss = quantile_loss(theta, &self.levels, target, self.kappa, gradient);
        let (predicted, aimed) = means(theta, target);
        Discrepancy { loss, temporal_difference: (predicted - aimed).abs() }
    }
}

impl Quantile {
    /// The value at a place from 0 to 1 of the trace and the parts, laid side by side.
    fn value_at(&self, backup: &Backup<'_>, place: f64, count: usize) -> f32 {
        let of = |values: &[f32], share: f64| {
            values[((share * values.len() as f64) as usize).min(values.len() - 1)]
        };
        let (lambda, trace) = backup.trace.unwrap_or((0.0, &[]));
        if place < lambda {
            return of(&trace[..count], place / lambda);
        }
        let mut left = (place - lambda) / (1.0 - lambda);
        let mut parts = backup.next.parts();
        let mut part = parts.next();
        for next in parts {
            let weight = part.map_or(0.0, |(weight, _)| weight);
            if left < weight {
                break;
            }
            left -= weight;
            part = Some(next);
        }
        part.map_or(0.0, |(weight, theta)| of(self.theta(theta), (left / weight).min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ReturnKind;
    use crate::net::Isa;
    use crate::returns::Mixture;

    fn quantiles(count: usize) -> Quantile {
        Quantile::new(&Config { returns: ReturnKind::Quantile, quantiles: count, ..Config::default() })
    }

    /// The golden values of rlax's tests.
    #[test]
    fn losses_are_those_of_rlax() {
        let (theta, psi) = ([-1.0, 3.0], [-3.0, 4.0, 2.0]);
        for (tau, kappa, expected) in [
            ([0.2, 0.7], 0.0, 2.0),
            ([0.2, 0.7], 2.0, 2.5),
            ([0.0, 0.4], 0.0, 2.2),
            ([0.0, 0.4], 2.0, 8.5 / 3.0),
        ] {
            let loss = quantile_loss(&theta, &tau, &psi, kappa, &mut [0.0; 2]);
            assert!((loss - expected).abs() < 1e-6, "{tau:?} {kappa}: {loss} instead of {expected}");
        }
    }

    /// Sums in eight lanes over the values, a quantile at a time: the order that results were recorded with.
    fn one_at_a_time(theta: &[f32], tau: &[f32], psi: &[f32], kappa: f32, gradient: &mut [f32]) -> f64 {
        let share = 1.0 / psi.len() as f32;
        let mut loss = 0.0;
        for ((&theta, &tau), gradient) in theta.iter().zip(tau).zip(gradient) {
            let (mut costs, mut slopes) = ([0.0f32; 8], [0.0f32; 8]);
            for (j, psi) in psi.iter().enumerate() {
                let u = psi - theta;
                let weight = if u < 0.0 { 1.0 - tau } else { tau };
                let clipped = u.clamp(-kappa, kappa);
                let (cost, slope) = match kappa > 0.0 {
                    true => (clipped * (u - 0.5 * clipped), clipped),
                    false => (u.abs(), if u < 0.0 { -1.0 } else { 1.0 }),
                };
                costs[j % 8] += weight * cost;
                slopes[j % 8] += weight * slope;
            }
            loss += f64::from(share * costs.iter().sum::<f32>());
            *gradient = -share * slopes.iter().sum::<f32>();
        }
        loss
    }

    #[test]
    fn the_loss_has_the_bits_of_sums_taken_one_quantile_at_a_time() {
        let numbers = |count: usize, step: f32| (0..count).map(move |i| (i as f32 * step).sin() * 4.0);
        for (quantiles, values) in [(51, 51), (1, 1), (3, 200), (8, 8), (17, 5), (64, 31)] {
            let (theta, psi): (Vec<_>, Vec<_>) =
                (numbers(quantiles, 1.3).collect(), numbers(values, 0.7).collect());
            let model = super::tests::quantiles(quantiles);
            for kappa in [0.0, 0.3, 1.0, 20.0] {
                let (mut found, mut expected) = (vec![0.0; quantiles], vec![0.0; quantiles]);
                let at_a_time = one_at_a_time(&theta, &model.levels, &psi, kappa, &mut expected);
                for isa in Isa::available() {
                    let (theta, tau, psi, gradient) = (&theta, &model.levels, &psi, &mut found);
                    let mut regression = Regression { theta, tau, psi, kappa, gradient, loss: 0.0 };
                    Kernels::new(isa).unwrap().regress(&mut regression);
                    let loss = regression.loss;
                    assert_eq!(loss.to_bits(), at_a_time.to_bits(), "{isa} {quantiles} {values} {kappa}");
                    assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()));
                }
            }
        }
    }

    #[test]
    fn the_gradient_agrees_with_central_differences() {
        let (theta, tau) = ([-1.0f32, 0.4, 3.0], [0.2, 0.5, 0.7]);
        let psi: Vec<f32> = (0..21).map(|i| (i as f32 * 1.3).sin() * 4.0).collect();
        for kappa in [0.0, 0.5, 2.0] {
            let mut gradient = [0.0; 3];
            quantile_loss(&theta, &tau, &psi, kappa, &mut gradient);
            for i in 0..3 {
                let at = |step: f32| {
                    let mut theta = theta;
                    theta[i] += step;
                    quantile_loss(&theta, &tau, &psi, kappa, &mut [0.0; 3])
                };
                let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
                assert!((f64::from(gradient[i]) - slope).abs() < 2e-3, "{kappa} {i}: {gradient:?} {slope}");
            }
        }
    }

    #[test]
    fn one_part_goes_through_in_order_and_several_by_their_weights() {
        let mut stream = Stream::new(0, "test");
        let model = quantiles(4);
        let one = Mixture { weights: &[1.0], parameters: &[1.0, 2.0, 3.0, 4.0] };
        let mut target = [0.0; 4];
        let backup = Backup { reward: 1.0, gamma: 0.5, next: one, trace: None };
        model.propagate(&backup, &mut stream, &mut target);
        assert_eq!(target, [1.5, 2.0, 2.5, 3.0]);

        // Places 1/8, 3/8, 5/8, 7/8: the first quarter is the first part's, at its middle; the rest is at
        // 1/6, 3/6, 5/6 of the second.
        let two =
            Mixture { weights: &[0.25, 0.75], parameters: &[1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0] };
        let backup = Backup { reward: 0.0, gamma: 1.0, next: two, trace: None };
        model.propagate(&backup, &mut stream, &mut target);
        assert_eq!(target, [3.0, 10.0, 30.0, 40.0]);

        // Half of the places are the trace's.
        let trace: &[f32] = &[5.0, 6.0, 7.0, 8.0];
        let backup = Backup { reward: 0.0, gamma: 1.0, next: one, trace: Some((0.5, trace)) };
        model.propagate(&backup, &mut stream, &mut target);
        assert_eq!(target, [6.0, 8.0, 2.0, 4.0]);
        let backup = Backup { trace: Some((1.0, trace)), ..backup };
        model.propagate(&backup, &mut stream, &mut target);
        assert_eq!(target, [5.0, 6.0, 7.0, 8.0]);
    }

    #[test]
    fn samples_have_the_mean_and_variance_of_the_mixture() {
        let config = Config {
            returns: ReturnKind::Quantile,
            quantiles: 2,
            propagation: Propagation::Sampling,
            samples: 100_000,
            ..Config::default()
        };
        let next = Mixture { weights: &[0.25, 0.75], parameters: &[0.0, 2.0, 4.0, 6.0] };
        let mut target = vec![0.0; 100_000];
        let backup = Backup { reward: 0.0, gamma: 1.0, next, trace: None };
        Quantile::new(&config).propagate(&backup, &mut Stream::new(0, "test"), &mut target);
        let average = mean(&target);
        let variance = target.iter().map(|&psi| (f64::from(psi) - average).powi(2)).sum::<f64>() / 1e5;
        // Mean 1/4 · 1 + 3/4 · 5 = 4, variance 1 + 3/16 · 16 = 4.
        assert!((average - 4.0).abs() < 5.0 * (4.0f64 / 1e5).sqrt() && (variance - 4.0).abs() < 0.1);
    }

    #[test]
    fn widening_adds_variances_and_keeps_the_mean() {
        let model = quantiles(51);
        for theta in [vec![2.0f32; 51], (0..51).map(|i| (i as f32 / 8.0).exp()).collect()] {
            let (mean, sd) = (model.mean(&theta), model.sd(&theta));
            let mut wide = theta.clone();
            model.widen(&mut wide, 3.0);
            assert!((model.mean(&wide) - mean).abs() < 1e-4);
            assert!((model.sd(&wide) - sd.hypot(3.0)).abs() < 1e-4 * sd.max(1.0), "{sd}");
        }
    }

    #[test]
    fn levels_tails_and_moves_are_those_worked_by_hand() {
        let model = quantiles(4);
        let theta = [1.0, 2.0, 4.0, 8.0];
        // Levels 1/8, 3/8, 5/8, 7/8.
        assert_eq!([0.125, 0.5, 0.0, 1.0].map(|share| model.quantile(&theta, share)), [1.0, 3.0, 1.0, 8.0]);
        assert_eq!([0.25, 0.375, 1.0].map(|share| model.tail_mean(&theta, share)), [1.0, 4.0 / 3.0, 3.75]);
        assert_eq!(model.at(&theta, 0.0), 3.0);
        let mut moved = theta;
        model.shrink(&mut moved, 0.2);
        assert_eq!(moved, [-2.0, -1.0, 1.0, 5.0]);
        model.recentre(&mut moved, &theta);
        assert_eq!(moved, theta);
        model.bound(&mut moved, (1.5, 5.0));
        assert_eq!(moved, [1.5, 2.0, 4.0, 5.0]);
    }
}
