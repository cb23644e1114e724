//! Training and acting allocate nothing once their buffers exist.

mod allocations;
mod common;

use allocations::{Counting, allocations};
use common::{Batch, loss_gradient};
use duvn::net::{AdamConfig, Backend, Extent, Init, Input, Langevin, MaskRng, Masks, Network, Shape, Which};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_allocation_after_the_first_call() {
    let head = Shape::heads(Input::Dense(4), vec![128; 3], 2, 2);
    let trunk = Shape { trunk: vec![50], ..Shape::heads(Input::OneHot(11), vec![30], 3, 1) };
    let normalised = Shape { layer_norm: true, ..trunk.clone() };
    let atoms = Shape { outputs: 51, ..trunk.clone() };
    for shape in [head, trunk, normalised, atoms] {
        for (max_gradient_norm, weight_decay) in [(None, 0.01), (Some(1.0), 0.0)] {
            let langevin = max_gradient_norm.map(|_| Langevin { bias: 1.0, noise: 0.01, seed: 1 });
            let adam = AdamConfig { max_gradient_norm, weight_decay, langevin, ..AdamConfig::default() };
            let mut network =
                Network::new(shape.clone(), Init::He, &mut ChaCha8Rng::seed_from_u64(0)).expect("a shape");
            let (mut masks, mut rng) = (Masks::new(), MaskRng::new(0));
            let (batch, one) = (Batch::new(&shape, 32, 0), Batch::new(&shape, 1, 0));
            let mut taken = vec![0.0; 32 * shape.outputs];
            let mut all = vec![0.0; shape.actions * shape.outputs];
            let mut round = || {
                masks.draw(&shape, Extent::TakenAction, 32, 0.9, &mut rng);
                network.train(batch.rows(&shape), &batch.actions, Some(&masks), &adam, &mut loss_gradient);
                let (rows, actions) = (batch.rows(&shape), &batch.actions);
                network.predict_taken(Which::Target, rows, actions, Some(&masks), &mut taken);
                masks.draw(&shape, Extent::AllActions, 1, 0.9, &mut rng);
                network.predict(Which::Online, one.rows(&shape), Some(&masks), &mut all);
                network.sync_target(0.01);
            };
            round();
            let before = allocations();
            for _ in 0..300 {
                round();
            }
            assert_eq!(allocations() - before, 0, "{shape:?}");
        }
    }
}

#[test]
fn the_allocator_counts() {
    let before = allocations();
    drop(std::hint::black_box(vec![0u8; 100]));
    assert!(allocations() > before);
}
