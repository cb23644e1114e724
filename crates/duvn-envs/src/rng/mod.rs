//! NumPy's random numbers, to the bit: `numpy.random.Generator(PCG64(SeedSequence(seed)))`, which Gymnasium
//! draws from, and the legacy `numpy.random.RandomState(seed)`, which bsuite draws from.

mod generator;
mod legacy;
mod seed_sequence;

pub use generator::NumpyRng;
pub use legacy::RandomState;
