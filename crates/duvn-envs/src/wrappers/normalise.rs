use crate::{Action, Environment, Observation, Space, StateError, Step, StepError};

/// Brings every component of a box observation to [-1, 1], always in the same way: a component with
/// finite bounds is mapped linearly, one without becomes x / (1 + |x|).
///
/// Fixed bounds, and not running statistics, so that a state looks the same early and late in a run and
/// in the replay.
pub struct Normalise<E> {
    inner: E,
    maps: Vec<Map>,
    observation: Vec<f32>,
}

#[derive(Clone, Copy)]
enum Map {
    Linear { centre: f32, half_width: f32 },
    Squash,
}

impl Map {
    fn apply(self, x: f32) -> f32 {
        match self {
            // Rounding may put a bound an ulp outside.
            Map::Linear { centre, half_width } => ((x - centre) / half_width).clamp(-1.0, 1.0),
            Map::Squash => x / (1.0 + x.abs()),
        }
    }
}

impl<E: Environment> Normalise<E> {
    /// Wraps `inner`, if its observations are vectors.
    pub fn new(inner: E) -> Option<Self> {
        let Space::Box { low, high } = inner.observation_space() else { return None };
        let map = |(low, high): (f32, f32)| {
            let (centre, half_width) = ((low + high) / 2.0, (high - low) / 2.0);
            if half_width.is_finite() && half_width > 0.0 {
                Map::Linear { centre, half_width }
            } else {
                Map::Squash
            }
        };
        let maps: Vec<_> = low.into_iter().zip(high).map(map).collect();
        let mut wrapped = Normalise { inner, observation: vec![0.0; maps.len()], maps };
        wrapped.observe();
        Some(wrapped)
    }

    fn observe(&mut self) {
        let Observation::Vector(raw) = self.inner.observation() else { return };
        for ((seen, map), &raw) in self.observation.iter_mut().zip(&self.maps).zip(raw) {
            *seen = map.apply(raw);
        }
    }
}

impl<E: Environment> Environment for Normalise<E> {
    forward!(inner: action_space denoised_return save pictures);

    fn observation_space(&self) -> Space {
        Space::symmetric_box(&vec![1.0; self.maps.len()])
    }

    fn reset(&mut self, seed: Option<u64>) {
        self.inner.reset(seed);
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let step = self.inner.step(action)?;
        self.observe();
        Ok(step)
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.inner.restore(state)?;
        self.observe();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envs::{FrozenLake, Lake, MountainCar};

    #[test]
    fn bounds_become_one_and_unbounded_values_stay_inside() {
        let linear = Map::Linear { centre: -0.3, half_width: 0.9 };
        assert!((linear.apply(0.6) - 1.0).abs() < 1e-6);
        assert!((linear.apply(-1.2) + 1.0).abs() < 1e-6);
        assert_eq!(Map::Squash.apply(-3.0), -0.75);
    }

    #[test]
    fn only_vectors_are_normalised() {
        assert!(Normalise::new(FrozenLake::new(Lake::small(), None)).is_none());
        let mut car = Normalise::new(MountainCar::new(0.0)).unwrap();
        car.reset(Some(0));
        let Observation::Vector(seen) = car.observation() else { panic!("a vector") };
        assert!(seen[0] < 0.0 && seen[1] == 0.0, "{seen:?}");
    }
}
