//! Per-action sub-networks: forward, backward and Adam, on the CPU.
//!
//! A [`Network`] has an optional trunk of hidden layers and, for each action, a sub-network of its own. Agents use
//! it through [`Backend`], so that another device can take its place. How it computes is told in `kernels`.

mod activation;
mod adam;
mod init;
mod kernels;
mod langevin;
mod layout;
mod masks;
mod network;
mod pass;
mod room;
mod shape;

pub use activation::Activation;
pub use adam::{AdamConfig, Health, Langevin};
pub use init::Init;
pub(crate) use kernels::{Acts, ActsMut, Kernels, Regression, padded, panels};
pub use kernels::{Isa, IsaError, force_isa, isa, isa_from_environment, measure_peak};
pub use masks::{Extent, HiddenAt, MaskRng, Masks};
pub use network::Network;
pub(crate) use room::Numbers;
pub use shape::{Input, Shape, ShapeError};

/// A batch of observations.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// For [`Input::OneHot`]: an index for each row.
    Index(&'a [u32]),
    /// For [`Input::Dense`]: the vectors one after another.
    Dense(&'a [f32]),
}

impl Rows<'_> {
    /// The number of rows for a network fed with `input`.
    ///
    /// # Panics
    /// If the rows are of the other kind, or not whole.
    pub fn len(&self, input: Input) -> usize {
        match (self, input) {
            (Rows::Index(indices), Input::OneHot(_)) => indices.len(),
            (Rows::Dense(data), Input::Dense(width)) => {
                assert!(data.len().is_multiple_of(width), "{} numbers are not rows of {width}", data.len());
                data.len() / width
            }
            _ => panic!("a network for {input:?} cannot be fed with rows of the other kind"),
        }
    }

    /// `count` of the `total` rows, from row `from` on.
    pub fn block(&self, from: usize, count: usize, total: usize) -> Self {
        match *self {
            Rows::Index(indices) => Rows::Index(&indices[from..from + count]),
            Rows::Dense(numbers) => {
                let width = numbers.len() / total;
                Rows::Dense(&numbers[from * width..(from + count) * width])
            }
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        match self {
            Rows::Index(indices) => indices.is_empty(),
            Rows::Dense(data) => data.is_empty(),
        }
    }
}

/// Which of the two copies of the parameters to predict with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The parameters that are trained.
    Online,
    /// The parameters that targets are computed with.
    Target,
}

/// An array of the size of the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The parameters that are trained.
    Online,
    /// The parameters that targets are computed with.
    Target,
    /// Adam's running mean of the gradient.
    AdamMean,
    /// Adam's running mean of the squared gradient.
    AdamVariance,
}

/// A named array of numbers, row-major.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Tensor {
    /// `trunk.L.weight`, `trunk.L.bias`, `head.A.L.weight`, `head.A.L.bias`, `head.A.output.weight`, `head.A.output.bias`;
    /// with LayerNorm also `trunk.L.gain`, `head.A.L.gain`.
    pub name: String,
    /// Weights: `[inputs, units]`. Biases and gains: `[units]`.
    pub shape: Vec<usize>,
    /// The numbers.
    pub data: Vec<f32>,
}

/// Why tensors cannot be loaded into a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A tensor of the network is not among them.
    #[error("tensor {name} is missing; was it saved from a network of another shape?")]
    Missing {
        /// The name of the tensor.
        name: String,
    },
    /// A tensor has another shape, or not as many numbers as its shape says.
    #[error("tensor {name} has shape {found:?} and {numbers} numbers; the network needs shape {expected:?}")]
    Misshapen {
        /// The name of the tensor.
        name: String,
        /// The shape that the network needs.
        expected: Vec<usize>,
        /// The shape that it has.
        found: Vec<usize>,
        /// How many numbers it has.
        numbers: usize,
    },
    /// A tensor that the network does not have.
    #[error("tensor {name} is not part of the network; was it saved from a network of another shape?")]
    Unknown {
        /// The name of the tensor.
        name: String,
    },
}

/// A network with a target copy and its optimiser. The coarse operations that a run needs, so that
/// an implementation on another device can keep everything there in between.
///
/// Rows that do not fit the shape, actions out of range and slices of a wrong length are errors of the
/// calling program: the methods panic.
pub trait Backend: Send {
    /// The shape of the network.
    fn shape(&self) -> &Shape;

    /// All outputs of all actions, rows x actions x outputs, row-major, into `out`. `masks` must cover all actions.
    fn predict(&mut self, which: Which, rows: Rows<'_>, masks: Option<&Masks>, out: &mut [f32]);

    /// The outputs of one action for each row, rows x outputs, row-major, into `out`. Only the sub-network of
    /// that action is run.
    fn predict_taken(
        &mut self,
        which: Which,
        rows: Rows<'_>,
        actions: &[u8],
        masks: Option<&Masks>,
        out: &mut [f32],
    );

    /// One step of Adam. `loss(outputs, gradient)` is given the outputs of the action taken (rows x outputs) and
    /// writes the gradient of the loss with respect to them. Only the sub-network of each row's action is run and has
    /// a gradient; the moments of the others decay as Adam's do with a gradient of 0. Says whether all numbers are
    /// still finite.
    fn train(
        &mut self,
        rows: Rows<'_>,
        actions: &[u8],
        masks: Option<&Masks>,
        adam: &AdamConfig,
        loss: &mut dyn FnMut(&[f32], &mut [f32]),
    ) -> Health;

    /// target = (1 - tau) target + tau online; tau = 1 is a plain copy.
    fn sync_target(&mut self, tau: f32);

    /// The numbers of `part` as named tensors, without padding. The order: the trunk's layers, then for each action
    /// its hidden layers and its output layer; of each layer the weights `[inputs][units]`, then the biases,
    /// then the gains if it has them.
    fn tensors(&self, part: Part) -> Vec<Tensor>;

    /// Sets the numbers of `part` from named tensors, in any order; nothing changes if they do not fit.
    fn load(&mut self, part: Part, tensors: &[Tensor]) -> Result<(), LoadError>;

    /// Steps of Adam so far.
    fn steps(&self) -> u64;

    /// Sets the steps of Adam so far, after loading its moments.
    fn set_steps(&mut self, steps: u64);
}
