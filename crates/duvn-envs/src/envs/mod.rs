//! The environments, one file each.

mod chain;
pub mod lunar_lander;
mod toy;

pub use chain::Chain;
pub use lunar_lander::LunarLander;
pub use toy::Toy;
