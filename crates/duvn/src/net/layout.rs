//! Where the parameters of a network lie in one array, and their canonical order outside of it.

use std::ops::Range;

use super::kernels::{HiddenLayer, NormLayer, OutputLayer, PANEL, padded, panels};
use super::{LoadError, Shape, Tensor};

/// An output layer of so many outputs is computed by dot products; more fill the vectors of a panel better.
pub(super) const MOST_IN_ROWS: usize = 8;

/// One layer's place among the parameters.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// What the tensors of the layer are called, such as `head.0.1`.
    pub name: String,
    pub inputs: usize,
    pub units: usize,
    /// Weights in panels: units padded. Weights in rows: inputs padded.
    pub width: usize,
    pub output: bool,
    /// Whether the weights lie in panels of units, or in a row of inputs for each unit. See [`super::kernels`].
    pub in_panels: bool,
    pub weights_at: usize,
    pub bias_at: usize,
    /// Where the gains of a layer that normalises begin; of any other, where the layer ends.
    pub gain_at: usize,
    pub end: usize,
    /// Words from the start of a row's dropout bits, as if this were the first action's.
    pub mask_at: usize,
}

impl Layer {
    pub(super) fn hidden<'a>(&self, parameters: &'a [f32]) -> HiddenLayer<'a> {
        HiddenLayer {
            inputs: self.inputs,
            width: self.width,
            weights: &parameters[self.weights_at..self.bias_at],
            bias: &parameters[self.bias_at..self.gain_at],
        }
    }

    /// What normalises the units of a hidden layer that has gains.
    pub(super) fn norm<'a>(&self, parameters: &'a [f32]) -> NormLayer<'a> {
        NormLayer {
            units: self.units,
            width: self.width,
            gain: &parameters[self.gain_at..self.end],
            bias: &parameters[self.bias_at..self.gain_at],
        }
    }

    /// Whether the layer normalises its units.
    pub(super) fn normalises(&self) -> bool {
        self.gain_at < self.end
    }

    pub(super) fn output<'a>(&self, parameters: &'a [f32]) -> OutputLayer<'a> {
        OutputLayer {
            outputs: self.units,
            width: self.width,
            weights: &parameters[self.weights_at..self.bias_at],
            bias: &parameters[self.bias_at..self.end],
        }
    }

    /// Where the weight from `input` to `unit` lies. The layout is explained in [`super::kernels`].
    fn weight_at(&self, input: usize, unit: usize) -> usize {
        if !self.in_panels {
            return self.weights_at + unit * self.width + input;
        }
        let panel = unit / PANEL * PANEL;
        self.weights_at + panel * self.inputs + input * (self.width - panel).min(PANEL) + (unit - panel)
    }

    /// The name of one of the layer's tensors, such as `weight`.
    fn tensor_name(&self, part: &str) -> String {
        format!("{}.{part}", self.name)
    }

    /// The tensors of the layer after its weights: what they are, and where they begin.
    fn vectors(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let gain = self.normalises().then_some(("gain", self.gain_at));
        [("bias", self.bias_at)].into_iter().chain(gain)
    }
}

/// All layers of a network.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub trunk: Vec<Layer>,
    /// The hidden layers of each action.
    pub heads: Vec<Vec<Layer>>,
    /// The output layer of each action.
    pub outputs: Vec<Layer>,
    /// Numbers in the array of parameters, padding included.
    pub len: usize,
}

impl Layout {
    pub(super) fn new(shape: &Shape) -> Self {
        let mut len = 0;
        let mut place = |name: String, inputs: usize, units: usize, output: bool, mask_at: usize| {
            let in_panels = !output || units > MOST_IN_ROWS;
            let width = padded(if in_panels { units } else { inputs });
            let weights_at = len;
            let bias_at = weights_at + width * if in_panels { inputs } else { units };
            let gain_at = bias_at + padded(units);
            len = gain_at + if shape.layer_norm && !output { width } else { 0 };
            let end = len;
            Layer {
                name,
                inputs,
                units,
                width,
                output,
                in_panels,
                weights_at,
                bias_at,
                gain_at,
                end,
                mask_at,
            }
        };
        let mut hidden = |prefix: &str, below: usize, sizes: &[usize], mut mask_at: usize| {
            let mut inputs = below;
            let mut layers = Vec::new();
            for (index, &units) in sizes.iter().enumerate() {
                layers.push(place(format!("{prefix}.{index}"), inputs, units, false, mask_at));
                mask_at += padded(units) / 16;
                inputs = units;
            }
            (layers, inputs)
        };
        let (trunk, below) = hidden("trunk", shape.input.len(), &shape.trunk, 0);
        let (mut heads, mut outputs) = (Vec::new(), Vec::new());
        let mut tops = Vec::new();
        for action in 0..shape.actions {
            let (layers, top) = hidden(&format!("head.{action}"), below, &shape.head, shape.trunk_words());
            heads.push(layers);
            tops.push(top);
        }
        for (action, top) in tops.into_iter().enumerate() {
            outputs.push(place(format!("head.{action}.output"), top, shape.outputs, true, 0));
        }
        Layout { trunk, heads, outputs, len }
    }

    /// The layers in canonical order: the trunk, then each action's hidden layers and its output layer.
    pub(super) fn canonical(&self) -> impl Iterator<Item = &Layer> {
        let heads = self.heads.iter().zip(&self.outputs);
        self.trunk.iter().chain(heads.flat_map(|(head, output)| head.iter().chain([output])))
    }

    /// The parameters as tensors in canonical order, without padding.
    pub(super) fn unpack(&self, parameters: &[f32]) -> Vec<Tensor> {
        let mut tensors = Vec::new();
        for layer in self.canonical() {
            let (inputs, units) = (layer.inputs, layer.units);
            let weights =
                (0..inputs * units).map(|at| parameters[layer.weight_at(at / units, at % units)]).collect();
            tensors.push(Tensor {
                name: layer.tensor_name("weight"),
                shape: vec![inputs, units],
                data: weights,
            });
            for (part, at) in layer.vectors() {
                let data = parameters[at..at + units].to_vec();
                tensors.push(Tensor { name: layer.tensor_name(part), shape: vec![units], data });
            }
        }
        tensors
    }

    /// Fills `parameters` from tensors, found by name. Nothing is changed unless all of them fit.
    pub(super) fn pack(&self, tensors: &[Tensor], parameters: &mut [f32]) -> Result<(), LoadError> {
        let find = |name: String, shape: &[usize]| {
            let Some(tensor) = tensors.iter().find(|tensor| tensor.name == name) else {
                return Err(LoadError::Missing { name });
            };
            if tensor.shape != shape || tensor.data.len() != shape.iter().product::<usize>() {
                let (expected, found) = (shape.to_vec(), tensor.shape.clone());
                return Err(LoadError::Misshapen { name, expected, found, numbers: tensor.data.len() });
            }
            Ok(tensor)
        };
        let (mut weights, mut vectors) = (Vec::new(), Vec::new());
        for layer in self.canonical() {
            weights.push((layer, find(layer.tensor_name("weight"), &[layer.inputs, layer.units])?));
            for (part, at) in layer.vectors() {
                vectors.push((at, find(layer.tensor_name(part), &[layer.units])?));
            }
        }
        let found = weights.iter().map(|(_, tensor)| tensor).chain(vectors.iter().map(|(_, tensor)| tensor));
        if let Some(extra) = tensors.iter().find(|tensor| found.clone().all(|own| own.name != tensor.name)) {
            return Err(LoadError::Unknown { name: extra.name.clone() });
        }
        for (layer, tensor) in weights {
            for (at, &weight) in tensor.data.iter().enumerate() {
                parameters[layer.weight_at(at / layer.units, at % layer.units)] = weight;
            }
        }
        for (at, tensor) in vectors {
            parameters[at..at + tensor.data.len()].copy_from_slice(&tensor.data);
        }
        Ok(())
    }

    /// Calls `each` with the places of all parameters, without padding, in the order of the array.
    pub(super) fn runs(&self, mut each: impl FnMut(Range<usize>)) {
        let layers = self.trunk.iter().chain(self.heads.iter().flatten()).chain(&self.outputs);
        for layer in layers {
            // A run is as long as a row of what the weights lie in: columns of a panel, or inputs of an output.
            let (rows, columns) =
                if layer.in_panels { (layer.inputs, layer.units) } else { (layer.units, layer.inputs) };
            for panel in panels(rows, layer.width).filter(|_| layer.in_panels) {
                let used = panel.width.min(columns - panel.column);
                let starts = panel.numbers.step_by(panel.width).map(|at| layer.weights_at + at);
                starts.for_each(|start| each(start..start + used));
            }
            for row in (0..rows).filter(|_| !layer.in_panels) {
                let start = layer.weights_at + row * layer.width;
                each(start..start + columns);
            }
            layer.vectors().for_each(|(_, at)| each(at..at + layer.units));
        }
    }

    /// Sets every weight to what `weight` returns for its layer, in canonical order, and every gain to 1.
    pub(super) fn fill_weights(&self, parameters: &mut [f32], mut weight: impl FnMut(&Layer) -> f32) {
        for layer in self.canonical() {
            for input in 0..layer.inputs {
                for unit in 0..layer.units {
                    parameters[layer.weight_at(input, unit)] = weight(layer);
                }
            }
            if layer.normalises() {
                parameters[layer.gain_at..layer.gain_at + layer.units].fill(1.0);
            }
        }
    }
}
