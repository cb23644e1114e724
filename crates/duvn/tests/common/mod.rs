//! A network in double precision, written with plain loops, to compare the engine with.
#![allow(dead_code)]

use duvn::net::{Activation, Backend, HiddenAt, Input, Masks, Network, Part, Rows, Shape, Tensor};

/// Parameters by layer, with the shape they belong to.
#[derive(Clone)]
pub struct Reference {
    pub shape: Shape,
    pub activation: Activation,
    /// The canonical tensors, widened.
    pub tensors: Vec<(String, Vec<usize>, Vec<f64>)>,
}

/// A batch of observations as vectors.
pub fn dense_rows(shape: &Shape, rows: Rows<'_>) -> Vec<Vec<f64>> {
    match (rows, shape.input) {
        (Rows::Index(indices), Input::OneHot(len)) => indices
            .iter()
            .map(|&index| (0..len).map(|i| f64::from(u8::from(i == index as usize))).collect())
            .collect(),
        (Rows::Dense(data), Input::Dense(len)) => {
            data.chunks(len).map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect()
        }
        _ => panic!("rows of the wrong kind"),
    }
}

impl Reference {
    pub fn of(network: &Network) -> Self {
        let widen = |t: Tensor| (t.name, t.shape, t.data.into_iter().map(f64::from).collect());
        Reference {
            shape: network.shape().clone(),
            activation: Activation::Relu,
            tensors: network.tensors(Part::Online).into_iter().map(widen).collect(),
        }
    }

    /// Tensors of a hidden layer: weights, biases and, with LayerNorm, gains.
    fn hidden_tensors(&self) -> usize {
        2 + usize::from(self.shape.layer_norm)
    }

    /// x W, where `layer` is the place of the weights among the tensors.
    fn product(&self, layer: usize, x: &[f64]) -> Vec<f64> {
        let (weights, units) = (&self.tensors[layer].2, self.tensors[layer + 1].2.len());
        let mut y = vec![0.0; units];
        for (&x, weights) in x.iter().zip(weights.chunks(units)) {
            if x != 0.0 {
                y.iter_mut().zip(weights).for_each(|(y, w)| *y += x * w);
            }
        }
        y
    }

    fn linear(&self, layer: usize, x: &[f64]) -> Vec<f64> {
        let product = self.product(layer, x);
        product.into_iter().zip(&self.tensors[layer + 1].2).map(|(y, bias)| y + bias).collect()
    }

    /// g (x - mean x) / √(var x + 1e-5) + b, x = W h.
    fn normalised(&self, layer: usize, h: &[f64]) -> Vec<f64> {
        let x = self.product(layer, h);
        let units = x.len() as f64;
        let mean = x.iter().sum::<f64>() / units;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / units;
        let affine = self.tensors[layer + 2].2.iter().zip(&self.tensors[layer + 1].2);
        x.into_iter().zip(affine).map(|(x, (g, b))| g * (x - mean) / (variance + 1e-5).sqrt() + b).collect()
    }

    fn hidden(&self, layer: usize, x: &[f64], mask: impl Fn(usize) -> Option<f64>) -> Vec<f64> {
        let y = if self.shape.layer_norm { self.normalised(layer, x) } else { self.linear(layer, x) };
        let bend = |y: f64| match self.activation {
            Activation::Relu => y.max(0.0),
            Activation::Elu if y > 0.0 => y,
            Activation::Elu => y.exp() - 1.0,
            Activation::Tanh => y.tanh(),
            other => panic!("what {other:?} does has to be written here too"),
        };
        y.into_iter().enumerate().map(|(u, y)| bend(y) * mask(u).unwrap_or(1.0)).collect()
    }

    /// The outputs of `action` for observation `x`, which is row `row` of the masks.
    pub fn forward(&self, x: &[f64], action: usize, row: usize, masks: Option<&Masks>) -> Vec<f64> {
        let mask = |at: HiddenAt, unit: usize| {
            let masks = masks?;
            let kept = masks.kept(&self.shape, row, at, unit).expect("a mask for every unit");
            Some(if kept { f64::from(masks.scale()) } else { 0.0 })
        };
        let mut x = x.to_vec();
        let step = self.hidden_tensors();
        for layer in 0..self.shape.trunk.len() {
            x = self.hidden(step * layer, &x, |u| mask(HiddenAt::Trunk(layer), u));
        }
        let head = step * self.shape.trunk.len() + action * (step * self.shape.head.len() + 2);
        for layer in 0..self.shape.head.len() {
            x = self.hidden(head + step * layer, &x, |u| mask(HiddenAt::Head(action, layer), u));
        }
        self.linear(head + step * self.shape.head.len(), &x)
    }

    /// The outputs of the action taken, rows x outputs.
    pub fn taken(&self, rows: &[Vec<f64>], actions: &[u8], masks: Option<&Masks>) -> Vec<f64> {
        let pairs = rows.iter().zip(actions).enumerate();
        pairs.flat_map(|(r, (x, &a))| self.forward(x, usize::from(a), r, masks)).collect()
    }
}

/// A smooth loss with a gradient that depends on the outputs, and different for every one of them.
pub fn loss(outputs: &[f64]) -> f64 {
    outputs.iter().enumerate().map(|(i, y)| 0.5 * (y - target(i)).powi(2)).sum()
}

pub fn target(i: usize) -> f64 {
    0.3 * (i as f64 * 1.7).sin() + 0.1
}

/// The gradient of [`loss`], as the engine asks for it.
pub fn loss_gradient(outputs: &[f32], gradient: &mut [f32]) {
    for (i, (g, y)) in gradient.iter_mut().zip(outputs).enumerate() {
        *g = y - target(i) as f32;
    }
}

/// ‖a - b‖ / ‖b‖.
pub fn relative_error(a: impl IntoIterator<Item = f64>, b: &[f64]) -> f64 {
    let (mut difference, mut norm) = (0.0, 0.0);
    for (a, b) in a.into_iter().zip(b) {
        difference += (a - b).powi(2);
        norm += b * b;
    }
    if difference == 0.0 { 0.0 } else { (difference / norm).sqrt() }
}

pub fn flat(tensors: &[Tensor]) -> Vec<f64> {
    tensors.iter().flat_map(|t| t.data.iter().map(|&x| f64::from(x))).collect()
}

/// Numbers from a small generator, for observations and actions.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }
    pub fn unit(&mut self) -> f32 {
        (self.next() % 20_001) as f32 / 10_000.0 - 1.0
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Observations that fit `shape`: indices and vectors, of which [`batch_rows`] picks one kind.
pub struct Batch {
    pub indices: Vec<u32>,
    pub dense: Vec<f32>,
    pub actions: Vec<u8>,
}

impl Batch {
    pub fn new(shape: &Shape, rows: usize, seed: u64) -> Self {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let len = shape.input.len();
        Batch {
            indices: (0..rows).map(|_| numbers.below(len) as u32).collect(),
            dense: (0..rows * len).map(|_| numbers.unit()).collect(),
            actions: (0..rows).map(|_| numbers.below(shape.actions) as u8).collect(),
        }
    }

    pub fn rows(&self, shape: &Shape) -> Rows<'_> {
        match shape.input {
            Input::OneHot(_) => Rows::Index(&self.indices),
            Input::Dense(_) => Rows::Dense(&self.dense),
        }
    }
}
