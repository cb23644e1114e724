//! The machine's own limit: how many floating-point operations a core makes when it does nothing else.

use cpu_time::ThreadTime;

use super::simd::Simd;
use super::{Isa, Kernels};

/// Independent chains, enough to hide the latency of a fused multiply-add on two ports.
const CHAINS: usize = 12;

/// `rounds` x 12 vector multiply-adds.
///
/// # Safety
/// The CPU has the instruction set of `S`.
#[inline(always)]
pub(super) unsafe fn burst<S: Simd>(rounds: u64) -> f32 {
    // SAFETY: the caller's contract.
    unsafe {
        let (a, b) = (S::splat(0.999_9), S::splat(1e-4));
        let mut chains: [S; CHAINS] = std::array::from_fn(|i| S::splat(i as f32));
        for _ in 0..rounds {
            for chain in &mut chains {
                *chain = chain.mul_add(a, b);
            }
        }
        let mut total = S::splat(0.0);
        for chain in chains {
            total = total.add(chain);
        }
        total.sum()
    }
}

/// Floating-point operations a second of CPU time that one core makes in a burst of multiply-adds on
/// registers with the instruction set `isa`: the best of a few bursts of some milliseconds. 0 if the CPU lacks it.
pub fn measure_peak(isa: Isa) -> f64 {
    let Ok(kernels) = Kernels::new(isa) else { return 0.0 };
    let lanes = match isa {
        Isa::Portable | Isa::Avx2 => 8,
        Isa::Avx512 => 16,
    };
    let rounds: u64 = if isa == Isa::Portable { 200_000 } else { 1_000_000 };
    let operations = (rounds * CHAINS as u64 * lanes * 2) as f64;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = ThreadTime::now();
        std::hint::black_box(kernels.fma_burst(std::hint::black_box(rounds)));
        best = best.min(start.elapsed().as_secs_f64());
    }
    operations / best
}
