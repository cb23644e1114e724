//! The path for x86-64 CPUs with AVX-512.

use std::arch::x86_64::*;

use super::generic::entry_points;
use super::simd::Simd;

// SAFETY (every block in this impl): the contract of `Simd` says that the CPU has AVX-512 F, VL, BW and DQ, and
// pointers are good for a whole vector.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Simd for __m512 {
    const LANES: usize = 16;
    const ROWS: usize = 6;
    const VECTORS: usize = 4;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        unsafe { _mm512_set1_ps(x) }
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { _mm512_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm512_storeu_ps(to, self) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { _mm512_add_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { _mm512_sub_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { _mm512_mul_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        unsafe { _mm512_fmadd_ps(self, b, c) }
    }
    #[inline(always)]
    unsafe fn relu(self) -> Self {
        // The second operand is returned when either is NaN.
        unsafe { _mm512_max_ps(_mm512_setzero_ps(), self) }
    }
    #[inline(always)]
    unsafe fn keep(self, bits: u32) -> Self {
        unsafe { _mm512_maskz_mov_ps(bits as __mmask16, self) }
    }
    #[inline(always)]
    unsafe fn gate(self, y: Self) -> Self {
        unsafe {
            let open = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(y, _mm512_setzero_ps());
            _mm512_maskz_mov_ps(open, self)
        }
    }
    #[inline(always)]
    unsafe fn nonzero(self) -> u32 {
        unsafe { u32::from(_mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(self, _mm512_setzero_ps())) }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        unsafe {
            let eight = _mm256_add_ps(_mm512_castps512_ps256(self), _mm512_extractf32x8_ps::<1>(self));
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
    /// Square root and quotient from the 14-bit estimates and one Newton step each (about 1 unit in the last
    /// place): the exact instructions share one divider that would need three times the cycles.
    #[inline(always)]
    unsafe fn over_root(self, v: Self, epsilon: Self) -> Self {
        unsafe {
            let half = _mm512_set1_ps(0.5);
            let v = _mm512_max_ps(v, _mm512_set1_ps(f32::MIN_POSITIVE));
            let estimate = _mm512_rsqrt14_ps(v);
            let root = _mm512_mul_ps(v, estimate);
            let correction = _mm512_fnmadd_ps(root, _mm512_mul_ps(half, estimate), half);
            let divisor = _mm512_add_ps(_mm512_fmadd_ps(root, correction, root), epsilon);
            let inverse = _mm512_rcp14_ps(divisor);
            let correction = _mm512_fnmadd_ps(divisor, inverse, _mm512_set1_ps(1.0));
            _mm512_mul_ps(self, _mm512_fmadd_ps(inverse, correction, inverse))
        }
    }
}

entry_points!(__m512, #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi1,bmi2")]);
