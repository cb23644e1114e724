use super::meter::{Load, measure, repetitions, summary};
use super::network::{bytes_train, bytes_values};
use super::{BenchError, Measurement, Options};
use duvn::net::Shape;
use duvn::{Agent, CheckedConfig, Config, Training, TrainingError, config};
use duvn_envs::registry::{self, Registered};
use duvn_envs::{Environment, Observation, Space};
use std::time::Instant;

fn checked(config: &Config) -> Result<CheckedConfig, BenchError> {
    Ok(config.check().map_err(duvn::AgentError::from)?)
}

fn training(env: &str, config: &Config, seed: u64) -> Result<Training<Registered>, BenchError> {
    let env = registry::make(env, seed)?;
    let agent = Agent::new(&checked(config)?, &env.observation_space(), &env.action_space(), seed)?;
    Ok(Training::new(env, agent, seed))
}

fn steps(training: &mut Training<Registered>, count: u64) -> Result<(), BenchError> {
    for _ in 0..count {
        training.step()?;
    }
    Ok(())
}

/// The whole loop: environment, acting, replay, targets, learning.
pub fn whole(name: &str, env: &str, config: Config, options: &Options) -> Result<Measurement, BenchError> {
    measure_loop(name, training(env, &config, 0)?, &config, options)
}

fn measure_loop(
    name: &str,
    mut training: Training<Registered>,
    config: &Config,
    options: &Options,
) -> Result<Measurement, BenchError> {
    // Until every step learns, and buffers have their size.
    steps(&mut training, (config.learning_starts + 200) as u64)?;
    let updates = config.updates as f64 / config.train_every as f64;
    let posterior = training.agent().posterior();
    let (shape, passes) = (posterior.shape(), posterior.learners() as f64 * updates);
    let flops = Some(flops_update(shape, config.batch) * passes);
    let bytes = Some(bytes_update(shape, config.batch) * passes);
    let work = Box::new(|count| steps(&mut training, count));
    measure(name, Load { unit: "steps/s", flops, bytes, work }, options)
}

/// The whole loop of `dqn` in `actors` environments side by side, with an update after every `steps` steps whatever
/// their number.
pub fn actors(
    name: &str,
    env: &str,
    actors: usize,
    steps: usize,
    options: &Options,
) -> Result<Measurement, BenchError> {
    let envs = (0..actors).map(|_| registry::make(env, 0)).collect::<Result<Vec<_>, _>>()?;
    let (observations, choices) = (envs[0].observation_space(), envs[0].action_space());
    let preset = config::preset_for("dqn", &observations).map_err(duvn::AgentError::from)?;
    let config = Config { actors, train_every: steps, ..preset };
    let agent = Agent::new(&checked(&config)?, &observations, &choices, 0)?;
    measure_loop(name, Training::side_by_side(envs, agent, 0), &config, options)
}

/// The least floating-point operations that an update needs: training, and one action's value at every next state.
/// Acting, deciding on the next action and fixed priors come on top and are not counted.
fn flops_update(shape: &Shape, rows: usize) -> f64 {
    let one = Shape { actions: 1, ..shape.clone() };
    shape.flops_train(rows) + one.flops_predict(rows)
}

fn bytes_update(shape: &Shape, rows: usize) -> f64 {
    bytes_train(shape, rows) + bytes_values(shape, rows)
}

/// Decisions of the preset `duvn` on four numbers and two actions: mask, network, Thompson draw.
pub fn act(name: &str, options: &Options) -> Result<Measurement, BenchError> {
    let observations = Space::Box { low: vec![-5.0; 4], high: vec![5.0; 4] };
    let config = checked(&config::preset("duvn").map_err(duvn::AgentError::from)?)?;
    let mut agent = Agent::new(&config, &observations, &Space::Discrete(2), 0)?;
    let shape = agent.posterior().shape().clone();
    let mut t = 0u32;
    let work = |decisions: u64| {
        for _ in 0..decisions {
            t = t.wrapping_add(1);
            let observation = [1.0, 3.0, 7.0, 9.0].map(|i| (t % 1024) as f32 * 0.001 * i - 4.0);
            let action = agent.begin(Observation::Vector(&observation)).map_err(TrainingError::from)?;
            std::hint::black_box(action);
        }
        Ok(())
    };
    let (flops, bytes) = (Some(shape.flops_predict(1)), Some(4.0 * shape.parameters() as f64));
    measure(name, Load { unit: "decisions/s", flops, bytes, work: Box::new(work) }, options)
}

/// How many times as much two runs on two cores do as one run on one, by the wall clock: other programs that run
/// at the same time make it smaller.
pub fn two_cores(name: &str, options: &Options) -> Result<Measurement, BenchError> {
    let config = config::preset("duvn").map_err(duvn::AgentError::from)?;
    let count = if options.quick { 400 } else { 4000 };
    let seconds = |runs: &mut [Training<Registered>]| -> Result<f64, BenchError> {
        let start = Instant::now();
        std::thread::scope(|scope| {
            let threads: Vec<_> = runs.iter_mut().map(|run| scope.spawn(|| steps(run, count))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| BenchError::Thread)?)
        })?;
        Ok(start.elapsed().as_secs_f64())
    };
    let mut runs = [training("Chain-10", &config, 0)?, training("Chain-10", &config, 1)?];
    seconds(&mut runs)?;
    let mut ratios = Vec::new();
    for _ in 0..repetitions(options) {
        ratios.push(2.0 * seconds(&mut runs[..1])? / seconds(&mut runs)?);
    }
    Ok(summary(name, "x one core", ratios))
}

#[cfg(test)]
mod tests {
    use super::*;
    use duvn::net::Input;

    /// Two hidden products of 128 x 128 and an output of 128 x 2 are 33,024 multiply-adds; a row trains on three
    /// passes of them and needs one for its next state.
    #[test]
    fn the_floating_point_operations_of_an_update_are_those_worked_by_hand() {
        let shape = Shape::heads(Input::OneHot(11), vec![128; 3], 2, 2);
        assert_eq!(flops_update(&shape, 32), 2.0 * 32.0 * 33_024.0 * 4.0);
    }
}
