//! The arithmetic of the network: the only module that knows about SIMD, and the only one with `unsafe` code.
//!
//! # Layout
//! - Units are padded to a multiple of 16 (a cache line, an AVX-512 vector). Padding weights are 0 and stay 0:
//!   a padded unit puts out 0, its gradient is 0, and Adam leaves a parameter alone that never had a gradient.
//! - The weights of a hidden layer lie in *panels* of 64 columns: `[width / 64][inputs][64]`, the last panel being
//!   narrower if need be. A panel of a 128 x 128 layer is 32 KB in one piece, so that it stays in the first-level cache
//!   while blocks of rows pass; rows of a plain matrix 512 bytes apart would fight for the same cache sets.
//! - The weights of an output layer lie `[outputs][inputs]`, since one or two outputs would waste a vector; those of more than
//!   8 outputs (atoms, quantiles) lie in panels and are computed as those of a hidden layer.
//! - Activations are rows; those whose length is a multiple of 64 are set a cache line further apart, again
//!   because of the cache sets.
//!
//! # Kernels
//! Everything is one register-tiled product `C = A B` with an epilogue that finishes C while it is in registers:
//!
//! | step | A | B | epilogue |
//! | --- | --- | --- | --- |
//! | hidden layer | activations | weight panels | bias, ReLU, dropout |
//! | its inputs' gradient | output gradients | transposed weight panels | ReLU's and dropout's derivative |
//! | its weights' gradient | activations, transposed | output gradients | Adam, or store |
//! | hidden layer that normalises | activations | weight panels | store, then LayerNorm row by row |
//! | covariances of features | features | covariance in panels | store |
//!
//! Weights are transposed a panel at a time, right before the panel is used; with AVX-512 and few rows, sums along
//! the weights as they are take less time than a transpose. AVX-512 tiles are up to 6 rows by 64 columns (24
//! accumulators of 32 registers; 4 rows for gradients), AVX2 tiles 6 by 16. Adam runs on
//! the gradient in registers, so that a gradient is never written to memory unless its norm is to be clipped.
//! A single row (acting) skips the weight rows of inputs that are 0, about half of them after ReLU. With AVX-512 it goes
//! through two panels at once.
//!
//! The kernels are generic over the trait `Simd` and `inline(always)`; the modules `portable`, `avx2` and `avx512`
//! compile them as functions with the target features and list those in a table, which `forward`, `norm`,
//! `gradients` and `quantiles` put behind safe methods.
//!
//! # Why the unsafe code is sound
//! - *Instruction set*: a [`Kernels`] can only be made by [`Kernels::new`], which asks the CPU.
//! - *Memory*: kernels work on raw pointers; the methods of [`Kernels`] are safe because each compares the lengths of the
//!   slices it is given with the largest offset that its kernel can reach, and panics otherwise. Loads and
//!   stores are the unaligned ones, so alignment is a matter of speed only.
//! - *Aliasing*: what a kernel writes comes from `&mut` slices, what it reads from others.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod backward;
mod bits;
mod buffer;
mod epilogues;
mod forward;
mod gemm;
mod gradients;
mod isa;
mod norm;
mod peak;
mod portable;
mod quantiles;
mod simd;
mod single;
mod table;

use table::Table;

pub(crate) use buffer::Buffer;
pub(in crate::net) use gemm::PANEL;
pub(crate) use gemm::panels;
pub use isa::{Isa, IsaError, force_isa, isa, isa_from_environment};
pub use peak::measure_peak;
pub(crate) use quantiles::Regression;

use super::adam::AdamStep;

/// Rounds a number of units up to whole vectors.
pub(crate) const fn padded(units: usize) -> usize {
    units.next_multiple_of(16)
}

/// The distance between rows of `width` activations (a multiple of 16).
pub(crate) const fn row_stride(width: usize) -> usize {
    if width.is_multiple_of(64) { width + 16 } else { width }
}

/// The kernels of one instruction set that this CPU has.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    isa: Isa,
    table: &'static Table,
}

/// Rows of activations, `stride` apart.
#[derive(Clone, Copy)]
pub(crate) struct Acts<'a> {
    pub data: &'a [f32],
    pub stride: usize,
}

/// Rows of activations to write, `stride` apart.
pub(crate) struct ActsMut<'a> {
    pub data: &'a mut [f32],
    pub stride: usize,
}

/// A hidden layer: weights in panels, and a bias for each of `width` (padded) units.
#[derive(Clone, Copy)]
pub(crate) struct HiddenLayer<'a> {
    pub inputs: usize,
    pub width: usize,
    pub weights: &'a [f32],
    pub bias: &'a [f32],
}

/// What normalises a hidden layer of `units` units, padded to `width`: a gain and a bias for each.
#[derive(Clone, Copy)]
pub(crate) struct NormLayer<'a> {
    pub units: usize,
    pub width: usize,
    pub gain: &'a [f32],
    pub bias: &'a [f32],
}

/// An output layer: a row of `width` (padded) weights for each output.
#[derive(Clone, Copy)]
pub(crate) struct OutputLayer<'a> {
    pub outputs: usize,
    pub width: usize,
    pub weights: &'a [f32],
    pub bias: &'a [f32],
}

/// The dropout bits of a layer: the words of row r begin at `words[starts[r] + at]`.
#[derive(Clone, Copy)]
pub(crate) struct Bits<'a> {
    pub words: &'a [u16],
    pub starts: &'a [u32],
    pub at: usize,
    /// What a kept unit is multiplied by.
    pub scale: f32,
}

impl Bits<'_> {
    /// What a unit of row `row` is multiplied by: 0 if it is dropped.
    pub(crate) fn factor(&self, row: usize, unit: usize) -> f32 {
        let word = self.words[self.starts[row] as usize + self.at + unit / 16];
        if word >> (unit % 16) & 1 == 1 { self.scale } else { 0.0 }
    }
}

/// What to do with a gradient.
pub(crate) enum Sink<'a> {
    /// Write it down, in the layout of the parameters.
    Store(&'a mut [f32]),
    /// A step of Adam on the parameters `w` with moments `m` and `v`.
    Adam { w: &'a mut [f32], m: &'a mut [f32], v: &'a mut [f32], step: &'a AdamStep },
}

impl Sink<'_> {
    fn holds(&self, len: usize) -> bool {
        match self {
            Sink::Store(out) => out.len() >= len,
            Sink::Adam { w, m, v, .. } => w.len() >= len && m.len() >= len && v.len() >= len,
        }
    }
}

/// Whether `data` holds `rows` rows of `width` numbers that begin `stride` apart.
fn holds(data: &[f32], stride: usize, rows: usize, width: usize) -> bool {
    rows == 0 || data.len() >= (rows - 1) * stride + width
}

impl Kernels {
    /// The kernels of `isa`, if this CPU has it.
    pub(crate) fn new(isa: Isa) -> Result<Self, IsaError> {
        if !isa.is_available() {
            return Err(IsaError::Unavailable(isa));
        }
        let table = match isa {
            Isa::Portable => &portable::TABLE,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => &avx2::TABLE,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => &avx512::TABLE,
            #[cfg(not(target_arch = "x86_64"))]
            _ => return Err(IsaError::Unavailable(isa)),
        };
        Ok(Kernels { isa, table })
    }

    /// The kernels of `isa`, or the portable ones if this CPU lacks it.
    pub(crate) fn best(isa: Isa) -> Self {
        Self::new(isa).unwrap_or(Kernels { isa: Isa::Portable, table: &portable::TABLE })
    }

    /// The instruction set of these kernels.
    pub(crate) fn isa(self) -> Isa {
        self.isa
    }

    /// Fills `words` with dropout bits, set with probability (`most` + 1) / 65536.
    pub(crate) fn mask_words(self, state: &mut [[u32; 16]; 4], most: u16, words: &mut [u16]) {
        // SAFETY: slices only; `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.mask_words)(state, most, words) }
    }

    fn fma_burst(self, rounds: u64) -> f32 {
        // SAFETY: no memory is touched; `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.fma_burst)(rounds) }
    }
}
