//! Parameters in and out, the target copy, and shapes that cannot be.

mod common;

use common::{Batch, loss_gradient};
use duvn::net::{
    AdamConfig, Backend, Init, Input, Isa, IsaError, LoadError, Network, Part, Rows, Shape, ShapeError,
    Tensor, Which,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn shape() -> Shape {
    Shape { trunk: vec![20], ..Shape::heads(Input::Dense(3), vec![70, 5], 2, 3) }
}

fn network(seed: u64) -> Network {
    Network::new(shape(), Init::He, &mut ChaCha8Rng::seed_from_u64(seed)).expect("a shape")
}

fn train(network: &mut Network, steps: u64) {
    for step in 0..steps {
        let batch = Batch::new(&shape(), 10, step);
        let adam = AdamConfig::default();
        network.train(batch.rows(&shape()), &batch.actions, None, &adam, &mut loss_gradient);
    }
}

#[test]
fn tensors_have_the_documented_names_shapes_and_order() {
    let tensors = network(0).tensors(Part::Online);
    let found: Vec<_> = tensors.iter().map(|t| (t.name.clone(), t.shape.clone())).collect();
    let head = |action: usize| {
        [("0", 20, 70), ("1", 70, 5), ("output", 5, 3)]
            .map(|(layer, inputs, units)| (format!("head.{action}.{layer}"), inputs, units))
    };
    let layers = [("trunk.0".to_string(), 3, 20)].into_iter().chain([0, 1].into_iter().flat_map(head));
    let both = |(layer, inputs, units)| {
        [(format!("{layer}.weight"), vec![inputs, units]), (format!("{layer}.bias"), vec![units])]
    };
    let expected: Vec<_> = layers.flat_map(both).collect();
    assert_eq!(found, expected);
    assert_eq!(tensors.iter().map(|t| t.data.len()).sum::<usize>(), shape().parameters());
}

/// One row of a table at a time: Adam goes on with rows that it moved before, also those that it moved in another life.
#[test]
fn a_table_that_has_learnt_already_continues_as_the_one_it_takes_over() {
    let shape = Shape::heads(Input::OneHot(6), vec![20], 2, 1);
    let make =
        |seed| Network::new(shape.clone(), Init::He, &mut ChaCha8Rng::seed_from_u64(seed)).expect("a shape");
    let train = |network: &mut Network, states: [u32; 2]| {
        let adam = AdamConfig::default();
        network.train(Rows::Index(&states), &[0, 1], None, &adam, &mut loss_gradient);
    };
    let (mut network, mut copy) = (make(1), make(2));
    train(&mut network, [0, 5]);
    // The copy has found out for itself that state 3 alone was ever moved.
    train(&mut copy, [3, 3]);
    for part in [Part::Online, Part::Target, Part::AdamMean, Part::AdamVariance] {
        copy.load(part, &network.tensors(part)).expect("tensors of the same shape");
    }
    copy.set_steps(network.steps());
    for _ in 0..3 {
        train(&mut network, [2, 2]);
        train(&mut copy, [2, 2]);
    }
    assert_eq!(network.tensors(Part::Online), copy.tensors(Part::Online));
}

#[test]
fn a_network_continues_bit_for_bit_after_it_was_saved() {
    let mut network = network(1);
    train(&mut network, 5);
    network.sync_target(0.3);
    let mut copy = self::network(2);
    for part in [Part::Online, Part::Target, Part::AdamMean, Part::AdamVariance] {
        let mut tensors = network.tensors(part);
        tensors.reverse();
        copy.load(part, &tensors).expect("tensors of the same shape, in any order");
    }
    copy.set_steps(network.steps());
    train(&mut network, 5);
    train(&mut copy, 5);
    for part in [Part::Online, Part::Target, Part::AdamMean, Part::AdamVariance] {
        assert_eq!(network.tensors(part), copy.tensors(part), "{part:?}");
    }
}

#[test]
fn the_target_moves_by_tau() {
    let mut network = network(3);
    let start = network.tensors(Part::Target);
    assert_eq!(start, network.tensors(Part::Online));
    train(&mut network, 3);
    assert_eq!(network.tensors(Part::Target), start, "training leaves the target alone");
    network.sync_target(0.25);
    let (online, target) = (network.tensors(Part::Online), network.tensors(Part::Target));
    for ((start, online), target) in start.iter().zip(&online).zip(&target) {
        for ((s, o), t) in start.data.iter().zip(&online.data).zip(&target.data) {
            assert!((0.75 * s + 0.25 * o - t).abs() < 1e-6);
        }
    }
    network.sync_target(1.0);
    assert_eq!(network.tensors(Part::Target), network.tensors(Part::Online));
}

#[test]
fn online_and_target_predict_with_their_own_parameters() {
    let mut network = network(4);
    let batch = Batch::new(&shape(), 2, 0);
    let predict = |network: &mut Network, which| {
        let mut out = [0.0; 12];
        network.predict(which, batch.rows(&shape()), None, &mut out);
        out
    };
    let before = predict(&mut network, Which::Target);
    train(&mut network, 1);
    assert_eq!(predict(&mut network, Which::Target), before);
    assert_ne!(predict(&mut network, Which::Online), before);
}

#[test]
fn tensors_that_do_not_fit_are_refused_by_name_and_change_nothing() {
    let mut network = network(5);
    let before = network.tensors(Part::Online);
    let mut missing = self::network(6).tensors(Part::Online);
    missing.remove(4);
    assert_eq!(
        network.load(Part::Online, &missing),
        Err(LoadError::Missing { name: "head.0.1.weight".to_owned() })
    );
    let mut misshapen = self::network(6).tensors(Part::Online);
    misshapen[13].shape = vec![4];
    let error = network.load(Part::Online, &misshapen).expect_err("a wrong shape");
    assert!(matches!(&error, LoadError::Misshapen { name, .. } if name == "head.1.output.bias"), "{error}");
    let mut short = self::network(6).tensors(Part::Online);
    short[0].data.pop();
    assert!(matches!(network.load(Part::Online, &short), Err(LoadError::Misshapen { .. })));
    let mut extra = self::network(6).tensors(Part::Online);
    extra.push(Tensor { name: "head.2.0.bias".to_owned(), shape: vec![1], data: vec![0.0] });
    assert_eq!(
        network.load(Part::Online, &extra),
        Err(LoadError::Unknown { name: "head.2.0.bias".to_owned() })
    );
    assert_eq!(network.tensors(Part::Online), before);
}

#[test]
fn impossible_shapes_are_refused() {
    let build = |change: fn(&mut Shape)| {
        let mut shape = shape();
        change(&mut shape);
        Network::new(shape, Init::He, &mut ChaCha8Rng::seed_from_u64(0)).err()
    };
    assert!(matches!(build(|s| s.actions = 0), Some(ShapeError::Zero(_))));
    assert!(matches!(build(|s| s.outputs = 0), Some(ShapeError::Zero(_))));
    assert!(matches!(build(|s| s.head[1] = 0), Some(ShapeError::Zero(_))));
    assert!(matches!(build(|s| s.input = Input::OneHot(0)), Some(ShapeError::Zero(_))));
    assert_eq!(build(|s| s.actions = 257), Some(ShapeError::TooManyActions(257)));
    assert!(matches!(build(|s| s.trunk[0] = usize::MAX), Some(ShapeError::TooLarge(_))));
    assert!(matches!(build(|s| s.head = vec![1 << 20, 1 << 20]), Some(ShapeError::TooLarge(_))));
}

#[test]
fn weights_begin_within_the_limits_of_their_layer() {
    let shape = Shape::heads(Input::Dense(100), vec![200], 1, 50);
    for (init, hidden, output) in
        [(Init::He, 6.0 / 100.0, 3.0 / 200.0), (Init::Xavier, 6.0 / 300.0, 6.0 / 250.0)]
    {
        let network = Network::new(shape.clone(), init, &mut ChaCha8Rng::seed_from_u64(1)).expect("a shape");
        let tensors = network.tensors(Part::Online);
        for (tensor, limit) in [(&tensors[0], hidden), (&tensors[2], output)] {
            let limit: f64 = f64::sqrt(limit);
            let n = tensor.data.len() as f64;
            let largest = tensor.data.iter().map(|x| f64::from(x.abs())).fold(0.0, f64::max);
            assert!(largest < limit && largest > 0.99 * limit, "{init:?} {}", tensor.name);
            let variance = tensor.data.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / n;
            assert!((variance / (limit * limit / 3.0) - 1.0).abs() < 0.05, "{init:?} {}", tensor.name);
        }
        assert!(tensors[1].data.iter().chain(&tensors[3].data).all(|&x| x == 0.0));
    }
}

#[test]
fn names_of_instruction_sets_are_read_back() {
    for isa in Isa::ALL {
        assert_eq!(isa.to_string().parse(), Ok(isa));
    }
    assert_eq!("mmx".parse::<Isa>(), Err(IsaError::Unknown("mmx".to_owned())));
    assert!(Isa::Portable.is_available());
}

#[test]
fn operations_are_counted_by_hand() {
    // Per row 4 x 128, 128 x 128, 128 x 128, 128 x 2; no gradient of the observation is computed.
    let shape = Shape::heads(Input::Dense(4), vec![128; 3], 2, 2);
    let head = (512 + 2 * 16384 + 256) as f64;
    assert_eq!(shape.flops_predict(1), 2.0 * 2.0 * head);
    assert_eq!(shape.flops_train(32), 32.0 * 2.0 * (3.0 * head - 512.0));
    // A row gather is no product.
    let shape = Shape { trunk: vec![10], ..Shape::heads(Input::OneHot(9), vec![20], 3, 1) };
    assert_eq!(shape.flops_predict(1), 2.0 * 3.0 * (200.0 + 20.0));
    assert_eq!(shape.flops_train(1), 2.0 * 3.0 * (200.0 + 20.0));
}
