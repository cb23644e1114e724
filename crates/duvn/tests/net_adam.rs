//! Adam against numbers worked by hand and against a plain double-precision Adam.

mod common;

use common::{Batch, flat, loss_gradient, relative_error};
use duvn::net::{
    AdamConfig, Backend, Health, Init, Input, Isa, Langevin, Network, Part, Rows, Shape, Tensor,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn network(shape: &Shape, isa: Isa) -> Network {
    let mut network =
        Network::new(shape.clone(), Init::He, &mut ChaCha8Rng::seed_from_u64(2)).expect("a shape");
    network.set_isa(isa).expect("an available instruction set");
    network
}

fn linear() -> Shape {
    Shape::heads(Input::Dense(2), vec![], 1, 1)
}

fn one_hot() -> Shape {
    Shape::heads(Input::OneHot(6), vec![20], 2, 1)
}

/// Sets all parameters to `x`.
fn fill(network: &mut Network, x: f32) {
    let mut tensors = network.tensors(Part::Online);
    tensors.iter_mut().for_each(|t| t.data.fill(x));
    network.load(Part::Online, &tensors).expect("its own tensors");
}

#[test]
fn the_first_two_steps_are_as_worked_by_hand() {
    let adam = AdamConfig { learning_rate: 0.1, ..AdamConfig::default() };
    for isa in Isa::available() {
        let mut network = network(&linear(), isa);
        fill(&mut network, 1.0);
        // The gradient of the output is 1, so that of the parameters is the observation, and 1 for the bias.
        let mut ones = |_: &[f32], gradient: &mut [f32]| gradient.fill(1.0);
        network.train(Rows::Dense(&[4.0, -0.5]), &[0], None, &adam, &mut ones);
        // Step 1: m̂ = g, v̂ = g², so every parameter moves by 0.1 against the sign of its gradient.
        // 1 - 0.999 in single precision is off by 1.3e-5 of itself.
        let close = |found: Vec<f64>, expected: [f64; 3]| {
            assert!(
                relative_error(found.iter().copied(), &expected) < 1.5e-5,
                "{isa}: {found:?} {expected:?}"
            );
        };
        close(flat(&network.tensors(Part::Online)), [0.9, 1.1, 0.9]);
        close(flat(&network.tensors(Part::AdamMean)), [0.4, -0.05, 0.1]);
        close(flat(&network.tensors(Part::AdamVariance)), [0.016, 0.000_25, 0.001]);
        // Step 2 with gradients 0, 1 and 1: m = 0.36, 0.055, 0.19; m̂ = m / 0.19;
        // v = 0.015984, 0.00124975, 0.001999; v̂ = v / 0.001999.
        network.train(Rows::Dense(&[0.0, 1.0]), &[0], None, &adam, &mut ones);
        let moved = |m: f64, v: f64| 0.1 * (m / 0.19) / (v / 0.001_999).sqrt();
        close(
            flat(&network.tensors(Part::Online)),
            [0.9 - moved(0.36, 0.015_984), 1.1 - moved(0.055, 0.001_249_75), 0.9 - moved(0.19, 0.001_999)],
        );
        assert_eq!(network.steps(), 2);
    }
}

#[test]
fn all_parameters_follow_dense_adam_whether_their_row_was_seen_or_not() {
    let shape = one_hot();
    // With the small beta1 the mean of what is not seen is 0 long before the end, and the variance is not.
    for (isa, beta1) in Isa::available().flat_map(|isa| [(isa, 0.9), (isa, 0.0625)]) {
        let adam = AdamConfig { beta1: beta1 as f32, ..AdamConfig::default() };
        let mut network = network(&shape, isa);
        let mut w = flat(&network.tensors(Part::Online));
        let (mut m, mut v) = (vec![0.0; w.len()], vec![0.0; w.len()]);
        for t in 1..=60 {
            // Observation 5 is never seen, observations 3 and 4 and action 1 only at first.
            let indices = if t < 10 { [3, 4, 0, 3] } else { [0, 1, 2, 1] };
            let actions = if t < 10 { [0, 1, 1, 0] } else { [0, 0, 0, 0] };
            let gradient = flat(&network.gradient(Rows::Index(&indices), &actions, None, &mut loss_gradient));
            network.train(Rows::Index(&indices), &actions, None, &adam, &mut loss_gradient);
            for (((w, m), v), g) in w.iter_mut().zip(&mut m).zip(&mut v).zip(&gradient) {
                *m = beta1 * *m + (1.0 - beta1) * g;
                *v = 0.999 * *v + 0.001 * g * g;
                let (m, v) = (*m / (1.0 - beta1.powi(t)), *v / (1.0 - 0.999f64.powi(t)));
                *w -= 1e-3 * m / (v.sqrt() + 1e-8);
            }
        }
        let error = |part, expected: &[f64]| relative_error(flat(&network.tensors(part)), expected);
        assert!(error(Part::AdamMean, &m) < 1e-5, "{isa} {beta1} mean {}", error(Part::AdamMean, &m));
        assert!(error(Part::AdamVariance, &v) < 3e-5, "{isa} variance {}", error(Part::AdamVariance, &v));
        assert!(error(Part::Online, &w) < 1e-5, "{isa} online {}", error(Part::Online, &w));
    }
}

#[test]
fn without_gradients_nothing_moves_and_nothing_is_nan() {
    for isa in Isa::available() {
        for epsilon in [0.0, 1e-8] {
            let mut network = network(&one_hot(), isa);
            let before = network.tensors(Part::Online);
            let adam = AdamConfig { epsilon, ..AdamConfig::default() };
            network.train(Rows::Index(&[1, 2]), &[0, 1], None, &adam, &mut |_, gradient| gradient.fill(0.0));
            assert_eq!(network.tensors(Part::Online), before, "{isa} {epsilon}");
        }
    }
}

#[test]
fn moments_of_a_silent_parameter_end_at_zero_and_not_in_subnormal_numbers() {
    for isa in Isa::available() {
        let mut network = network(&one_hot(), isa);
        let adam = AdamConfig { beta1: 0.5, beta2: 0.6, ..AdamConfig::default() };
        let moments = |network: &Network| {
            [Part::AdamMean, Part::AdamVariance].map(|part| network.tensors(part)).into_iter().flatten()
        };
        network.train(Rows::Index(&[1, 2]), &[0, 1], None, &adam, &mut loss_gradient);
        for _ in 0..400 {
            network.train(Rows::Index(&[]), &[], None, &adam, &mut |_, _| {});
            let normal = |x: &f32| *x == 0.0 || x.is_normal();
            assert!(moments(&network).all(|t: Tensor| t.data.iter().all(normal)), "{isa}");
        }
        assert!(moments(&network).all(|t: Tensor| t.data.iter().all(|&x| x == 0.0)), "{isa}");
    }
}

#[test]
fn clipping_scales_the_gradient_to_the_norm() {
    let shape = Shape { trunk: vec![30], ..Shape::heads(Input::Dense(5), vec![20], 3, 2) };
    let batch = Batch::new(&shape, 9, 4);
    let rows = batch.rows(&shape);
    for isa in Isa::available() {
        let mut plain = network(&shape, isa);
        let gradient = flat(&plain.gradient(rows, &batch.actions, None, &mut loss_gradient));
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        for factor in [0.25, 2.0] {
            let limit = (norm * factor) as f32;
            let adam = AdamConfig { max_gradient_norm: Some(limit), ..AdamConfig::default() };
            let mut clipped = network(&shape, isa);
            clipped.train(rows, &batch.actions, None, &adam, &mut loss_gradient);
            let expected: Vec<f64> = gradient.iter().map(|g| 0.1 * g * factor.min(1.0)).collect();
            let error = relative_error(flat(&clipped.tensors(Part::AdamMean)), &expected);
            assert!(error < 1e-5, "{isa} {factor}: {error}");
        }
        plain.train(rows, &batch.actions, None, &AdamConfig::default(), &mut loss_gradient);
        let expected: Vec<f64> = gradient.iter().map(|g| 0.1 * g).collect();
        assert!(relative_error(flat(&plain.tensors(Part::AdamMean)), &expected) < 1e-5, "{isa}");
    }
}

#[test]
fn a_gradient_that_is_not_a_number_shows_in_the_weights() {
    for isa in Isa::available() {
        for poison in [f32::NAN, f32::INFINITY] {
            let mut network = network(&one_hot(), isa);
            let adam = AdamConfig::default();
            let health = network.train(Rows::Index(&[1]), &[0], None, &adam, &mut |_, g| g.fill(poison));
            assert_eq!(health, Health::NonFinite, "{isa} {poison}");
            let poisoned = |t: &Tensor| t.data.iter().any(|x| !x.is_finite());
            assert!(network.tensors(Part::Online).iter().any(poisoned), "{isa} {poison}");
        }
    }
}

/// A step that clips goes over all weights, one that does not passes over those that never moved.
#[test]
fn passing_over_inputs_that_were_never_seen_changes_no_bit() {
    let shapes = [(vec![], vec![70, 20]), (vec![130], vec![20])]
        .map(|(trunk, head)| Shape { trunk, ..Shape::heads(Input::OneHot(9), head, 2, 1) });
    for (shape, isa) in shapes.iter().flat_map(|shape| Isa::available().map(move |isa| (shape, isa))) {
        let (mut some, mut all) = (network(shape, isa), network(shape, isa));
        let sparing = AdamConfig::default();
        let thorough = AdamConfig { max_gradient_norm: Some(1e30), ..sparing };
        let mut loss = |y: &[f32], gradient: &mut [f32]| {
            gradient.iter_mut().zip(y).for_each(|(g, y)| *g = y - 0.5);
        };
        for step in 0..400u32 {
            // Input 3 is seen early on, input 7 late, inputs 1 and 8 never; some steps go the other way round.
            let late = if step < 200 { 3 } else { 7 };
            let rows = [0, 2, late, 4 + step % 3];
            let actions = [0, 1, 0, (step % 2) as u8];
            let own = if step % 50 == 49 { &thorough } else { &sparing };
            some.train(Rows::Index(&rows), &actions, None, own, &mut loss);
            all.train(Rows::Index(&rows), &actions, None, &thorough, &mut loss);
        }
        for part in [Part::Online, Part::AdamMean, Part::AdamVariance] {
            assert!(some.tensors(part) == all.tensors(part), "{isa} {shape:?} {part:?}");
        }
    }
}

/// The square of a gradient of 1e25 is more than single precision holds: Adam's variance becomes infinite and nothing would
/// ever move again, while every weight looks healthy.
#[test]
fn a_moment_that_overflows_is_reported_by_the_step_that_did_it() {
    let shapes = [one_hot(), linear(), Shape { layer_norm: true, outputs: 12, ..one_hot() }];
    for (shape, isa) in shapes.iter().flat_map(|shape| Isa::available().map(move |isa| (shape, isa))) {
        for max_gradient_norm in [None, Some(1e30)] {
            let adam = AdamConfig { max_gradient_norm, ..AdamConfig::default() };
            let batch = Batch::new(shape, 3, 1);
            let mut network = network(shape, isa);
            let mut train = |size: f32| {
                let mut loss = |_: &[f32], gradient: &mut [f32]| gradient.fill(size);
                network.train(batch.rows(shape), &batch.actions, None, &adam, &mut loss)
            };
            assert_eq!(train(1.0), Health::Finite, "{isa} {shape:?}");
            assert_eq!(train(1e15), Health::Finite, "{isa} {shape:?}: large, but all is well");
            assert_eq!(train(1e25), Health::NonFinite, "{isa} {shape:?} {max_gradient_norm:?}");
        }
    }
}

#[test]
fn weights_decay_after_the_step_and_biases_do_not() {
    for isa in Isa::available() {
        let mut network = network(&linear(), isa);
        fill(&mut network, 1.0);
        let adam = AdamConfig { learning_rate: 0.1, weight_decay: 0.5, ..AdamConfig::default() };
        network.train(Rows::Dense(&[4.0, -0.5]), &[0], None, &adam, &mut |_, g| g.fill(1.0));
        // As in the first step worked by hand, then times 1 - 0.1 * 0.5.
        let expected = [0.95 * 0.9, 0.95 * 1.1, 0.9];
        let found = flat(&network.tensors(Part::Online));
        assert!(relative_error(found.iter().copied(), &expected) < 1.5e-5, "{isa}: {found:?}");
    }
}

#[test]
fn a_langevin_step_is_gradient_and_adam_and_noise() {
    let still = Langevin { bias: 2.0, noise: 0.0, seed: 7 };
    for isa in Isa::available() {
        let step = |langevin, shape: &Shape, rows: Rows<'_>| {
            let mut network = network(shape, isa);
            fill(&mut network, 1.0);
            let adam = AdamConfig { learning_rate: 0.1, langevin: Some(langevin), ..AdamConfig::default() };
            network.train(rows, &[0], None, &adam, &mut |_, g| g.fill(1.0));
            flat(&network.tensors(Part::Online))
        };
        // Gradients 4, -0.5 and 1: w - 0.1 (g + 2 sign g).
        let found = step(still, &linear(), Rows::Dense(&[4.0, -0.5]));
        let expected = [1.0 - 0.6, 1.0 + 0.25, 1.0 - 0.3];
        assert!(relative_error(found.iter().copied(), &expected) < 1.5e-5, "{isa}: {found:?}");

        let wide = Shape { input: Input::OneHot(90), ..one_hot() };
        let noisy = Langevin { noise: 3.0, ..still };
        let [without, with] = [still, noisy].map(|langevin| step(langevin, &wide, Rows::Index(&[2])));
        assert_eq!(with, step(noisy, &wide, Rows::Index(&[2])), "{isa}: the same seed, the same noise");
        assert_ne!(with, step(Langevin { seed: 8, ..noisy }, &wide, Rows::Index(&[2])), "{isa}");
        let noise: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
        let n = noise.len() as f64;
        let (mean, square) = (noise.iter().sum::<f64>() / n, noise.iter().map(|x| x * x).sum::<f64>() / n);
        // The variance is 9 * 2 * 0.1, here of 3,682 numbers.
        assert!(mean.abs() < 5.0 * (1.8 / n).sqrt(), "{isa}: {mean}");
        assert!((square / 1.8 - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{isa}: {square}");
    }
}
