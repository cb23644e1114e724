//! The parts of the backward pass that are no product of [`gemm`](super::gemm::gemm).

use super::gemm::{Grid, PANEL};
use super::simd::Simd;

/// `g[indices[r]] += dy[r]` for the rows of a first layer on one-hot observations.
///
/// # Safety
/// The CPU has the instruction set of `S`; `dy` holds `rows` rows of `cols` numbers, `g` a matrix of `grid`.
#[inline(always)]
pub(super) unsafe fn scatter<S: Simd>(s: &Scatter) {
    for col in (0..s.cols).step_by(S::LANES) {
        let (offset, stride) = s.grid.column(col);
        for row in 0..s.rows {
            // SAFETY: the caller's contract.
            unsafe {
                let g = s.g.add(offset + *s.indices.add(row) as usize * stride);
                S::load(g).add(S::load(s.dy.add(row * s.dy_stride + col))).store(g);
            }
        }
    }
}

/// The operands of [`scatter`].
pub(super) struct Scatter {
    pub rows: usize,
    pub cols: usize,
    pub indices: *const u32,
    pub dy: *const f32,
    pub dy_stride: usize,
    pub g: *mut f32,
    pub grid: Grid,
}

/// The operands of [`transpose`]: rows `first..first + count` (at most 64) of a weight matrix of `rows` x `cols` in
/// panels, of whose columns `used` are not padding, and room for their transpose, `used` rows of `count`
/// numbers padded to 16.
pub(super) struct Transpose {
    pub rows: usize,
    pub cols: usize,
    pub used: usize,
    pub first: usize,
    pub count: usize,
    pub from: *const f32,
    pub to: *mut f32,
}

/// # Safety
/// The CPU has the instruction set of `S`; the matrices are as large as `t` says.
#[inline(always)]
pub(super) unsafe fn transpose<S: Simd>(t: &Transpose) {
    let source = Grid::Panels { rows: t.rows, cols: t.cols };
    let to_stride = t.count.next_multiple_of(16);
    let mut edge = [[0.0f32; 16]; 16];
    let mut edge_out = [[0.0f32; 16]; 16];
    for row in (0..t.count).step_by(16) {
        for col in (0..t.used).step_by(16) {
            let (from_offset, from_stride) = source.column(col);
            let (rows, cols) = ((t.count - row).min(16), (t.used - col).min(16));
            // SAFETY: whole blocks lie inside both matrices; others pass through blocks of their own.
            unsafe {
                let from = t.from.add(from_offset + (t.first + row) * from_stride);
                let to = t.to.add(col * to_stride + row);
                if rows == 16 && cols == 16 {
                    S::transpose16(from, from_stride, to, to_stride);
                    continue;
                }
                for (r, edge) in edge.iter_mut().enumerate() {
                    if r < rows {
                        edge.copy_from_slice(std::slice::from_raw_parts(from.add(r * from_stride), 16));
                    } else {
                        edge.fill(0.0);
                    }
                }
                S::transpose16(edge.as_ptr().cast(), 16, edge_out.as_mut_ptr().cast(), 16);
                for (c, edge) in edge_out.iter().enumerate().take(cols) {
                    std::slice::from_raw_parts_mut(to.add(c * to_stride), 16).copy_from_slice(edge);
                }
            }
        }
    }
}

/// The operands of [`back`]: `dx[r][k] = (y[r][k] > 0) * scale * sum over n of dy[r][n] w[k][n]`.
pub(super) struct Back {
    pub rows: usize,
    /// Rows of the weights.
    pub inputs: usize,
    /// Columns of the weights, a multiple of 16.
    pub width: usize,
    pub dy: *const f32,
    pub dy_stride: usize,
    /// Weights of `inputs` x `width` in panels.
    pub w: *const f32,
    pub y: *const f32,
    pub y_stride: usize,
    pub scale: f32,
    pub dx: *mut f32,
    pub dx_stride: usize,
}

/// The gradient of a layer's inputs without a transpose of its weights: sums along their rows. The sums end in
/// additions across lanes, which pays when a transpose would serve few rows.
///
/// # Safety
/// The CPU has the instruction set of `S`; the matrices are as large as `b` says, those of `y` and `dx` with
/// `inputs` rounded up to 16 columns.
#[inline(always)]
pub(super) unsafe fn back<S: Simd>(b: &Back) {
    // Padding columns are written too: a buffer may hold what another layer left there.
    for input in (0..b.inputs.next_multiple_of(16)).step_by(4) {
        let blocks = b.rows.div_ceil(4);
        let mut row = 0;
        for block in 0..blocks {
            let rows = b.rows / blocks + usize::from(block < b.rows % blocks);
            // SAFETY: the caller's contract.
            unsafe {
                match rows {
                    1 => back_tile::<S, 1>(b, row, input),
                    2 => back_tile::<S, 2>(b, row, input),
                    3 => back_tile::<S, 3>(b, row, input),
                    _ => back_tile::<S, 4>(b, row, input),
                }
            }
            row += rows;
        }
    }
}

#[inline(always)]
unsafe fn back_tile<S: Simd, const MR: usize>(b: &Back, row: usize, input: usize) {
    let grid = Grid::Panels { rows: b.inputs, cols: b.width };
    // SAFETY: as `back`. Past the last row of the weights the last one is read again; the sums of it go to
    // padding, where `y` is 0.
    unsafe {
        let dy = b.dy.add(row * b.dy_stride);
        let mut acc = [[S::splat(0.0); 4]; MR];
        for start in (0..b.width).step_by(PANEL) {
            let (offset, stride) = grid.column(start);
            let w: [*const f32; 4] =
                std::array::from_fn(|i| b.w.add(offset + (input + i).min(b.inputs - 1) * stride));
            for col in (0..stride).step_by(S::LANES) {
                let w: [S; 4] = std::array::from_fn(|i| S::load(w[i].add(col)));
                for (r, acc) in acc.iter_mut().enumerate() {
                    let dy = S::load(dy.add(r * b.dy_stride + start + col));
                    for (acc, &w) in acc.iter_mut().zip(&w) {
                        *acc = dy.mul_add(w, *acc);
                    }
                }
            }
        }
        for (r, acc) in acc.into_iter().enumerate() {
            let sums = S::sum4(acc);
            let y = b.y.add((row + r) * b.y_stride + input).cast::<[f32; 4]>().read();
            let dx: [f32; 4] = std::array::from_fn(|i| if y[i] > 0.0 { b.scale * sums[i] } else { 0.0 });
            b.dx.add((row + r) * b.dx_stride + input).cast::<[f32; 4]>().write(dx);
        }
    }
}
