//! NumPy's random numbers: `numpy.random.Generator(PCG64(SeedSequence(seed)))`, to the bit.

use rand_core::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// NumPy's `SeedSequence`: spreads a seed of any size over a pool of four 32-bit words.
struct SeedSequence {
    pool: [u32; 4],
}

impl SeedSequence {
    const INIT_A: u32 = 0x43b0_d7e5;
    const MULT_A: u32 = 0x931e_8875;
    const INIT_B: u32 = 0x8b51_f9dd;
    const MULT_B: u32 = 0x58f3_8ded;
    const MIX_LEFT: u32 = 0xca01_f9dd;
    const MIX_RIGHT: u32 = 0x4973_f715;

    fn new(seed: u64) -> Self {
        let mut constant = Self::INIT_A;
        let mut hash = |value: u32| {
            let mut value = value ^ constant;
            constant = constant.wrapping_mul(Self::MULT_A);
            value = value.wrapping_mul(constant);
            value ^ (value >> 16)
        };
        let mix = |x: u32, y: u32| {
            let mixed = x.wrapping_mul(Self::MIX_LEFT).wrapping_sub(y.wrapping_mul(Self::MIX_RIGHT));
            mixed ^ (mixed >> 16)
        };
        let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(&mut hash);
        for source in 0..4 {
            for target in 0..4 {
                if source != target {
                    pool[target] = mix(pool[target], hash(pool[source]));
                }
            }
        }
        SeedSequence { pool }
    }

    fn generate_u64<const N: usize>(&self) -> [u64; N] {
        let mut constant = Self::INIT_B;
        let mut words = self.pool.iter().cycle().map(|&word| {
            let mut value = word ^ constant;
            constant = constant.wrapping_mul(Self::MULT_B);
            value = value.wrapping_mul(constant);
            u64::from(value ^ (value >> 16))
        });
        std::array::from_fn(|_| {
            let low = words.next().unwrap_or_default();
            let high = words.next().unwrap_or_default();
            low | high << 32
        })
    }
}

/// The generator that Gymnasium environments draw from after `reset(seed=…)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumpyRng {
    pcg: Pcg64,
}

impl NumpyRng {
    /// `numpy.random.Generator(numpy.random.PCG64(seed))`.
    pub fn new(seed: u64) -> Self {
        let [state_high, state_low, stream_high, stream_low] = SeedSequence::new(seed).generate_u64();
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        NumpyRng { pcg: Pcg64::new(join(state_high, state_low), join(stream_high, stream_low)) }
    }

    /// `Generator.bit_generator.random_raw()`.
    pub fn next_u64(&mut self) -> u64 {
        self.pcg.next_u64()
    }

    /// `Generator.random()`: uniform on [0, 1) with 53 bits.
    pub fn random(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// `Generator.uniform(low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random()
    }
}
