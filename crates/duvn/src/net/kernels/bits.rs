//! Dropout bits from 16 lanes of xoshiro128++. Integers only, so that every path draws the same.

/// Fills `words`: bit i of words 2n and 2n + 1 compares the low and the high half of lane i's n-th number with
/// `threshold` (in 1/65536).
///
/// # Safety
/// None of its own; it is unsafe to have the type of the other kernels.
#[inline(always)]
pub(super) unsafe fn mask_words(state: &mut [[u32; 16]; 4], threshold: u32, words: &mut [u16]) {
    let mut s = *state;
    for pair in words.chunks_mut(2) {
        let mut numbers = [0; 16];
        for (lane, number) in numbers.iter_mut().enumerate() {
            *number = s[0][lane].wrapping_add(s[3][lane]).rotate_left(7).wrapping_add(s[0][lane]);
            let shifted = s[1][lane] << 9;
            s[2][lane] ^= s[0][lane];
            s[3][lane] ^= s[1][lane];
            s[1][lane] ^= s[2][lane];
            s[0][lane] ^= s[3][lane];
            s[2][lane] ^= shifted;
            s[3][lane] = s[3][lane].rotate_left(11);
        }
        let (mut low, mut high) = (0u16, 0u16);
        for (lane, number) in numbers.iter().enumerate() {
            low |= u16::from(number & 0xffff < threshold) << lane;
            high |= u16::from(number >> 16 < threshold) << lane;
        }
        pair[0] = low;
        if let Some(word) = pair.get_mut(1) {
            *word = high;
        }
    }
    *state = s;
}
