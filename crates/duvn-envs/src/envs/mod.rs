//! The environments, one file each.

/// Writes `save` and `restore` of an environment whose field `state`, a `State`, decides its future. A state
/// for which the condition after `unless` holds is refused.
macro_rules! saves_state {
    () => {
        saves_state!(unless |_, _| false => "");
    };
    (unless |$env:pat_param, $frozen:pat_param| $misfit:expr => $why:literal) => {
        fn save(&self) -> Option<Vec<u8>> {
            Some(crate::freeze(&self.state))
        }

        fn restore(&mut self, state: &[u8]) -> Result<(), crate::StateError> {
            let state: State = crate::thaw(state)?;
            let ($env, $frozen) = (&*self, &state);
            if $misfit {
                return Err(crate::StateError::Misfit($why.into()));
            }
            self.state = state;
            Ok(())
        }
    };
}

/// The spaces and the observation of a world of numbered states, inside its `impl Environment`: how many states and
/// actions there are, and in which state it stands.
macro_rules! numbered {
    (|$env:ident| { states: $states:expr, actions: $actions:expr, at: $at:expr }) => {
        fn observation_space(&self) -> crate::Space {
            let $env = self;
            let _ = $env;
            crate::Space::Discrete($states)
        }

        fn action_space(&self) -> crate::Space {
            crate::Space::Discrete($actions)
        }

        fn observation(&self) -> crate::Observation<'_> {
            let $env = self;
            crate::Observation::Index($at)
        }
    };
}

use crate::Action;

/// The push of a task with three actions: back (0), none (1), forward (2).
fn push(action: Action<'_>) -> f64 {
    match action {
        Action::Index(0) => -1.0,
        Action::Index(1) => 0.0,
        _ => 1.0,
    }
}

mod acrobot;
mod bandit;
mod blackjack;
mod cart_pole;
mod cart_pole_bsuite;
mod cart_pole_swingup;
mod catch;
mod chain;
mod chain_stochastic;
mod cliff_walking;
mod deep_sea;
mod discounting_chain;
mod frozen_lake;
mod grid;
mod lake;
mod lunar_lander;
mod mountain;
mod mountain_car;
mod mountain_car_bsuite;
mod mountain_car_continuous;
mod n_chain;
mod pendulum;
mod point_maze;
mod pole;
mod river_swim;
mod taxi;
mod toy;
mod umbrella;

pub use acrobot::Acrobot;
pub use bandit::{Arm, Bandit};
pub use blackjack::{Blackjack, Rules};
pub use cart_pole::CartPole;
pub use cart_pole_bsuite::CartPoleBsuite;
pub use cart_pole_swingup::CartPoleSwingup;
pub use catch::Catch;
pub use chain::Chain;
pub use chain_stochastic::ChainStochastic;
pub use cliff_walking::CliffWalking;
pub use deep_sea::DeepSea;
pub use discounting_chain::DiscountingChain;
pub use frozen_lake::FrozenLake;
pub use lake::{Lake, LakeError};
pub use lunar_lander::{Landing, LunarLander, Wind};
pub use mountain_car::MountainCar;
pub use mountain_car_bsuite::MountainCarBsuite;
pub use mountain_car_continuous::MountainCarContinuous;
pub use n_chain::NChain;
pub use pendulum::Pendulum;
pub use point_maze::PointMaze;
pub use river_swim::RiverSwim;
pub use taxi::Taxi;
pub use toy::Toy;
pub use umbrella::Umbrella;
