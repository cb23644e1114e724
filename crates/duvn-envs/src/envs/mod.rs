//! The environments, one file each.

mod chain;
mod lunar_lander;
mod toy;

pub use chain::Chain;
pub use lunar_lander::{LunarLander, Shape};
pub use toy::Toy;
