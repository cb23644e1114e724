//! Dropout bits from 16 lanes of xoshiro128++. Integers only, so that every path draws the same.

/// The portable form of [`Simd::mask_words`](super::simd::Simd::mask_words).
#[inline(always)]
pub(super) fn mask_words(state: &mut [[u32; 16]; 4], most: u16, words: &mut [u16]) {
    for pair in words.chunks_mut(2) {
        let numbers = next(state);
        let mut bits = 0u32;
        for (lane, number) in numbers.into_iter().enumerate() {
            let (low, high) = (number as u16 <= most, (number >> 16) as u16 <= most);
            bits |= (u32::from(low) | u32::from(high) << 1) << (2 * lane);
        }
        put(pair, bits);
    }
}

/// One number of each lane (Blackman & Vigna 2018).
#[inline(always)]
fn next(state: &mut [[u32; 16]; 4]) -> [u32; 16] {
    let [s0, s1, s2, s3] = state;
    std::array::from_fn(|i| {
        let number = s0[i].wrapping_add(s3[i]).rotate_left(7).wrapping_add(s0[i]);
        let shifted = s1[i] << 9;
        s2[i] ^= s0[i];
        s3[i] ^= s1[i];
        s1[i] ^= s2[i];
        s0[i] ^= s3[i];
        s2[i] ^= shifted;
        s3[i] = s3[i].rotate_left(11);
        number
    })
}

/// Writes 32 bits to two words, or as many as there are.
#[inline(always)]
pub(super) fn put(words: &mut [u16], bits: u32) {
    for (word, bits) in words.iter_mut().zip([bits as u16, (bits >> 16) as u16]) {
        *word = bits;
    }
}
