use crate::rng::NumpyRng;
use crate::{Action, Space};

/// Uniformly random actions of a space.
///
/// ```
/// use duvn_envs::{Action, RandomActions, Space};
///
/// let mut actions = RandomActions::new(Space::Discrete(3), 0);
/// assert!(matches!(actions.draw(), Action::Index(0..3)));
/// ```
#[derive(Clone, Debug)]
pub struct RandomActions {
    space: Space,
    rng: NumpyRng,
    numbers: Vec<f32>,
}

impl RandomActions {
    /// Where a box has no bound, actions are drawn up to this.
    const FAR: f32 = 1e3;

    /// Actions of `space`, drawn from `seed`.
    pub fn new(space: Space, seed: u64) -> Self {
        RandomActions { numbers: vec![0.0; space.width()], space, rng: NumpyRng::new(seed) }
    }

    /// The next action.
    pub fn draw(&mut self) -> Action<'_> {
        match &self.space {
            Space::Discrete(n) => Action::Index(self.rng.integers(0, *n as i64) as usize),
            Space::Box { low, high } => {
                for ((x, low), high) in self.numbers.iter_mut().zip(low).zip(high) {
                    let (low, high) = (low.max(-Self::FAR), high.min(Self::FAR));
                    *x = self.rng.uniform(f64::from(low), f64::from(high)) as f32;
                    // Rounding to f32 may pass a bound.
                    *x = x.clamp(low, high);
                }
                Action::Vector(&self.numbers)
            }
        }
    }
}
