use super::divergence::divergence;
use super::{Backup, Discrepancy, ReturnModel, sampled};
use crate::config::{Config, LossKind, Propagation, SdRule, SigmaLink};
use crate::rng::Stream;

/// A Gaussian return N(mu, sigma): the network puts out mu and z, and sigma = floor + softplus(z + b), or
/// floor + |z + b|.
///
/// It goes through the Bellman equation in closed form (paper, Eq. 6 and 7) or by samples.
pub struct Gaussian {
    link: SigmaLink,
    bias: f64,
    floor: f64,
    terminal: f32,
    propagation: Propagation,
    samples: usize,
    sd_rule: SdRule,
    loss: LossKind,
    most_discount: f64,
    /// Whether sigma is what is not known, and not what varies.
    unknown: bool,
}

/// softplus(x) = ln(1 + exp(x)), without overflow.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The derivative of [`softplus`]: 1 / (1 + exp(-x)).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Gaussian {
    /// The Gaussian that `config` asks for.
    pub fn new(config: &Config) -> Self {
        Gaussian {
            link: config.sigma_link,
            bias: config.sigma_bias,
            floor: config.sigma_floor,
            terminal: config.terminal_sigma as f32,
            propagation: config.propagation,
            samples: config.samples,
            sd_rule: config.sd_rule,
            loss: config.loss,
            most_discount: config.sigma_gamma,
            unknown: config.sigma_is_unknown(),
        }
    }

    fn sigma(&self, z: f32) -> f64 {
        let x = f64::from(z) + self.bias;
        self.floor
            + match self.link {
                SigmaLink::Softplus => softplus(x),
                SigmaLink::Abs => x.abs(),
            }
    }

    /// d sigma / d z.
    fn slope(&self, z: f32) -> f64 {
        let x = f64::from(z) + self.bias;
        match self.link {
            SigmaLink::Softplus => sigmoid(x),
            SigmaLink::Abs => x.signum(),
        }
    }

    /// Mean and standard deviation of a mixture of Gaussians.
    ///
    /// Mean: sum of w_i mu_i. Standard deviation by the paper's Eq. 6: sum of w_i sigma_i. By the law of
    /// total variance: sqrt(sum of w_i (sigma_i² + (mu_i - mean)²)).
    fn mix(&self, parts: impl Iterator<Item = (f64, f64, f64)> + Clone) -> (f64, f64) {
        let mean: f64 = parts.clone().map(|(weight, mu, _)| weight * mu).sum();
        let sd = match self.sd_rule {
            SdRule::Paper => parts.map(|(weight, _, sigma)| weight * sigma).sum(),
            SdRule::Total => {
                let variance = |(weight, mu, sigma): (f64, f64, f64)| {
                    weight * (sigma * sigma + (mu - mean) * (mu - mean))
                };
                parts.map(variance).sum::<f64>().sqrt()
            }
        };
        (mean, sd)
    }
}

impl ReturnModel for Gaussian {
    fn outputs(&self) -> usize {
        2
    }

    fn target_width(&self) -> usize {
        match self.propagation {
            Propagation::Analytic => 2,
            Propagation::Sampling => self.samples,
        }
    }

    fn decode(&self, outputs: &mut [f32]) {
        outputs[1] = self.sigma(outputs[1]) as f32;
    }

    fn terminal(&self, parameters: &mut [f32]) {
        parameters.copy_from_slice(&[0.0, self.terminal]);
    }

    fn mean(&self, parameters: &[f32]) -> f64 {
        f64::from(parameters[0])
    }

    fn sd(&self, parameters: &[f32]) -> f64 {
        f64::from(parameters[1])
    }

    fn epistemic(&self, parameters: &[f32]) -> f64 {
        if self.unknown { self.sd(parameters) } else { 0.0 }
    }

    fn aleatoric(&self, parameters: &[f32]) -> f64 {
        if self.unknown { 0.0 } else { self.sd(parameters) }
    }

    fn own_at(&self, parameters: &[f32], z: f64) -> f64 {
        self.mean(parameters) + z * self.aleatoric(parameters)
    }

    fn has_spread(&self) -> bool {
        true
    }

    fn widen(&self, parameters: &mut [f32], width: f32) {
        parameters[1] = (parameters[1] * parameters[1] + width * width).sqrt();
    }

    mean_first!();

    fn settle(&self, parameters: &mut [f32], z: f64) {
        parameters[0] = self.at(parameters, z) as f32;
    }

    fn prior_scales(&self, config: &Config) -> Vec<f32> {
        vec![config.prior_mu as f32, config.prior_sigma as f32]
    }

    fn bound(&self, target: &mut [f32], (low, high): (f32, f32)) {
        match self.propagation {
            Propagation::Analytic => target[0] = target[0].clamp(low, high),
            Propagation::Sampling => target.iter_mut().for_each(|psi| *psi = psi.clamp(low, high)),
        }
    }

    fn bound_spread(&self, target: &mut [f32], most: f32) {
        let sd = match self.propagation {
            Propagation::Analytic => target[1],
            Propagation::Sampling => sampled::moments(target).1 as f32,
        };
        if sd > most {
            self.damp(target, most / sd);
        }
    }

    fn damp(&self, target: &mut [f32], share: f32) {
        match self.propagation {
            Propagation::Analytic => target[1] *= share,
            Propagation::Sampling => {
                let mean = target.iter().sum::<f32>() / target.len() as f32;
                target.iter_mut().for_each(|psi| *psi = mean + share * (*psi - mean));
            }
        }
    }

    /// In closed form: mu = r + gamma mu', sigma = min(gamma, sigma_gamma) sigma', where mu' and sigma' are those of the mixture
    /// at the next state, of which a share lambda is the trace's own target.
    fn propagate(&self, backup: &Backup<'_>, stream: &mut Stream, target: &mut [f32]) {
        if self.propagation == Propagation::Sampling {
            return sampled::draw_target(backup, stream, target);
        }
        let (lambda, trace) = backup.trace.unwrap_or((0.0, &[0.0, 0.0]));
        let moments = |parameters: &[f32]| (f64::from(parameters[0]), f64::from(parameters[1]));
        let bootstrap = backup.next.parts().map(|(weight, parameters)| {
            let (mu, sigma) = moments(parameters);
            ((1.0 - lambda) * weight, mu, sigma)
        });
        let (mu, sigma) = moments(trace);
        let (mean, sd) = self.mix(bootstrap.chain(std::iter::once((lambda, mu, sigma))));
        target[0] = (backup.reward + backup.gamma * mean) as f32;
        target[1] = (backup.gamma.min(self.most_discount) * sd) as f32;
    }

    fn loss(&self, outputs: &[f32], target: &[f32], gradient: &mut [f32]) -> Discrepancy {
        let (mu, sigma) = (f64::from(outputs[0]), self.sigma(outputs[1]));
        let ((m, s), kind) = match self.propagation {
            Propagation::Analytic => ((f64::from(target[0]), f64::from(target[1])), self.loss),
            Propagation::Sampling => (sampled::moments(target), LossKind::CrossEntropy),
        };
        let divergence = divergence(kind, (m, s), (mu, sigma));
        gradient[0] = divergence.by_mu as f32;
        gradient[1] = (divergence.by_sigma * self.slope(outputs[1])) as f32;
        Discrepancy { loss: divergence.value, temporal_difference: (mu - m).abs() + (sigma - s).abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::BackupKind;
    use crate::returns::Mixture;

    fn gaussian(sd_rule: SdRule) -> Gaussian {
        Gaussian::new(&Config {
            sd_rule,
            backup: BackupKind::Expected,
            sigma_floor: 0.0,
            ..Config::default()
        })
    }

    #[test]
    fn sigma_starts_near_one_with_the_bias_of_the_chain_experiments() {
        assert!((softplus(0.5) - 0.974_076_984_180_107_2).abs() < 1e-15);
        assert_eq!(softplus(800.0), 800.0);
        assert!(softplus(-800.0) >= 0.0 && softplus(-30.0) > 0.0);
        assert!((sigmoid(0.5) - 0.622_459_331_201_854_6).abs() < 1e-15);
    }

    /// Parts N(1, 3) and N(5, 1) with weights 1/4 and 3/4: mean 4; mean sd 1.5; total variance
    /// 1/4 (9 + 9) + 3/4 (1 + 1) = 6.
    #[test]
    fn the_two_rules_for_the_sd_of_a_mixture_are_those_worked_by_hand() {
        let mut stream = Stream::new(0, "test");
        let next = Mixture { weights: &[0.25, 0.75], parameters: &[1.0, 3.0, 5.0, 1.0] };
        let backup = Backup { reward: 2.0, gamma: 0.5, next, trace: None };
        for (rule, sd) in [(SdRule::Paper, 1.5), (SdRule::Total, 6.0f32.sqrt())] {
            let mut target = [0.0; 2];
            gaussian(rule).propagate(&backup, &mut stream, &mut target);
            assert_eq!(target, [4.0, 0.5 * sd]);
        }
    }

    #[test]
    fn a_trace_is_one_more_part_of_the_mixture() {
        let mut stream = Stream::new(0, "test");
        let next = Mixture { weights: &[1.0], parameters: &[1.0, 3.0] };
        let backup = Backup { reward: 0.0, gamma: 1.0, next, trace: Some((0.75, &[5.0, 1.0])) };
        let mut target = [0.0; 2];
        gaussian(SdRule::Paper).propagate(&backup, &mut stream, &mut target);
        assert_eq!(target, [4.0, 1.5]);
        gaussian(SdRule::Total).propagate(&backup, &mut stream, &mut target);
        assert_eq!(target, [4.0, 6.0f32.sqrt()]);
    }

    #[test]
    fn sigma_may_have_a_discount_of_its_own_and_never_a_larger_one() {
        let next = Mixture { weights: &[1.0], parameters: &[4.0, 2.0] };
        let backup = Backup { reward: 1.0, gamma: 0.5, next, trace: None };
        for (sigma_gamma, sigma) in [(0.25, 0.5), (0.5, 1.0), (1.0, 1.0)] {
            let mut target = [0.0; 2];
            let gaussian = Gaussian::new(&Config { sigma_gamma, ..Config::default() });
            gaussian.propagate(&backup, &mut Stream::new(0, "test"), &mut target);
            assert_eq!(target, [3.0, sigma]);
        }
    }

    /// Targets 1 and 3 in turn, both certain: the squared loss is at its minimum with sigma 0, the
    /// cross-entropy with sigma 1.
    #[test]
    fn what_sigma_means_depends_on_what_it_is_fitted_with() {
        for (loss, unknown) in [(LossKind::Squared, true), (LossKind::CrossEntropy, false)] {
            let model = Gaussian::new(&Config {
                returns: crate::config::ReturnKind::Gaussian,
                loss,
                ..Config::default()
            });
            let both = [model.epistemic(&[2.0, 0.5]), model.aleatoric(&[2.0, 0.5])];
            assert_eq!(both, if unknown { [0.5, 0.0] } else { [0.0, 0.5] });
            let at = |z: f32| -> f64 {
                [1.0, 3.0].iter().map(|&m| model.loss(&[2.0, z], &[m, 0.0], &mut [0.0; 2]).loss).sum()
            };
            // softplus(-5 + 0.5) is nearly 0, softplus(0.0413 + 0.5) is 1.
            assert_eq!(at(-5.0) < at(0.0413), unknown, "{loss:?}");
        }
    }

    #[test]
    fn after_the_end_comes_nothing_but_the_terminal_sigma() {
        let mut parameters = [7.0, 7.0];
        Gaussian::new(&Config { terminal_sigma: 0.125, ..Config::default() }).terminal(&mut parameters);
        assert_eq!(parameters, [0.0, 0.125]);
    }

    #[test]
    fn a_bound_moves_the_mean_and_leaves_sigma() {
        let mut target = [7.0, 3.0];
        gaussian(SdRule::Paper).bound(&mut target, (-1.0, 2.0));
        assert_eq!(target, [2.0, 3.0]);
    }

    #[test]
    fn a_damped_target_keeps_its_mean_and_a_share_of_its_spread() {
        let mut target = [7.0, 3.0];
        gaussian(SdRule::Paper).damp(&mut target, 0.5);
        assert_eq!(target, [7.0, 1.5]);
        let sampled = Config { propagation: Propagation::Sampling, samples: 3, ..Config::default() };
        let mut samples = [1.0, 2.0, 6.0];
        Gaussian::new(&sampled).damp(&mut samples, 0.5);
        assert_eq!(samples, [2.0, 2.5, 4.5], "about their mean, 3");
    }

    #[test]
    fn a_spread_is_bounded_from_above_alone() {
        for (most, sigma) in [(4.0, 3.0), (1.5, 1.5)] {
            let mut target = [7.0, 3.0];
            gaussian(SdRule::Paper).bound_spread(&mut target, most);
            assert_eq!(target, [7.0, sigma]);
        }
    }

    /// Prediction N(1, softplus(0.5)), target N(3, 2): both differences count for the queue.
    #[test]
    fn the_error_that_orders_the_queue_is_that_of_mean_and_sigma() {
        let found = gaussian(SdRule::Paper).loss(&[1.0, 0.0], &[3.0, 2.0], &mut [0.0; 2]);
        assert!((found.temporal_difference - (2.0 + 2.0 - softplus(0.5))).abs() < 1e-12, "{found:?}");
    }
}
