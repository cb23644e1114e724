//! Sampling-based propagation (paper, section 4.1): a target is M samples Psi_m = r + gamma z_m of
//! z_m ~ p(Z | s',a'), and the loss is their negative mean log-likelihood under N(mu, sigma),
//!
//! L = ½ ln(2 pi) + ln sigma + (1/M) sum of (Psi_m - mu)² / (2 sigma²),
//!
//! which is the cross-entropy of N(mu, sigma) under the samples' own mean and variance.

use super::Backup;
use crate::rng::Stream;

/// Draws the samples of a target. Each comes from the trace with probability lambda (it is then the trace's
/// own sample), else from a part of the mixture of Gaussians (mu, sigma), chosen by its weight.
pub(super) fn draw_target(backup: &Backup<'_>, stream: &mut Stream, target: &mut [f32]) {
    for (m, sample) in target.iter_mut().enumerate() {
        let z = match backup.trace {
            Some((lambda, trace)) if stream.uniform() < lambda => f64::from(trace[m]),
            _ => draw(backup, stream),
        };
        *sample = (backup.reward + backup.gamma * z) as f32;
    }
}

/// A draw of the mixture at the next state.
fn draw(backup: &Backup<'_>, stream: &mut Stream) -> f64 {
    let mut left = stream.uniform();
    let mut parts = backup.next.parts();
    let mut part = parts.next();
    for next in parts {
        left -= part.map_or(0.0, |(weight, _)| weight);
        if left < 0.0 {
            break;
        }
        part = Some(next);
    }
    let z = f64::from(stream.normal());
    part.map_or(0.0, |(_, parameters)| f64::from(parameters[0]) + z * f64::from(parameters[1]))
}

/// Mean and standard deviation of the samples of a target.
pub(super) fn moments(target: &[f32]) -> (f64, f64) {
    let count = target.len() as f64;
    let mean = target.iter().map(|&psi| f64::from(psi)).sum::<f64>() / count;
    let variance = target.iter().map(|&psi| (f64::from(psi) - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Propagation};
    use crate::returns::{Gaussian, Mixture, ReturnModel};
    use std::f64::consts::PI;

    fn model(samples: usize) -> Gaussian {
        let propagation = Propagation::Sampling;
        Gaussian::new(&Config {
            propagation,
            samples,
            sigma_floor: 0.0,
            sigma_bias: 0.0,
            ..Config::default()
        })
    }

    #[test]
    fn samples_have_the_moments_of_the_mixture() {
        let next = Mixture { weights: &[0.25, 0.75], parameters: &[1.0, 3.0, 5.0, 1.0] };
        let backup = Backup { reward: 2.0, gamma: 0.5, next, trace: None };
        let mut target = vec![0.0; 100_000];
        model(target.len()).propagate(&backup, &mut Stream::new(0, "test"), &mut target);
        let mean = target.iter().map(|&psi| f64::from(psi)).sum::<f64>() / 1e5;
        let variance = target.iter().map(|&psi| (f64::from(psi) - mean).powi(2)).sum::<f64>() / 1e5;
        // Mean 2 + 0.5 * 4, variance 0.25 * 6; both within five standard errors.
        assert!((mean - 4.0).abs() < 5.0 * (1.5f64 / 1e5).sqrt(), "{mean}");
        assert!((variance - 1.5).abs() < 0.05, "{variance}");
    }

    #[test]
    fn the_gradient_agrees_with_central_differences() {
        let target = [0.3, -1.0, 2.5];
        let at = |mu: f64, z: f64| {
            let sigma = super::super::gaussian::softplus(z);
            let term =
                |psi: f64| 0.5 * (2.0 * PI).ln() + sigma.ln() + (psi - mu).powi(2) / (2.0 * sigma * sigma);
            target.iter().map(|&psi: &f32| term(f64::from(psi))).sum::<f64>() / 3.0
        };
        let (mu, z, step) = (0.75, 0.25, 1e-5);
        let mut gradient = [0.0; 2];
        let error = model(3).loss(&[mu as f32, z as f32], &target, &mut gradient);
        assert!((error.loss - at(mu, z)).abs() < 1e-12);
        let by_mu = (at(mu + step, z) - at(mu - step, z)) / (2.0 * step);
        let by_z = (at(mu, z + step) - at(mu, z - step)) / (2.0 * step);
        assert!((f64::from(gradient[0]) - by_mu).abs() < 1e-6, "{gradient:?} {by_mu}");
        assert!((f64::from(gradient[1]) - by_z).abs() < 1e-6, "{gradient:?} {by_z}");
    }

    #[test]
    fn with_lambda_one_the_samples_are_those_of_the_trace() {
        let next = Mixture { weights: &[1.0], parameters: &[100.0, 1.0] };
        let backup = Backup { reward: 1.0, gamma: 0.5, next, trace: Some((1.0, &[2.0, 4.0])) };
        let mut target = [0.0; 2];
        model(2).propagate(&backup, &mut Stream::new(0, "test"), &mut target);
        assert_eq!(target, [2.0, 3.0]);
    }
}
