//! The few vector operations that the kernels are written in.

/// What registers hold at once, by what suits an instruction set.
pub(super) struct Tiles {
    /// Most rows of a tile.
    pub rows: usize,
    /// Most rows of a tile of a weight gradient. Fewer than `rows` let the out-of-order window reach from the sums of
    /// one tile to the memory that Adam needs for the next.
    pub gradient_rows: usize,
    /// Rows up to which `Kernels::back_hidden` takes sums along the weights instead of transposing them.
    pub direct_rows: usize,
    /// Most vectors side by side in a tile; a divisor of what a panel of 64 columns holds.
    pub vectors: usize,
    /// Products that are added to a sum between two looks at whether it is done.
    pub products: usize,
    /// Most vectors side by side in the product of a single row, 4 at most; there are two sums for each.
    pub single_vectors: usize,
    /// Most panels that the product of a single row goes through together: 2 only where four vectors fill a panel.
    pub single_panels: usize,
}

/// A vector of `f32` lanes of one instruction set.
///
/// # Safety
/// Every method may be called only on a CPU that has the instruction set of the implementing type. All of them
/// are `inline(always)` so that they become part of an entry point compiled for that instruction set.
pub(super) trait Simd: Copy {
    /// Lanes in a vector; divides 16.
    const LANES: usize;
    const TILES: Tiles;

    unsafe fn splat(x: f32) -> Self;
    /// Reads `LANES` numbers; `from` need not be aligned.
    unsafe fn load(from: *const f32) -> Self;
    /// Writes `LANES` numbers; `to` need not be aligned.
    unsafe fn store(self, to: *mut f32);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// Whether `mul_add` is one instruction, which rounds once.
    const FUSED: bool = true;
    /// `self * b + c`.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    /// `max(self, 0)`, and NaN stays NaN.
    unsafe fn relu(self) -> Self;
    /// The lanes whose bit is set; 0 elsewhere.
    unsafe fn keep(self, bits: u32) -> Self;
    /// The lanes where `y > 0`; 0 elsewhere.
    unsafe fn gate(self, y: Self) -> Self;
    /// A bit for each lane that is not 0 (NaN counts).
    unsafe fn nonzero(self) -> u32;
    /// The sum of the lanes, in a fixed order.
    unsafe fn sum(self) -> f32;
    /// `self / (sqrt(v) + epsilon)` for `v >= 0`, and 0 where `self` is 0, whatever `v` and `epsilon` are.
    unsafe fn over_root(self, v: Self, epsilon: Self) -> Self;

    /// Appends to `list`, which has `count` elements and room for 16 more, `first` plus the number of each lane
    /// that is not 0. Returns the new count.
    #[inline(always)]
    unsafe fn list_nonzero(self, first: u32, list: *mut u32, mut count: usize) -> usize {
        // SAFETY: there are at most 16 lanes.
        unsafe {
            let mut bits = self.nonzero();
            while bits != 0 {
                *list.add(count) = first + bits.trailing_zeros();
                count += 1;
                bits &= bits - 1;
            }
        }
        count
    }

    /// The sums of the lanes of four vectors.
    #[inline(always)]
    unsafe fn sum4(vectors: [Self; 4]) -> [f32; 4] {
        // SAFETY: the CPU has the instruction set.
        vectors.map(|vector| unsafe { vector.sum() })
    }

    /// Writes the transpose of the 16 x 16 block at `from` (rows `from_stride` apart) to `to`.
    #[inline(always)]
    unsafe fn transpose16(from: *const f32, from_stride: usize, to: *mut f32, to_stride: usize) {
        for row in 0..16 {
            for col in 0..16 {
                // SAFETY: the caller owns both blocks of 16 rows of 16 numbers.
                unsafe { *to.add(col * to_stride + row) = *from.add(row * from_stride + col) };
            }
        }
    }

    /// The sum of the squares of `len` numbers (a multiple of 16), in double precision.
    #[inline(always)]
    unsafe fn sum_of_squares(from: *const f32, len: usize) -> f64 {
        let mut lanes = [0.0f64; 16];
        for at in (0..len).step_by(16) {
            for (i, lane) in lanes.iter_mut().enumerate() {
                // SAFETY: the caller owns `len` numbers.
                let x = f64::from(unsafe { *from.add(at + i) });
                *lane += x * x;
            }
        }
        lanes.iter().sum()
    }

    /// Advances 16 lanes of xoshiro128++ for every two of `words`, and sets bit b of the two together (the first
    /// is the low one) if half b % 2 of the number of lane b / 2 is at most `most`.
    #[inline(always)]
    unsafe fn mask_words(state: &mut [[u32; 16]; 4], most: u16, words: &mut [u16]) {
        super::bits::mask_words(state, most, words);
    }
}

/// Writes the operations of [`Simd`] that are one instruction each of an instruction set.
macro_rules! instructions {
    (
        splat = $splat:ident, load = $load:ident, store = $store:ident,
        add = $add:ident, sub = $sub:ident, mul = $mul:ident, mul_add = $mul_add:ident,
        max = $max:ident, zero = $zero:ident $(,)?
    ) => {
        #[inline(always)]
        unsafe fn splat(x: f32) -> Self {
            unsafe { $splat(x) }
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            unsafe { $load(from) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            unsafe { $store(to, self) }
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            unsafe { $add(self, other) }
        }
        #[inline(always)]
        unsafe fn sub(self, other: Self) -> Self {
            unsafe { $sub(self, other) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            unsafe { $mul(self, other) }
        }
        #[inline(always)]
        unsafe fn mul_add(self, b: Self, c: Self) -> Self {
            unsafe { $mul_add(self, b, c) }
        }
        #[inline(always)]
        unsafe fn relu(self) -> Self {
            // The second operand is returned when either is NaN.
            unsafe { $max($zero(), self) }
        }
    };
}
pub(super) use instructions;
