use super::atoms::{Support, draw, room_for, shift_up};
use super::{Backup, Discrepancy, ReturnModel};
use crate::config::{Config, SupportKind};
use crate::normal;
use crate::rng::Stream;
use std::sync::atomic::{AtomicU64, Ordering};

/// Probabilities of fixed values, the atoms (C51, Bellemare et al. 2017): the network puts out a logit for
/// each.
///
/// The atoms z_0 to z_{K-1} are evenly spaced. Where they begin and end is given, or follows the returns seen
/// so far; a network then says the same of other values when they move, which they do each time that a return
/// is twice as large as any before, and hence seldom.
pub struct Categorical {
    count: usize,
    learnt: bool,
    /// The first and the last atom, as the bits of two floats: what is seen moves them, and all who look
    /// share them.
    ends: AtomicU64,
    sampled: Option<usize>,
}

/// The cross-entropy of softmax(`logits`) under probabilities: - sum of m_i ln p_i. Writes its gradient p -
/// m.
pub fn cross_entropy(logits: &[f32], masses: &[f32], gradient: &mut [f32]) -> f64 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for (exponential, &logit) in gradient.iter_mut().zip(logits) {
        *exponential = (logit - largest).exp();
        total += f64::from(*exponential);
    }
    let log_total = total.ln();
    let mut loss = 0.0;
    for ((slope, &mass), &logit) in gradient.iter_mut().zip(masses).zip(logits) {
        loss -= f64::from(mass) * (f64::from(logit - largest) - log_total);
        *slope = (f64::from(*slope) / total) as f32 - mass;
    }
    loss
}

/// softmax(x), in place.
pub(super) fn softmax(x: &mut [f32]) {
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for x in x.iter_mut() {
        *x = (*x - largest).exp();
        total += *x;
    }
    x.iter_mut().for_each(|x| *x /= total);
}

impl Categorical {
    /// The atoms that `config` asks for.
    pub fn new(config: &Config) -> Self {
        let model = Categorical {
            count: config.atoms,
            learnt: config.support == SupportKind::Returns,
            ends: AtomicU64::new(0),
            sampled: (config.propagation == crate::config::Propagation::Sampling).then_some(config.samples),
        };
        match config.support {
            SupportKind::Given => model.set_ends(config.value_min as f32, config.value_max as f32),
            SupportKind::Returns => model.set_ends(-1.0, 1.0),
        }
        model
    }

    fn set_ends(&self, low: f32, high: f32) {
        let bits = u64::from(low.to_bits()) << 32 | u64::from(high.to_bits());
        self.ends.store(bits, Ordering::Relaxed);
    }

    /// The first and the last atom.
    pub fn ends(&self) -> (f32, f32) {
        let bits = self.ends.load(Ordering::Relaxed);
        (f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32))
    }

    fn support(&self) -> Support {
        let (low, high) = self.ends();
        let (low, high) = (f64::from(low), f64::from(high));
        Support { low, step: (high - low) / (self.count - 1) as f64, count: self.count }
    }

    fn p<'a>(&self, parameters: &'a [f32]) -> &'a [f32] {
        &parameters[..self.count]
    }

    /// Moves all mass by `away`.
    fn slide(&self, parameters: &mut [f32], away: f64) {
        let cells = away / self.support().step;
        let p = &mut parameters[..self.count];
        // Downwards is upwards seen from the other end.
        if cells < 0.0 {
            p.reverse();
        }
        shift_up(p, cells.abs());
        if cells < 0.0 {
            p.reverse();
        }
    }
}

impl ReturnModel for Categorical {
    fn outputs(&self) -> usize {
        self.count
    }

    fn target_width(&self) -> usize {
        self.count
    }

    fn decode(&self, outputs: &mut [f32]) {
        softmax(&mut outputs[..self.count]);
    }

    fn terminal(&self, parameters: &mut [f32]) {
        let support = self.support();
        parameters[..self.count].fill(0.0);
        support.put(1.0, support.place(0.0), parameters);
    }

    fn mean(&self, parameters: &[f32]) -> f64 {
        let support = self.support();
        let weigh = |(i, &p): (usize, &f32)| f64::from(p) * support.atom(i);
        self.p(parameters).iter().enumerate().map(weigh).sum()
    }

    fn sd(&self, parameters: &[f32]) -> f64 {
        let (support, mean) = (self.support(), self.mean(parameters));
        let weigh = |(i, &p): (usize, &f32)| f64::from(p) * (support.atom(i) - mean).powi(2);
        self.p(parameters).iter().enumerate().map(weigh).sum::<f64>().sqrt()
    }

    /// The first atom at which the probability so far reaches the level.
    fn quantile(&self, parameters: &[f32], share: f64) -> f64 {
        let support = self.support();
        let mut sum = 0.0;
        for (i, &p) in self.p(parameters).iter().enumerate() {
            sum += f64::from(p);
            // Sums of floats that stand for 1/2 may be a little below it.
            if sum >= share - 1e-6 && p > 0.0 {
                return support.atom(i);
            }
        }
        support.atom(self.count - 1)
    }

    fn tail_mean(&self, parameters: &[f32], share: f64) -> f64 {
        let support = self.support();
        let (mut left, mut sum) = (share, 0.0);
        for (i, &p) in self.p(parameters).iter().enumerate() {
            let part = f64::from(p).min(left);
            sum += part * support.atom(i);
            left -= part;
        }
        (sum + left.max(0.0) * support.atom(self.count - 1)) / share
    }

    fn at(&self, parameters: &[f32], z: f64) -> f64 {
        self.quantile(parameters, normal::below(z))
    }

    /// Its atoms end somewhere: there is no room for uncertainty without end.
    fn has_spread(&self) -> bool {
        false
    }

    fn widen(&self, _parameters: &mut [f32], _width: f32) {
        panic!("atoms that end cannot be widened: an agent with local uncertainty is refused them");
    }

    /// A mixture with the certainty of 0.
    fn shrink(&self, parameters: &mut [f32], share: f32) {
        let support = self.support();
        parameters[..self.count].iter_mut().for_each(|p| *p *= share);
        support.put(f64::from(1.0 - share), support.place(0.0), parameters);
    }

    /// Shifts the probabilities along the atoms; what would leave them stays at the end.
    fn shift(&self, parameters: &mut [f32], by: f32) {
        self.slide(parameters, f64::from(by));
    }

    fn recentre(&self, parameters: &mut [f32], other: &[f32]) {
        self.slide(parameters, self.mean(other) - self.mean(parameters));
    }

    fn settle(&self, parameters: &mut [f32], z: f64) {
        self.slide(parameters, self.at(parameters, z) - self.mean(parameters));
    }

    /// None on logits, which have no units: a configuration with a prior is refused.
    fn prior_scales(&self, _config: &Config) -> Vec<f32> {
        vec![0.0; self.count]
    }

    /// The atoms are bounds by themselves.
    fn bound(&self, _target: &mut [f32], _bounds: (f32, f32)) {}

    fn propagate(&self, backup: &Backup<'_>, stream: &mut Stream, target: &mut [f32]) {
        let support = self.support();
        let target = &mut target[..self.count];
        target.fill(0.0);
        let place = |j: usize| support.place(backup.reward + backup.gamma * support.atom(j));
        if let Some(samples) = self.sampled {
            let mass = 1.0 / samples as f64;
            for _ in 0..samples {
                let masses = match backup.trace {
                    Some((lambda, trace)) if stream.uniform() < lambda => trace,
                    _ => backup.next.draw(stream),
                };
                support.put(mass, place(draw(&masses[..self.count], stream)), target);
            }
            return;
        }
        let (lambda, trace) = backup.trace.unwrap_or((0.0, &[]));
        let own = trace.iter().take(self.count).enumerate().filter(|_| lambda > 0.0);
        own.for_each(|(j, &p)| support.put(lambda * f64::from(p), place(j), target));
        for (weight, masses) in backup.next.parts().filter(|_| lambda < 1.0) {
            for (j, &p) in self.p(masses).iter().enumerate().filter(|&(_, &p)| p > 0.0) {
                support.put((1.0 - lambda) * weight * f64::from(p), place(j), target);
            }
        }
    }

    fn loss(&self, outputs: &[f32], target: &[f32], gradient: &mut [f32]) -> Discrepancy {
        let target = &target[..self.count];
        let loss = cross_entropy(self.p(outputs), target, gradient);
        // What a prediction cannot do better than: the target's own entropy. The rest is the divergence.
        let positive = target.iter().map(|&m| f64::from(m)).filter(|&m| m > 0.0);
        let entropy: f64 = positive.map(|m| -m * m.ln()).sum();
        Discrepancy { loss, temporal_difference: (loss - entropy).max(0.0) }
    }

    /// From the power of two below the least to that above the greatest.
    fn see_returns(&self, (low, high): (f32, f32)) {
        if !self.learnt {
            return;
        }
        let (low, high) = (-room_for(-low), room_for(high));
        if low < high {
            self.set_ends(low, high);
        }
    }

    fn learns_from_returns(&self) -> bool {
        self.learnt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ReturnKind;
    use crate::returns::Mixture;

    fn atoms(count: usize, low: f64, high: f64) -> Categorical {
        Categorical::new(&Config {
            returns: ReturnKind::Categorical,
            support: SupportKind::Given,
            atoms: count,
            value_min: low,
            value_max: high,
            ..Config::default()
        })
    }

    /// rlax's golden values: a target made of next logits, and its cross-entropy.
    #[test]
    fn losses_are_those_of_rlax() {
        let model = atoms(3, 0.5, 1.5);
        for (logits, reward, gamma, next, expected) in [
            ([0.0f32, 9.0, 0.0], 0.5, 0.8, [0.0f32, 0.0, 9.0], 8.998_915),
            ([9.0, 0.0, 9.0], 0.0, 1.0, [1.0, 1.0, 1.0], 3.693_208_7),
        ] {
            let (mut next, mut target) = (next, [0.0; 3]);
            model.decode(&mut next);
            let next = Mixture { weights: &[1.0], parameters: &next };
            let backup = Backup { reward, gamma, next, trace: None };
            model.propagate(&backup, &mut Stream::new(0, "test"), &mut target);
            let loss = model.loss(&logits, &target, &mut [0.0; 3]).loss;
            assert!((loss - expected).abs() < 1e-6 * expected, "{loss} instead of {expected}");
        }
    }

    #[test]
    fn no_mass_is_lost_wherever_values_fall() {
        let model = atoms(51, -3.3, 7.7);
        let mut p = vec![0.0; 51];
        for reward in [-100.0, -3.3, -0.1, 0.0, 0.22, 1.0 / 3.0, 7.7, 7.700_000_1, 1e9] {
            (0..51).for_each(|i| p[i] = (i as f32).sin() + 1.5);
            model.decode(&mut p);
            let next = Mixture { weights: &[1.0], parameters: &p };
            let mut target = vec![0.0; 51];
            let backup = Backup { reward, gamma: 0.99, next, trace: None };
            model.propagate(&backup, &mut Stream::new(0, "test"), &mut target);
            let total: f32 = target.iter().sum();
            assert!((total - 1.0).abs() < 1e-5, "{reward}: {total}");
        }
    }

    /// Atoms 0, 1, 2. Parts (1/2, 1/2, 0) and (0, 0, 1) with weights 1/2: (1/4, 1/4, 1/2). With r = 1/2 and
    /// gamma = 1/2 the atoms go to 1/2, 1 and 3/2: masses 1/8; 1/8 + 1/4 + 1/4; 1/4.
    #[test]
    fn parts_and_traces_mix_before_they_are_projected() {
        let model = atoms(3, 0.0, 2.0);
        let next = Mixture { weights: &[0.5, 0.5], parameters: &[0.5, 0.5, 0.0, 0.0, 0.0, 1.0] };
        let mut target = [0.0; 3];
        let backup = Backup { reward: 0.5, gamma: 0.5, next, trace: None };
        model.propagate(&backup, &mut Stream::new(0, "test"), &mut target);
        assert_eq!(target, [0.125, 0.625, 0.25]);
        let next = Mixture { weights: &[1.0], parameters: &[0.5, 0.5, 0.0] };
        let backup = Backup { next, trace: Some((0.5, &[0.0, 0.0, 1.0])), ..backup };
        model.propagate(&backup, &mut Stream::new(0, "test"), &mut target);
        assert_eq!(target, [0.125, 0.625, 0.25]);
    }

    #[test]
    fn samples_come_near_the_projection() {
        let config = Config {
            returns: ReturnKind::Categorical,
            support: SupportKind::Given,
            propagation: crate::config::Propagation::Sampling,
            samples: 100_000,
            atoms: 3,
            value_min: 0.0,
            value_max: 2.0,
            ..Config::default()
        };
        let next = Mixture { weights: &[0.5, 0.5], parameters: &[0.5, 0.5, 0.0, 0.0, 0.0, 1.0] };
        let mut target = [0.0; 3];
        let backup = Backup { reward: 0.5, gamma: 0.5, next, trace: None };
        Categorical::new(&config).propagate(&backup, &mut Stream::new(0, "test"), &mut target);
        let close = |(a, b): (&f32, f32)| (a - b).abs() < 0.01;
        assert!(target.iter().zip([0.125, 0.625, 0.25]).all(close), "{target:?}");
    }

    #[test]
    fn moments_levels_tails_and_moves_are_those_worked_by_hand() {
        let model = atoms(5, -2.0, 2.0);
        let p = [0.0, 0.25, 0.0, 0.75, 0.0];
        assert_eq!((model.mean(&p), model.sd(&p)), (0.5, 0.75f64.sqrt()));
        assert_eq!([0.2, 0.25, 0.3, 1.0].map(|share| model.quantile(&p, share)), [-1.0, -1.0, 1.0, 1.0]);
        assert_eq!([0.25, 0.5, 1.0].map(|share| model.tail_mean(&p, share)), [-1.0, 0.0, 0.5]);
        let mut shrunk = p;
        model.shrink(&mut shrunk, 0.5);
        assert_eq!((shrunk, model.mean(&shrunk)), ([0.0, 0.125, 0.5, 0.375, 0.0], 0.25));
        let mut moved = p;
        model.recentre(&mut moved, &[0.0, 0.0, 0.0, 1.0, 0.0]); // by half a cell
        assert_eq!(moved, [0.0, 0.125, 0.125, 0.375, 0.375]);
        model.recentre(&mut moved, &[0.0, 0.0, 1.0, 0.0, 0.0]); // by a cell down
        assert_eq!(moved, [0.125, 0.125, 0.375, 0.375, 0.0]);
    }

    #[test]
    fn atoms_make_room_when_a_return_is_beyond_them() {
        let config =
            Config { returns: ReturnKind::Categorical, support: SupportKind::Returns, ..Config::default() };
        let model = Categorical::new(&config);
        assert_eq!(model.ends(), (-1.0, 1.0));
        for (seen, ends) in [((0.0, 0.0), (-1.0, 1.0)), ((0.0, 3.0), (0.0, 4.0)), ((-0.3, 4.0), (-0.5, 4.0))]
        {
            model.see_returns(seen);
            assert_eq!(model.ends(), ends);
        }
    }
}
