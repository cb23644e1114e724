//! How much memory a network holds, told from its shape alone. In floating point, because shapes that no machine has room for
//! are asked about, too.

use super::{Activation, Input, Shape};

/// The numbers that a network holds.
pub(crate) struct Numbers {
    /// One array of parameters, padding included.
    pub parameters: f64,
    /// What a step of training takes beside these, whatever the batch.
    pub beside: f64,
    /// For each row of the largest batch.
    pub row: f64,
}

/// A number of units, padded to whole vectors.
fn padded(units: usize) -> f64 {
    (units as f64 / 16.0).ceil() * 16.0
}

/// What lies between two rows of so many units: see `kernels::row_stride`.
fn stride(units: usize) -> f64 {
    let width = padded(units);
    if width % 64.0 == 0.0 { width + 16.0 } else { width }
}

/// A hidden layer's weights, biases and gains.
fn hidden(shape: &Shape, inputs: usize, units: usize) -> f64 {
    padded(units) * (inputs as f64 + if shape.layer_norm { 2.0 } else { 1.0 })
}

/// The sum over hidden layers on `inputs` inputs, and the size of the last.
fn stack(shape: &Shape, inputs: usize, layers: &[usize]) -> (f64, usize) {
    layers.iter().fold((0.0, inputs), |(sum, inputs), &units| (sum + hidden(shape, inputs, units), units))
}

impl Numbers {
    pub(crate) fn new(shape: &Shape, activation: Activation) -> Self {
        let (trunk, top) = stack(shape, shape.input.len(), &shape.trunk);
        let (head, top) = stack(shape, top, &shape.head);
        let in_panels = shape.outputs > super::layout::MOST_IN_ROWS;
        let output = match in_panels {
            true => padded(shape.outputs) * (top as f64 + 1.0),
            false => padded(top) * shape.outputs as f64 + padded(shape.outputs),
        };
        let actions = shape.actions as f64;
        let parameters = trunk + actions * (head + output);

        let first = shape.trunk.first().or(shape.head.first());
        let layers = || shape.trunk.iter().chain(&shape.head).copied();
        let widest = layers().chain([shape.outputs]).map(padded).fold(0.0, f64::max);
        let longest = layers().chain([shape.input.len()]).map(padded).fold(0.0, f64::max);
        // Gradients of bias and gain, ones, a panel on its side, a list of inputs.
        let mut beside = 4.0 * widest + super::kernels::PANEL as f64 * widest + longest + 16.0;
        if let (Input::OneHot(states), Some(&units)) = (shape.input, first) {
            // The gradient of the first layer, and a byte a state and action: whether its weights ever moved.
            beside += states as f64 * (padded(units) + actions / 4.0);
        }

        let copies = 1.0
            + if activation == Activation::Relu { 0.0 } else { 1.0 }
            + if shape.layer_norm { 1.0 } else { 0.0 };
        let deltas = |layers: &[usize]| 2.0 * layers.iter().copied().map(stride).fold(0.0, f64::max);
        let mut row = copies * layers().map(stride).sum::<f64>() + deltas(&shape.trunk) + deltas(&shape.head);
        // Order, mask, index, what rows are normalised by; outputs three times.
        row += 3.0 + layers().count() as f64 + 3.0 * shape.outputs as f64;
        if in_panels {
            row += stride(shape.outputs);
        }
        if matches!(shape.input, Input::Dense(_)) || first.is_none() {
            row += stride(shape.input.len());
        }
        Numbers { parameters, beside, row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::layout::Layout;

    #[test]
    fn the_parameters_are_those_of_the_layout() {
        for (trunk, head) in
            [(vec![], vec![70, 5, 18]), (vec![33, 9], vec![64]), (vec![40, 3], vec![]), (vec![], vec![])]
        {
            for (outputs, layer_norm) in [(2, false), (8, true), (9, false), (51, true)] {
                for input in [Input::Dense(3), Input::OneHot(1000)] {
                    let (trunk, head) = (trunk.clone(), head.clone());
                    let shape = Shape { input, trunk, head, actions: 3, outputs, layer_norm };
                    let expected = Layout::new(&shape).len as f64;
                    assert_eq!(Numbers::new(&shape, Activation::Relu).parameters, expected, "{shape:?}");
                }
            }
        }
    }
}
