//! How observations come to the network: as they are, or with every bounded component brought to [-1, 1].
//!
//! MountainCar's velocity is at most 0.07: to a network that sees it as it is, beside a position of about 1,
//! all velocities are nearly the same.
//!
//! Where layers normalise their units (`layer_norm`), a box has a constant 1 beside its numbers. Without it a first layer would see
//! the direction of an observation but not its size: the units of x and of 2 x are the same once they are normalised.

use crate::config::{Config, InputKind};
use crate::replay::Gathered;
use duvn_envs::{Observation, Space};
use serde::{Deserialize, Serialize};

/// A linear map of one component: (x - middle) / half.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scaling {
    middle: f32,
    half: f32,
}

impl Scaling {
    /// The map of `low` to -1 and of `high` to 1; none where the component is unbounded, which Gymnasium
    /// writes as infinity or as the largest numbers there are.
    pub(crate) fn of_range(low: f32, high: f32) -> Option<Self> {
        let bounded = high - low < 1e6;
        bounded.then(|| Scaling {
            middle: 0.5 * (low + high),
            half: (0.5 * (high - low)).max(f32::MIN_POSITIVE),
        })
    }

    pub(crate) fn apply(self, x: f32) -> f32 {
        (x - self.middle) / self.half
    }

    /// The x that [`apply`](Self::apply) made `seen` of, but for rounding.
    fn undo(self, seen: f32) -> f32 {
        seen * self.half + self.middle
    }
}

/// Brings observations to the form that the agent works with.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// By component; empty where observations stay as they are.
    scalings: Vec<Option<Scaling>>,
    /// Whether a constant 1 stands behind the numbers of a box.
    constant: bool,
}

impl Inputs {
    /// As `config` asks for, for observations in `space`.
    pub fn new(config: &Config, space: &Space) -> Self {
        let scalings = match (config.inputs, space) {
            (InputKind::Scaled, Space::Box { low, high }) => {
                low.iter().zip(high).map(|(&low, &high)| Scaling::of_range(low, high)).collect()
            }
            _ => Vec::new(),
        };
        let constant = config.layer_norm && matches!(space, Space::Box { .. });
        Inputs { scalings, constant }
    }

    /// The space of what comes out for observations in `space`.
    pub fn space(&self, space: &Space) -> Space {
        let mut scaled = space.clone();
        if let Space::Box { low, high } = &mut scaled {
            for ((low, high), scaling) in low.iter_mut().zip(high).zip(&self.scalings) {
                if scaling.is_some() {
                    (*low, *high) = (-1.0, 1.0);
                }
            }
        }
        if let (Space::Box { low, high }, true) = (&mut scaled, self.constant) {
            low.push(1.0);
            high.push(1.0);
        }
        scaled
    }

    /// Puts `observation` into `seen`, in the place of what was there.
    pub fn see(&self, observation: Observation<'_>, seen: &mut Gathered) {
        seen.clear();
        seen.push(observation);
        for (x, scaling) in seen.numbers.iter_mut().zip(&self.scalings) {
            *x = scaling.map_or(*x, |scaling| scaling.apply(*x));
        }
        if self.constant {
            seen.numbers.push(1.0);
        }
    }

    /// Puts the numbers of the observation that looks like `seen` into `numbers`, but for rounding.
    pub fn unsee(&self, seen: &[f32], numbers: &mut Vec<f32>) {
        numbers.clear();
        numbers.extend_from_slice(&seen[..seen.len() - usize::from(self.constant)]);
        for (x, scaling) in numbers.iter_mut().zip(&self.scalings) {
            *x = scaling.map_or(*x, |scaling| scaling.undo(*x));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_tells_what_was_there() {
        let space = Space::Box { low: vec![-1.2, f32::NEG_INFINITY], high: vec![0.6, f32::INFINITY] };
        let config = Config { inputs: InputKind::Scaled, layer_norm: true, ..Config::default() };
        let inputs = Inputs::new(&config, &space);
        let (mut seen, mut back) = (Gathered::default(), Vec::new());
        inputs.see(Observation::Vector(&[0.15, 7.0]), &mut seen);
        assert_eq!(seen.numbers.len(), 3);
        inputs.unsee(&seen.numbers, &mut back);
        assert!((back[0] - 0.15).abs() < 1e-6 && back[1] == 7.0 && back.len() == 2, "{back:?}");
    }

    #[test]
    fn bounded_components_come_to_one_and_others_stay() {
        let space = Space::Box { low: vec![-1.2, f32::NEG_INFINITY], high: vec![0.6, f32::INFINITY] };
        let observation = Observation::Vector(&[0.15, 7.0]);
        for (inputs, expected) in [(InputKind::Raw, [0.15, 7.0]), (InputKind::Scaled, [0.5, 7.0])] {
            let inputs = Inputs::new(&Config { inputs, ..Config::default() }, &space);
            let mut seen = Gathered::default();
            // Twice: what was there before is gone.
            (0..2).for_each(|_| inputs.see(observation, &mut seen));
            assert_eq!(seen.numbers.len(), 2);
            assert!(seen.numbers.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6), "{seen:?}");
        }
    }

    #[test]
    fn a_box_before_normalised_layers_has_a_constant_beside_it() {
        let space = Space::Box { low: vec![-1.0], high: vec![3.0] };
        let inputs = Inputs::new(&Config { layer_norm: true, ..Config::default() }, &space);
        assert_eq!(inputs.space(&space), Space::Box { low: vec![-1.0, 1.0], high: vec![3.0, 1.0] });
        let mut seen = Gathered::default();
        (0..2).for_each(|_| inputs.see(Observation::Vector(&[0.5]), &mut seen));
        assert_eq!(seen.numbers, [0.5, 1.0]);
        assert_eq!(inputs.space(&Space::Discrete(3)), Space::Discrete(3));
    }

    #[test]
    fn the_space_of_scaled_observations_says_so() {
        let space = Space::Box { low: vec![-1.2, f32::NEG_INFINITY], high: vec![0.6, f32::INFINITY] };
        let inputs = Inputs::new(&Config { inputs: InputKind::Scaled, ..Config::default() }, &space);
        let scaled = Space::Box { low: vec![-1.0, f32::NEG_INFINITY], high: vec![1.0, f32::INFINITY] };
        assert_eq!(inputs.space(&space), scaled);
        assert_eq!(inputs.space(&Space::Discrete(3)), Space::Discrete(3));
    }
}
