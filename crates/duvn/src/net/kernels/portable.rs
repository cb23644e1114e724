//! The path without explicit vector instructions: arrays that the compiler vectorises for the baseline CPU.

use super::simd::{Simd, Tiles};
use super::table::entry_points;

#[derive(Clone, Copy)]
pub(super) struct Lanes([f32; 8]);

impl Lanes {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Lanes(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Simd for Lanes {
    const LANES: usize = 8;
    const TILES: Tiles = Tiles {
        rows: 2,
        gradient_rows: 2,
        direct_rows: 0,
        vectors: 2,
        products: 1,
        single_vectors: 2,
        single_panels: 1,
    };

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        Lanes([x; 8])
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller may read 8 numbers from `from`, which is aligned as an `f32` is.
        Lanes(unsafe { from.cast::<[f32; 8]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller may write 8 numbers to `to`, which is aligned as an `f32` is.
        unsafe { to.cast::<[f32; 8]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |x, y| x + y)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.zip(other, |x, y| x - y)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |x, y| x * y)
    }
    const FUSED: bool = false;
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        // Two roundings: `f32::mul_add` is a library call on a CPU without FMA.
        Lanes(std::array::from_fn(|i| self.0[i] * b.0[i] + c.0[i]))
    }
    #[inline(always)]
    unsafe fn relu(self) -> Self {
        Lanes(self.0.map(|x| if x < 0.0 { 0.0 } else { x }))
    }
    #[inline(always)]
    unsafe fn keep(self, bits: u32) -> Self {
        Lanes(std::array::from_fn(|i| if bits >> i & 1 == 1 { self.0[i] } else { 0.0 }))
    }
    #[inline(always)]
    unsafe fn gate(self, y: Self) -> Self {
        self.zip(y, |x, y| if y > 0.0 { x } else { 0.0 })
    }
    #[inline(always)]
    unsafe fn nonzero(self) -> u32 {
        self.0.iter().enumerate().fold(0, |bits, (i, &x)| bits | u32::from(x != 0.0) << i)
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
    #[inline(always)]
    unsafe fn over_root(self, v: Self, epsilon: Self) -> Self {
        // With v and epsilon both 0 the quotient would be 0/0.
        Lanes(std::array::from_fn(|i| self.0[i] / (v.0[i].max(f32::MIN_POSITIVE).sqrt() + epsilon.0[i])))
    }
}

entry_points!(Lanes);
