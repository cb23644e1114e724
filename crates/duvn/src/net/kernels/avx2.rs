//! The path for x86-64 CPUs with AVX2 and FMA.

use std::arch::x86_64::*;

use super::bits::put;
use super::simd::{Simd, Tiles, instructions};
use super::table::entry_points;

// SAFETY (every block in this impl): the contract of `Simd` says that the CPU has AVX2 and FMA, and pointers are
// good for a whole vector.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Simd for __m256 {
    const LANES: usize = 8;
    const TILES: Tiles = Tiles {
        rows: 6,
        gradient_rows: 6,
        direct_rows: 0,
        vectors: 2,
        products: 4,
        single_vectors: 4,
        single_panels: 1,
    };

    instructions! {
        splat = _mm256_set1_ps, load = _mm256_loadu_ps, store = _mm256_storeu_ps,
        add = _mm256_add_ps, sub = _mm256_sub_ps, mul = _mm256_mul_ps, mul_add = _mm256_fmadd_ps,
        max = _mm256_max_ps, zero = _mm256_setzero_ps,
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
    /// One look into a table for all lanes: a loop over bits would guess wrong at the end of nearly every vector.
    #[inline(always)]
    unsafe fn list_nonzero(self, first: u32, list: *mut u32, count: usize) -> usize {
        unsafe {
            let bits = self.nonzero();
            let lanes = _mm_loadl_epi64(LANES_OF_BITS[bits as usize].as_ptr().cast());
            let indices = _mm256_add_epi32(_mm256_cvtepu8_epi32(lanes), _mm256_set1_epi32(first as i32));
            _mm256_storeu_si256(list.add(count).cast(), indices);
            count + bits.count_ones() as usize
        }
    }
    /// Four blocks of 8 x 8; each vector is put together from halves of two rows, so that shuffles within halves
    /// finish the job.
    #[inline(always)]
    unsafe fn transpose16(from: *const f32, from_stride: usize, to: *mut f32, to_stride: usize) {
        unsafe {
            for first in [0, 8] {
                for col in (0..16).step_by(4) {
                    let halves = |row: usize| {
                        let at = |q: usize| _mm_loadu_ps(from.add((first + row + 4 * q) * from_stride + col));
                        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(at(0)), at(1))
                    };
                    let (a, b, c, d) = (halves(0), halves(1), halves(2), halves(3));
                    let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                    let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
                    let to = to.add(first);
                    _mm256_shuffle_ps::<0x44>(ab_low, cd_low).store(to.add(col * to_stride));
                    _mm256_shuffle_ps::<0xee>(ab_low, cd_low).store(to.add((col + 1) * to_stride));
                    _mm256_shuffle_ps::<0x44>(ab_high, cd_high).store(to.add((col + 2) * to_stride));
                    _mm256_shuffle_ps::<0xee>(ab_high, cd_high).store(to.add((col + 3) * to_stride));
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn sum_of_squares(from: *const f32, len: usize) -> f64 {
        unsafe {
            let mut lanes = [_mm256_setzero_pd(); 4];
            for at in (0..len).step_by(16) {
                for (i, lane) in lanes.iter_mut().enumerate() {
                    let x = _mm256_cvtps_pd(_mm_loadu_ps(from.add(at + 4 * i)));
                    *lane = _mm256_fmadd_pd(x, x, *lane);
                }
            }
            let lanes = std::mem::transmute::<[__m256d; 4], [f64; 16]>(lanes);
            lanes.iter().sum()
        }
    }
    #[inline(always)]
    unsafe fn mask_words(state: &mut [[u32; 16]; 4], most: u16, words: &mut [u16]) {
        unsafe {
            let load = |at: &[u32]| _mm256_loadu_si256(at.as_ptr().cast());
            let mut low: [__m256i; 4] = std::array::from_fn(|i| load(&state[i][..8]));
            let mut high: [__m256i; 4] = std::array::from_fn(|i| load(&state[i][8..]));
            let most = _mm256_set1_epi16(most as i16);
            for pair in words.chunks_mut(2) {
                let [a, b] = [xoshiro(&mut low), xoshiro(&mut high)].map(|number| {
                    // There is no unsigned comparison: at most `most` is to be the smaller one of the two.
                    _mm256_cmpeq_epi16(_mm256_min_epu16(number, most), number)
                });
                // Packing works within halves; the permutation puts the quarters in order.
                let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b));
                put(pair, _mm256_movemask_epi8(bytes) as u32);
            }
            for (words, (low, high)) in state.iter_mut().zip(low.into_iter().zip(high)) {
                _mm256_storeu_si256(words.as_mut_ptr().cast(), low);
                _mm256_storeu_si256(words[8..].as_mut_ptr().cast(), high);
            }
        }
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

/// For every set of 8 lanes, as bits, their numbers in order.
static LANES_OF_BITS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if bits >> lane & 1 == 1 {
                table[bits][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    table
};

/// One number of each of 8 lanes.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn xoshiro(s: &mut [__m256i; 4]) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe {
        let rotate = |x, shl: __m256i, shr: __m256i| {
            _mm256_or_si256(_mm256_sllv_epi32(x, shl), _mm256_srlv_epi32(x, shr))
        };
        let by = |n| _mm256_set1_epi32(n);
        let number = _mm256_add_epi32(rotate(_mm256_add_epi32(s[0], s[3]), by(7), by(25)), s[0]);
        let shifted = _mm256_slli_epi32::<9>(s[1]);
        s[2] = _mm256_xor_si256(s[2], s[0]);
        s[3] = _mm256_xor_si256(s[3], s[1]);
        s[1] = _mm256_xor_si256(s[1], s[2]);
        s[0] = _mm256_xor_si256(s[0], s[3]);
        s[2] = _mm256_xor_si256(s[2], shifted);
        s[3] = rotate(s[3], by(11), by(21));
        number
    }
}

entry_points!(__m256, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]);
