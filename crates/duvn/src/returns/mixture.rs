use super::categorical::softmax;
use super::gaussian::{sigmoid, softplus};
use super::{Backup, Discrepancy, ReturnModel};
use crate::config::{Config, Propagation};
use crate::normal;
use crate::rng::Stream;
use std::f64::consts::PI;

/// A mixture of K Gaussians: K logits, K means and K numbers z with sigma = floor + softplus(z + b).
///
/// Parameters lie in that order: pi_1 … pi_K, mu_1 … mu_K, sigma_1 … sigma_K. At the start the means are
/// spread evenly around 0, so that components have something to tell them apart.
///
/// In closed form a target is the K components of the next state, each r + gamma mu', gamma sigma'; of
/// several parts one is drawn, which is right on average because the loss is linear in the target. By
/// sampling it is so many values.
pub struct GaussianMixture {
    count: usize,
    bias: f64,
    floor: f64,
    terminal: f32,
    /// By component: what is added to the network's mean.
    offsets: Vec<f32>,
    sampled: Option<usize>,
}

/// One component of a target: its weight, mean and standard deviation.
type Component = (f64, f64, f64);

impl GaussianMixture {
    /// The mixture that `config` asks for.
    pub fn new(config: &Config) -> Self {
        let count = config.components;
        let offset = |k: usize| match count {
            1 => 0.0,
            _ => config.component_spread * (2.0 * k as f64 / (count - 1) as f64 - 1.0),
        };
        GaussianMixture {
            count,
            bias: config.sigma_bias,
            floor: config.sigma_floor,
            terminal: config.terminal_sigma as f32,
            offsets: (0..count).map(|k| offset(k) as f32).collect(),
            sampled: (config.propagation == Propagation::Sampling).then_some(config.samples),
        }
    }

    fn components(&self, parameters: &[f32]) -> impl Iterator<Item = Component> + Clone {
        let (weights, rest) = parameters.split_at(self.count);
        let (means, sigmas) = rest.split_at(self.count);
        let numbers = weights.iter().zip(means).zip(sigmas);
        numbers.map(|((&weight, &mu), &sigma)| (f64::from(weight), f64::from(mu), f64::from(sigma)))
    }

    fn sigma(&self, z: f32) -> f64 {
        self.floor + softplus(f64::from(z) + self.bias)
    }

    /// The components of a target; by sampling, each value is one without a spread.
    fn of_target(&self, target: &[f32], j: usize) -> Component {
        let number = |i: usize| f64::from(target[i]);
        match self.sampled {
            Some(samples) => (1.0 / samples as f64, number(j), 0.0),
            None => (number(j), number(self.count + j), number(2 * self.count + j)),
        }
    }

    /// A draw of the distribution.
    fn draw(&self, parameters: &[f32], stream: &mut Stream) -> f64 {
        let mut left = stream.uniform();
        let mut drawn = (0.0, 0.0);
        for (weight, mu, sigma) in self.components(parameters) {
            drawn = (mu, sigma);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        drawn.0 + f64::from(stream.normal()) * drawn.1
    }
}

/// The x below which a mixture has the probability `share`: by Newton's steps, halving where one leaves the
/// interval that is left.
fn quantile(parts: impl Iterator<Item = Component> + Clone, share: f64) -> f64 {
    let (mut low, mut high) =
        parts.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |ends, (_, mu, sigma)| {
            (ends.0.min(mu - 9.0 * sigma), ends.1.max(mu + 9.0 * sigma))
        });
    let narrow = 1e-9 * (high - low);
    let mut x = 0.5 * (low + high);
    for _ in 0..100 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (weight, mu, sigma) in parts.clone() {
            let z = (x - mu) / sigma.max(f64::MIN_POSITIVE);
            sum += weight * normal::below(z);
            slope += weight * normal::density(z) / sigma.max(f64::MIN_POSITIVE);
        }
        if sum < share {
            low = x
        } else {
            high = x
        }
        let step = x - (sum - share) / slope;
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        if (next - x).abs() <= narrow || high - low <= narrow {
            return next;
        }
        x = next;
    }
    x
}

impl ReturnModel for GaussianMixture {
    fn outputs(&self) -> usize {
        3 * self.count
    }

    fn target_width(&self) -> usize {
        self.sampled.unwrap_or(3 * self.count)
    }

    fn decode(&self, outputs: &mut [f32]) {
        let (logits, rest) = outputs.split_at_mut(self.count);
        let (means, sigmas) = rest.split_at_mut(self.count);
        softmax(logits);
        means.iter_mut().zip(&self.offsets).for_each(|(mu, offset)| *mu += offset);
        sigmas[..self.count].iter_mut().for_each(|z| *z = self.sigma(*z) as f32);
    }

    fn terminal(&self, parameters: &mut [f32]) {
        let count = self.count;
        parameters[..count].fill(1.0 / count as f32);
        parameters[count..2 * count].fill(0.0);
        parameters[2 * count..3 * count].fill(self.terminal);
    }

    fn mean(&self, parameters: &[f32]) -> f64 {
        self.components(parameters).map(|(weight, mu, _)| weight * mu).sum()
    }

    fn sd(&self, parameters: &[f32]) -> f64 {
        let mean = self.mean(parameters);
        let square = |(weight, mu, sigma): Component| weight * (sigma * sigma + (mu - mean).powi(2));
        self.components(parameters).map(square).sum::<f64>().sqrt()
    }

    fn quantile(&self, parameters: &[f32], share: f64) -> f64 {
        quantile(self.components(parameters), share.clamp(1e-12, 1.0 - 1e-12))
    }

    /// With q the quantile and a = (q - mu) / sigma of each component, the mean below q is
    /// (1 / share) sum of pi (mu Phi(a) - sigma phi(a)).
    fn tail_mean(&self, parameters: &[f32], share: f64) -> f64 {
        if share >= 1.0 {
            return self.mean(parameters);
        }
        let q = self.quantile(parameters, share);
        let part = |(weight, mu, sigma): Component| {
            let a = (q - mu) / sigma.max(f64::MIN_POSITIVE);
            weight * (mu * normal::below(a) - sigma * normal::density(a))
        };
        self.components(parameters).map(part).sum::<f64>() / share
    }

    fn at(&self, parameters: &[f32], z: f64) -> f64 {
        self.quantile(parameters, normal::below(z))
    }

    fn has_spread(&self) -> bool {
        true
    }

    /// Every component is widened: the sum of a mixture and independent noise is the mixture of the sums.
    fn widen(&self, parameters: &mut [f32], width: f32) {
        let sigmas = &mut parameters[2 * self.count..3 * self.count];
        sigmas.iter_mut().for_each(|sigma| *sigma = (*sigma * *sigma + width * width).sqrt());
    }

    fn shrink(&self, parameters: &mut [f32], share: f32) {
        let away = self.mean(parameters) as f32 * (1.0 - share);
        parameters[self.count..2 * self.count].iter_mut().for_each(|mu| *mu -= away);
    }

    fn shift(&self, parameters: &mut [f32], by: f32) {
        parameters[self.count..2 * self.count].iter_mut().for_each(|mu| *mu += by);
    }

    fn recentre(&self, parameters: &mut [f32], other: &[f32]) {
        let away = (self.mean(other) - self.mean(parameters)) as f32;
        parameters[self.count..2 * self.count].iter_mut().for_each(|mu| *mu += away);
    }

    fn settle(&self, parameters: &mut [f32], z: f64) {
        let away = (self.at(parameters, z) - self.mean(parameters)) as f32;
        parameters[self.count..2 * self.count].iter_mut().for_each(|mu| *mu += away);
    }

    fn prior_scales(&self, config: &Config) -> Vec<f32> {
        let scales = [0.0, config.prior_mu, config.prior_sigma];
        scales.iter().flat_map(|&scale| vec![scale as f32; self.count]).collect()
    }

    fn bound(&self, target: &mut [f32], (low, high): (f32, f32)) {
        let values = match self.sampled {
            Some(samples) => &mut target[..samples],
            None => &mut target[self.count..2 * self.count],
        };
        values.iter_mut().for_each(|value| *value = value.clamp(low, high));
    }

    fn propagate(&self, backup: &Backup<'_>, stream: &mut Stream, target: &mut [f32]) {
        let Backup { reward, gamma, .. } = *backup;
        if let Some(samples) = self.sampled {
            for (m, psi) in target[..samples].iter_mut().enumerate() {
                let z = match backup.trace {
                    Some((lambda, trace)) if stream.uniform() < lambda => f64::from(trace[m]),
                    _ => self.draw(backup.next.draw(stream), stream),
                };
                *psi = (reward + gamma * z) as f32;
            }
            return;
        }
        let next = match backup.trace {
            Some((lambda, trace)) if lambda >= 1.0 || stream.uniform() < lambda => trace,
            _ => backup.next.draw(stream),
        };
        let count = self.count;
        for k in 0..count {
            target[k] = next[k];
            target[count + k] = (reward + gamma * f64::from(next[count + k])) as f32;
            target[2 * count + k] = (gamma * f64::from(next[2 * count + k])) as f32;
        }
    }

    /// L = - sum over j of omega_j ln sum over k of pi_k exp(-C_jk), with the cross-entropy C_jk = ½ ln(2 pi
    /// sigma_k²) + (s_j² + (m_j - mu_k)²) / (2 sigma_k²) of the prediction's component k under the target's
    /// component j. For samples (s = 0) it is the negative mean log-likelihood.
    ///
    /// With the responsibilities R_jk = pi_k exp(-C_jk) / sum over the components, the gradient is by mu_k: -
    /// sum of omega_j R_jk (m_j - mu_k) / sigma_k²; by sigma_k: sum of omega_j R_jk (1 - (s_j² + (m_j -
    /// mu_k)²) / sigma_k²) / sigma_k; by the logit k: pi_k - sum of omega_j R_jk.
    fn loss(&self, outputs: &[f32], target: &[f32], gradient: &mut [f32]) -> Discrepancy {
        let count = self.count;
        let (logits, means, zs) = (&outputs[..count], &outputs[count..2 * count], &outputs[2 * count..]);
        let mu = |k: usize| f64::from(means[k]) + f64::from(self.offsets[k]);
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f64 = logits.iter().map(|&logit| f64::from(logit - largest).exp()).sum();
        let log_pi = |k: usize| f64::from(logits[k] - largest) - total.ln();
        gradient[..3 * count].fill(0.0);
        let (mut loss, mut aim) = (0.0, 0.0);
        let targets = self.sampled.unwrap_or(count);
        for j in 0..targets {
            let (omega, m, s) = self.of_target(target, j);
            let log_joint = |k: usize| {
                let sigma = self.sigma(zs[k]);
                let square = (s * s + (m - mu(k)).powi(2)) / (sigma * sigma);
                log_pi(k) - 0.5 * (2.0 * PI).ln() - sigma.ln() - 0.5 * square
            };
            let most = (0..count).map(log_joint).fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = (0..count).map(|k| (log_joint(k) - most).exp()).sum();
            loss -= omega * (most + sum.ln());
            aim += omega * m;
            for k in 0..count {
                let sigma = self.sigma(zs[k]);
                let responsible = omega * (log_joint(k) - most).exp() / sum;
                let away = m - mu(k);
                gradient[k] -= responsible as f32;
                gradient[count + k] -= (responsible * away / (sigma * sigma)) as f32;
                let by_sigma = responsible * (1.0 - (s * s + away * away) / (sigma * sigma)) / sigma;
                let slope = sigmoid(f64::from(zs[k]) + self.bias);
                gradient[2 * count + k] += (by_sigma * slope) as f32;
            }
        }
        (0..count).for_each(|k| gradient[k] += log_pi(k).exp() as f32);
        let mean: f64 = (0..count).map(|k| log_pi(k).exp() * mu(k)).sum();
        Discrepancy { loss, temporal_difference: (mean - aim).abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ReturnKind;
    use crate::returns::Mixture;

    fn model(components: usize, propagation: Propagation) -> GaussianMixture {
        GaussianMixture::new(&Config {
            returns: ReturnKind::Mixture,
            components,
            propagation,
            samples: 4,
            sigma_floor: 0.0,
            sigma_bias: 0.0,
            component_spread: 2.0,
            ..Config::default()
        })
    }

    #[test]
    fn means_start_spread_evenly() {
        let mut outputs = [0.0; 15];
        model(5, Propagation::Analytic).decode(&mut outputs);
        assert_eq!(outputs[5..10], [-2.0, -1.0, 0.0, 1.0, 2.0]);
        assert!(outputs[..5].iter().all(|&pi| (pi - 0.2).abs() < 1e-7));
    }

    /// 1/4 N(0, 1) + 3/4 N(4, 2): mean 3, variance 1/4 (1 + 9) + 3/4 (4 + 1).
    #[test]
    fn moments_quantiles_and_tails_are_right() {
        let model = model(2, Propagation::Analytic);
        let p = [0.25, 0.75, 0.0, 4.0, 1.0, 2.0];
        assert!((model.mean(&p) - 3.0).abs() < 1e-12 && (model.sd(&p) - 6.25f64.sqrt()).abs() < 1e-12);
        for share in [0.001, 0.1, 0.25, 0.5, 0.9, 0.999] {
            let q = model.quantile(&p, share);
            let found = 0.25 * normal::below(q) + 0.75 * normal::below((q - 4.0) / 2.0);
            assert!((found - share).abs() < 1e-8, "{share}: {found}");
            // The tail's mean is the mean of the quantiles below.
            let steps = 20_000;
            let sum: f64 =
                (0..steps).map(|i| model.quantile(&p, share * (i as f64 + 0.5) / steps as f64)).sum();
            assert!((model.tail_mean(&p, share) - sum / steps as f64).abs() < 2e-3, "{share}");
        }
        // One component is a Gaussian: mu - sigma phi(z) / share.
        let one = super::tests::model(1, Propagation::Analytic);
        let share = normal::below(-1.0);
        let expected = 2.0 - 3.0 * normal::density(-1.0) / share;
        assert!((one.tail_mean(&[1.0, 2.0, 3.0], share) - expected).abs() < 1e-7);
        assert!((one.at(&[1.0, 2.0, 3.0], 1.5) - 6.5).abs() < 1e-7);
    }

    #[test]
    fn components_go_through_one_by_one() {
        let next = Mixture { weights: &[1.0], parameters: &[0.25, 0.75, 0.0, 4.0, 1.0, 2.0] };
        let backup = Backup { reward: 1.0, gamma: 0.5, next, trace: None };
        let mut target = [0.0; 6];
        model(2, Propagation::Analytic).propagate(&backup, &mut Stream::new(0, "test"), &mut target);
        assert_eq!(target, [0.25, 0.75, 1.0, 3.0, 0.5, 1.0]);
    }

    #[test]
    fn widening_shrinking_and_moving_are_those_worked_by_hand() {
        let model = model(2, Propagation::Analytic);
        let mut p = [0.5, 0.5, 0.0, 4.0, 3.0, 0.0];
        model.widen(&mut p, 4.0);
        assert_eq!(p, [0.5, 0.5, 0.0, 4.0, 5.0, 4.0]);
        model.shrink(&mut p, 0.25);
        assert_eq!(p, [0.5, 0.5, -1.5, 2.5, 5.0, 4.0]);
        model.recentre(&mut p, &[0.5, 0.5, 0.0, 4.0, 0.0, 0.0]);
        assert_eq!(p, [0.5, 0.5, 0.0, 4.0, 5.0, 4.0]);
    }

    /// Two components against samples, from the definition of the likelihood.
    #[test]
    fn the_loss_of_samples_is_their_negative_log_likelihood() {
        let model = model(2, Propagation::Sampling);
        let outputs = [0.3f32, -0.2, 0.5, -0.7, 0.1, 0.6];
        let target = [0.3f32, -1.0, 2.5, 0.0];
        let mut p = outputs;
        model.decode(&mut p);
        let likelihood = |&psi: &f32| {
            let parts = model.components(&p);
            parts
                .map(|(pi, mu, sigma)| pi * normal::density((f64::from(psi) - mu) / sigma) / sigma)
                .sum::<f64>()
        };
        let expected = -target.iter().map(|psi| likelihood(psi).ln()).sum::<f64>() / 4.0;
        let found = model.loss(&outputs, &target, &mut [0.0; 6]).loss;
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    /// A return that is 0 or 4 with the same probability is learnt with both of its humps.
    #[test]
    fn two_humps_are_learnt_as_two() {
        let model = model(5, Propagation::Sampling);
        let mut outputs = [0.0f32; 15];
        for _ in 0..4000 {
            let mut gradient = [0.0; 15];
            model.loss(&outputs, &[0.0, 4.0, 0.1, 3.9], &mut gradient);
            outputs.iter_mut().zip(gradient).for_each(|(x, slope)| *x -= 0.02 * slope.clamp(-5.0, 5.0));
        }
        model.decode(&mut outputs);
        let mass = |low: f64, high: f64| {
            let parts = model.components(&outputs);
            parts
                .map(|(pi, mu, sigma)| {
                    pi * (normal::below((high - mu) / sigma) - normal::below((low - mu) / sigma))
                })
                .sum::<f64>()
        };
        assert!((mass(-0.5, 0.6) - 0.5).abs() < 0.05 && (mass(3.4, 4.5) - 0.5).abs() < 0.05, "{outputs:?}");
    }
}
