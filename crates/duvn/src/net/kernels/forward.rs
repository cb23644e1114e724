//! Forward through layers: the safe side of the kernels.

use super::epilogues::{BitsPtr, Hidden, Store};
use super::gemm::{Gemm, Grid};
use super::single::Dot;
use super::{Acts, ActsMut, Bits, HiddenLayer, Kernels, OutputLayer, holds, padded};

impl Kernels {
    fn hidden_epilogue(
        layer: &HiddenLayer<'_>,
        rows: usize,
        bits: Option<Bits<'_>>,
        out: &mut ActsMut<'_>,
    ) -> Hidden {
        assert!(layer.width.is_multiple_of(16));
        assert!(layer.weights.len() >= layer.inputs * layer.width && layer.bias.len() >= layer.width);
        assert!(holds(out.data, out.stride, rows, layer.width));
        let (pointer, scale) = BitsPtr::new(bits, rows, layer.width);
        Hidden {
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

    /// The product of one row whose padding is 0 with the weights of a layer. `list` is scratch space.
    fn single(x: &[f32], layer: &HiddenLayer<'_>, list: &mut [u32]) -> Gemm {
        assert!(x.len() >= padded(layer.inputs) && list.len() >= padded(layer.inputs) + 16);
        // The kernel reads whole vectors and would take what lies in the padding for inputs.
        let padding = &x[layer.inputs..padded(layer.inputs)];
        assert!(padding.iter().fold(0, |bits, x| bits | x.to_bits() << 1) == 0);
        Gemm { a: x.as_ptr(), ..Self::gather(1, layer) }
    }

    /// The weights of a layer, of which rows are to be picked.
    fn gather(rows: usize, layer: &HiddenLayer<'_>) -> Gemm {
        Gemm {
            rows,
            cols: layer.width,
            depth: layer.inputs,
            a: std::ptr::null(),
            a_stride: 0,
            b: layer.weights.as_ptr(),
            b_grid: Grid::Panels { rows: layer.inputs, cols: layer.width },
        }
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
        let epilogue = Self::hidden_epilogue(layer, 1, bits, out);
        let gemm = Self::single(x, layer, list);
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
        let gemm = Self::gather(indices.len(), layer);
        // SAFETY: as in `hidden`, and every index is a row of the weights.
        unsafe { (self.table.hidden_gather)(&gemm, indices.as_ptr(), &epilogue) }
    }

    fn store(layer: &HiddenLayer<'_>, rows: usize, out: &mut ActsMut<'_>) -> Store {
        assert!(layer.width.is_multiple_of(16) && layer.weights.len() >= layer.inputs * layer.width);
        assert!(holds(out.data, out.stride, rows, layer.width));
        Store { out: out.data.as_mut_ptr(), grid: Grid::Rows { stride: out.stride } }
    }

    /// out = x W of a layer on one row whose padding is 0. `list` is scratch space.
    pub(crate) fn product_single(
        self,
        x: &[f32],
        layer: &HiddenLayer<'_>,
        list: &mut [u32],
        out: &mut ActsMut<'_>,
    ) {
        let (store, gemm) = (Self::store(layer, 1, out), Self::single(x, layer, list));
        // SAFETY: as in `hidden_single`.
        unsafe { (self.table.product_single)(&gemm, list.as_mut_ptr(), &store) }
    }

    /// out = x W of a layer on one-hot rows, given by index.
    pub(crate) fn product_gather(self, indices: &[u32], layer: &HiddenLayer<'_>, out: &mut ActsMut<'_>) {
        assert!(indices.iter().all(|&i| (i as usize) < layer.inputs), "observation index out of range");
        let (store, gemm) = (Self::store(layer, indices.len(), out), Self::gather(indices.len(), layer));
        // SAFETY: as in `hidden_gather`.
        unsafe { (self.table.product_gather)(&gemm, indices.as_ptr(), &store) }
    }

    /// out = x B on `rows` rows, B being a matrix of `inputs` x `width` in panels.
    pub(crate) fn product(
        self,
        x: Acts<'_>,
        rows: usize,
        b: &[f32],
        inputs: usize,
        width: usize,
        out: &mut ActsMut<'_>,
    ) {
        assert!(width.is_multiple_of(16) && b.len() >= inputs * width);
        assert!(holds(x.data, x.stride, rows, inputs) && holds(out.data, out.stride, rows, width));
        let gemm = Gemm {
            rows,
            cols: width,
            depth: inputs,
            a: x.data.as_ptr(),
            a_stride: x.stride,
            b: b.as_ptr(),
            b_grid: Grid::Panels { rows: inputs, cols: width },
        };
        let store = Store { out: out.data.as_mut_ptr(), grid: Grid::Rows { stride: out.stride } };
        // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.product)(&gemm, &store) }
    }

    /// An output layer on `rows` rows; `out` holds rows of `outputs` numbers, `out.stride` apart.
    pub(crate) fn output(self, x: Acts<'_>, rows: usize, layer: &OutputLayer<'_>, out: &mut ActsMut<'_>) {
        assert!(layer.width.is_multiple_of(16) && holds(x.data, x.stride, rows, layer.width));
        assert!(layer.weights.len() >= layer.outputs * layer.width && layer.bias.len() >= layer.outputs);
        assert!(holds(out.data, out.stride, rows, layer.outputs));
        let dot = Dot {
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
}
