use super::meter::{Load, measure, repetitions, summary};
use super::{BenchError, Measurement, Options};
use duvn::AgentError;
use duvn::net::{
    AdamConfig, Backend, Extent, Init, Input, Isa, MaskRng, Masks, Network, Rows, Shape, Which, measure_peak,
};
use duvn::rng::Stream;

/// What the core makes when it does nothing but multiply and add.
pub fn peak(name: &str, isa: Isa, options: &Options) -> Measurement {
    let bursts = (0..2 * repetitions(options)).map(|_| measure_peak(isa) / 1e9).collect();
    Measurement { isa: Some(isa.to_string()), ..summary(name, "GFLOP/s", bursts) }
}

/// The paper's network: three hidden layers of 128 for each action, mu and sigma as outputs.
pub fn paper(actions: usize) -> Shape {
    Shape::heads(Input::Dense(4), vec![128; 3], actions, 2)
}

/// What control tasks use: two layers of 256 that four actions share, eight numbers seen, a mean as output.
pub fn shared() -> Shape {
    Shape { trunk: vec![256; 2], ..Shape::heads(Input::Dense(8), vec![], 4, 1) }
}

fn network(shape: Shape) -> Result<Network, BenchError> {
    Network::new(shape, Init::He, Stream::new(0, "bench").generator())
        .map_err(|error| AgentError::from(error).into())
}

const KEEP: f32 = 0.9;

/// A training step with dropout: mask, forward, loss, backward, Adam.
pub fn train(name: &str, rows: usize, shape: &Shape, options: &Options) -> Result<Measurement, BenchError> {
    let mut network = network(shape.clone())?;
    let observations: Vec<f32> = (0..rows * shape.input.len()).map(|i| (i as f32 * 0.7).sin()).collect();
    let taken: Vec<u8> = (0..rows).map(|i| ((i * i + i / 3) % shape.actions) as u8).collect();
    let (mut masks, mut source, adam) = (Masks::new(), MaskRng::new(1), AdamConfig::default());
    let work = |steps: u64| {
        for _ in 0..steps {
            masks.draw(shape, Extent::TakenAction, rows, KEEP, &mut source);
            let mut loss = |outputs: &[f32], gradient: &mut [f32]| {
                gradient.iter_mut().zip(outputs).for_each(|(slope, y)| *slope = y - 0.5);
            };
            network.train(Rows::Dense(&observations), &taken, Some(&masks), &adam, &mut loss);
        }
        Ok(())
    };
    let (flops, bytes) = (Some(shape.flops_train(rows)), Some(bytes_train(shape, rows)));
    measure(name, Load { unit: "steps/s", flops, bytes, work: Box::new(work) }, options)
}

/// All outputs for one observation with a fresh dropout mask, two actions.
pub fn act(name: &str, options: &Options) -> Result<Measurement, BenchError> {
    let shape = paper(2);
    let mut network = network(shape.clone())?;
    let (mut masks, mut source, mut out) = (Masks::new(), MaskRng::new(1), [0.0; 4]);
    let mut t = 0u32;
    let work = |decisions: u64| {
        for _ in 0..decisions {
            t = t.wrapping_add(1);
            let observation = [1.0, 3.0, 7.0, 9.0].map(|i| (t % 1024) as f32 * 0.001 * i - 2.0);
            masks.draw(&shape, Extent::AllActions, 1, KEEP, &mut source);
            network.predict(Which::Online, Rows::Dense(&observation), Some(&masks), &mut out);
            std::hint::black_box(&out);
        }
        Ok(())
    };
    let (flops, bytes) = (Some(shape.flops_predict(1)), Some(4.0 * shape.parameters() as f64));
    measure(name, Load { unit: "decisions/s", flops, bytes, work: Box::new(work) }, options)
}

/// Bytes of a training step. Of each parameter: read forward, read backward, and by Adam read and written with
/// its two moments (8 times 4 bytes). Of each unit of each row: its value and its gradient, each written and read
/// once (4 times 4 bytes). Masks, a bit a unit, are left out.
pub fn bytes_train(shape: &Shape, rows: usize) -> f64 {
    32.0 * shape.parameters() as f64 + 16.0 * (rows * units(shape)) as f64
}

/// Bytes of the values of one action at `rows` states: every parameter read once, every unit written and read.
pub fn bytes_values(shape: &Shape, rows: usize) -> f64 {
    4.0 * shape.parameters() as f64 + 8.0 * (rows * units(shape)) as f64
}

/// Numbers that one row makes on its way through the trunk and one action's sub-network.
fn units(shape: &Shape) -> usize {
    shape.trunk.iter().sum::<usize>() + shape.head.iter().sum::<usize>() + shape.outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_worked_by_hand() {
        // Parameters: 2 actions x ((3 + 1) 5 + (5 + 1) 2) = 64. Units a row: 5 + 2 = 7.
        let shape = Shape::heads(Input::Dense(3), vec![5], 2, 2);
        assert_eq!(bytes_train(&shape, 10), 32.0 * 64.0 + 16.0 * 70.0);
        assert_eq!(bytes_values(&shape, 10), 4.0 * 64.0 + 8.0 * 70.0);
    }
}
