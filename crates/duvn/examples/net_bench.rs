//! How fast the network trains and acts, against the core's own peak. Prints a table.
//!
//! CPU time of one thread; every figure is the median of rounds that alternate with bursts of multiply-adds, so
//! that a slow moment of the machine slows both.

use cpu_time::ThreadTime;
use duvn::net::{
    AdamConfig, Backend, Extent, Init, Input, Isa, MaskRng, Masks, Network, Rows, Shape, Which, measure_peak,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const ROUNDS: usize = 15;

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Seconds of a call, after a warm-up.
fn time(calls: usize, mut call: impl FnMut()) -> f64 {
    (0..calls / 10 + 1).for_each(|_| call());
    let start = ThreadTime::now();
    (0..calls).for_each(|_| call());
    start.elapsed().as_secs_f64() / calls as f64
}

fn network(actions: usize, isa: Isa) -> Network {
    let shape = Shape { input: Input::Dense(4), trunk: vec![], head: vec![128; 3], actions, outputs: 2 };
    let mut network = Network::new(shape, Init::He, &mut ChaCha8Rng::seed_from_u64(0)).expect("a shape");
    network.set_isa(isa).expect("an available instruction set");
    network
}

fn training_seconds(actions: usize, rows: usize, isa: Isa) -> f64 {
    let mut network = network(actions, isa);
    let shape = network.shape().clone();
    let observations: Vec<f32> = (0..rows * 4).map(|i| (i as f32 * 0.7).sin()).collect();
    let taken: Vec<u8> = (0..rows).map(|i| ((i * i + i / 3) % actions) as u8).collect();
    let (mut masks, mut rng, adam) = (Masks::new(), MaskRng::new(1), AdamConfig::default());
    time(12_800 / rows, || {
        masks.draw(&shape, Extent::TakenAction, rows, 0.9, &mut rng);
        network.train(Rows::Dense(&observations), &taken, Some(&masks), &adam, &mut |outputs, gradient| {
            for (g, y) in gradient.iter_mut().zip(outputs) {
                *g = y - 0.5;
            }
        });
    })
}

fn acting_seconds(isa: Isa) -> f64 {
    let mut network = network(2, isa);
    let shape = network.shape().clone();
    let (mut masks, mut rng, mut out) = (Masks::new(), MaskRng::new(1), [0.0; 4]);
    let mut t = 0;
    time(4_000, || {
        t += 1;
        let observation = [0, 1, 2, 3].map(|i| ((t * 4 + i) as f32 * 0.7).sin());
        masks.draw(&shape, Extent::AllActions, 1, 0.9, &mut rng);
        network.predict(Which::Online, Rows::Dense(&observation), Some(&masks), &mut out);
        std::hint::black_box(&out);
    })
}

fn main() {
    for isa in Isa::available() {
        let reference = if isa == Isa::Portable { Isa::Portable } else { Isa::Avx2 };
        let peaks: Vec<(f64, f64)> =
            (0..ROUNDS).map(|_| (measure_peak(isa), measure_peak(reference))).collect();
        let own = median(peaks.iter().map(|p| p.0).collect());
        println!("{isa}: peak {:.1} GFLOP/s", own / 1e9);
        for (actions, rows) in [(2, 32), (2, 64), (2, 256), (4, 32)] {
            let flops = network(actions, isa).flops_train(rows);
            let (mut rates, mut of_own, mut of_reference) = (vec![], vec![], vec![]);
            for _ in 0..ROUNDS {
                let rate = flops / training_seconds(actions, rows, isa);
                rates.push(rate);
                of_own.push(rate / measure_peak(isa));
                of_reference.push(rate / measure_peak(reference));
            }
            println!(
                "  train {actions} actions, batch {rows:3}: {:6.1} us {:6.1} GFLOP/s, {:5.1} % of peak, {:5.1} % of the {reference} peak",
                1e6 * flops / median(rates.clone()),
                median(rates) / 1e9,
                100.0 * median(of_own),
                100.0 * median(of_reference),
            );
        }
        let acting = median((0..ROUNDS).map(|_| 1.0 / acting_seconds(isa)).collect());
        println!("  act 2 actions: {acting:.0} decisions/s");
    }
}
