//! One row at a time: acting, and the output layer.

use super::gemm::{Epilogue, Gemm, PANEL};
use super::simd::Simd;

/// One row through a hidden layer: only the weight rows of inputs that are not 0 are read.
///
/// # Safety
/// As [`gemm`] with `g.rows == 1`; the row of A is readable up to `g.depth` rounded up to 16, with zeros at its
/// end, and `list` has room for 16 elements more than that.
#[inline(always)]
pub(super) unsafe fn single<S: Simd, E: Epilogue<S>>(g: &Gemm, list: *mut u32, epilogue: &E) {
    let mut count = 0;
    for k in (0..g.depth).step_by(S::LANES) {
        // SAFETY: the row of A is padded to whole vectors; `count` never exceeds the number of inputs seen.
        unsafe {
            count = S::load(g.a.add(k)).list_nonzero(k as u32, list, count);
        }
    }
    let mut col = 0;
    while col < g.cols {
        let vectors = S::TILES.single_vectors.min((PANEL - col % PANEL).min(g.cols - col) / S::LANES);
        // SAFETY: the caller's contract; the listed inputs are below `g.depth` because the padding is 0.
        unsafe {
            match vectors {
                1 => single_tile::<S, E, 1>(g, list, count, col, epilogue),
                2 => single_tile::<S, E, 2>(g, list, count, col, epilogue),
                3 => single_tile::<S, E, 3>(g, list, count, col, epilogue),
                _ => single_tile::<S, E, 4>(g, list, count, col, epilogue),
            }
        }
        col += vectors * S::LANES;
    }
}

#[inline(always)]
unsafe fn single_tile<S: Simd, E: Epilogue<S>, const NV: usize>(
    g: &Gemm,
    list: *const u32,
    count: usize,
    col: usize,
    epilogue: &E,
) {
    let (offset, stride) = g.b_grid.column(col);
    // SAFETY: as `single`. Two sets of accumulators hide the latency of the fused multiply-add.
    unsafe {
        let b = g.b.add(offset);
        let mut acc = [[S::splat(0.0); NV]; 2];
        let mut i = 0;
        while i + 2 <= count {
            for (half, acc) in acc.iter_mut().enumerate() {
                let k = *list.add(i + half) as usize;
                let a = S::splat(*g.a.add(k));
                for (j, acc) in acc.iter_mut().enumerate() {
                    *acc = a.mul_add(S::load(b.add(k * stride + j * S::LANES)), *acc);
                }
            }
            i += 2;
        }
        if i < count {
            let k = *list.add(i) as usize;
            let a = S::splat(*g.a.add(k));
            for (j, acc) in acc[0].iter_mut().enumerate() {
                *acc = a.mul_add(S::load(b.add(k * stride + j * S::LANES)), *acc);
            }
        }
        let sum: [S; NV] = std::array::from_fn(|j| acc[0][j].add(acc[1][j]));
        epilogue.finish(0, col, &sum);
    }
}

/// The output layer: `out[r][o] = bias[o] + sum over k of x[r][k] w[o][k]`.
pub(super) struct Dot {
    pub rows: usize,
    pub outputs: usize,
    /// Inputs, a multiple of 16 (padding is 0).
    pub depth: usize,
    pub x: *const f32,
    pub x_stride: usize,
    /// Rows of `depth` weights, one for each output.
    pub w: *const f32,
    pub bias: *const f32,
    pub out: *mut f32,
    pub out_stride: usize,
}

/// # Safety
/// The CPU has the instruction set of `S`; the matrices are as large as `d` says.
#[inline(always)]
pub(super) unsafe fn dot<S: Simd>(d: &Dot) {
    for row in 0..d.rows {
        let mut output = 0;
        // SAFETY: the caller's contract.
        unsafe {
            while output + 2 <= d.outputs {
                dot_tile::<S, 2>(d, row, output);
                output += 2;
            }
            if output < d.outputs {
                dot_tile::<S, 1>(d, row, output);
            }
        }
    }
}

#[inline(always)]
unsafe fn dot_tile<S: Simd, const NO: usize>(d: &Dot, row: usize, output: usize) {
    // SAFETY: as `dot`.
    unsafe {
        let x = d.x.add(row * d.x_stride);
        let mut acc = [[S::splat(0.0); NO]; 2];
        let mut half = 0;
        for k in (0..d.depth).step_by(S::LANES) {
            let x_k = S::load(x.add(k));
            for (o, acc) in acc[half].iter_mut().enumerate() {
                *acc = x_k.mul_add(S::load(d.w.add((output + o) * d.depth + k)), *acc);
            }
            half = 1 - half;
        }
        let [even, odd] = acc;
        for (o, (even, odd)) in even.into_iter().zip(odd).enumerate() {
            let sum = even.add(odd).sum();
            *d.out.add(row * d.out_stride + output + o) = sum + *d.bias.add(output + o);
        }
    }
}
