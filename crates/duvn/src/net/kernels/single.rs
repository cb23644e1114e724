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
    const { assert!(S::TILES.single_panels == 1 || 4 * S::LANES == PANEL) }
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
        let panels = S::TILES.single_panels.min(if col % PANEL == 0 { (g.cols - col) / PANEL } else { 1 });
        // SAFETY: the caller's contract; the listed inputs are below `g.depth` because the padding is 0. Where there are
        // two panels, both are whole, and a tile is as wide as one of them.
        unsafe {
            match (panels, vectors) {
                (2.., _) => single_tile::<S, E, 2, 4>(g, list, count, col, epilogue),
                (_, 1) => single_tile::<S, E, 1, 1>(g, list, count, col, epilogue),
                (_, 2) => single_tile::<S, E, 1, 2>(g, list, count, col, epilogue),
                (_, 3) => single_tile::<S, E, 1, 3>(g, list, count, col, epilogue),
                _ => single_tile::<S, E, 1, 4>(g, list, count, col, epilogue),
            }
        }
        col += panels.max(1) * vectors * S::LANES;
    }
}

/// `NV` vectors of each of `NP` panels: two panels are looked through together where there are registers for it, so that
/// the inputs are gone through half as often and twice as many weights are on their way.
#[inline(always)]
unsafe fn single_tile<S: Simd, E: Epilogue<S>, const NP: usize, const NV: usize>(
    g: &Gemm,
    list: *const u32,
    count: usize,
    col: usize,
    epilogue: &E,
) {
    let (_, stride) = g.b_grid.column(col);
    // SAFETY: as `single`. Two sets of accumulators hide the latency of the fused multiply-add.
    unsafe {
        let b: [*const f32; NP] = std::array::from_fn(|p| g.b.add(g.b_grid.column(col + p * PANEL).0));
        let mut acc = [[[S::splat(0.0); NV]; NP]; 2];
        let mut i = 0;
        while i + 2 <= count {
            for (half, acc) in acc.iter_mut().enumerate() {
                let k = *list.add(i + half) as usize;
                let a = S::splat(*g.a.add(k));
                for (b, acc) in b.iter().zip(acc) {
                    for (j, acc) in acc.iter_mut().enumerate() {
                        *acc = a.mul_add(S::load(b.add(k * stride + j * S::LANES)), *acc);
                    }
                }
            }
            i += 2;
        }
        if i < count {
            let k = *list.add(i) as usize;
            let a = S::splat(*g.a.add(k));
            for (b, acc) in b.iter().zip(&mut acc[0]) {
                for (j, acc) in acc.iter_mut().enumerate() {
                    *acc = a.mul_add(S::load(b.add(k * stride + j * S::LANES)), *acc);
                }
            }
        }
        let [even, odd] = acc;
        for (p, (even, odd)) in even.iter().zip(&odd).enumerate() {
            let sum: [S; NV] = std::array::from_fn(|j| even[j].add(odd[j]));
            epilogue.finish(0, col + p * PANEL, &sum);
        }
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
