//! LayerNorm between a hidden layer's product and its ReLU, forward and backward.

use super::epilogues::BitsPtr;
use super::simd::Simd;
use super::{Acts, ActsMut, Bits, Kernels, NormLayer, holds};

/// Added to the variance of a row.
const EPSILON: f32 = 1e-5;

/// Which columns are units and which are padding.
#[derive(Clone, Copy)]
struct Columns {
    units: usize,
    /// A multiple of 16, less than 16 above `units`.
    width: usize,
}

impl Columns {
    /// `x`, which stands at column `col`, with 0 in padding.
    #[inline(always)]
    unsafe fn unpad<S: Simd>(self, x: S, col: usize) -> S {
        if col + S::LANES <= self.units {
            return x;
        }
        // SAFETY: the caller has the instruction set of `S`.
        unsafe { x.keep(((1u64 << self.units.saturating_sub(col)) - 1) as u32) }
    }
}

/// The operands of [`normalise`].
pub(super) struct Normalise {
    rows: usize,
    columns: Columns,
    gain: *const f32,
    bias: *const f32,
    bits: BitsPtr,
    scale: f32,
    /// In: x = W h. Out: (x - mean) / √(var + ε).
    normed: *mut f32,
    normed_stride: usize,
    /// For each row 1 / √(var + ε).
    root: *mut f32,
    out: *mut f32,
    out_stride: usize,
}

/// `normed = (x - mean) / √(var + ε)` in place, and `out = mask * scale * relu(gain * normed + bias)`.
///
/// # Safety
/// The CPU has the instruction set of `S`; the matrices are as large as `n` says, and padding columns of x are 0.
#[inline(always)]
pub(super) unsafe fn normalise<S: Simd>(n: &Normalise) {
    let Columns { units, width } = n.columns;
    let share = 1.0 / units as f32;
    for row in 0..n.rows {
        // SAFETY: the caller's contract.
        unsafe {
            let x = n.normed.add(row * n.normed_stride);
            let out = n.out.add(row * n.out_stride);
            let mut sums = [S::splat(0.0); 2];
            for col in (0..width).step_by(16) {
                for (half, sum) in sums.iter_mut().enumerate().take(16 / S::LANES) {
                    *sum = sum.add(S::load(x.add(col + half * S::LANES)));
                }
            }
            let mean = S::splat(sums[0].add(sums[1]).sum() * share);
            let mut squares = [S::splat(0.0); 2];
            for col in (0..width).step_by(16) {
                for (half, squares) in squares.iter_mut().enumerate().take(16 / S::LANES) {
                    let col = col + half * S::LANES;
                    let distance = n.columns.unpad(S::load(x.add(col)).sub(mean), col);
                    *squares = distance.mul_add(distance, *squares);
                }
            }
            let variance = squares[0].add(squares[1]).sum() * share;
            let root = 1.0 / (variance + EPSILON).sqrt();
            *n.root.add(row) = root;
            let root = S::splat(root);
            for col in (0..width).step_by(S::LANES) {
                let normed = n.columns.unpad(S::load(x.add(col)).sub(mean), col).mul(root);
                normed.store(x.add(col));
                let mut y = normed.mul_add(S::load(n.gain.add(col)), S::load(n.bias.add(col))).relu();
                if !n.bits.words.is_null() {
                    y = y.mul(S::splat(n.scale)).keep(n.bits.lanes(row, col));
                }
                y.store(out.add(col));
            }
        }
    }
}

/// The operands of [`back_normalise`].
pub(super) struct BackNormalise {
    rows: usize,
    columns: Columns,
    gain: *const f32,
    normed: *const f32,
    normed_stride: usize,
    root: *const f32,
    /// In: the gradient after the normalisation, 0 in padding. Out: that of x.
    delta: *mut f32,
    delta_stride: usize,
    gain_gradient: *mut f32,
    bias_gradient: *mut f32,
}

/// With d the gradient of gain * normed + bias and e = gain * d, the gradient of x is
/// `root (e - mean e - normed * mean(e * normed))`; gain's is the sum over rows of d * normed, bias's that of d.
///
/// # Safety
/// The CPU has the instruction set of `S`; the matrices are as large as `n` says.
#[inline(always)]
pub(super) unsafe fn back_normalise<S: Simd>(n: &BackNormalise) {
    let Columns { units, width } = n.columns;
    let share = 1.0 / units as f32;
    for row in 0..n.rows {
        // SAFETY: the caller's contract.
        unsafe {
            let delta = n.delta.add(row * n.delta_stride);
            let normed = n.normed.add(row * n.normed_stride);
            let (mut sum, mut product) = (S::splat(0.0), S::splat(0.0));
            for col in (0..width).step_by(S::LANES) {
                let (d, x) = (S::load(delta.add(col)), S::load(normed.add(col)));
                let (gain, bias) = (n.gain_gradient.add(col), n.bias_gradient.add(col));
                d.mul_add(x, S::load(gain)).store(gain);
                S::load(bias).add(d).store(bias);
                let e = d.mul(S::load(n.gain.add(col)));
                sum = sum.add(e);
                product = e.mul_add(x, product);
            }
            let mean = S::splat(sum.sum() * share);
            let slope = S::splat(-product.sum() * share);
            let root = S::splat(*n.root.add(row));
            for col in (0..width).step_by(S::LANES) {
                let e = S::load(delta.add(col)).mul(S::load(n.gain.add(col)));
                let dx = S::load(normed.add(col)).mul_add(slope, e.sub(mean)).mul(root);
                n.columns.unpad(dx, col).store(delta.add(col));
            }
        }
    }
}

impl NormLayer<'_> {
    fn columns(&self) -> Columns {
        let NormLayer { units, width, gain, bias } = *self;
        assert!(width.is_multiple_of(16) && units > 0 && units <= width && units + 16 > width);
        assert!(gain.len() >= width && bias.len() >= width);
        Columns { units, width }
    }
}

impl Kernels {
    /// Normalises the rows of `normed`, which hold a layer's products, in place, and puts its units into `out`:
    /// dropout(relu(gain * normed + bias)). `root` gets what each row was multiplied by.
    pub(crate) fn normalise(
        self,
        rows: usize,
        layer: &NormLayer<'_>,
        bits: Option<Bits<'_>>,
        normed: &mut ActsMut<'_>,
        root: &mut [f32],
        out: &mut ActsMut<'_>,
    ) {
        let columns = layer.columns();
        assert!(holds(normed.data, normed.stride, rows, layer.width));
        assert!(holds(out.data, out.stride, rows, layer.width) && root.len() >= rows);
        let (bits, scale) = BitsPtr::new(bits, rows, layer.width);
        let normalise = Normalise {
            rows,
            columns,
            gain: layer.gain.as_ptr(),
            bias: layer.bias.as_ptr(),
            bits,
            scale,
            normed: normed.data.as_mut_ptr(),
            normed_stride: normed.stride,
            root: root.as_mut_ptr(),
            out: out.data.as_mut_ptr(),
            out_stride: out.stride,
        };
        // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.normalise)(&normalise) }
    }

    /// Turns `delta`, the gradient after [`Kernels::normalise`] and before ReLU, into that of the products, and adds the
    /// gradients of the layer's gains and biases to `gain_gradient` and `bias_gradient`.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn back_normalise(
        self,
        rows: usize,
        layer: &NormLayer<'_>,
        normed: Acts<'_>,
        root: &[f32],
        delta: &mut ActsMut<'_>,
        gain_gradient: &mut [f32],
        bias_gradient: &mut [f32],
    ) {
        let columns = layer.columns();
        assert!(holds(normed.data, normed.stride, rows, layer.width) && root.len() >= rows);
        assert!(holds(delta.data, delta.stride, rows, layer.width));
        assert!(gain_gradient.len() >= layer.width && bias_gradient.len() >= layer.width);
        let back = BackNormalise {
            rows,
            columns,
            gain: layer.gain.as_ptr(),
            normed: normed.data.as_ptr(),
            normed_stride: normed.stride,
            root: root.as_ptr(),
            delta: delta.data.as_mut_ptr(),
            delta_stride: delta.stride,
            gain_gradient: gain_gradient.as_mut_ptr(),
            bias_gradient: bias_gradient.as_mut_ptr(),
        };
        // SAFETY: the lengths were compared above, and `Kernels` exists only where the CPU has the instructions.
        unsafe { (self.table.back_normalise)(&back) }
    }
}
