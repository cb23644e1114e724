//! Forward through the layers.

use super::{Feed, Net, Units, Workspace, acts, acts_mut, below, observations, output};
use crate::net::Activation;
use crate::net::kernels::{Acts, ActsMut, Bits};
use crate::net::layout::Layer;

impl Workspace {
    /// Forward through the trunk, for all rows.
    pub(in crate::net) fn forward_trunk(&mut self, net: Net<'_>, parameters: &[f32]) {
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
            |layer| net.bits(starts, layer, 0),
        );
    }

    /// Forward through the sub-network of `action` for `rows` rows after the first `from`, into `out`.
    fn forward_head(
        &mut self,
        net: Net<'_>,
        parameters: &[f32],
        action: usize,
        (from, rows): (usize, usize),
        out: Option<ActsMut<'_>>,
    ) {
        let feed = match (self.trunk.last(), net.layout.trunk.last()) {
            (Some(units), Some(layer)) => Feed::Acts(acts(&units.y, layer, 0)),
            _ => observations(net.shape, &self.dense, &self.indices),
        };
        let starts = &self.mask_starts[from..from + rows];
        let layers = &net.layout.heads[action];
        let own = net.masks.map_or(0, |masks| masks.head_at(net.shape, action));
        match feed {
            Feed::Acts(x) if rows == 1 && net.plain() => {
                forward_plain(
                    net,
                    parameters,
                    layers,
                    below(x, from),
                    from,
                    &mut self.head,
                    &mut self.list,
                    |layer| net.bits(starts, layer, own),
                );
            }
            _ => {
                forward(net, parameters, layers, feed, from, rows, &mut self.head, &mut self.list, |layer| {
                    net.bits(starts, layer, own)
                })
            }
        }
        let top = match (self.head.last(), layers.last()) {
            (Some(units), Some(layer)) => acts(&units.y, layer, from),
            _ => match feed.rows(from, rows) {
                Feed::Acts(acts) => acts,
                Feed::Index(_) => unreachable!("a network without hidden layers is fed with dense rows"),
            },
        };
        let (layer, outputs) = (&net.layout.outputs[action], net.shape.outputs);
        let data = &mut self.sorted_outputs[from * outputs..];
        let mut out = out.unwrap_or(ActsMut { data, stride: outputs });
        let (padded, list) = (&mut self.padded_outputs, &mut self.list);
        output::forward(net, parameters, layer, (top, rows), padded, list, &mut out);
    }

    /// Forward through the sub-networks of all actions for all rows, into rows x actions x outputs.
    pub(in crate::net) fn forward_all(&mut self, net: Net<'_>, parameters: &[f32], out: &mut [f32]) {
        let (rows, outputs) = (self.order.len(), net.shape.outputs);
        for action in 0..net.shape.actions {
            let data = &mut out[action * outputs..];
            let out = ActsMut { data, stride: net.shape.actions * outputs };
            self.forward_head(net, parameters, action, (0, rows), Some(out));
        }
    }

    /// Forward through the sub-network of each row's action; the result is [`Workspace::outputs`].
    pub(in crate::net) fn forward_taken(&mut self, net: Net<'_>, parameters: &[f32]) {
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
    pub(in crate::net) fn outputs(&self) -> &[f32] {
        &self.outputs
    }
}

/// As [`forward`] for the row `from` alone through layers of ReLU that do not normalise. That is what acting waits for: nothing is
/// asked twice here.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn forward_plain<'b>(
    net: Net<'_>,
    parameters: &[f32],
    layers: &[Layer],
    x: Acts<'_>,
    from: usize,
    stack: &mut [Units],
    list: &mut [u32],
    bits: impl Fn(&Layer) -> Option<Bits<'b>>,
) {
    for (index, layer) in layers.iter().enumerate() {
        let (done, rest) = stack.split_at_mut(index);
        let x = done.last().map_or(x, |units| acts(&units.y, &layers[index - 1], from));
        let mut out = acts_mut(&mut rest[0].y, layer, from);
        net.kernels.hidden_single(x.data, &layer.hidden(parameters), bits(layer), list, &mut out);
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
    stack: &mut [Units],
    list: &mut [u32],
    bits: impl Fn(&Layer) -> Option<Bits<'b>>,
) {
    for (index, layer) in layers.iter().enumerate() {
        let (done, rest) = stack.split_at_mut(index);
        let Units { y, normed, root, slope } = &mut rest[0];
        let mut out = acts_mut(y, layer, from);
        let feed = match done.last() {
            Some(units) => Feed::Acts(acts(&units.y, &layers[index - 1], from)),
            None => feed.rows(from, rows),
        };
        let (weights, bits) = (layer.hidden(parameters), bits(layer));
        let (size, curved) = ((rows, layer.units, layer.width), net.activation != Activation::Relu);
        if curved && !layer.normalises() {
            match feed {
                Feed::Index(indices) => net.kernels.product_gather(indices, &weights, &mut out),
                Feed::Acts(x) if rows == 1 => net.kernels.product_single(x.data, &weights, list, &mut out),
                Feed::Acts(x) => {
                    net.kernels.product(x, rows, weights.weights, layer.inputs, layer.width, &mut out);
                }
            }
            let mut slope = acts_mut(slope, layer, from);
            let sum = |_, unit: usize, product: f32| product + weights.bias[unit];
            net.activation.apply(size, bits, sum, &mut out, &mut slope);
            continue;
        }
        if !layer.normalises() {
            match feed {
                Feed::Index(indices) => net.kernels.hidden_gather(indices, &weights, bits, &mut out),
                Feed::Acts(x) if rows == 1 => {
                    net.kernels.hidden_single(x.data, &weights, bits, list, &mut out);
                }
                Feed::Acts(x) => net.kernels.hidden(x, rows, &weights, bits, &mut out),
            }
            continue;
        }
        let mut normed = acts_mut(normed, layer, from);
        match feed {
            Feed::Index(indices) => net.kernels.product_gather(indices, &weights, &mut normed),
            Feed::Acts(x) if rows == 1 => net.kernels.product_single(x.data, &weights, list, &mut normed),
            Feed::Acts(x) => {
                net.kernels.product(x, rows, weights.weights, layer.inputs, layer.width, &mut normed);
            }
        }
        let norm = layer.norm(parameters);
        net.kernels.normalise(rows, &norm, bits, &mut normed, &mut root[from..], &mut out);
        if curved {
            // The kernel has put ReLU's units there: they are made anew.
            let mut slope = acts_mut(slope, layer, from);
            let at = |row: usize, unit: usize| normed.data[row * normed.stride + unit];
            let sum = |row, unit, _| norm.gain[unit] * at(row, unit) + norm.bias[unit];
            net.activation.apply(size, bits, sum, &mut out, &mut slope);
        }
    }
}
