use super::meter::{Load, measure};
use super::{BenchError, Measurement, Options};
use duvn_envs::rng::NumpyRng;
use duvn_envs::{Action, Environment, Space, registry};

/// Steps with random actions, resets and observations included.
pub fn random(name: &str, env: &str, options: &Options) -> Result<Measurement, BenchError> {
    let mut env = registry::make(env, 0)?;
    let space = env.action_space();
    let mut rng = NumpyRng::new(0);
    let mut numbers = vec![0.0; if let Space::Box { low, .. } = &space { low.len() } else { 0 }];
    env.reset(Some(0));
    let work = |count: u64| {
        for _ in 0..count {
            let action = match &space {
                Space::Discrete(n) => Action::Index(rng.integers(0, *n as i64) as usize),
                Space::Box { low, high } => {
                    for ((number, &low), &high) in numbers.iter_mut().zip(low).zip(high) {
                        *number = rng.uniform(f64::from(low), f64::from(high)) as f32;
                    }
                    Action::Vector(&numbers)
                }
            };
            let step = env.step(action)?;
            std::hint::black_box((env.observation(), step.reward));
            if step.done() {
                env.reset(None);
            }
        }
        Ok(())
    };
    measure(name, Load { unit: "steps/s", flops: None, bytes: None, work: Box::new(work) }, options)
}
