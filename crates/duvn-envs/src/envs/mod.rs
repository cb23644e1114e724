//! The environments, one file each.

mod acrobot;
mod blackjack;
mod cart_pole;
mod cart_pole_swingup;
mod catch;
mod chain;
mod cliff_walking;
mod deep_sea;
mod frozen_lake;
mod lunar_lander;
mod mountain;
mod mountain_car;
mod mountain_car_continuous;
mod pendulum;
mod point_maze;
mod pole;
mod taxi;
mod toy;

pub use acrobot::Acrobot;
pub use blackjack::{Blackjack, Rules};
pub use cart_pole::CartPole;
pub use cart_pole_swingup::CartPoleSwingup;
pub use catch::Catch;
pub use chain::Chain;
pub use cliff_walking::CliffWalking;
pub use deep_sea::{DeepSea, Draws};
pub use frozen_lake::{FrozenLake, Lake};
pub use lunar_lander::LunarLander;
pub use mountain_car::MountainCar;
pub use mountain_car_continuous::MountainCarContinuous;
pub use pendulum::Pendulum;
pub use point_maze::PointMaze;
pub use taxi::Taxi;
pub use toy::Toy;
