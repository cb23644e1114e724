//! Distances between a target Gaussian and a predicted one (paper, Eq. 7 and App. A.2).

use crate::config::LossKind;
use std::f64::consts::PI;

/// A distance and its gradient with respect to the prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    /// The distance.
    pub value: f64,
    /// Its derivative by the predicted mean.
    pub by_mu: f64,
    /// Its derivative by the predicted standard deviation.
    pub by_sigma: f64,
}

impl LossKind {
    /// Whether the loss is defined for a target that is a point (sigma 0).
    pub fn takes_zero_sigma(self) -> bool {
        !matches!(self, LossKind::Kl | LossKind::Bhattacharyya)
    }
}

/// The distance `kind` from the target N(m, s) to the prediction N(mu, sigma).
///
/// With d = mu - m and v = sigma² + s²:
///
/// | kind | distance |
/// | --- | --- |
/// | squared | d² + (sigma - s)² |
/// | kl | ln(sigma / s) + (s² + d²) / (2 sigma²) - 1/2 |
/// | cross-entropy | ½ ln(2 pi sigma²) + (s² + d²) / (2 sigma²) |
/// | bhattacharyya | d² / (4 v) + ½ ln(v / (2 sigma s)) |
/// | hellinger | 1 - sqrt(2 sigma s / v) exp(-d² / (4 v)) |
/// | wasserstein | sqrt(d² + (sigma - s)²) |
/// | variance | d² + (sigma² - s²)² |
pub fn divergence(kind: LossKind, (m, s): (f64, f64), (mu, sigma): (f64, f64)) -> Divergence {
    let d = mu - m;
    let v = sigma * sigma + s * s;
    match kind {
        LossKind::Squared => Divergence {
            value: d * d + (sigma - s) * (sigma - s),
            by_mu: 2.0 * d,
            by_sigma: 2.0 * (sigma - s),
        },
        LossKind::Kl | LossKind::CrossEntropy => {
            let spread = (s * s + d * d) / (sigma * sigma);
            let offset = match kind {
                LossKind::Kl => (sigma / s).ln() - 0.5,
                _ => 0.5 * (2.0 * PI).ln() + sigma.ln(),
            };
            Divergence {
                value: offset + 0.5 * spread,
                by_mu: d / (sigma * sigma),
                by_sigma: (1.0 - spread) / sigma,
            }
        }
        LossKind::Bhattacharyya => Divergence {
            value: d * d / (4.0 * v) + 0.5 * (v / (2.0 * sigma * s)).ln(),
            by_mu: d / (2.0 * v),
            by_sigma: -d * d * sigma / (2.0 * v * v) + sigma / v - 0.5 / sigma,
        },
        LossKind::Hellinger => {
            let affinity = (2.0 * sigma * s / v).sqrt() * (-d * d / (4.0 * v)).exp();
            Divergence {
                value: 1.0 - affinity,
                by_mu: affinity * d / (2.0 * v),
                by_sigma: -affinity * (0.5 / sigma - sigma / v + d * d * sigma / (2.0 * v * v)),
            }
        }
        LossKind::Wasserstein => {
            let distance = d.hypot(sigma - s);
            // At distance zero every slope up to one is a subgradient: zero stays where it is.
            let slope = if distance > 0.0 { 1.0 / distance } else { 0.0 };
            Divergence { value: distance, by_mu: d * slope, by_sigma: (sigma - s) * slope }
        }
        LossKind::Variance => {
            let excess = sigma * sigma - s * s;
            Divergence { value: d * d + excess * excess, by_mu: 2.0 * d, by_sigma: 4.0 * sigma * excess }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [LossKind; 7] = [
        LossKind::Squared,
        LossKind::Kl,
        LossKind::CrossEntropy,
        LossKind::Bhattacharyya,
        LossKind::Hellinger,
        LossKind::Wasserstein,
        LossKind::Variance,
    ];

    /// Target N(1, 2), prediction N(3, 1): d = 2, v = 5, worked by hand.
    #[test]
    fn values_are_those_worked_by_hand() {
        let expected = [
            4.0 + 1.0,
            0.5f64.ln() + (4.0 + 4.0) / 2.0 - 0.5,
            0.918_938_533_204_672_7 + 4.0,
            0.2 + 0.5 * 1.25f64.ln(),
            1.0 - 0.8f64.sqrt() * (-0.2f64).exp(),
            5.0f64.sqrt(),
            4.0 + 9.0,
        ];
        for (kind, expected) in KINDS.into_iter().zip(expected) {
            let value = divergence(kind, (1.0, 2.0), (3.0, 1.0)).value;
            assert!((value - expected).abs() < 1e-14, "{kind:?}: {value} instead of {expected}");
        }
    }

    #[test]
    fn gradients_agree_with_central_differences() {
        let step = 1e-6;
        for kind in KINDS {
            for target in [(1.0, 2.0), (-0.3, 0.05), (0.0, 1.0)] {
                for (mu, sigma) in [(3.0, 1.0), (0.1, 0.7), (-2.0, 0.2)] {
                    let at = |mu, sigma| divergence(kind, target, (mu, sigma)).value;
                    let by_mu = (at(mu + step, sigma) - at(mu - step, sigma)) / (2.0 * step);
                    let by_sigma = (at(mu, sigma + step) - at(mu, sigma - step)) / (2.0 * step);
                    let gradient = divergence(kind, target, (mu, sigma));
                    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1e-3);
                    assert!(close(gradient.by_mu, by_mu), "{kind:?} {target:?}: {gradient:?}, {by_mu}");
                    assert!(
                        close(gradient.by_sigma, by_sigma),
                        "{kind:?} {target:?}: {gradient:?}, {by_sigma}"
                    );
                }
            }
        }
    }

    #[test]
    fn equal_distributions_are_at_the_minimum() {
        for kind in KINDS {
            let at_target = divergence(kind, (0.4, 0.6), (0.4, 0.6));
            assert!(at_target.by_mu.abs() < 1e-12 && at_target.by_sigma.abs() < 1e-12, "{kind:?}");
            if kind != LossKind::CrossEntropy {
                assert!(at_target.value.abs() < 1e-12, "{kind:?}");
            }
        }
    }
}
