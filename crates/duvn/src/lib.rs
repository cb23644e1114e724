//! Reinforcement-learning agents that explore by their own uncertainty.

pub mod net;
