//! The shape of a network: an optional trunk shared by all actions, and a sub-network for each action.

use serde::{Deserialize, Serialize};

use super::kernels::padded;

/// What a network is fed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// An index below this number, standing for a one-hot vector.
    OneHot(usize),
    /// A vector of this length.
    Dense(usize),
}

impl Input {
    /// The length of the input vector, one-hot or not.
    pub fn len(self) -> usize {
        match self {
            Input::OneHot(len) | Input::Dense(len) => len,
        }
    }

    /// Whether there is no input at all.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// The sizes of a network. ReLU (or another [activation](super::Activation)), then dropout, follow every hidden layer; the
/// outputs are linear.
///
/// A hidden layer on h is dropout(ReLU(W h + b)). With `layer_norm` (Ba, Kiros & Hinton 2016) it is
/// dropout(ReLU(g (x - mean x) / √(var x + 1e-5) + b)), x = W h, where mean and variance are those of the row's units
/// and the gains g begin at 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// What the network is fed with.
    pub input: Input,
    /// Hidden layers shared by all actions; may be empty.
    pub trunk: Vec<usize>,
    /// Hidden layers of each action's own sub-network; if empty, an action is a linear function of the trunk.
    pub head: Vec<usize>,
    /// Number of actions.
    pub actions: usize,
    /// Numbers put out for each action: 1 for a mean, 2 for a Gaussian.
    pub outputs: usize,
    /// Whether every hidden layer normalises its units before ReLU.
    pub layer_norm: bool,
}

/// Why no network can have a shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size is 0.
    #[error("{0} must be at least 1")]
    Zero(&'static str),
    /// More actions than an action's index can tell apart.
    #[error("{0} actions are too many; the most is 256")]
    TooManyActions(usize),
    /// Indices or parameters that would not fit in memory.
    #[error("a network with {0} is too large; make its layers or its input smaller")]
    TooLarge(String),
}

impl Shape {
    /// A sub-network for each action and nothing shared: no trunk, no normalisation.
    ///
    /// ```
    /// use duvn::net::{Input, Shape};
    ///
    /// let paper = Shape::heads(Input::OneHot(11), vec![128; 3], 2, 2);
    /// let shared = Shape { trunk: vec![64], ..paper };
    /// # assert!(shared.check().is_ok());
    /// ```
    pub fn heads(input: Input, head: Vec<usize>, actions: usize, outputs: usize) -> Self {
        Shape { input, trunk: vec![], head, actions, outputs, layer_norm: false }
    }

    /// Checks that a network can have this shape.
    pub fn check(&self) -> Result<(), ShapeError> {
        let sizes = [
            (self.input.len(), "the length of the observation"),
            (self.actions, "the number of actions"),
            (self.outputs, "the number of outputs of an action"),
        ];
        let hidden = self.trunk.iter().chain(&self.head).map(|&size| (size, "the size of a hidden layer"));
        for (size, name) in sizes.into_iter().chain(hidden) {
            if size == 0 {
                return Err(ShapeError::Zero(name));
            }
            if size > 1 << 28 {
                return Err(ShapeError::TooLarge(format!("{name} {size}")));
            }
        }
        if self.actions > 256 {
            return Err(ShapeError::TooManyActions(self.actions));
        }
        let parameters = self.parameters();
        if parameters > 1 << 30 {
            return Err(ShapeError::TooLarge(format!("{parameters} parameters")));
        }
        Ok(())
    }

    /// The number of weights, biases and gains, which saturates instead of overflowing.
    pub fn parameters(&self) -> usize {
        let (trunk, top) = dense_parameters(self.input.len(), &self.trunk);
        let (head, top) = dense_parameters(top, &self.head);
        let gains = |layers: &[usize]| match self.layer_norm {
            true => layers.iter().fold(0usize, |sum, &units| sum.saturating_add(units)),
            false => 0,
        };
        let output = top.saturating_add(1).saturating_mul(self.outputs);
        let head = head.saturating_add(gains(&self.head)).saturating_add(output);
        head.saturating_mul(self.actions).saturating_add(trunk).saturating_add(gains(&self.trunk))
    }

    /// Words of 16 dropout bits for the trunk of one row.
    pub(super) fn trunk_words(&self) -> usize {
        self.trunk.iter().map(|&units| padded(units) / 16).sum()
    }

    /// Words of 16 dropout bits for one action's sub-network of one row.
    pub(super) fn head_words(&self) -> usize {
        self.head.iter().map(|&units| padded(units) / 16).sum()
    }

    /// Floating-point operations of [`predict`](super::Backend::predict) on `rows` rows: two for every weight
    /// of a matrix product; the row gather of a one-hot input counts as none.
    pub fn flops_predict(&self, rows: usize) -> f64 {
        let (first_trunk, first_head) = self.first_products();
        let trunk = first_trunk + products(&self.trunk);
        let head = first_head + products(&self.head) + self.output_products();
        2.0 * rows as f64 * (trunk + self.actions as f64 * head)
    }

    /// Floating-point operations of [`train`](super::Backend::train) on `rows` rows, without Adam: forward, the
    /// gradient of the weights, and the gradient of the inputs of every layer but the first.
    pub fn flops_train(&self, rows: usize) -> f64 {
        let (first_trunk, first_head) = self.first_products();
        // The product that reads the observation has no input gradient to compute; with a trunk it is the trunk's.
        let first = if self.trunk.is_empty() { first_head } else { first_trunk };
        let rest = if self.trunk.is_empty() { 0.0 } else { products(&self.trunk) + first_head };
        let output = self.output_products();
        let linear = self.trunk.is_empty() && self.head.is_empty();
        let (first, rest) =
            if linear { (output, 0.0) } else { (first, rest + products(&self.head) + output) };
        2.0 * rows as f64 * (2.0 * first + 3.0 * rest)
    }

    /// Multiply-adds of the first layer of the trunk and of the first hidden layer of a head.
    fn first_products(&self) -> (f64, f64) {
        let input = match self.input {
            Input::OneHot(_) => 0.0,
            Input::Dense(len) => len as f64,
        };
        let trunk = self.trunk.first().map_or(0.0, |&units| input * units as f64);
        let below = self.trunk.last().map_or(input, |&units| units as f64);
        let head = self.head.first().map_or(0.0, |&units| below * units as f64);
        (trunk, head)
    }

    fn output_products(&self) -> f64 {
        let top = self.head.last().or(self.trunk.last()).copied().unwrap_or(self.input.len());
        (top * self.outputs) as f64
    }
}

/// The weights and biases of hidden layers on `inputs` inputs, and the size of the last.
fn dense_parameters(inputs: usize, layers: &[usize]) -> (usize, usize) {
    layers.iter().fold((0, inputs), |(sum, inputs), &units| {
        (inputs.saturating_add(1).saturating_mul(units).saturating_add(sum), units)
    })
}

/// Multiply-adds between consecutive layers.
fn products(layers: &[usize]) -> f64 {
    layers.windows(2).map(|pair| (pair[0] * pair[1]) as f64).sum()
}
