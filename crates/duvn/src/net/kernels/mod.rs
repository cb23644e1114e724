//! The arithmetic of the network: the only module that knows about SIMD, and the only one with `unsafe` code.
//!
//! # Layout
//! - Units are padded to a multiple of 16 (a cache line, an AVX-512 vector). Padding weights are 0 and stay 0:
//!   a padded unit puts out 0, its gradient is 0, and Adam leaves a parameter alone that never had a gradient.
//! - The weights of a hidden layer lie in *panels* of 64 columns: `[width / 64][inputs][64]`, the last panel being
//!   narrower if need be. A panel of a 128 x 128 layer is 32 KB in one piece, so that it stays in the first-level cache
//!   while blocks of rows pass; rows of a plain matrix 512 bytes apart would fight for the same cache sets.
//! - The weights of an output layer lie `[outputs][inputs]`, since one or two outputs would waste a vector.
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
//!
//! Weights are transposed a panel at a time, right before the panel is used; with AVX-512 and few rows, sums along
//! the weights as they are take less time than a transpose. AVX-512 tiles are up to 6 rows by 64 columns (24
//! accumulators of 32 registers; 4 rows for gradients), AVX2 tiles 6 by 16. Adam runs on
//! the gradient in registers, so that a gradient is never written to memory unless its norm is to be clipped.
//! A single row (acting) skips the weight rows of inputs that are 0, about half of them after ReLU.
//!
//! The kernels are generic over the trait `Simd` and `inline(always)`; the modules `portable`, `avx2` and `avx512`
//! compile them as functions with the target features and list those in a table.
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
mod gemm;
mod isa;
mod peak;
mod portable;
mod simd;
mod single;
mod table;

use epilogues::BitsPtr;
use gemm::{Gemm, Grid, PANEL};
use table::Table;

pub(crate) use buffer::Buffer;
pub use isa::{Isa, IsaError, force_isa, isa, isa_from_environment};
pub use peak::measure_peak;

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

    fn hidden_epilogue(
        layer: &HiddenLayer<'_>,
        rows: usize,
        bits: Option<Bits<'_>>,
        out: &mut ActsMut<'_>,
    ) -> epilogues::Hidden {
        assert!(layer.width.is_multiple_of(16));
        assert!(layer.weights.len() >= layer.inputs * layer.width && layer.bias.len() >= layer.width);
        assert!(holds(out.data, out.stride, rows, layer.width));
        let (pointer, scale) = match bits {
            None => (BitsPtr { words: std::ptr::null(), starts: std::ptr::null() }, 1.0),
            Some(bits) => {
                let words = &bits.words[bits.at..];
                let last = bits.starts[..rows].iter().max().map_or(0, |&start| start as usize);
                assert!(rows == 0 || last + layer.width / 16 <= words.len());
                (BitsPtr { words: words.as_ptr(), starts: bits.starts.as_ptr() }, bits.scale)
            }
        };
        epilogues::Hidden {
            bias: layer.bias.as_ptr(),
            bits: pointer,
            scale,
            out: out.data.as_mut_ptr(),
            out_stride: out.stride,
        }
    }

    /// A hidden layer on `rows` rows: out = dropout(relu(x W + bias)).
    pub(crate) fn hidden(
        self,
        x: Acts<'_>,
        rows: usize,
        layer: &HiddenLayer<'_>,
        bits: Option<Bits<'_>>,
        out: &mut ActsMut<'_>,
    ) {
        assert!(holds(x.data, x.stride, rows, layer.inputs));
        let epilogue = Self::hidden_epilogue(layer, rows, bits, out);
        let gemm = Gemm {
            rows,
            cols: layer.width,
            depth: layer.inputs,
            a: x.data.as_ptr(),
            a_stride: x.stride,
            b: layer.weights.as_ptr(),
            b_grid: Grid::Panels { rows: layer.inputs, cols: layer.width },
        };
        // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.hidden)(&gemm, &epilogue) }
    }

    /// A hidden layer on one row whose padding is 0. `list` is scratch space.
    pub(crate) fn hidden_single(
        self,
        x: &[f32],
        layer: &HiddenLayer<'_>,
        bits: Option<Bits<'_>>,
        list: &mut [u32],
        out: &mut ActsMut<'_>,
    ) {
        assert!(x.len() >= padded(layer.inputs) && list.len() >= padded(layer.inputs) + 16);
        // The kernel reads whole vectors and would take what lies in the padding for inputs.
        assert!(x[layer.inputs..padded(layer.inputs)].iter().all(|&x| x == 0.0));
        let epilogue = Self::hidden_epilogue(layer, 1, bits, out);
        let gemm = Gemm {
            rows: 1,
            cols: layer.width,
            depth: layer.inputs,
            a: x.as_ptr(),
            a_stride: 0,
            b: layer.weights.as_ptr(),
            b_grid: Grid::Panels { rows: layer.inputs, cols: layer.width },
        };
        // SAFETY: as in `hidden`; only inputs below `layer.inputs` can be listed, as the padding is 0.
        unsafe { (self.table.hidden_single)(&gemm, list.as_mut_ptr(), &epilogue) }
    }

    /// A hidden layer on one-hot rows, given by index.
    pub(crate) fn hidden_gather(
        self,
        indices: &[u32],
        layer: &HiddenLayer<'_>,
        bits: Option<Bits<'_>>,
        out: &mut ActsMut<'_>,
    ) {
        assert!(indices.iter().all(|&i| (i as usize) < layer.inputs), "observation index out of range");
        let epilogue = Self::hidden_epilogue(layer, indices.len(), bits, out);
        let gemm = Gemm {
            rows: indices.len(),
            cols: layer.width,
            depth: layer.inputs,
            a: std::ptr::null(),
            a_stride: 0,
            b: layer.weights.as_ptr(),
            b_grid: Grid::Panels { rows: layer.inputs, cols: layer.width },
        };
        // SAFETY: as in `hidden`, and every index is a row of the weights.
        unsafe { (self.table.hidden_gather)(&gemm, indices.as_ptr(), &epilogue) }
    }

    /// An output layer on `rows` rows; `out` holds rows of `outputs` numbers, `out.stride` apart.
    pub(crate) fn output(self, x: Acts<'_>, rows: usize, layer: &OutputLayer<'_>, out: &mut ActsMut<'_>) {
        assert!(layer.width.is_multiple_of(16) && holds(x.data, x.stride, rows, layer.width));
        assert!(layer.weights.len() >= layer.outputs * layer.width && layer.bias.len() >= layer.outputs);
        assert!(holds(out.data, out.stride, rows, layer.outputs));
        let dot = single::Dot {
            rows,
            outputs: layer.outputs,
            depth: layer.width,
            x: x.data.as_ptr(),
            x_stride: x.stride,
            w: layer.weights.as_ptr(),
            bias: layer.bias.as_ptr(),
            out: out.data.as_mut_ptr(),
            out_stride: out.stride,
        };
        // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.dot)(&dot) }
    }

    fn gate(self, gemm: &Gemm, y: Acts<'_>, scale: f32, dx: &mut ActsMut<'_>) {
        assert!(gemm.cols.is_multiple_of(16));
        assert!(holds(y.data, y.stride, gemm.rows, gemm.cols));
        assert!(holds(dx.data, dx.stride, gemm.rows, gemm.cols));
        let epilogue = epilogues::Gate {
            y: y.data.as_ptr(),
            y_stride: y.stride,
            scale,
            out: dx.data.as_mut_ptr(),
            out_stride: dx.stride,
        };
        // SAFETY: C's matrices were compared above, A and B by the caller; `Kernels` vouches for the CPU.
        unsafe { (self.table.gate)(gemm, &epilogue) }
    }

    /// The gradient before ReLU and dropout of the units `y` that feed an output layer, from the gradient `dout`
    /// of its outputs (`rows` x `outputs`).
    pub(crate) fn back_output(
        self,
        dout: &[f32],
        rows: usize,
        layer: &OutputLayer<'_>,
        y: Acts<'_>,
        scale: f32,
        dx: &mut ActsMut<'_>,
    ) {
        assert!(dout.len() >= rows * layer.outputs && layer.weights.len() >= layer.outputs * layer.width);
        let gemm = Gemm {
            rows,
            cols: layer.width,
            depth: layer.outputs,
            a: dout.as_ptr(),
            a_stride: layer.outputs,
            b: layer.weights.as_ptr(),
            b_grid: Grid::Rows { stride: layer.width },
        };
        self.gate(&gemm, y, scale, dx);
    }

    /// The gradient before ReLU and dropout of the units `y` that feed a hidden layer of `units` units, from the gradient
    /// `dy` of those. `transposed` is scratch space for `units` x 64 numbers: a panel at a time is transposed
    /// and used while it is in the first-level cache.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn back_hidden(
        self,
        dy: Acts<'_>,
        rows: usize,
        layer: &HiddenLayer<'_>,
        units: usize,
        transposed: &mut [f32],
        y: Acts<'_>,
        scale: f32,
        dx: &mut ActsMut<'_>,
    ) {
        assert!(units <= layer.width && layer.width.is_multiple_of(16));
        assert!(layer.weights.len() >= layer.inputs * layer.width && transposed.len() >= units * PANEL);
        assert!(holds(dy.data, dy.stride, rows, layer.width));
        if rows <= self.table.direct_rows {
            let inputs = padded(layer.inputs);
            assert!(holds(y.data, y.stride, rows, inputs) && holds(dx.data, dx.stride, rows, inputs));
            let back = backward::Back {
                rows,
                inputs: layer.inputs,
                width: layer.width,
                dy: dy.data.as_ptr(),
                dy_stride: dy.stride,
                w: layer.weights.as_ptr(),
                y: y.data.as_ptr(),
                y_stride: y.stride,
                scale,
                dx: dx.data.as_mut_ptr(),
                dx_stride: dx.stride,
            };
            // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
            unsafe { (self.table.back)(&back) }
            return;
        }
        for first in (0..layer.inputs).step_by(PANEL) {
            let count = (layer.inputs - first).min(PANEL);
            let transpose = backward::Transpose {
                rows: layer.inputs,
                cols: layer.width,
                used: units,
                first,
                count,
                from: layer.weights.as_ptr(),
                to: transposed.as_mut_ptr(),
            };
            // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
            unsafe { (self.table.transpose)(&transpose) }
            let gemm = Gemm {
                rows,
                cols: padded(count),
                depth: units,
                a: dy.data.as_ptr(),
                a_stride: dy.stride,
                b: transposed.as_ptr(),
                b_grid: Grid::Rows { stride: padded(count) },
            };
            let y = Acts { data: &y.data[first..], stride: y.stride };
            self.gate(&gemm, y, scale, &mut ActsMut { data: &mut dx.data[first..], stride: dx.stride });
        }
    }

    fn gradient(self, gemm: &Gemm, grid: Grid, sink: &mut Sink<'_>) {
        assert!(gemm.cols.is_multiple_of(16) && sink.holds(gemm.rows * gemm.cols));
        match sink {
            Sink::Store(out) => {
                let store = epilogues::Store { out: out.as_mut_ptr(), grid };
                // SAFETY: C was compared above, A and B by the caller; `Kernels` vouches for the CPU.
                unsafe { (self.table.gradient)(gemm, &store) }
            }
            Sink::Adam { w, m, v, step } => {
                let (w, m, v) = (w.as_mut_ptr(), m.as_mut_ptr(), v.as_mut_ptr());
                let adam = epilogues::Adam { w, m, v, grid, step };
                // SAFETY: C was compared above, A and B by the caller; `Kernels` vouches for the CPU.
                unsafe { (self.table.gradient_adam)(gemm, &adam) }
            }
        }
    }

    /// The gradient xᵀ dy of the weights of a hidden layer.
    pub(crate) fn gradient_hidden(
        self,
        x: Acts<'_>,
        inputs: usize,
        dy: Acts<'_>,
        width: usize,
        rows: usize,
        mut sink: Sink<'_>,
    ) {
        assert!(holds(x.data, x.stride, rows, inputs) && holds(dy.data, dy.stride, rows, width));
        let gemm = Gemm {
            rows: inputs,
            cols: width,
            depth: rows,
            a: x.data.as_ptr(),
            a_stride: x.stride,
            b: dy.data.as_ptr(),
            b_grid: Grid::Rows { stride: dy.stride },
        };
        self.gradient(&gemm, Grid::Panels { rows: inputs, cols: width }, &mut sink);
    }

    /// The gradient of the biases of a hidden layer: the sum of the rows of `dy`.
    pub(crate) fn gradient_bias(self, dy: Acts<'_>, width: usize, rows: usize, mut sink: Sink<'_>) {
        assert!(holds(dy.data, dy.stride, rows, width));
        // A column of ones: every step of the sum reads the same 1.
        let one = 1.0f32;
        let gemm = Gemm {
            rows: 1,
            cols: width,
            depth: rows,
            a: &one,
            a_stride: 0,
            b: dy.data.as_ptr(),
            b_grid: Grid::Rows { stride: dy.stride },
        };
        self.gradient(&gemm, Grid::Rows { stride: width }, &mut sink);
    }

    /// The gradient doutᵀ x of the weights of an output layer.
    pub(crate) fn gradient_output(
        self,
        dout: &[f32],
        outputs: usize,
        x: Acts<'_>,
        width: usize,
        rows: usize,
        mut sink: Sink<'_>,
    ) {
        assert!(dout.len() >= rows * outputs && holds(x.data, x.stride, rows, width));
        let gemm = Gemm {
            rows: outputs,
            cols: width,
            depth: rows,
            a: dout.as_ptr(),
            a_stride: outputs,
            b: x.data.as_ptr(),
            b_grid: Grid::Rows { stride: x.stride },
        };
        self.gradient(&gemm, Grid::Rows { stride: width }, &mut sink);
    }

    /// Adds row r of `dy` to row `indices[r]` of `g`, a matrix of `inputs` x `width` in panels.
    pub(crate) fn scatter(self, indices: &[u32], dy: Acts<'_>, inputs: usize, width: usize, g: &mut [f32]) {
        assert!(indices.iter().all(|&i| (i as usize) < inputs), "observation index out of range");
        assert!(width.is_multiple_of(16) && g.len() >= inputs * width);
        assert!(holds(dy.data, dy.stride, indices.len(), width));
        let scatter = backward::Scatter {
            rows: indices.len(),
            cols: width,
            indices: indices.as_ptr(),
            dy: dy.data.as_ptr(),
            dy_stride: dy.stride,
            g: g.as_mut_ptr(),
            grid: Grid::Panels { rows: inputs, cols: width },
        };
        // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.scatter)(&scatter) }
    }

    /// A step of Adam on the parameters `w` whose gradient is `scale * g`; lengths are multiples of 16.
    pub(crate) fn adam(
        self,
        g: &[f32],
        scale: f32,
        w: &mut [f32],
        m: &mut [f32],
        v: &mut [f32],
        step: &AdamStep,
    ) {
        let len = g.len();
        assert!(len.is_multiple_of(16) && w.len() == len && m.len() == len && v.len() == len);
        let (w, m, v) = (w.as_mut_ptr(), m.as_mut_ptr(), v.as_mut_ptr());
        let adam = epilogues::Adam { w, m, v, grid: Grid::Rows { stride: len }, step };
        // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.adam_flat)(g.as_ptr(), scale, len, &adam) }
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
