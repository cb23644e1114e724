//! Every loss on every kind of network: the engine's gradient of the mean loss of a batch against central
//! finite differences of a network and a loss in double precision.

mod common;

use common::{Batch, Reference, dense_rows, relative_error};
use duvn::Config;
use duvn::config::{KnobValue, LossKind, Propagation, ReturnKind, SigmaLink};
use duvn::net::{Backend, Extent, Init, Input, Isa, MaskRng, Masks, Network, Part, Shape};
use duvn::returns::{ReturnModel, return_model};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::f64::consts::PI;

const ROWS: usize = 9;

/// What a return model is trained with.
#[derive(Clone, Copy, Debug)]
enum Loss {
    Mean,
    Analytic(LossKind),
    /// The squared loss, with sigma = |z + b|.
    Abs,
    Sampling,
    Categorical,
    /// With Huber's kappa; 0 has corners, at which there is no gradient, and hence targets far from
    /// predictions.
    Quantile(f64),
    Mixture,
    MixtureSampling,
    /// Quantiles with an uncertainty beside them.
    Apart,
}

impl Loss {
    fn all() -> Vec<Loss> {
        // By their written names, so that a new loss is tested as soon as it can be chosen.
        let names = LossKind::expects();
        let kinds = names.split('|').map(|name| LossKind::parse(name).expect("one of its own names"));
        let quantiles = [0.0, 0.1, 1.0].map(Loss::Quantile);
        let others = [
            Loss::Mean,
            Loss::Sampling,
            Loss::Abs,
            Loss::Categorical,
            Loss::Mixture,
            Loss::MixtureSampling,
            Loss::Apart,
        ];
        others.into_iter().chain(quantiles).chain(kinds.map(Loss::Analytic)).collect()
    }

    fn config(self) -> Config {
        // A floor and a bias that are seen in the sum, should they be forgotten.
        let gaussian = Config {
            returns: ReturnKind::Gaussian,
            sigma_bias: 0.5,
            sigma_floor: 0.05,
            samples: 5,
            ..Config::default()
        };
        match self {
            Loss::Mean => Config::default(),
            Loss::Analytic(loss) => Config { loss, ..gaussian },
            Loss::Abs => Config { sigma_link: SigmaLink::Abs, ..gaussian },
            Loss::Sampling => Config { propagation: Propagation::Sampling, ..gaussian },
            Loss::Categorical => Config { returns: ReturnKind::Categorical, atoms: 7, ..gaussian },
            Loss::Quantile(kappa) => {
                Config { returns: ReturnKind::Quantile, quantiles: 5, kappa, ..gaussian }
            }
            Loss::Mixture => Config { returns: ReturnKind::Mixture, components: 3, ..gaussian },
            Loss::MixtureSampling => {
                let propagation = Propagation::Sampling;
                Config { returns: ReturnKind::Mixture, components: 3, propagation, ..gaussian }
            }
            Loss::Apart => Config { returns: ReturnKind::Quantile, quantiles: 5, apart: true, ..gaussian },
        }
    }

    /// The loss of one row, from its definition.
    fn of(self, config: &Config, outputs: &[f64], target: &[f64]) -> f64 {
        let mu = outputs[0];
        match self {
            Loss::Mean => return (mu - target[0]).powi(2),
            Loss::Categorical => return categorical(outputs, target),
            Loss::Quantile(kappa) => return quantile(kappa, outputs, target),
            Loss::Mixture | Loss::MixtureSampling => return mixture(config, outputs, target),
            Loss::Apart => {
                let e = config.sigma_floor + (outputs[5] + config.sigma_bias).exp().ln_1p();
                return quantile(config.kappa, &outputs[..5], &target[..5]) + (e - target[5]).powi(2);
            }
            _ => {}
        }
        let x = outputs[1] + config.sigma_bias;
        let sigma = config.sigma_floor + if let Loss::Abs = self { x.max(-x) } else { x.exp().ln_1p() };
        match self {
            Loss::Sampling => {
                let likelihood = |&psi: &f64| -0.5 * ((psi - mu) / sigma).powi(2) - sigma.ln();
                0.5 * (2.0 * PI).ln() - target.iter().map(likelihood).sum::<f64>() / target.len() as f64
            }
            Loss::Analytic(kind) => distance(kind, (target[0], target[1]), (mu, sigma)),
            Loss::Abs => distance(LossKind::Squared, (target[0], target[1]), (mu, sigma)),
            _ => unreachable!("returned above"),
        }
    }
}

/// - sum of m ln softmax.
fn categorical(logits: &[f64], masses: &[f64]) -> f64 {
    let total: f64 = logits.iter().map(|logit| logit.exp()).sum();
    logits.iter().zip(masses).map(|(logit, mass)| -mass * (logit.exp() / total).ln()).sum()
}

fn quantile(kappa: f64, theta: &[f64], psi: &[f64]) -> f64 {
    let huber = |u: f64| match u.abs() {
        size if size <= kappa => 0.5 * u * u,
        size if kappa > 0.0 => kappa * (size - 0.5 * kappa),
        size => size,
    };
    let count = theta.len() as f64;
    let of = |(i, theta): (usize, &f64)| {
        let tau = (i as f64 + 0.5) / count;
        psi.iter()
            .map(|psi| {
                let u = psi - theta;
                if u < 0.0 { (1.0 - tau) * huber(u) } else { tau * huber(u) }
            })
            .sum::<f64>()
            / psi.len() as f64
    };
    theta.iter().enumerate().map(of).sum()
}

/// The integral of the log of the mixture's density over the target: by its samples, or with the mean
/// log-density of each pair of components.
fn mixture(config: &Config, outputs: &[f64], target: &[f64]) -> f64 {
    let (logits, rest) = outputs.split_at(3);
    let total: f64 = logits.iter().map(|logit| logit.exp()).sum();
    let targets: Vec<(f64, f64, f64)> = match config.propagation {
        Propagation::Sampling => target.iter().map(|&psi| (1.0 / target.len() as f64, psi, 0.0)).collect(),
        _ => (0..3).map(|j| (target[j], target[3 + j], target[6 + j])).collect(),
    };
    let of = |(omega, m, s): (f64, f64, f64)| {
        let part = |k: usize| {
            let mu = rest[k] + [-1.0, 0.0, 1.0][k] * config.component_spread;
            let sigma = config.sigma_floor + (rest[3 + k] + config.sigma_bias).exp().ln_1p();
            let cross =
                0.5 * (2.0 * PI).ln() + sigma.ln() + ((mu - m).powi(2) + s * s) / (2.0 * sigma * sigma);
            logits[k].exp() / total * (-cross).exp()
        };
        -omega * (0..3).map(part).sum::<f64>().ln()
    };
    targets.into_iter().map(of).sum()
}

/// The distance from N(m, s) to N(mu, sigma), each written another way than the crate writes it.
fn distance(kind: LossKind, (m, s): (f64, f64), (mu, sigma): (f64, f64)) -> f64 {
    // Entropy of N(m, s), and what its points cost on average under N(mu, sigma).
    let entropy = 0.5 * (2.0 * PI * s * s).ln() + 0.5;
    let cross = 0.5 * (2.0 * PI).ln() + sigma.ln() + ((mu - m).powi(2) + s * s) / (2.0 * sigma * sigma);
    // The integral of sqrt(p q).
    let (p, q) = (1.0 / (s * s), 1.0 / (sigma * sigma));
    let affinity =
        (2.0 * (p * q).sqrt() / (p + q)).sqrt() * (-0.25 * p * q / (p + q) * (mu - m).powi(2)).exp();
    let squared = (mu - m).powi(2) + (sigma - s).powi(2);
    match kind {
        LossKind::Squared => squared,
        LossKind::Wasserstein => squared.sqrt(),
        LossKind::CrossEntropy => cross,
        LossKind::Kl => cross - entropy,
        LossKind::Bhattacharyya => -affinity.ln(),
        LossKind::Hellinger => 1.0 - affinity,
        LossKind::Variance => (mu - m).powi(2) + ((sigma - s) * (sigma + s)).powi(2),
        other => panic!("write down what {other:?} is"),
    }
}

fn shapes(outputs: usize) -> Vec<Shape> {
    let inputs = [Input::OneHot(6), Input::Dense(4)];
    let layers = [(vec![], vec![14, 11]), (vec![13], vec![10])];
    let pairs = inputs.iter().flat_map(|input| layers.iter().map(move |layers| (*input, layers.clone())));
    pairs
        .map(|(input, (trunk, head))| Shape { input, trunk, head, actions: 3, outputs, layer_norm: false })
        .collect()
}

/// A network with biases other than zero, so that rows of one input differ and ReLU has both of its sides.
fn network(shape: &Shape) -> Network {
    let mut network =
        Network::new(shape.clone(), Init::He, &mut ChaCha8Rng::seed_from_u64(7)).expect("a shape");
    let mut tensors = network.tensors(Part::Online);
    for (t, tensor) in tensors.iter_mut().enumerate().filter(|(_, tensor)| tensor.name.ends_with("bias")) {
        for (i, bias) in tensor.data.iter_mut().enumerate() {
            *bias = 0.2 * ((t * 29 + i * 5) as f32).cos();
        }
    }
    network.load(Part::Online, &tensors).expect("its own tensors");
    network
}

/// Targets within reach of the predictions but not at them, sigmas between 0.3 and 0.9.
fn targets(loss: Loss, width: usize) -> Vec<f32> {
    let target = |row: usize, i: usize| match (loss, i) {
        (Loss::Categorical, _) => [0.3, 0.1, 0.0, 0.05, 0.25, 0.2, 0.1][(row + i) % width],
        (Loss::Mixture, 0..3) => [0.2, 0.5, 0.3][(row + i) % 3],
        // Where all is as its size the gradient jumps at a prediction: targets on either side, away from all.
        (Loss::Quantile(0.0), _) => {
            if (row + i).is_multiple_of(2) {
                9.0
            } else {
                -9.0
            }
        }
        (Loss::Analytic(_) | Loss::Abs, 1) | (Loss::Mixture, 6..) | (Loss::Apart, 5) => {
            0.6 + 0.3 * (row as f32 * 2.3).sin()
        }
        _ => 0.8 * ((row * width + i) as f32 * 1.9).sin() + 0.2,
    };
    (0..ROWS).flat_map(|row| (0..width).map(move |i| target(row, i))).collect()
}

/// The mean loss of the batch, in double precision.
struct Exact<'a> {
    loss: Loss,
    config: &'a Config,
    rows: Vec<Vec<f64>>,
    actions: &'a [u8],
    masks: Option<&'a Masks>,
    targets: Vec<Vec<f64>>,
}

impl Exact<'_> {
    fn at(&self, reference: &Reference) -> f64 {
        let outputs = reference.taken(&self.rows, self.actions, self.masks);
        let rows = outputs.chunks(outputs.len() / ROWS).zip(&self.targets);
        rows.map(|(outputs, target)| self.loss.of(self.config, outputs, target)).sum::<f64>() / ROWS as f64
    }

    /// Central differences by every parameter, in canonical order.
    fn gradient(&self, mut reference: Reference) -> Vec<f64> {
        let step = 1e-5;
        let mut gradient = Vec::new();
        for tensor in 0..reference.tensors.len() {
            for i in 0..reference.tensors[tensor].2.len() {
                let x = reference.tensors[tensor].2[i];
                let mut at = |x| {
                    reference.tensors[tensor].2[i] = x;
                    self.at(&reference)
                };
                gradient.push((at(x + step) - at(x - step)) / (2.0 * step));
                at(x);
            }
        }
        gradient
    }
}

/// The engine's gradient of the mean loss, as training takes it.
fn engine_gradient(
    network: &mut Network,
    model: &dyn ReturnModel,
    batch: &Batch,
    masks: Option<&Masks>,
    targets: &[f32],
) -> Vec<f64> {
    let shape = network.shape().clone();
    let width = model.target_width();
    let tensors = network.gradient(batch.rows(&shape), &batch.actions, masks, &mut |outputs, gradient| {
        let rows = outputs.chunks(shape.outputs).zip(gradient.chunks_mut(shape.outputs));
        for ((outputs, gradient), target) in rows.zip(targets.chunks(width)) {
            model.loss(outputs, target, gradient);
            gradient.iter_mut().for_each(|slope| *slope /= ROWS as f32);
        }
    });
    common::flat(&tensors)
}

#[test]
fn every_loss_on_every_network_agrees_with_central_differences() {
    for loss in Loss::all() {
        let config = loss.config();
        let model = return_model(&config);
        let targets = targets(loss, model.target_width());
        for shape in shapes(model.outputs()) {
            let batch = Batch::new(&shape, ROWS, 4);
            let mut dropout = Masks::new();
            dropout.draw(&shape, Extent::TakenAction, ROWS, 0.75, &mut MaskRng::new(3));
            for masks in [None, Some(&dropout)] {
                let mut network = network(&shape);
                let exact = Exact {
                    loss,
                    config: &config,
                    rows: dense_rows(&shape, batch.rows(&shape)),
                    actions: &batch.actions,
                    masks,
                    targets: targets
                        .chunks(model.target_width())
                        .map(|target| target.iter().map(|&number| f64::from(number)).collect())
                        .collect(),
                };
                let expected = exact.gradient(Reference::of(&network));
                for isa in Isa::available() {
                    network.set_isa(isa).expect("an available instruction set");
                    let gradient = engine_gradient(&mut network, &*model, &batch, masks, &targets);
                    let error = relative_error(gradient, &expected);
                    let dropped = if masks.is_some() { "dropout" } else { "no dropout" };
                    assert!(error < 1e-5, "{loss:?}, {shape:?}, {dropped}, {isa}: {error}");
                }
            }
        }
    }
}
