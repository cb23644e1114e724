//! Forward and backward through the layers, on buffers that are made once.

mod backward;
mod forward;
mod output;

pub(super) use backward::Learn;

use super::kernels::{Acts, ActsMut, Bits, Buffer, Kernels, padded, row_stride};
use super::layout::{Layer, Layout};
use super::{Activation, Input, Masks, Rows, Shape};

/// The buffers of a pass. They grow to the largest batch seen and are then reused.
///
/// Rows lie in the order of their actions ([`Workspace::sort`]), so that each sub-network works on one
/// contiguous block; `order` says which row of the caller each of them is.
#[derive(Default)]
pub(super) struct Workspace {
    /// How many rows there is room for, exactly.
    reserved: Option<usize>,
    order: Vec<u32>,
    /// Rows of action a are `bounds[a]..bounds[a + 1]`.
    bounds: Vec<usize>,
    mask_starts: Vec<u32>,
    indices: Vec<u32>,
    dense: Buffer,
    trunk: Vec<Units>,
    head: Vec<Units>,
    head_delta: [Buffer; 2],
    trunk_delta: [Buffer; 2],
    /// Outputs, or their gradient, in the order of the buffers.
    sorted_outputs: Vec<f32>,
    /// Rows of outputs, or their gradient, padded to whole vectors, where there are many of them.
    padded_outputs: Buffer,
    /// Outputs in the caller's order.
    outputs: Vec<f32>,
    /// The gradient of the outputs in the caller's order.
    output_gradient: Vec<f32>,
    bias_gradient: Buffer,
    gain_gradient: Buffer,
    transposed: Buffer,
    /// The gradient of a first layer on one-hot rows; all 0 between passes.
    gathered: Buffer,
    /// As many ones as the widest layer has units, where units have slopes.
    ones: Buffer,
    /// By first layer on one-hot rows and input: whether Adam ever moved its weights. Empty: not known.
    moved: Vec<bool>,
    list: Vec<u32>,
}

/// The units of a hidden layer, for all rows.
#[derive(Default)]
struct Units {
    /// After activation and dropout.
    y: Buffer,
    /// A layer that normalises: its normalised products, before gain and bias.
    normed: Buffer,
    /// A layer that normalises: what the products of each row were multiplied by.
    root: Buffer,
    /// Units other than ReLU's: what each is multiplied by on the way back.
    slope: Buffer,
}

impl Units {
    /// Makes room for `rows` rows.
    fn reserve(&mut self, layer: &Layer, activation: Activation, rows: usize) {
        let len = rows * row_stride(layer.width);
        self.y.reserve(len);
        if activation != Activation::Relu {
            self.slope.reserve(len);
        }
        if layer.normalises() {
            self.normed.reserve(len);
            self.root.reserve(rows);
        }
    }
}

/// Hidden units that a gradient goes back to, and their slopes where the units themselves do not tell them.
#[derive(Clone, Copy)]
struct Below<'a> {
    y: Acts<'a>,
    slope: Option<Acts<'a>>,
    ones: &'a Buffer,
}

impl<'a> Below<'a> {
    fn new(net: Net<'_>, units: &'a Units, layer: &Layer, from: usize, ones: &'a Buffer) -> Self {
        let slope = (net.activation != Activation::Relu).then(|| acts(&units.slope, layer, from));
        Below { y: acts(&units.y, layer, from), slope, ones }
    }

    /// What the kernels let a gradient through by, and what they multiply it by: units of ReLU that are above 0. Others let all
    /// of it through.
    fn gate(&self, net: Net<'_>) -> (Acts<'a>, f32) {
        match self.slope {
            None => (self.y, net.scale()),
            Some(_) => (Acts { data: self.ones, stride: 0 }, 1.0),
        }
    }

    /// Multiplies a gradient that came through by the slopes.
    fn bend(&self, rows: usize, width: usize, dx: &mut ActsMut<'_>) {
        let Some(slope) = self.slope else { return };
        let both = dx.data.chunks_mut(dx.stride).zip(slope.data.chunks(slope.stride));
        for (dx, slope) in both.take(rows) {
            dx[..width].iter_mut().zip(&slope[..width]).for_each(|(dx, slope)| *dx *= slope);
        }
    }
}

/// What the first layer is fed with, in the order of the buffers.
#[derive(Clone, Copy)]
enum Feed<'a> {
    Index(&'a [u32]),
    Acts(Acts<'a>),
}

impl<'a> Feed<'a> {
    fn rows(self, from: usize, rows: usize) -> Self {
        match self {
            Feed::Index(indices) => Feed::Index(&indices[from..from + rows]),
            Feed::Acts(acts) => Feed::Acts(below(acts, from)),
        }
    }
}

fn below(acts: Acts<'_>, from: usize) -> Acts<'_> {
    Acts { data: &acts.data[from * acts.stride..], stride: acts.stride }
}

fn acts<'a>(buffer: &'a Buffer, layer: &Layer, from: usize) -> Acts<'a> {
    below(Acts { data: buffer, stride: row_stride(layer.width) }, from)
}

fn acts_mut<'a>(buffer: &'a mut Buffer, layer: &Layer, from: usize) -> ActsMut<'a> {
    let stride = row_stride(layer.width);
    ActsMut { data: &mut buffer[from * stride..], stride }
}

/// The network that a pass goes through.
#[derive(Clone, Copy)]
pub(super) struct Net<'a> {
    pub kernels: Kernels,
    pub shape: &'a Shape,
    pub layout: &'a Layout,
    pub masks: Option<&'a Masks>,
    pub activation: Activation,
}

impl Net<'_> {
    /// The dropout bits of a layer, those of its sub-network lying `head` words behind those of the first.
    fn bits<'b>(&'b self, starts: &'b [u32], layer: &Layer, head: usize) -> Option<Bits<'b>> {
        Some(self.masks?.bits(starts, layer.mask_at + head))
    }

    /// Whether hidden layers are sums, ReLU and dropout and nothing else.
    fn plain(&self) -> bool {
        self.activation == Activation::Relu && !self.shape.layer_norm
    }

    fn scale(&self) -> f32 {
        self.masks.map_or(1.0, Masks::scale)
    }
}

impl Workspace {
    /// Makes room for `rows` rows, always of the same network.
    pub(super) fn reserve(&mut self, shape: &Shape, layout: &Layout, activation: Activation, rows: usize) {
        if self.reserved == Some(rows) {
            return;
        }
        self.reserved = Some(rows);
        self.order.resize(rows, 0);
        self.mask_starts.resize(rows, 0);
        self.bounds.resize(shape.actions + 1, 0);
        self.indices.resize(rows, 0);
        self.trunk.resize_with(layout.trunk.len(), Units::default);
        self.head.resize_with(shape.head.len(), Units::default);
        let stacks = [(&mut self.trunk, &layout.trunk), (&mut self.head, &layout.heads[0])];
        for (units, layer) in stacks.into_iter().flat_map(|(stack, layers)| stack.iter_mut().zip(layers)) {
            units.reserve(layer, activation, rows);
        }
        if activation != Activation::Relu && self.ones.is_empty() {
            let width = layout.trunk.iter().chain(&layout.heads[0]).map(|layer| layer.width).max();
            self.ones.reserve(width.unwrap_or(0));
            self.ones.fill(1.0);
        }
        self.sorted_outputs.resize(rows * shape.outputs, 0.0);
        self.outputs.resize(rows * shape.outputs, 0.0);
        self.output_gradient.resize(rows * shape.outputs, 0.0);
        if let Some(layer) = layout.outputs.first().filter(|layer| layer.in_panels) {
            self.padded_outputs.reserve(rows * row_stride(layer.width));
        }
        if is_dense(shape) {
            self.dense.reserve(rows * row_stride(padded(shape.input.len())));
        }
        let inputs = layout.canonical().map(|layer| padded(layer.inputs)).max().unwrap_or(0);
        self.list.resize(inputs + 16, 0);
    }

    /// Orders the rows by action, keeping the order of rows with the same one. No actions: all rows as they come.
    pub(super) fn sort(&mut self, shape: &Shape, actions: Option<&[u8]>, rows: usize) {
        self.bounds.fill(0);
        let Some(actions) = actions else {
            self.order.iter_mut().enumerate().for_each(|(row, order)| *order = row as u32);
            return;
        };
        assert_eq!(actions.len(), rows, "one action a row");
        for &action in actions {
            assert!(usize::from(action) < shape.actions, "action {action} of {}", shape.actions);
            self.bounds[usize::from(action)] += 1;
        }
        let mut end = 0;
        for bound in &mut self.bounds {
            end += *bound;
            *bound = end;
        }
        // Each bound is the end of its action's rows, and moves down to their beginning as they are placed.
        for (row, &action) in actions.iter().enumerate().rev() {
            let place = &mut self.bounds[usize::from(action)];
            *place -= 1;
            self.order[*place] = row as u32;
        }
    }

    /// Copies the observations in the order of the buffers and finds their masks.
    pub(super) fn feed(&mut self, shape: &Shape, rows: Rows<'_>, masks: Option<&Masks>) {
        if let Some(masks) = masks {
            assert_eq!(masks.rows(), self.order.len(), "one mask a row");
            for (start, &row) in self.mask_starts.iter_mut().zip(&self.order) {
                *start = masks.start(row as usize);
            }
        }
        let (width, stride) = (shape.input.len(), row_stride(padded(shape.input.len())));
        match rows {
            Rows::Index(indices) => {
                for (place, &row) in self.indices.iter_mut().zip(&self.order) {
                    *place = indices[row as usize];
                }
                if is_dense(shape) {
                    for (to, &index) in self.dense.chunks_mut(stride).zip(&self.indices) {
                        to[..width].fill(0.0);
                        to[..width][index as usize] = 1.0;
                    }
                }
            }
            Rows::Dense(data) => {
                for (to, &row) in self.dense.chunks_mut(stride).zip(&self.order) {
                    to[..width].copy_from_slice(&data[row as usize * width..][..width]);
                }
            }
        }
    }
}

/// Whether the first layer multiplies dense rows. One-hot rows are spelt out only if no hidden layer gathers them.
fn is_dense(shape: &Shape) -> bool {
    matches!(shape.input, Input::Dense(_)) || (shape.trunk.is_empty() && shape.head.is_empty())
}

fn observations<'a>(shape: &Shape, dense: &'a Buffer, indices: &'a [u32]) -> Feed<'a> {
    if is_dense(shape) {
        Feed::Acts(Acts { data: dense, stride: row_stride(padded(shape.input.len())) })
    } else {
        Feed::Index(indices)
    }
}
