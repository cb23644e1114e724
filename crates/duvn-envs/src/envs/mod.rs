//! The environments, one file each.

mod chain;
mod toy;

pub use chain::Chain;
pub use toy::Toy;
