//! Backward through the layers, and what becomes of the gradient.

use super::{Below, Feed, Net, Units, Workspace, acts, acts_mut, is_dense, observations, output};
use crate::net::Shape;
use crate::net::adam::AdamStep;
use crate::net::kernels::{Acts, ActsMut, Buffer, Kernels, PANEL, Sink, padded, panels, row_stride};
use crate::net::layout::{Layer, Layout};

/// The parameters that a backward pass reads, and what becomes of their gradient.
pub(in crate::net) enum Learn<'a> {
    /// A step of Adam on `w`.
    Adam { w: &'a mut [f32], m: &'a mut [f32], v: &'a mut [f32], step: AdamStep },
    /// The gradient goes into `g`.
    Store { w: &'a [f32], g: &'a mut [f32] },
}

impl Learn<'_> {
    pub(super) fn parameters(&self) -> &[f32] {
        match self {
            Learn::Adam { w, .. } => w,
            Learn::Store { w, .. } => w,
        }
    }

    pub(super) fn sink(&mut self, from: usize, to: usize) -> Sink<'_> {
        match self {
            Learn::Adam { w, m, v, step } => {
                Sink::Adam { w: &mut w[from..to], m: &mut m[from..to], v: &mut v[from..to], step }
            }
            Learn::Store { g, .. } => Sink::Store(&mut g[from..to]),
        }
    }
}

impl Workspace {
    /// Makes room for the backward pass on `rows` rows.
    fn reserve_backward(&mut self, shape: &Shape, layout: &Layout, rows: usize) {
        for (buffers, layers) in
            [(&mut self.trunk_delta, &layout.trunk), (&mut self.head_delta, &layout.heads[0])]
        {
            let len = layers.iter().map(|layer| rows * row_stride(layer.width)).max().unwrap_or(0);
            buffers.iter_mut().for_each(|buffer| buffer.reserve(len));
        }
        let width = layout.canonical().map(|layer| padded(layer.units)).max().unwrap_or(0);
        self.bias_gradient.reserve(width);
        self.gain_gradient.reserve(width);
        let panels = layout.canonical().filter(|layer| layer.in_panels);
        self.transposed.reserve(panels.map(|layer| PANEL * layer.units).max().unwrap_or(0));
        if let Some(first) = first_hidden(layout).filter(|_| !is_dense(shape)) {
            self.gathered.reserve(first.inputs * first.width);
        }
    }

    /// Finds out which weights of first layers on one-hot rows Adam may have moved, from its moments, if that is
    /// not known.
    pub(in crate::net) fn note_moved(&mut self, shape: &Shape, layout: &Layout, moments: [&[f32]; 2]) {
        if is_dense(shape) || !self.moved.is_empty() {
            return;
        }
        let stacks = match layout.trunk.is_empty() {
            true => &layout.heads[..],
            false => std::slice::from_ref(&layout.trunk),
        };
        for layer in stacks.iter().filter_map(|layers| layers.first()) {
            let start = self.moved.len();
            self.moved.resize(start + layer.inputs, false);
            for moments in moments.map(|moments| &moments[layer.weights_at..layer.bias_at]) {
                for panel in panels(layer.inputs, layer.width) {
                    let rows = moments[panel.numbers].chunks_exact(panel.width);
                    for (moved, moments) in self.moved[start..].iter_mut().zip(rows) {
                        *moved |= moments.iter().any(|&moment| moment != 0.0);
                    }
                }
            }
        }
    }

    /// The sum of the sizes of all outputs of the last backward pass and of their gradients; infinity if that is too much
    /// for single precision, not a number if one of them is none.
    pub(in crate::net) fn size(&self) -> f32 {
        size(&self.outputs) + size(&self.output_gradient)
    }

    /// The moments were changed from outside: what Adam has moved is to be found out anew.
    pub(in crate::net) fn forget_moved(&mut self) {
        self.moved.clear();
    }

    /// Asks `loss` for the gradient of the outputs, and goes backward through all layers.
    pub(in crate::net) fn backward(
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
        let scratch = Scratch {
            transposed: &mut self.transposed,
            bias_gradient: &mut self.bias_gradient,
            gain_gradient: &mut self.gain_gradient,
            gathered: &mut self.gathered,
            moved: &mut self.moved,
        };
        let range = (0, rows);
        backward(
            net,
            learn,
            &net.layout.trunk,
            feed,
            range,
            (&self.trunk, &self.ones),
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
        let (layers, layer, outputs) =
            (&net.layout.heads[action], &net.layout.outputs[action], net.shape.outputs);
        let gradient = &self.sorted_outputs[from * outputs..][..rows * outputs];
        let ones = &self.ones;
        let trunk = match (self.trunk.last(), net.layout.trunk.last()) {
            (Some(units), Some(layer)) => Some((Below::new(net, units, layer, from, ones), layer)),
            _ => None,
        };
        let feed = match trunk {
            Some((below, _)) => Feed::Acts(below.y),
            None => observations(net.shape, &self.dense, &self.indices).rows(from, rows),
        };
        let (top, mut delta) = match (self.head.last(), layers.last(), trunk, feed) {
            (Some(units), Some(layer), ..) => {
                let below = Below::new(net, units, layer, from, ones);
                (below.y, Some((below, acts_mut(&mut self.head_delta[0], layer, 0))))
            }
            (.., Some((below, layer)), _) => {
                (below.y, Some((below, acts_mut(&mut self.trunk_delta[0], layer, from))))
            }
            (.., Feed::Acts(top)) => (top, None),
            (.., Feed::Index(_)) => unreachable!("a network without hidden layers is fed with dense rows"),
        };
        let scratch = output::Scratch {
            padded: &mut self.padded_outputs,
            transposed: &mut self.transposed,
            bias_gradient: &mut self.bias_gradient,
        };
        let delta = delta.as_mut().map(|(below, delta)| (*below, delta));
        output::backward(net, learn, layer, gradient, (top, rows), delta, scratch);

        let own = if net.layout.trunk.is_empty() { action * self.moved.len() / net.shape.actions } else { 0 };
        let scratch = Scratch {
            transposed: &mut self.transposed,
            bias_gradient: &mut self.bias_gradient,
            gain_gradient: &mut self.gain_gradient,
            gathered: &mut self.gathered,
            moved: &mut self.moved[own..],
        };
        let dx = match net.layout.trunk.last() {
            Some(layer) => trunk.map(|(below, _)| (below, acts_mut(&mut self.trunk_delta[0], layer, from))),
            None => None,
        };
        let stack = (&self.head[..], ones);
        backward(net, learn, layers, feed, (from, rows), stack, &mut self.head_delta, scratch, dx);
    }
}

/// The sum of absolute values, in lanes that the compiler makes vectors of.
fn size(numbers: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 8];
    let chunks = numbers.chunks_exact(8);
    let rest: f32 = chunks.remainder().iter().map(|x| x.abs()).sum();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane += x.abs());
    }
    lanes.iter().sum::<f32>() + rest
}

fn first_hidden(layout: &Layout) -> Option<&Layer> {
    layout.trunk.first().or(layout.heads[0].first())
}

struct Scratch<'a> {
    transposed: &'a mut Buffer,
    bias_gradient: &'a mut Buffer,
    gain_gradient: &'a mut Buffer,
    gathered: &'a mut Buffer,
    /// By input of a first layer on one-hot rows: whether Adam ever moved its weights.
    moved: &'a mut [bool],
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
    (stack, ones): (&[Units], &Buffer),
    deltas: &mut [Buffer; 2],
    mut scratch: Scratch<'_>,
    mut below: Option<(Below<'_>, ActsMut<'_>)>,
) {
    let [current, next] = deltas;
    let (mut current, mut next) = (current, next);
    for (index, layer) in layers.iter().enumerate().rev() {
        if layer.normalises() {
            backward_norm(net, learn, layer, (from, rows), &stack[index], current, &mut scratch);
        }
        let dy = acts(current, layer, 0);
        if rows > 0 {
            let weights = layer.hidden(learn.parameters());
            let mut back = |below: Below<'_>, dx: &mut ActsMut<'_>| {
                let (y, scale) = below.gate(net);
                net.kernels.back_hidden(dy, rows, &weights, layer.units, scratch.transposed, y, scale, dx);
                below.bend(rows, padded(layer.inputs), dx);
            };
            if let Some(under) = index.checked_sub(1) {
                let units = Below::new(net, &stack[under], &layers[under], from, ones);
                back(units, &mut acts_mut(next, &layers[under], 0));
            } else if let Some((units, dx)) = &mut below {
                back(*units, dx);
            }
        }
        let x = match index.checked_sub(1) {
            Some(under) => Feed::Acts(acts(&stack[under].y, &layers[under], from)),
            None => feed,
        };
        let (inputs, width) = (layer.inputs, layer.width);
        let sink = learn.sink(layer.weights_at, layer.bias_at);
        match x {
            Feed::Acts(x) => net.kernels.gradient_hidden(x, inputs, dy, width, rows, sink),
            Feed::Index(indices) => {
                gradient_gathered(net.kernels, indices, dy, layer, scratch.gathered, scratch.moved, sink)
            }
        }
        if !layer.normalises() {
            net.kernels.gradient_bias(dy, width, rows, learn.sink(layer.bias_at, layer.end));
        }
        std::mem::swap(&mut current, &mut next);
    }
}

/// Backward through a layer's normalisation: the gradient `delta` becomes that of its products, gains and biases
/// learn.
fn backward_norm(
    net: Net<'_>,
    learn: &mut Learn<'_>,
    layer: &Layer,
    (from, rows): (usize, usize),
    units: &Units,
    delta: &mut Buffer,
    scratch: &mut Scratch<'_>,
) {
    let bias = &mut scratch.bias_gradient[..layer.width];
    let gain = &mut scratch.gain_gradient[..layer.width];
    bias.fill(0.0);
    gain.fill(0.0);
    let (normed, root) = (acts(&units.normed, layer, from), &units.root[from..]);
    let mut delta = acts_mut(delta, layer, 0);
    let norm = layer.norm(learn.parameters());
    net.kernels.back_normalise(rows, &norm, normed, root, &mut delta, gain, bias);
    flat(net.kernels, bias, learn.sink(layer.bias_at, layer.gain_at));
    flat(net.kernels, gain, learn.sink(layer.gain_at, layer.end));
}

/// The gradient of a first layer on one-hot rows: only the rows of the weights that were seen have one, but
/// Adam moves all whose moments are not 0. Those that it never moved are passed over: in a large world they are
/// most, and a step of Adam would read and write all of them for nothing.
fn gradient_gathered(
    kernels: Kernels,
    indices: &[u32],
    dy: Acts<'_>,
    layer: &Layer,
    gathered: &mut Buffer,
    moved: &mut [bool],
    sink: Sink<'_>,
) {
    match sink {
        Sink::Store(g) => {
            g.fill(0.0);
            kernels.scatter(indices, dy, layer.inputs, layer.width, g);
        }
        Sink::Adam { w, m, v, step } => {
            kernels.scatter(indices, dy, layer.inputs, layer.width, gathered);
            indices.iter().for_each(|&index| moved[index as usize] = true);
            for panel in panels(layer.inputs, layer.width) {
                let (start, width) = (panel.numbers.start, panel.width);
                let mut input = 0;
                for same in moved[..layer.inputs].chunk_by(|a, b| a == b) {
                    let at = start + input * width;
                    let range = at..at + same.len() * width;
                    if same[0] {
                        let (w, m, v) = (&mut w[range.clone()], &mut m[range.clone()], &mut v[range.clone()]);
                        kernels.adam(&gathered[range], 1.0, w, m, v, step);
                    }
                    input += same.len();
                }
                for &index in indices {
                    gathered[start + index as usize * width..][..width].fill(0.0);
                }
            }
        }
    }
}

/// A gradient that is there already goes into the sink.
pub(super) fn flat(kernels: Kernels, gradient: &[f32], sink: Sink<'_>) {
    match sink {
        Sink::Store(g) => g.copy_from_slice(gradient),
        Sink::Adam { w, m, v, step } => kernels.adam(gradient, 1.0, w, m, v, step),
    }
}
