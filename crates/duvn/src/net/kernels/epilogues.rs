//! What becomes of a finished tile: a layer's activations, a gradient of its inputs, or a step of Adam.

use super::Bits;
use super::gemm::{Epilogue, Grid};
use super::simd::Simd;
use crate::net::adam::AdamStep;

/// Dropout bits of a layer: the words of row `r` begin at `words[starts[r]]`. Null `words`: no dropout.
#[derive(Clone, Copy)]
pub(super) struct BitsPtr {
    pub words: *const u16,
    pub starts: *const u32,
}

impl BitsPtr {
    /// The bits of `rows` rows of `width` units, and what a kept unit is multiplied by.
    pub(super) fn new(bits: Option<Bits<'_>>, rows: usize, width: usize) -> (Self, f32) {
        let Some(bits) = bits else {
            return (BitsPtr { words: std::ptr::null(), starts: std::ptr::null() }, 1.0);
        };
        let words = &bits.words[bits.at..];
        let last = bits.starts[..rows].iter().max().map_or(0, |&start| start as usize);
        assert!(rows == 0 || last + width / 16 <= words.len());
        (BitsPtr { words: words.as_ptr(), starts: bits.starts.as_ptr() }, bits.scale)
    }

    /// # Safety
    /// `words` is not null, and row `row` has a word for column `col`.
    #[inline(always)]
    pub(super) unsafe fn lanes(self, row: usize, col: usize) -> u32 {
        // SAFETY: the caller's contract.
        let word = unsafe { *self.words.add(*self.starts.add(row) as usize + col / 16) };
        u32::from(word) >> (col % 16)
    }
}

/// `out = mask * scale * relu(C + bias)`.
pub(super) struct Hidden {
    pub bias: *const f32,
    pub bits: BitsPtr,
    pub scale: f32,
    pub out: *mut f32,
    pub out_stride: usize,
}

impl<S: Simd> Epilogue<S> for Hidden {
    #[inline(always)]
    unsafe fn finish<const NV: usize>(&self, row: usize, col: usize, sums: &[S; NV]) {
        // SAFETY: the contract of `finish`.
        unsafe {
            let out = self.out.add(row * self.out_stride + col);
            for (j, sum) in sums.iter().enumerate() {
                let mut y = sum.add(S::load(self.bias.add(col + j * S::LANES))).relu();
                if !self.bits.words.is_null() {
                    y = y.mul(S::splat(self.scale)).keep(self.bits.lanes(row, col + j * S::LANES));
                }
                y.store(out.add(j * S::LANES));
            }
        }
    }
}

/// `out = (y > 0) * scale * C`: the derivative of ReLU and dropout together, because a unit that was dropped
/// or negative left 0 in `y`.
pub(super) struct Gate {
    pub y: *const f32,
    pub y_stride: usize,
    pub scale: f32,
    pub out: *mut f32,
    pub out_stride: usize,
}

impl<S: Simd> Epilogue<S> for Gate {
    #[inline(always)]
    unsafe fn finish<const NV: usize>(&self, row: usize, col: usize, sums: &[S; NV]) {
        // SAFETY: the contract of `finish`.
        unsafe {
            let scale = S::splat(self.scale);
            let y = self.y.add(row * self.y_stride + col);
            let out = self.out.add(row * self.out_stride + col);
            for (j, sum) in sums.iter().enumerate() {
                sum.mul(scale).gate(S::load(y.add(j * S::LANES))).store(out.add(j * S::LANES));
            }
        }
    }
}

/// C is a gradient: store it.
pub(super) struct Store {
    pub out: *mut f32,
    pub grid: Grid,
}

impl<S: Simd> Epilogue<S> for Store {
    #[inline(always)]
    unsafe fn finish<const NV: usize>(&self, row: usize, col: usize, sums: &[S; NV]) {
        let (offset, stride) = self.grid.column(col);
        for (j, sum) in sums.iter().enumerate() {
            // SAFETY: the contract of `finish`.
            unsafe { sum.store(self.out.add(offset + row * stride + j * S::LANES)) };
        }
    }
}

/// The parameters, their two moments, and the constants of one step of Adam.
pub(super) struct Adam<'a> {
    pub w: *mut f32,
    pub m: *mut f32,
    pub v: *mut f32,
    pub grid: Grid,
    pub step: &'a AdamStep,
}

struct AdamVectors<S> {
    gain_mean: S,
    beta2: S,
    root_gain_variance: S,
    minus_rate: S,
    epsilon: S,
}

impl<S: Simd> AdamVectors<S> {
    #[inline(always)]
    unsafe fn new(step: &AdamStep) -> Self {
        // SAFETY: the CPU has the instruction set of `S`.
        unsafe {
            AdamVectors {
                gain_mean: S::splat(step.one_minus_beta1),
                beta2: S::splat(step.beta2),
                root_gain_variance: S::splat(step.root_one_minus_beta2),
                minus_rate: S::splat(-step.rate),
                epsilon: S::splat(step.epsilon),
            }
        }
    }

    /// m += (1 - beta1) (g - m); v = beta2 v + (√(1 - beta2) g)²; w -= rate m / (sqrt(v) + epsilon).
    #[inline(always)]
    unsafe fn update(&self, g: S, w: *mut f32, m: *mut f32, v: *mut f32) {
        // SAFETY: the caller owns a vector at each of the three pointers.
        unsafe {
            let (old_w, old_m, old_v) = (S::load(w), S::load(m), S::load(v));
            let new_m = g.sub(old_m).mul_add(self.gain_mean, old_m);
            let scaled = g.mul(self.root_gain_variance);
            let new_v = scaled.mul_add(scaled, old_v.mul(self.beta2));
            new_m.store(m);
            new_v.store(v);
            new_m.over_root(new_v, self.epsilon).mul_add(self.minus_rate, old_w).store(w);
        }
    }
}

impl<S: Simd> Epilogue<S> for Adam<'_> {
    #[inline(always)]
    unsafe fn finish<const NV: usize>(&self, row: usize, col: usize, sums: &[S; NV]) {
        let (offset, stride) = self.grid.column(col);
        // SAFETY: the contract of `finish`.
        unsafe {
            let adam = AdamVectors::<S>::new(self.step);
            for (j, &g) in sums.iter().enumerate() {
                let at = offset + row * stride + j * S::LANES;
                adam.update(g, self.w.add(at), self.m.add(at), self.v.add(at));
            }
        }
    }
}

/// One step of Adam on `len` parameters (a multiple of 16) whose gradient is `scale * g`.
///
/// # Safety
/// The CPU has the instruction set of `S`; `g` and the arrays of `adam` hold `len` numbers.
#[inline(always)]
pub(super) unsafe fn adam_flat<S: Simd>(g: *const f32, scale: f32, len: usize, adam: &Adam<'_>) {
    // SAFETY: the caller's contract.
    unsafe {
        let vectors = AdamVectors::<S>::new(adam.step);
        let scale = S::splat(scale);
        for at in (0..len).step_by(S::LANES) {
            let (w, m, v) = (adam.w.add(at), adam.m.add(at), adam.v.add(at));
            let g = S::load(g.add(at)).mul(scale);
            if g.nonzero() | S::load(m).nonzero() == 0 {
                // The whole step would come to just this. Observations not seen for long are like that.
                S::load(v).mul(vectors.beta2).store(v);
            } else {
                vectors.update(g, w, m, v);
            }
        }
    }
}
