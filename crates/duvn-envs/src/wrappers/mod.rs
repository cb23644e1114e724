//! What stands around an environment's bare dynamics.

mod episodes;

pub use episodes::Episodes;
