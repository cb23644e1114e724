//! Named streams of random numbers: every use has its own, so that one more draw in one place moves
//! nothing elsewhere.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// A stream of random numbers. It can be frozen in the middle and goes on to the bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream `name` of the master seed `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(fnv1a(name));
        Stream(rng)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform on [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform on `0..n`, for `n` of at least 1 (by multiplication: a bias of at most n / 2^64).
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f32 {
        StandardNormal.sample(&mut self.0)
    }

    /// The generator itself.
    pub fn generator(&mut self) -> &mut ChaCha8Rng {
        &mut self.0
    }
}

/// The FNV-1a hash, which turns a name into a stream number.
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_name_and_by_seed_and_nothing_else() {
        let first = |seed, name| Stream::new(seed, name).bits();
        assert_eq!(first(1, "policy"), first(1, "policy"));
        assert_ne!(first(1, "policy"), first(1, "replay"));
        assert_ne!(first(1, "policy"), first(2, "policy"));
    }

    #[test]
    fn below_covers_its_range_evenly() {
        let mut stream = Stream::new(0, "test");
        let mut counts = [0u32; 5];
        for _ in 0..50_000 {
            counts[stream.below(5)] += 1;
        }
        // Five standard deviations of a binomial(50,000, 1/5) are 447.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 447), "{counts:?}");
    }
}
