//! Forward and backward through the layers, on buffers that are made once.

use super::adam::AdamStep;
use super::kernels::{Acts, ActsMut, Bits, Buffer, Kernels, Sink, padded, row_stride};
use super::layout::{Layer, Layout};
use super::{Input, Masks, Rows, Shape};

/// The buffers of a pass. They grow to the largest batch seen and are then reused.
///
/// Rows lie in the order of their actions ([`Workspace::sort`]), so that each sub-network works on one
/// contiguous block; `order` says which row of the caller each of them is.
#[derive(Default)]
pub(super) struct Workspace {
    order: Vec<u32>,
    /// Rows of action a are `bounds[a]..bounds[a + 1]`.
    bounds: Vec<usize>,
    mask_starts: Vec<u32>,
    indices: Vec<u32>,
    dense: Buffer,
    trunk: Vec<Buffer>,
    head: Vec<Buffer>,
    head_delta: [Buffer; 2],
    trunk_delta: [Buffer; 2],
    /// Outputs, or their gradient, in the order of the buffers.
    sorted_outputs: Vec<f32>,
    /// Outputs in the caller's order.
    outputs: Vec<f32>,
    /// The gradient of the outputs in the caller's order.
    output_gradient: Vec<f32>,
    bias_gradient: Buffer,
    transposed: Buffer,
    /// The gradient of a first layer on one-hot rows; all 0 between passes.
    gathered: Buffer,
    list: Vec<u32>,
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
}

impl Net<'_> {
    fn bits<'b>(&'b self, starts: &'b [u32], layer: &Layer, action: usize, trunk: bool) -> Option<Bits<'b>> {
        let masks = self.masks?;
        let head = if trunk { 0 } else { masks.head_at(self.shape, action) };
        Some(masks.bits(starts, layer.mask_at + head))
    }

    fn scale(&self) -> f32 {
        self.masks.map_or(1.0, Masks::scale)
    }
}

/// The parameters that a backward pass reads, and what becomes of their gradient.
pub(super) enum Learn<'a> {
    /// A step of Adam on `w`.
    Adam { w: &'a mut [f32], m: &'a mut [f32], v: &'a mut [f32], step: AdamStep },
    /// The gradient goes into `g`.
    Store { w: &'a [f32], g: &'a mut [f32] },
}

impl Learn<'_> {
    fn parameters(&self) -> &[f32] {
        match self {
            Learn::Adam { w, .. } => w,
            Learn::Store { w, .. } => w,
        }
    }

    fn sink(&mut self, from: usize, to: usize) -> Sink<'_> {
        match self {
            Learn::Adam { w, m, v, step } => {
                Sink::Adam { w: &mut w[from..to], m: &mut m[from..to], v: &mut v[from..to], step }
            }
            Learn::Store { g, .. } => Sink::Store(&mut g[from..to]),
        }
    }
}

impl Workspace {
    /// Makes room for `rows` rows.
    pub(super) fn reserve(&mut self, shape: &Shape, layout: &Layout, rows: usize) {
        self.order.resize(rows, 0);
        self.mask_starts.resize(rows, 0);
        self.bounds.resize(shape.actions + 1, 0);
        self.indices.resize(rows, 0);
        let hidden = |layer: &Layer| rows * row_stride(layer.width);
        self.trunk.resize_with(layout.trunk.len(), Buffer::default);
        for (buffer, layer) in self.trunk.iter_mut().zip(&layout.trunk) {
            buffer.reserve(hidden(layer));
        }
        self.head.resize_with(shape.head.len(), Buffer::default);
        for (buffer, layer) in self.head.iter_mut().zip(&layout.heads[0]) {
            buffer.reserve(hidden(layer));
        }
        self.sorted_outputs.resize(rows * shape.outputs, 0.0);
        self.outputs.resize(rows * shape.outputs, 0.0);
        self.output_gradient.resize(rows * shape.outputs, 0.0);
        if is_dense(shape) {
            self.dense.reserve(rows * row_stride(padded(shape.input.len())));
        }
        let inputs = layout.canonical().map(|layer| padded(layer.inputs)).max().unwrap_or(0);
        self.list.resize(inputs + 16, 0);
    }

    /// Makes room for the backward pass on `rows` rows.
    fn reserve_backward(&mut self, shape: &Shape, layout: &Layout, rows: usize) {
        for (buffers, layers) in
            [(&mut self.trunk_delta, &layout.trunk), (&mut self.head_delta, &layout.heads[0])]
        {
            let len = layers.iter().map(|layer| rows * row_stride(layer.width)).max().unwrap_or(0);
            buffers.iter_mut().for_each(|buffer| buffer.reserve(len));
        }
        self.bias_gradient.reserve(padded(shape.outputs));
        let hidden = layout.canonical().filter(|layer| !layer.output);
        self.transposed.reserve(hidden.map(|layer| 64 * layer.units).max().unwrap_or(0));
        if let Some(first) = first_hidden(layout).filter(|_| !is_dense(shape)) {
            self.gathered.reserve(first.inputs * first.width);
        }
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

    /// Forward through the trunk, for all rows.
    pub(super) fn forward_trunk(&mut self, net: Net<'_>, parameters: &[f32]) {
        let rows = self.order.len();
        let feed = observations(net.shape, &self.dense, &self.indices);
        let starts = &self.mask_starts[..rows];
        forward(
            net,
            parameters,
            &net.layout.trunk,
            feed,
            0,
            rows,
            &mut self.trunk,
            &mut self.list,
            |layer| net.bits(starts, layer, 0, true),
        );
    }

    /// Forward through the sub-network of `action` for `rows` rows after the first `from`, into `out`.
    fn forward_head(
        &mut self,
        net: Net<'_>,
        parameters: &[f32],
        action: usize,
        (from, rows): (usize, usize),
        out: Option<&mut ActsMut<'_>>,
    ) {
        let feed = match (self.trunk.last(), net.layout.trunk.last()) {
            (Some(buffer), Some(layer)) => Feed::Acts(acts(buffer, layer, 0)),
            _ => observations(net.shape, &self.dense, &self.indices),
        };
        let starts = &self.mask_starts[from..from + rows];
        let layers = &net.layout.heads[action];
        forward(net, parameters, layers, feed, from, rows, &mut self.head, &mut self.list, |layer| {
            net.bits(starts, layer, action, false)
        });
        let top = match (self.head.last(), layers.last()) {
            (Some(buffer), Some(layer)) => acts(buffer, layer, from),
            _ => match feed.rows(from, rows) {
                Feed::Acts(acts) => acts,
                Feed::Index(_) => unreachable!("a network without hidden layers is fed with dense rows"),
            },
        };
        let layer = net.layout.outputs[action].output(parameters);
        match out {
            Some(out) => net.kernels.output(top, rows, &layer, out),
            None => {
                let outputs = net.shape.outputs;
                let data = &mut self.sorted_outputs[from * outputs..];
                net.kernels.output(top, rows, &layer, &mut ActsMut { data, stride: outputs });
            }
        }
    }

    /// Forward through the sub-networks of all actions for all rows, into rows x actions x outputs.
    pub(super) fn forward_all(&mut self, net: Net<'_>, parameters: &[f32], out: &mut [f32]) {
        let (rows, outputs) = (self.order.len(), net.shape.outputs);
        for action in 0..net.shape.actions {
            let data = &mut out[action * outputs..];
            let mut out = ActsMut { data, stride: net.shape.actions * outputs };
            self.forward_head(net, parameters, action, (0, rows), Some(&mut out));
        }
    }

    /// Forward through the sub-network of each row's action; the result is [`Workspace::outputs`].
    pub(super) fn forward_taken(&mut self, net: Net<'_>, parameters: &[f32]) {
        for action in 0..net.shape.actions {
            let (from, to) = (self.bounds[action], self.bounds[action + 1]);
            if from < to {
                self.forward_head(net, parameters, action, (from, to - from), None);
            }
        }
        let outputs = net.shape.outputs;
        for (sorted, &row) in self.sorted_outputs.chunks(outputs).zip(&self.order) {
            self.outputs[row as usize * outputs..][..outputs].copy_from_slice(sorted);
        }
    }

    /// The outputs of the action taken, in the caller's order.
    pub(super) fn outputs(&self) -> &[f32] {
        &self.outputs
    }

    /// Asks `loss` for the gradient of the outputs, and goes backward through all layers.
    pub(super) fn backward(
        &mut self,
        net: Net<'_>,
        learn: &mut Learn<'_>,
        loss: &mut dyn FnMut(&[f32], &mut [f32]),
    ) {
        let (rows, outputs) = (self.order.len(), net.shape.outputs);
        self.output_gradient.fill(0.0);
        loss(&self.outputs, &mut self.output_gradient);
        for (sorted, &row) in self.sorted_outputs.chunks_mut(outputs).zip(&self.order) {
            sorted.copy_from_slice(&self.output_gradient[row as usize * outputs..][..outputs]);
        }
        self.reserve_backward(net.shape, net.layout, rows);
        for action in 0..net.shape.actions {
            let (from, to) = (self.bounds[action], self.bounds[action + 1]);
            self.backward_head(net, learn, action, from, to - from);
        }
        let feed = observations(net.shape, &self.dense, &self.indices);
        let scratch = Scratch { transposed: &mut self.transposed, gathered: &mut self.gathered };
        let range = (0, rows);
        backward(
            net,
            learn,
            &net.layout.trunk,
            feed,
            range,
            &self.trunk,
            &mut self.trunk_delta,
            scratch,
            None,
        );
    }

    fn backward_head(
        &mut self,
        net: Net<'_>,
        learn: &mut Learn<'_>,
        action: usize,
        from: usize,
        rows: usize,
    ) {
        let (layers, output, outputs) =
            (&net.layout.heads[action], &net.layout.outputs[action], net.shape.outputs);
        let gradient = &self.sorted_outputs[from * outputs..][..rows * outputs];
        let trunk = match (self.trunk.last(), net.layout.trunk.last()) {
            (Some(buffer), Some(layer)) => Some((acts(buffer, layer, from), layer)),
            _ => None,
        };
        let feed = match trunk {
            Some((acts, _)) => Feed::Acts(acts),
            None => observations(net.shape, &self.dense, &self.indices).rows(from, rows),
        };
        let weights = output.output(learn.parameters());
        let top = match (self.head.last(), layers.last(), trunk, feed) {
            (Some(buffer), Some(layer), ..) => {
                let top = acts(buffer, layer, from);
                let mut delta = acts_mut(&mut self.head_delta[0], layer, 0);
                net.kernels.back_output(gradient, rows, &weights, top, net.scale(), &mut delta);
                top
            }
            (.., Some((top, layer)), _) => {
                let mut delta = acts_mut(&mut self.trunk_delta[0], layer, from);
                net.kernels.back_output(gradient, rows, &weights, top, net.scale(), &mut delta);
                top
            }
            (.., Feed::Acts(top)) => top,
            (.., Feed::Index(_)) => unreachable!("a network without hidden layers is fed with dense rows"),
        };
        let sink = learn.sink(output.weights_at, output.bias_at);
        net.kernels.gradient_output(gradient, outputs, top, output.width, rows, sink);
        self.bias_gradient.fill(0.0);
        for row in gradient.chunks(outputs) {
            for (sum, &g) in self.bias_gradient.iter_mut().zip(row) {
                *sum += g;
            }
        }
        let bias = &self.bias_gradient[..padded(outputs)];
        flat(net.kernels, bias, learn.sink(output.bias_at, output.end));

        let scratch = Scratch { transposed: &mut self.transposed, gathered: &mut self.gathered };
        let dx = match net.layout.trunk.last() {
            Some(layer) => trunk.map(|(y, _)| (y, acts_mut(&mut self.trunk_delta[0], layer, from))),
            None => None,
        };
        backward(net, learn, layers, feed, (from, rows), &self.head, &mut self.head_delta, scratch, dx);
    }
}

/// Whether the first layer multiplies dense rows. One-hot rows are spelt out only if no hidden layer gathers them.
fn is_dense(shape: &Shape) -> bool {
    matches!(shape.input, Input::Dense(_)) || (shape.trunk.is_empty() && shape.head.is_empty())
}

fn first_hidden(layout: &Layout) -> Option<&Layer> {
    layout.trunk.first().or(layout.heads[0].first())
}

fn observations<'a>(shape: &Shape, dense: &'a Buffer, indices: &'a [u32]) -> Feed<'a> {
    if is_dense(shape) {
        Feed::Acts(Acts { data: dense, stride: row_stride(padded(shape.input.len())) })
    } else {
        Feed::Index(indices)
    }
}

/// Forward through hidden layers, for `rows` rows after the first `from`.
#[allow(clippy::too_many_arguments)]
fn forward<'b>(
    net: Net<'_>,
    parameters: &[f32],
    layers: &[Layer],
    feed: Feed<'_>,
    from: usize,
    rows: usize,
    buffers: &mut [Buffer],
    list: &mut [u32],
    bits: impl Fn(&Layer) -> Option<Bits<'b>>,
) {
    for (index, layer) in layers.iter().enumerate() {
        let (done, rest) = buffers.split_at_mut(index);
        let mut out = acts_mut(&mut rest[0], layer, from);
        let feed = match done.last() {
            Some(buffer) => Feed::Acts(acts(buffer, &layers[index - 1], from)),
            None => feed.rows(from, rows),
        };
        let (weights, bits) = (layer.hidden(parameters), bits(layer));
        match feed {
            Feed::Index(indices) => net.kernels.hidden_gather(indices, &weights, bits, &mut out),
            Feed::Acts(x) if rows == 1 => net.kernels.hidden_single(x.data, &weights, bits, list, &mut out),
            Feed::Acts(x) => net.kernels.hidden(x, rows, &weights, bits, &mut out),
        }
    }
}

struct Scratch<'a> {
    transposed: &'a mut Buffer,
    gathered: &'a mut Buffer,
}

/// Backward through hidden layers. `deltas[0]` holds the gradient of the last of them; `below` is what feeds the
/// first, if that is hidden units too, and where their gradient goes.
#[allow(clippy::too_many_arguments)]
fn backward(
    net: Net<'_>,
    learn: &mut Learn<'_>,
    layers: &[Layer],
    feed: Feed<'_>,
    (from, rows): (usize, usize),
    buffers: &[Buffer],
    deltas: &mut [Buffer; 2],
    scratch: Scratch<'_>,
    mut below: Option<(Acts<'_>, ActsMut<'_>)>,
) {
    let [current, next] = deltas;
    let (mut current, mut next) = (current, next);
    for (index, layer) in layers.iter().enumerate().rev() {
        let dy = acts(current, layer, 0);
        if rows > 0 {
            let weights = layer.hidden(learn.parameters());
            let (kernels, units, scale) = (net.kernels, layer.units, net.scale());
            if let Some(under) = index.checked_sub(1) {
                let y = acts(&buffers[under], &layers[under], from);
                let mut dx = acts_mut(next, &layers[under], 0);
                kernels.back_hidden(dy, rows, &weights, units, scratch.transposed, y, scale, &mut dx);
            } else if let Some((y, dx)) = &mut below {
                kernels.back_hidden(dy, rows, &weights, units, scratch.transposed, *y, scale, dx);
            }
        }
        let x = match index.checked_sub(1) {
            Some(under) => Feed::Acts(acts(&buffers[under], &layers[under], from)),
            None => feed,
        };
        let (inputs, width) = (layer.inputs, layer.width);
        let sink = learn.sink(layer.weights_at, layer.bias_at);
        match x {
            Feed::Acts(x) => net.kernels.gradient_hidden(x, inputs, dy, width, rows, sink),
            Feed::Index(indices) => {
                gradient_gathered(net.kernels, indices, dy, layer, scratch.gathered, sink)
            }
        }
        net.kernels.gradient_bias(dy, width, rows, learn.sink(layer.bias_at, layer.end));
        std::mem::swap(&mut current, &mut next);
    }
}

/// The gradient of a first layer on one-hot rows: only the rows of the weights that were seen have one, but
/// Adam moves all whose moments are not 0.
fn gradient_gathered(
    kernels: Kernels,
    indices: &[u32],
    dy: Acts<'_>,
    layer: &Layer,
    gathered: &mut Buffer,
    sink: Sink<'_>,
) {
    match sink {
        Sink::Store(g) => {
            g.fill(0.0);
            kernels.scatter(indices, dy, layer.inputs, layer.width, g);
        }
        Sink::Adam { .. } => {
            kernels.scatter(indices, dy, layer.inputs, layer.width, gathered);
            flat(kernels, &gathered[..layer.inputs * layer.width], sink);
            for &index in indices {
                for panel in (0..layer.width).step_by(64) {
                    let width = (layer.width - panel).min(64);
                    gathered[panel * layer.inputs + index as usize * width..][..width].fill(0.0);
                }
            }
        }
    }
}

/// A gradient that is there already goes into the sink.
fn flat(kernels: Kernels, gradient: &[f32], sink: Sink<'_>) {
    match sink {
        Sink::Store(g) => g.copy_from_slice(gradient),
        Sink::Adam { w, m, v, step } => kernels.adam(gradient, 1.0, w, m, v, step),
    }
}
