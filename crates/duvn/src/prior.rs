//! A fixed random network added to the trained one (Osband et al. 2018): where nothing was learnt, beliefs
//! stay as varied as the random network is, whatever the trained one generalises.

use crate::net::{Backend, Input, Network, Part, Rows, Shape, Tensor, Which};

/// States whose values are computed at once.
pub(crate) const BLOCK: usize = 64;

/// A fixed random function of state and action, added to the outputs of a network before they get their
/// meaning.
pub struct Prior {
    net: Network,
    /// By output.
    scales: Vec<f32>,
    /// Where observations are indices: what is added, for every state, action and output.
    table: Option<Vec<f32>>,
    scratch: Vec<f32>,
}

impl Prior {
    /// The random network `net`, with its input multiplied by `gain` and its outputs by `scales`.
    pub fn new(mut net: Network, gain: f32, scales: Vec<f32>) -> Self {
        let mut weights = net.tensors(Part::Online);
        // A factor on the input is a factor on the weights of every layer that sees it.
        for tensor in weights.iter_mut().filter(|tensor| sees_input(&tensor.name, net.shape())) {
            tensor.data.iter_mut().for_each(|weight| *weight *= gain);
        }
        net.load(Part::Online, &weights).expect("a network's own tensors fit it");
        let mut prior = Prior { net: net.fixed(), scales, table: None, scratch: Vec::new() };
        if let Input::OneHot(states) = prior.net.shape().input {
            let width = prior.width();
            let mut table = vec![0.0; states * width];
            // In blocks: the network keeps room for as many rows as it was ever asked about at once.
            for (block, out) in table.chunks_mut(BLOCK * width).enumerate() {
                let first = (block * BLOCK) as u32;
                let some: Vec<u32> = (first..first + (out.len() / width) as u32).collect();
                prior.add(Rows::Index(&some), None, out);
            }
            prior.table = Some(table);
        }
        prior
    }

    /// Its weights, with the gain in them, and the factors on its outputs.
    pub fn weights(&self) -> (Vec<Tensor>, &[f32]) {
        (self.net.tensors(Part::Online), &self.scales)
    }

    /// Numbers for one state.
    fn width(&self) -> usize {
        self.net.shape().actions * self.scales.len()
    }

    /// Adds to the outputs of every action (rows x actions x outputs), or, where `taken` is given, of one
    /// action a row (rows x outputs).
    pub fn add(&mut self, rows: Rows<'_>, taken: Option<&[u8]>, out: &mut [f32]) {
        let outputs = self.scales.len();
        if let (Some(table), Rows::Index(states)) = (&self.table, rows) {
            let width = self.net.shape().actions * outputs;
            let block = if taken.is_some() { outputs } else { width };
            for (row, (out, &state)) in out.chunks_exact_mut(block).zip(states).enumerate() {
                let skip = taken.map_or(0, |actions| usize::from(actions[row]) * outputs);
                let prior = &table[state as usize * width + skip..][..block];
                out.iter_mut().zip(prior).for_each(|(out, prior)| *out += prior);
            }
            return;
        }
        self.scratch.resize(out.len(), 0.0);
        match taken {
            Some(actions) => self.net.predict_taken(Which::Online, rows, actions, None, &mut self.scratch),
            None => self.net.predict(Which::Online, rows, None, &mut self.scratch),
        }
        for (out, prior) in out.chunks_exact_mut(outputs).zip(self.scratch.chunks_exact(outputs)) {
            for ((out, prior), scale) in out.iter_mut().zip(prior).zip(&self.scales) {
                *out += prior * scale;
            }
        }
    }
}

/// Whether the tensor `name` holds the weights of a layer that stands on the input.
fn sees_input(name: &str, shape: &Shape) -> bool {
    match (shape.trunk.is_empty(), shape.head.is_empty()) {
        (false, _) => name == "trunk.0.weight",
        (true, false) => name.starts_with("head.") && name.ends_with(".0.weight"),
        (true, true) => name.ends_with(".output.weight"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Init;
    use crate::rng::Stream;

    fn network(input: Input, seed: u64) -> Network {
        let shape = Shape::heads(input, vec![8], 3, 2);
        Network::new(shape, Init::He, Stream::new(seed, "prior").generator()).unwrap()
    }

    #[test]
    fn the_table_of_index_observations_equals_the_network() {
        let mut net = network(Input::OneHot(5), 1);
        let mut prior = Prior::new(network(Input::OneHot(5), 1), 1.0, vec![2.0, 0.5]);
        let rows = Rows::Index(&[4, 0]);
        let (mut all, mut expected) = (vec![1.0; 12], vec![0.0; 12]);
        net.predict(Which::Online, rows, None, &mut expected);
        prior.add(rows, None, &mut all);
        for (index, (sum, expected)) in all.iter().zip(&expected).enumerate() {
            let scale = [2.0, 0.5][index % 2];
            assert!((sum - (1.0 + scale * expected)).abs() < 1e-6);
        }
        let mut taken = vec![1.0; 4];
        prior.add(rows, Some(&[2, 1]), &mut taken);
        assert_eq!(taken, [all[4], all[5], all[8], all[9]]);
    }

    #[test]
    fn a_gain_acts_on_the_input() {
        let mut plain = Prior::new(network(Input::Dense(2), 1), 1.0, vec![1.0, 1.0]);
        let mut steep = Prior::new(network(Input::Dense(2), 1), 3.0, vec![1.0, 1.0]);
        let (mut one, mut other) = (vec![0.0; 6], vec![0.0; 6]);
        plain.add(Rows::Dense(&[0.6, -0.3]), None, &mut one);
        steep.add(Rows::Dense(&[0.2, -0.1]), None, &mut other);
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-5), "{one:?} {other:?}");
    }
}
