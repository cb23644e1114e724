//! LayerNorm: numbers worked by hand, its tensors, and what it makes a network blind to.

mod common;

use common::{Batch, flat, loss_gradient};
use duvn::net::{
    AdamConfig, Backend, Extent, Init, Input, Isa, MaskRng, Masks, Network, Part, Rows, Shape, Which,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn shape(input: Input, trunk: &[usize], head: &[usize], actions: usize, outputs: usize) -> Shape {
    Shape { input, trunk: trunk.to_vec(), head: head.to_vec(), actions, outputs, layer_norm: true }
}

fn network(shape: &Shape, isa: Isa) -> Network {
    let mut network =
        Network::new(shape.clone(), Init::He, &mut ChaCha8Rng::seed_from_u64(3)).expect("a shape");
    network.set_isa(isa).expect("an available instruction set");
    network
}

/// Sets the tensor `name` and both copies of the parameters.
fn set(network: &mut Network, name: &str, data: &[f32]) {
    let mut tensors = network.tensors(Part::Online);
    let tensor = tensors.iter_mut().find(|tensor| tensor.name == name).expect("a tensor of that name");
    tensor.data.copy_from_slice(data);
    network.load(Part::Online, &tensors).expect("its own tensors");
    network.sync_target(1.0);
}

/// Two inputs, three units, one output. Observation (1, 2) gives the products 2, 5, 8: mean 5, variance 6, so that the
/// normalised units are -3, 0 and 3 times 1 / √6.00001. With gains 2, 1, 0.5 and biases 1, 0.25, -0.25 the units before
/// ReLU are -1.449, 0.25 and 0.362.
#[test]
fn a_small_layer_is_as_worked_by_hand() {
    for isa in Isa::available() {
        let mut network = network(&shape(Input::Dense(2), &[], &[3], 1, 1), isa);
        set(&mut network, "head.0.0.weight", &[0.0, 1.0, 2.0, 1.0, 2.0, 3.0]);
        set(&mut network, "head.0.0.gain", &[2.0, 1.0, 0.5]);
        set(&mut network, "head.0.0.bias", &[1.0, 0.25, -0.25]);
        set(&mut network, "head.0.output.weight", &[10.0, 100.0, 1000.0]);
        set(&mut network, "head.0.output.bias", &[7.0]);
        let mut out = [0.0];
        network.predict(Which::Target, Rows::Dense(&[1.0, 2.0]), None, &mut out);
        let root = 1.0 / 6.000_01f64.sqrt();
        let expected = 100.0 * 0.25 + 1000.0 * (0.5 * 3.0 * root - 0.25) + 7.0;
        assert!((f64::from(out[0]) - expected).abs() < 1e-3, "{isa}: {} {expected}", out[0]);

        // The output's gradient is 1, so before ReLU it is d = (0, 100, 1000), of the normalised units e = (0, 100, 500).
        let mut one = |_: &[f32], gradient: &mut [f32]| gradient.fill(1.0);
        let gradient = network.gradient(Rows::Dense(&[1.0, 2.0]), &[0], None, &mut one);
        let of = |name: &str| &gradient.iter().find(|tensor| tensor.name == name).expect("a tensor").data;
        let close = |found: &[f32], expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!((f64::from(*found) - expected).abs() < 1e-3, "{isa}: {found} {expected}");
            }
        };
        close(of("head.0.0.bias"), &[0.0, 100.0, 1000.0]);
        close(of("head.0.0.gain"), &[0.0, 0.0, 3000.0 * root]);
        // mean e = 200, mean (e normed) = 500 root: dx = root (e - 200 - normed 500 root).
        let (slope, e) = (500.0 * root, [0.0, 100.0, 500.0]);
        let dx: Vec<f64> =
            [-3.0, 0.0, 3.0].iter().zip(e).map(|(x, e)| root * (e - 200.0 - x * root * slope)).collect();
        let expected = [dx[0], dx[1], dx[2], 2.0 * dx[0], 2.0 * dx[1], 2.0 * dx[2]];
        close(of("head.0.0.weight"), &expected);
    }
}

#[test]
fn the_tensors_of_a_layer_are_weight_bias_and_gain() {
    let shape = shape(Input::OneHot(4), &[20], &[17, 5], 2, 3);
    let tensors = network(&shape, Isa::Portable).tensors(Part::Online);
    let names: Vec<_> = tensors.iter().map(|tensor| tensor.name.as_str()).take(12).collect();
    let expected = "trunk.0.weight trunk.0.bias trunk.0.gain head.0.0.weight head.0.0.bias head.0.0.gain \
                    head.0.1.weight head.0.1.bias head.0.1.gain head.0.output.weight head.0.output.bias \
                    head.1.0.weight";
    assert_eq!(names.join(" "), expected);
    let gains: Vec<_> = tensors.iter().filter(|tensor| tensor.name.ends_with("gain")).collect();
    assert!(gains.iter().all(|gain| gain.data.iter().all(|&g| g == 1.0)), "gains begin at 1");
    assert_eq!(tensors.iter().map(|tensor| tensor.data.len()).sum::<usize>(), shape.parameters());
}

/// Weights that begin the same with and without LayerNorm: gains draw no random numbers.
#[test]
fn gains_leave_the_other_first_weights_as_they_are() {
    let with = shape(Input::Dense(3), &[9], &[20], 2, 2);
    let without = Shape { layer_norm: false, ..with.clone() };
    let mut tensors = network(&with, Isa::Portable).tensors(Part::Online);
    tensors.retain(|tensor| !tensor.name.ends_with("gain"));
    assert_eq!(tensors, network(&without, Isa::Portable).tensors(Part::Online));
}

#[test]
fn a_normalised_network_continues_bit_for_bit_after_it_was_saved() {
    let shape = shape(Input::OneHot(6), &[33], &[18], 3, 2);
    let train = |network: &mut Network, from: u64| {
        let (mut masks, mut rng) = (Masks::new(), MaskRng::new(from));
        for step in from..from + 5 {
            let batch = Batch::new(&shape, 12, step);
            masks.draw(&shape, Extent::TakenAction, 12, 0.8, &mut rng);
            let adam = AdamConfig::default();
            network.train(batch.rows(&shape), &batch.actions, Some(&masks), &adam, &mut loss_gradient);
        }
    };
    let parts = [Part::Online, Part::Target, Part::AdamMean, Part::AdamVariance];
    for isa in Isa::available() {
        let (mut network, mut copy) = (self::network(&shape, isa), self::network(&shape, isa));
        train(&mut network, 1);
        network.sync_target(0.3);
        for part in parts {
            copy.load(part, &network.tensors(part)).expect("tensors of the same shape");
        }
        copy.set_steps(network.steps());
        train(&mut network, 6);
        train(&mut copy, 6);
        for part in parts {
            assert_eq!(network.tensors(part), copy.tensors(part), "{isa} {part:?}");
        }
        let gains = |part| {
            let mut tensors = network.tensors(part);
            tensors.retain(|tensor| tensor.name.ends_with("gain"));
            flat(&tensors)
        };
        let moved = gains(Part::Online).iter().filter(|&&gain| gain != 1.0).count();
        assert!(moved > 80, "{isa}: gains of units that are not dead are learnt, and {moved} of 87 were");
        assert_ne!(gains(Part::Online), gains(Part::Target), "{isa}: the target has gains of its own");
    }
}

/// The size of a vector of weights cannot matter to what stands behind the normalisation.
#[test]
fn scaled_weights_give_the_same_outputs() {
    let shape = shape(Input::Dense(5), &[], &[70, 20], 2, 2);
    let observations: Vec<f32> = (0..20).map(|i| (i as f32).sin()).collect();
    for isa in Isa::available() {
        let mut network = network(&shape, isa);
        let (mut before, mut after) = ([0.0; 16], [0.0; 16]);
        network.predict(Which::Online, Rows::Dense(&observations), None, &mut before);
        let mut tensors = network.tensors(Part::Online);
        for tensor in tensors.iter_mut().filter(|tensor| tensor.name.ends_with(".1.weight")) {
            tensor.data.iter_mut().for_each(|weight| *weight *= 4.0);
        }
        network.load(Part::Online, &tensors).expect("its own tensors");
        network.predict(Which::Online, Rows::Dense(&observations), None, &mut after);
        for (before, after) in before.iter().zip(after) {
            assert!((before - after).abs() < 1e-4, "{isa}: {before} {after}");
        }
    }
}

#[test]
fn a_layer_of_one_unit_puts_out_its_bias() {
    for isa in Isa::available() {
        let mut network = network(&shape(Input::Dense(1), &[], &[1], 1, 1), isa);
        set(&mut network, "head.0.0.bias", &[0.75]);
        set(&mut network, "head.0.output.weight", &[2.0]);
        let mut out = [0.0; 2];
        network.predict(Which::Online, Rows::Dense(&[3.0, -8.0]), None, &mut out);
        assert_eq!(out, [1.5, 1.5], "{isa}");
    }
}
