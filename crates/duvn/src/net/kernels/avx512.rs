//! The path for x86-64 CPUs with AVX-512.

use std::arch::x86_64::*;

use super::simd::{Simd, Tiles, instructions};
use super::table::entry_points;

// SAFETY (every block in this impl): the contract of `Simd` says that the CPU has AVX-512 F, VL, BW and DQ, and
// pointers are good for a whole vector.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Simd for __m512 {
    const LANES: usize = 16;
    const TILES: Tiles = Tiles {
        rows: 6,
        gradient_rows: 4,
        direct_rows: 24,
        vectors: 4,
        products: 1,
        single_vectors: 4,
        single_panels: 2,
    };

    instructions! {
        splat = _mm512_set1_ps, load = _mm512_loadu_ps, store = _mm512_storeu_ps,
        add = _mm512_add_ps, sub = _mm512_sub_ps, mul = _mm512_mul_ps, mul_add = _mm512_fmadd_ps,
        max = _mm512_max_ps, zero = _mm512_setzero_ps,
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
    unsafe fn list_nonzero(self, first: u32, list: *mut u32, count: usize) -> usize {
        unsafe {
            let bits = self.nonzero() as __mmask16;
            let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let indices = _mm512_add_epi32(lanes, _mm512_set1_epi32(first as i32));
            _mm512_storeu_si512(list.add(count).cast(), _mm512_maskz_compress_epi32(bits, indices));
            count + bits.count_ones() as usize
        }
    }
    #[inline(always)]
    unsafe fn sum4([a, b, c, d]: [Self; 4]) -> [f32; 4] {
        unsafe {
            let ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            // Every quarter now holds four partial sums, one of each vector.
            let low = _mm512_shuffle_ps::<0x44>(ab, cd);
            let sums = _mm512_add_ps(low, _mm512_shuffle_ps::<0xee>(ab, cd));
            let sums = _mm256_add_ps(_mm512_castps512_ps256(sums), _mm512_extractf32x8_ps::<1>(sums));
            let sums = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps::<1>(sums));
            std::mem::transmute::<__m128, [f32; 4]>(sums)
        }
    }
    /// Each vector is put together from quarters of four rows, so that shuffles within quarters finish the job.
    #[inline(always)]
    unsafe fn transpose16(from: *const f32, from_stride: usize, to: *mut f32, to_stride: usize) {
        unsafe {
            for col in (0..16).step_by(4) {
                let quarters = |row: usize| {
                    let at = |q: usize| _mm_loadu_ps(from.add((row + 4 * q) * from_stride + col));
                    let v = _mm512_castps128_ps512(at(0));
                    let v = _mm512_insertf32x4::<1>(v, at(1));
                    let v = _mm512_insertf32x4::<2>(v, at(2));
                    _mm512_insertf32x4::<3>(v, at(3))
                };
                let (a, b, c, d) = (quarters(0), quarters(1), quarters(2), quarters(3));
                let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
                let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
                _mm512_shuffle_ps::<0x44>(ab_low, cd_low).store(to.add(col * to_stride));
                _mm512_shuffle_ps::<0xee>(ab_low, cd_low).store(to.add((col + 1) * to_stride));
                _mm512_shuffle_ps::<0x44>(ab_high, cd_high).store(to.add((col + 2) * to_stride));
                _mm512_shuffle_ps::<0xee>(ab_high, cd_high).store(to.add((col + 3) * to_stride));
            }
        }
    }
    #[inline(always)]
    unsafe fn sum_of_squares(from: *const f32, len: usize) -> f64 {
        unsafe {
            let mut lanes = [_mm512_setzero_pd(); 2];
            for at in (0..len).step_by(16) {
                for (i, lane) in lanes.iter_mut().enumerate() {
                    let x = _mm512_cvtps_pd(_mm256_loadu_ps(from.add(at + 8 * i)));
                    *lane = _mm512_fmadd_pd(x, x, *lane);
                }
            }
            let lanes = std::mem::transmute::<[__m512d; 2], [f64; 16]>(lanes);
            lanes.iter().sum()
        }
    }
    #[inline(always)]
    unsafe fn mask_words(state: &mut [[u32; 16]; 4], most: u16, words: &mut [u16]) {
        unsafe {
            let mut s: [__m512i; 4] = std::array::from_fn(|i| _mm512_loadu_si512(state[i].as_ptr().cast()));
            let most = _mm512_set1_epi16(most as i16);
            let count = words.len();
            for at in (0..count).step_by(2) {
                let sum = _mm512_rol_epi32::<7>(_mm512_add_epi32(s[0], s[3]));
                let number = _mm512_add_epi32(sum, s[0]);
                let shifted = _mm512_slli_epi32::<9>(s[1]);
                s[2] = _mm512_xor_si512(s[2], s[0]);
                s[3] = _mm512_xor_si512(s[3], s[1]);
                s[1] = _mm512_xor_si512(s[1], s[2]);
                s[0] = _mm512_xor_si512(s[0], s[3]);
                s[2] = _mm512_xor_si512(s[2], shifted);
                s[3] = _mm512_rol_epi32::<11>(s[3]);
                let bits = _mm512_cmple_epu16_mask(number, most);
                if at + 2 <= count {
                    // Both words at once, which x86 keeps in this order.
                    words.as_mut_ptr().add(at).cast::<u32>().write_unaligned(bits);
                } else {
                    words[at] = bits as u16;
                }
            }
            for (words, s) in state.iter_mut().zip(s) {
                _mm512_storeu_si512(words.as_mut_ptr().cast(), s);
            }
        }
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
    /// place): the exact instructions share one divider that would need three times the cycles. The estimate of
    /// the quotient starts from the uncorrected root, so that the two Newton steps do not wait for each other.
    #[inline(always)]
    unsafe fn over_root(self, v: Self, epsilon: Self) -> Self {
        unsafe {
            let half = _mm512_set1_ps(0.5);
            let v = _mm512_max_ps(v, _mm512_set1_ps(f32::MIN_POSITIVE));
            let estimate = _mm512_rsqrt14_ps(v);
            let rough = _mm512_fmadd_ps(v, estimate, epsilon);
            let inverse = _mm512_rcp14_ps(rough);
            let root = _mm512_mul_ps(v, estimate);
            let correction = _mm512_fnmadd_ps(root, _mm512_mul_ps(half, estimate), half);
            let divisor = _mm512_fmadd_ps(root, correction, rough);
            let factor = _mm512_fnmadd_ps(divisor, inverse, _mm512_set1_ps(2.0));
            _mm512_mul_ps(_mm512_mul_ps(self, inverse), factor)
        }
    }
}

entry_points!(__m512, #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi1,bmi2,popcnt")]);
