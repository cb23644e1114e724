//! NumPy's random numbers: `numpy.random.Generator(PCG64(SeedSequence(seed)))`, to the bit.

mod generator;
mod seed_sequence;

pub use generator::NumpyRng;
