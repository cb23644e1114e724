//! The engine against a double-precision reference: outputs, and gradients by central finite differences.

mod common;

use common::{Batch, Reference, dense_rows, loss, loss_gradient, relative_error};
use duvn::net::{
    Activation, AdamConfig, Backend, Extent, Init, Input, Isa, Langevin, MaskRng, Masks, Network, Part, Rows,
    Shape, Which,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn network(shape: &Shape, activation: Activation, isa: Isa) -> Network {
    let mut network = Network::new(shape.clone(), Init::He, &mut ChaCha8Rng::seed_from_u64(5))
        .expect("a shape")
        .with_activation(activation);
    network.set_isa(isa).expect("an available instruction set");
    // Biases that are not 0 put every path of ReLU to the test; gains that are not 1 are seen to be used.
    let mut tensors = network.tensors(duvn::net::Part::Online);
    for (t, tensor) in tensors.iter_mut().enumerate().filter(|(_, t)| !t.name.ends_with("weight")) {
        for (i, x) in tensor.data.iter_mut().enumerate() {
            *x += 0.2 * ((t * 31 + i * 7) as f32).sin();
        }
    }
    network.load(duvn::net::Part::Online, &tensors).expect("its own tensors");
    network.sync_target(1.0);
    network
}

fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for input in [Input::OneHot(7), Input::Dense(5)] {
        for (trunk, head) in [
            (vec![], vec![20, 33]),
            (vec![37], vec![18]),
            (vec![21, 19], vec![]),
            (vec![], vec![]),
            (vec![17], vec![66, 9]),
        ] {
            for (outputs, actions, layer_norm) in [(1, 3, false), (2, 2, false), (5, 2, false), (2, 3, true)]
            {
                let (trunk, head) = (trunk.clone(), head.clone());
                shapes.push(Shape { input, trunk, head, actions, outputs, layer_norm });
            }
        }
        for (trunk, head) in [(vec![], vec![20]), (vec![17], vec![]), (vec![], vec![])] {
            shapes.push(Shape { trunk, ..Shape::heads(input, head, 2, 19) });
        }
    }
    shapes
}

fn reference(network: &Network, activation: Activation) -> Reference {
    Reference { activation, ..Reference::of(network) }
}

/// Every shape with ReLU, and with the others as far as they go other ways through the code.
fn cases() -> impl Iterator<Item = (Shape, Activation)> {
    let curved = |shape: &Shape| shape.outputs != 1 && !(shape.trunk.is_empty() && shape.head.is_empty());
    shapes().into_iter().flat_map(move |shape| {
        let others = if curved(&shape) { &[Activation::Elu, Activation::Tanh][..] } else { &[] };
        let all = std::iter::once(Activation::Relu).chain(others.iter().copied());
        all.map(move |activation| (shape.clone(), activation)).collect::<Vec<_>>()
    })
}

fn masks(shape: &Shape, extent: Extent, rows: usize) -> Masks {
    let mut masks = Masks::new();
    masks.draw(shape, extent, rows, 0.75, &mut MaskRng::new(11));
    masks
}

#[test]
fn outputs_agree_with_the_reference() {
    for isa in Isa::available() {
        for (shape, activation) in cases() {
            let mut network = network(&shape, activation, isa);
            let reference = reference(&network, activation);
            for rows in [1, 2, 13] {
                let batch = Batch::new(&shape, rows, 3);
                let dense = dense_rows(&shape, batch.rows(&shape));
                for masks in [None, Some(masks(&shape, Extent::AllActions, rows))] {
                    let mut out = vec![0.0; rows * shape.actions * shape.outputs];
                    network.predict(Which::Online, batch.rows(&shape), masks.as_ref(), &mut out);
                    let expected: Vec<f64> = (0..rows)
                        .flat_map(|r| (0..shape.actions).map(move |a| (r, a)))
                        .flat_map(|(r, a)| reference.forward(&dense[r], a, r, masks.as_ref()))
                        .collect();
                    let error = relative_error(out.iter().map(|&y| f64::from(y)), &expected);
                    assert!(error < 2e-6, "predict {isa} {shape:?} {activation:?} rows {rows}: {error}");

                    let mut out = vec![0.0; rows * shape.outputs];
                    network.predict_taken(
                        Which::Target,
                        batch.rows(&shape),
                        &batch.actions,
                        masks.as_ref(),
                        &mut out,
                    );
                    let expected = reference.taken(&dense, &batch.actions, masks.as_ref());
                    let error = relative_error(out.iter().map(|&y| f64::from(y)), &expected);
                    assert!(
                        error < 2e-6,
                        "predict_taken {isa} {shape:?} {activation:?} rows {rows}: {error}"
                    );
                }
            }
        }
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    const ROWS: usize = 17;
    for (shape, activation) in cases() {
        let batch = Batch::new(&shape, ROWS, 9);
        let dense = dense_rows(&shape, batch.rows(&shape));
        for masks in [None, Some(masks(&shape, Extent::TakenAction, ROWS))] {
            let mut reference = reference(&network(&shape, activation, Isa::Portable), activation);
            let mut differences = Vec::new();
            for tensor in 0..reference.tensors.len() {
                let mut gradient = Vec::new();
                for i in 0..reference.tensors[tensor].2.len() {
                    let h = 1e-6;
                    let x = reference.tensors[tensor].2[i];
                    let mut at = |x| {
                        reference.tensors[tensor].2[i] = x;
                        loss(&reference.taken(&dense, &batch.actions, masks.as_ref()))
                    };
                    gradient.push((at(x + h) - at(x - h)) / (2.0 * h));
                    at(x);
                }
                differences.push(gradient);
            }
            for isa in Isa::available() {
                let mut network = network(&shape, activation, isa);
                let gradient =
                    network.gradient(batch.rows(&shape), &batch.actions, masks.as_ref(), &mut loss_gradient);
                for (tensor, expected) in gradient.iter().zip(&differences) {
                    let error = relative_error(tensor.data.iter().map(|&g| f64::from(g)), expected);
                    // Normalised units are of size 1 whatever the weights are, and their rounding too.
                    let limit = if shape.layer_norm { 5e-5 } else { 1e-5 };
                    assert!(error < limit, "{isa} {shape:?} {activation:?} {}: {error}", tensor.name);
                }
            }
        }
    }
}

/// With Langevin dynamics without noise and without Adam's direction a step is w - α g, so that g can be read off it. The anchor
/// is where the network was when it was told to keep its parameters; here it has moved since.
#[test]
fn the_anchored_loss_has_the_gradient_of_central_differences() {
    const ROWS: usize = 17;
    let (anchor, rate) = (0.7, 1.0 / 64.0);
    let plain = Langevin { bias: 0.0, noise: 0.0, seed: 0 };
    let adam = AdamConfig { learning_rate: rate, anchor, langevin: Some(plain), ..AdamConfig::default() };
    for shape in
        [Shape::heads(Input::OneHot(7), vec![20], 2, 3), Shape::heads(Input::Dense(5), vec![9, 18], 3, 1)]
    {
        let batch = Batch::new(&shape, ROWS, 9);
        let dense = dense_rows(&shape, batch.rows(&shape));
        for isa in Isa::available() {
            let mut network = network(&shape, Activation::Relu, isa).anchored();
            let first = reference(&network, Activation::Relu);
            let mut moved = network.tensors(Part::Online);
            let numbers = moved.iter_mut().flat_map(|tensor| &mut tensor.data);
            numbers.enumerate().for_each(|(i, w)| *w += 0.3 * (i as f32 * 0.7).cos());
            network.load(Part::Online, &moved).expect("its own tensors");
            let mut reference = reference(&network, Activation::Relu);
            network.train(batch.rows(&shape), &batch.actions, None, &adam, &mut loss_gradient);
            let after = network.tensors(Part::Online);
            for tensor in 0..moved.len() {
                let mut differences = Vec::new();
                for i in 0..reference.tensors[tensor].2.len() {
                    let (x, h) = (reference.tensors[tensor].2[i], 1e-6);
                    let mut at = |x: f64| {
                        reference.tensors[tensor].2[i] = x;
                        let away = (x - first.tensors[tensor].2[i]).powi(2);
                        loss(&reference.taken(&dense, &batch.actions, None)) + f64::from(anchor) * away
                    };
                    differences.push((at(x + h) - at(x - h)) / (2.0 * h));
                    at(x);
                }
                let steps = moved[tensor].data.iter().zip(&after[tensor].data);
                let found = steps.map(|(before, after)| f64::from(before - after) / f64::from(rate));
                let error = relative_error(found, &differences);
                assert!(error < 2e-5, "{isa} {shape:?} {}: {error}", moved[tensor].name);
            }
        }
    }
}

#[test]
#[should_panic(expected = "keeps its first parameters")]
fn a_network_without_first_parameters_has_no_anchor() {
    let shape = Shape::heads(Input::OneHot(3), vec![4], 2, 1);
    let mut network = network(&shape, Activation::Relu, Isa::Portable);
    let adam = AdamConfig { anchor: 1.0, ..AdamConfig::default() };
    network.train(Rows::Index(&[0]), &[0], None, &adam, &mut loss_gradient);
}
