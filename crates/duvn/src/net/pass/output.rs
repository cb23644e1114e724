//! The output layer of an action's sub-network: one or a few outputs by dot products, many as the products of a
//! hidden layer.

use super::backward::{Learn, flat};
use super::{Below, Net, acts_mut};
use crate::net::kernels::{Acts, ActsMut, Buffer, padded};
use crate::net::layout::Layer;

/// Scratch space of an output layer.
pub(super) struct Scratch<'a> {
    /// Rows of outputs or their gradient, padded to whole vectors. Used by layers in panels only.
    pub padded: &'a mut Buffer,
    pub transposed: &'a mut Buffer,
    pub bias_gradient: &'a mut Buffer,
}

/// The outputs of `rows` rows, whose units are `top`, into `out`.
pub(super) fn forward(
    net: Net<'_>,
    parameters: &[f32],
    layer: &Layer,
    (top, rows): (Acts<'_>, usize),
    padded: &mut Buffer,
    list: &mut [u32],
    out: &mut ActsMut<'_>,
) {
    if !layer.in_panels {
        net.kernels.output(top, rows, &layer.output(parameters), out);
        return;
    }
    let weights = layer.hidden(parameters);
    let mut products = acts_mut(padded, layer, 0);
    match rows {
        1 => net.kernels.product_single(top.data, &weights, list, &mut products),
        _ => {
            net.kernels.product(top, rows, weights.weights, layer.inputs, layer.width, &mut products);
        }
    }
    let products = products.data.chunks(products.stride).take(rows);
    for (out, products) in out.data.chunks_mut(out.stride).zip(products) {
        for ((out, product), bias) in out.iter_mut().zip(&products[..layer.units]).zip(weights.bias) {
            *out = product + bias;
        }
    }
}

/// Backward from the gradient of the outputs of `rows` rows: what the layer learns and, if it stands on hidden units, their
/// gradient before activation and dropout, into `dx`.
pub(super) fn backward(
    net: Net<'_>,
    learn: &mut Learn<'_>,
    layer: &Layer,
    gradient: &[f32],
    (top, rows): (Acts<'_>, usize),
    dx: Option<(Below<'_>, &mut ActsMut<'_>)>,
    scratch: Scratch<'_>,
) {
    let (outputs, kernels) = (layer.units, net.kernels);
    if !layer.in_panels {
        if let Some((below, dx)) = dx {
            let (y, scale) = below.gate(net);
            kernels.back_output(gradient, rows, &layer.output(learn.parameters()), y, scale, dx);
            below.bend(rows, layer.width, dx);
        }
        let sink = learn.sink(layer.weights_at, layer.bias_at);
        kernels.gradient_output(gradient, outputs, top, layer.width, rows, sink);
        let bias = &mut scratch.bias_gradient[..padded(outputs)];
        bias.fill(0.0);
        for row in gradient.chunks(outputs) {
            for (sum, &g) in bias.iter_mut().zip(row) {
                *sum += g;
            }
        }
        flat(kernels, bias, learn.sink(layer.bias_at, layer.end));
        return;
    }
    let dy = acts_mut(scratch.padded, layer, 0);
    for (dy, gradient) in dy.data.chunks_mut(dy.stride).zip(gradient.chunks(outputs)) {
        dy[..outputs].copy_from_slice(gradient);
        dy[outputs..layer.width].fill(0.0);
    }
    let dy = Acts { data: dy.data, stride: dy.stride };
    if let Some((below, dx)) = dx.filter(|_| rows > 0) {
        let weights = layer.hidden(learn.parameters());
        let (y, scale) = below.gate(net);
        kernels.back_hidden(dy, rows, &weights, outputs, scratch.transposed, y, scale, dx);
        below.bend(rows, padded(layer.inputs), dx);
    }
    let sink = learn.sink(layer.weights_at, layer.bias_at);
    kernels.gradient_hidden(top, layer.inputs, dy, layer.width, rows, sink);
    kernels.gradient_bias(dy, layer.width, rows, learn.sink(layer.bias_at, layer.end));
}
