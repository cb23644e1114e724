//! The path for x86-64 CPUs with AVX2 and FMA.

use std::arch::x86_64::*;

use super::generic::entry_points;
use super::simd::Simd;

// SAFETY (every block in this impl): the contract of `Simd` says that the CPU has AVX2 and FMA, and pointers are
// good for a whole vector.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Simd for __m256 {
    const LANES: usize = 8;
    const ROWS: usize = 6;
    const VECTORS: usize = 2;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        unsafe { _mm256_set1_ps(x) }
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { _mm256_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm256_storeu_ps(to, self) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { _mm256_add_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { _mm256_sub_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { _mm256_mul_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        unsafe { _mm256_fmadd_ps(self, b, c) }
    }
    #[inline(always)]
    unsafe fn relu(self) -> Self {
        // The second operand is returned when either is NaN.
        unsafe { _mm256_max_ps(_mm256_setzero_ps(), self) }
    }
    #[inline(always)]
    unsafe fn keep(self, bits: u32) -> Self {
        unsafe {
            let lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let set = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), lane), lane);
            _mm256_and_ps(self, _mm256_castsi256_ps(set))
        }
    }
    #[inline(always)]
    unsafe fn gate(self, y: Self) -> Self {
        unsafe { _mm256_and_ps(self, _mm256_cmp_ps::<_CMP_GT_OQ>(y, _mm256_setzero_ps())) }
    }
    #[inline(always)]
    unsafe fn nonzero(self) -> u32 {
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(self, _mm256_setzero_ps())) as u32 }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
    #[inline(always)]
    unsafe fn over_root(self, v: Self, epsilon: Self) -> Self {
        unsafe {
            let v = _mm256_max_ps(v, _mm256_set1_ps(f32::MIN_POSITIVE));
            _mm256_div_ps(self, _mm256_add_ps(_mm256_sqrt_ps(v), epsilon))
        }
    }
}

entry_points!(__m256, #[target_feature(enable = "avx2,fma,bmi1,bmi2")]);
