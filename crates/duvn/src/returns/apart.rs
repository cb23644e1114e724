use super::gaussian::{sigmoid, softplus};
use super::{Backup, Discrepancy, ReturnModel};
use crate::config::Config;
use crate::rng::Stream;
use std::sync::Arc;

/// Another return model with one output more: e, what more data would remove, apart from the spread that the
/// return itself has.
///
/// Local uncertainty goes into e alone, and e goes through the Bellman equation as in O'Donoghue et al.
/// (2017): e(s,a)² = u(s,a)² + e_net(s,a)², with e_net(s,a) trained towards gamma e(s',a'). What the other
/// model says of the return stays free of it. So there are two numbers for two questions: how unsure are we
/// of the mean, and how much does the return vary whatever we learn.
pub struct Apart {
    inner: Arc<dyn ReturnModel>,
    bias: f64,
    floor: f64,
    terminal: f32,
    most_discount: f64,
}

impl Apart {
    /// `inner` with an uncertainty beside it, with sigma's bias and floor.
    pub fn new(inner: Arc<dyn ReturnModel>, config: &Config) -> Self {
        Apart {
            inner,
            bias: config.sigma_bias,
            floor: config.sigma_floor,
            terminal: config.terminal_sigma as f32,
            most_discount: config.sigma_gamma,
        }
    }

    fn at_e(&self) -> usize {
        self.inner.outputs()
    }

    fn e(&self, z: f32) -> f64 {
        self.floor + softplus(f64::from(z) + self.bias)
    }
}

impl ReturnModel for Apart {
    fn outputs(&self) -> usize {
        self.inner.outputs() + 1
    }

    fn target_width(&self) -> usize {
        self.inner.target_width() + 1
    }

    fn decode(&self, outputs: &mut [f32]) {
        let (inner, e) = outputs.split_at_mut(self.at_e());
        self.inner.decode(inner);
        e[0] = self.e(e[0]) as f32;
    }

    fn terminal(&self, parameters: &mut [f32]) {
        let (inner, e) = parameters.split_at_mut(self.at_e());
        self.inner.terminal(inner);
        e[0] = self.terminal;
    }

    fn mean(&self, parameters: &[f32]) -> f64 {
        self.inner.mean(parameters)
    }

    fn sd(&self, parameters: &[f32]) -> f64 {
        self.epistemic(parameters).hypot(self.aleatoric(parameters))
    }

    fn epistemic(&self, parameters: &[f32]) -> f64 {
        f64::from(parameters[self.at_e()])
    }

    /// Beside e, all that the other model says is the return's own.
    fn aleatoric(&self, parameters: &[f32]) -> f64 {
        self.inner.sd(parameters)
    }

    fn levels(&self) -> usize {
        self.inner.levels()
    }

    fn quantile(&self, parameters: &[f32], share: f64) -> f64 {
        self.inner.quantile(parameters, share)
    }

    fn tail_mean(&self, parameters: &[f32], share: f64) -> f64 {
        self.inner.tail_mean(parameters, share)
    }

    /// The return's own value at z, moved by z (sqrt(a² + e²) - a): a being its spread. Where either of the
    /// two is 0 that is what is left of the other.
    fn at(&self, parameters: &[f32], z: f64) -> f64 {
        let (a, e) = (self.aleatoric(parameters), self.epistemic(parameters));
        self.inner.at(parameters, z) + z * (a.hypot(e) - a)
    }

    fn own_at(&self, parameters: &[f32], z: f64) -> f64 {
        self.inner.at(parameters, z)
    }

    fn has_spread(&self) -> bool {
        true
    }

    fn widen(&self, parameters: &mut [f32], width: f32) {
        let e = &mut parameters[self.at_e()];
        *e = (*e * *e + width * width).sqrt();
    }

    fn shrink(&self, parameters: &mut [f32], share: f32) {
        self.inner.shrink(parameters, share);
    }

    fn shift(&self, parameters: &mut [f32], by: f32) {
        let width = self.at_e();
        self.inner.shift(&mut parameters[..width], by);
    }

    /// The whole return is that of `other`; the uncertainty stays.
    fn recentre(&self, parameters: &mut [f32], other: &[f32]) {
        let width = self.at_e();
        parameters[..width].copy_from_slice(&other[..width]);
    }

    /// The return's own value; what is not known of it stays apart.
    fn settle(&self, parameters: &mut [f32], z: f64) {
        let width = self.at_e();
        self.inner.settle(&mut parameters[..width], z);
    }

    fn prior_scales(&self, config: &Config) -> Vec<f32> {
        let mut scales = self.inner.prior_scales(config);
        scales.push(0.0);
        scales
    }

    fn bound(&self, target: &mut [f32], bounds: (f32, f32)) {
        let width = self.inner.target_width();
        self.inner.bound(&mut target[..width], bounds);
    }

    /// Of what is not known; the return's own spread is no one's wish.
    fn bound_spread(&self, target: &mut [f32], most: f32) {
        let e = &mut target[self.inner.target_width()];
        *e = e.min(most);
    }

    fn damp(&self, target: &mut [f32], share: f32) {
        target[self.inner.target_width()] *= share;
    }

    fn propagate(&self, backup: &Backup<'_>, stream: &mut Stream, target: &mut [f32]) {
        let (inner, e) = target.split_at_mut(self.inner.target_width());
        self.inner.propagate(backup, stream, inner);
        let (lambda, trace) = match backup.trace {
            Some((lambda, trace)) => (lambda, f64::from(trace[inner.len()])),
            None => (0.0, 0.0),
        };
        let parts = backup.next.parts();
        let next: f64 = parts.map(|(weight, parameters)| weight * self.epistemic(parameters)).sum();
        let discount = backup.gamma.min(self.most_discount);
        e[0] = (discount * ((1.0 - lambda) * next + lambda * trace)) as f32;
    }

    fn loss(&self, outputs: &[f32], target: &[f32], gradient: &mut [f32]) -> Discrepancy {
        let (at, aim) = (self.at_e(), f64::from(target[self.inner.target_width()]));
        let found = self.inner.loss(&outputs[..at], &target[..target.len() - 1], &mut gradient[..at]);
        let away = self.e(outputs[at]) - aim;
        gradient[at] = (2.0 * away * sigmoid(f64::from(outputs[at]) + self.bias)) as f32;
        Discrepancy {
            loss: found.loss + away * away,
            temporal_difference: found.temporal_difference + away.abs(),
        }
    }

    fn see_returns(&self, bounds: (f32, f32)) {
        self.inner.see_returns(bounds);
    }

    fn learns_from_returns(&self) -> bool {
        self.inner.learns_from_returns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ReturnKind;
    use crate::returns::{Mixture, return_model};

    fn model(returns: ReturnKind) -> Arc<dyn ReturnModel> {
        return_model(&Config {
            returns,
            apart: true,
            quantiles: 2,
            sigma_bias: 0.0,
            sigma_floor: 0.0,
            ..Config::default()
        })
    }

    #[test]
    fn local_uncertainty_goes_into_one_of_the_two_alone() {
        let model = model(ReturnKind::Quantile);
        let mut p = [1.0, 7.0, 3.0];
        model.widen(&mut p, 4.0);
        assert_eq!(p, [1.0, 7.0, 5.0]);
        assert_eq!((model.mean(&p), model.aleatoric(&p), model.epistemic(&p)), (4.0, 3.0, 5.0));
        assert!((model.sd(&p) - 34f64.sqrt()).abs() < 1e-12);
        model.shrink(&mut p, 0.5);
        assert_eq!(p, [-1.0, 5.0, 5.0]);
        model.recentre(&mut p, &[2.0, 3.0, 9.0]);
        assert_eq!(p, [2.0, 3.0, 5.0]);
    }

    #[test]
    fn each_goes_through_the_bellman_equation_by_itself() {
        let model = model(ReturnKind::Quantile);
        let next = Mixture { weights: &[0.5, 0.5], parameters: &[1.0, 7.0, 3.0, 2.0, 4.0, 1.0] };
        let backup = Backup { reward: 1.0, gamma: 0.5, next, trace: None };
        let mut target = [0.0; 3];
        model.propagate(&backup, &mut Stream::new(0, "test"), &mut target);
        // Places 1/4 and 3/4: the middle of the first part and of the second; e: the mean of 3 and 1.
        assert_eq!(target, [4.5, 3.0, 1.0]);
    }

    #[test]
    fn where_one_is_zero_an_index_leads_to_the_other() {
        let model = model(ReturnKind::Mean);
        assert_eq!(model.outputs(), 2);
        assert_eq!(model.at(&[3.0, 2.0], 1.5), 6.0);
        let quantile = super::tests::model(ReturnKind::Quantile);
        assert_eq!(quantile.at(&[1.0, 7.0, 0.0], 0.0), 4.0);
    }
}
