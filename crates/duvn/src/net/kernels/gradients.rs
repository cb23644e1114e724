//! Gradients: the safe side of the kernels.

use super::backward::{Back, Scatter, Transpose};
use super::epilogues::{Adam, Gate, Store};
use super::gemm::{Gemm, Grid, PANEL};
use super::{Acts, ActsMut, HiddenLayer, Kernels, OutputLayer, Sink, holds, padded};
use crate::net::adam::AdamStep;

impl Kernels {
    fn gate(self, gemm: &Gemm, y: Acts<'_>, scale: f32, dx: &mut ActsMut<'_>) {
        assert!(gemm.cols.is_multiple_of(16));
        assert!(holds(y.data, y.stride, gemm.rows, gemm.cols));
        assert!(holds(dx.data, dx.stride, gemm.rows, gemm.cols));
        let epilogue = Gate {
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
    /// `dy` of those. `transposed` is scratch space for `units` x 64 numbers: as many inputs as a tile
    /// has columns are transposed and used while they are in the first-level cache.
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
            let back = Back {
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
        let strip = self.table.tile_columns;
        for first in (0..layer.inputs).step_by(strip) {
            let count = (layer.inputs - first).min(strip);
            let transpose = Transpose {
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
                let store = Store { out: out.as_mut_ptr(), grid };
                // SAFETY: C was compared above, A and B by the caller; `Kernels` vouches for the CPU.
                unsafe { (self.table.gradient)(gemm, &store) }
            }
            Sink::Adam { w, m, v, step } => {
                let (w, m, v) = (w.as_mut_ptr(), m.as_mut_ptr(), v.as_mut_ptr());
                let adam = Adam { w, m, v, grid, step };
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
        let scatter = Scatter {
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
        let adam = Adam { w, m, v, grid: Grid::Rows { stride: len }, step };
        // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.adam_flat)(g.as_ptr(), scale, len, &adam) }
    }

    /// The sum of the squares of numbers, a multiple of 16 of them, in double precision.
    pub(crate) fn sum_of_squares(self, numbers: &[f32]) -> f64 {
        assert!(numbers.len().is_multiple_of(16));
        // SAFETY: the length is that of the slice, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.sum_of_squares)(numbers.as_ptr(), numbers.len()) }
    }
}
