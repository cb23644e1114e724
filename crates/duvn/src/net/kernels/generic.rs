//! The kernels, written once over [`Simd`] and compiled once for each instruction set.

use super::simd::Simd;
use crate::net::adam::AdamStep;

/// Columns of a weight panel.
pub(super) const PANEL: usize = 64;

/// Where element (row, column) of a matrix with a multiple of 16 columns lies.
#[derive(Clone, Copy)]
pub(super) enum Grid {
    /// Panels of 64 columns one after another, each with its rows one after another; the last may be narrower.
    Panels { rows: usize, cols: usize },
    /// Rows `stride` apart.
    Rows { stride: usize },
}

impl Grid {
    /// The offset of row 0 at `col` and the distance between rows, within the panel of `col`.
    #[inline(always)]
    pub(super) fn column(self, col: usize) -> (usize, usize) {
        match self {
            Grid::Panels { rows, cols } => {
                let start = col / PANEL * PANEL;
                (start * rows + (col - start), PANEL.min(cols - start))
            }
            Grid::Rows { stride } => (col, stride),
        }
    }
}

/// `C = A B`, where an [`Epilogue`] says what becomes of C.
pub(super) struct Gemm {
    /// Rows of A and C.
    pub rows: usize,
    /// Columns of B and C, a multiple of 16.
    pub cols: usize,
    /// Columns of A, rows of B.
    pub depth: usize,
    /// A, or its transpose, with rows `a_stride` apart.
    pub a: *const f32,
    pub a_stride: usize,
    pub b: *const f32,
    pub b_grid: Grid,
}

/// What becomes of a finished register tile of C.
pub(super) trait Epilogue<S: Simd> {
    /// # Safety
    /// The CPU has the instruction set of `S`; rows `row..row + MR` and columns `col..col + NV * LANES` are inside
    /// the matrices of the epilogue, and no panel boundary lies within those columns.
    unsafe fn finish<const MR: usize, const NV: usize>(&self, row: usize, col: usize, acc: &[[S; NV]; MR]);
}

/// Dropout bits of a layer: the words of row `r` begin at `words[starts[r]]`. Null `words`: no dropout.
#[derive(Clone, Copy)]
pub(super) struct BitsPtr {
    pub words: *const u16,
    pub starts: *const u32,
}

impl BitsPtr {
    /// # Safety
    /// `words` is not null, and row `row` has a word for column `col`.
    #[inline(always)]
    unsafe fn lanes(self, row: usize, col: usize) -> u32 {
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
    unsafe fn finish<const MR: usize, const NV: usize>(&self, row: usize, col: usize, acc: &[[S; NV]; MR]) {
        // SAFETY: the contract of `finish`.
        unsafe {
            let bias: [S; NV] = std::array::from_fn(|j| S::load(self.bias.add(col + j * S::LANES)));
            let scale = S::splat(self.scale);
            for (i, acc) in acc.iter().enumerate() {
                let out = self.out.add((row + i) * self.out_stride + col);
                for j in 0..NV {
                    let mut y = acc[j].add(bias[j]).relu();
                    if !self.bits.words.is_null() {
                        y = y.mul(scale).keep(self.bits.lanes(row + i, col + j * S::LANES));
                    }
                    y.store(out.add(j * S::LANES));
                }
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
    unsafe fn finish<const MR: usize, const NV: usize>(&self, row: usize, col: usize, acc: &[[S; NV]; MR]) {
        // SAFETY: the contract of `finish`.
        unsafe {
            let scale = S::splat(self.scale);
            for (i, acc) in acc.iter().enumerate() {
                let y = self.y.add((row + i) * self.y_stride + col);
                let out = self.out.add((row + i) * self.out_stride + col);
                for (j, acc) in acc.iter().enumerate() {
                    acc.mul(scale).gate(S::load(y.add(j * S::LANES))).store(out.add(j * S::LANES));
                }
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
    unsafe fn finish<const MR: usize, const NV: usize>(&self, row: usize, col: usize, acc: &[[S; NV]; MR]) {
        let (offset, stride) = self.grid.column(col);
        for (i, acc) in acc.iter().enumerate() {
            for (j, acc) in acc.iter().enumerate() {
                // SAFETY: the contract of `finish`.
                unsafe { acc.store(self.out.add(offset + (row + i) * stride + j * S::LANES)) };
            }
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
    keep_mean: S,
    keep_variance: S,
    minus_rate: S,
    epsilon: S,
}

impl<S: Simd> AdamVectors<S> {
    #[inline(always)]
    unsafe fn new(step: &AdamStep) -> Self {
        // SAFETY: the CPU has the instruction set of `S`.
        unsafe {
            AdamVectors {
                keep_mean: S::splat(step.one_minus_beta1),
                keep_variance: S::splat(step.one_minus_beta2),
                minus_rate: S::splat(-step.rate),
                epsilon: S::splat(step.epsilon),
            }
        }
    }

    /// m += (1 - beta1) (g - m); v += (1 - beta2) (g² - v); w -= rate m / (sqrt(v) + epsilon).
    #[inline(always)]
    unsafe fn update(&self, g: S, w: *mut f32, m: *mut f32, v: *mut f32) {
        // SAFETY: the caller owns a vector at each of the three pointers.
        unsafe {
            let (old_w, old_m, old_v) = (S::load(w), S::load(m), S::load(v));
            let new_m = g.sub(old_m).mul_add(self.keep_mean, old_m);
            let new_v = g.mul(g).sub(old_v).mul_add(self.keep_variance, old_v);
            new_m.store(m);
            new_v.store(v);
            new_m.over_root(new_v, self.epsilon).mul_add(self.minus_rate, old_w).store(w);
        }
    }
}

impl<S: Simd> Epilogue<S> for Adam<'_> {
    #[inline(always)]
    unsafe fn finish<const MR: usize, const NV: usize>(&self, row: usize, col: usize, acc: &[[S; NV]; MR]) {
        let (offset, stride) = self.grid.column(col);
        // SAFETY: the contract of `finish`.
        unsafe {
            let adam = AdamVectors::<S>::new(self.step);
            for (i, acc) in acc.iter().enumerate() {
                let at = offset + (row + i) * stride;
                for (j, &g) in acc.iter().enumerate() {
                    let at = at + j * S::LANES;
                    adam.update(g, self.w.add(at), self.m.add(at), self.v.add(at));
                }
            }
        }
    }
}

/// One register tile: `MR` rows by `NV` vectors of C, summed over the whole depth.
#[inline(always)]
unsafe fn tile<S: Simd, E: Epilogue<S>, const TRANSPOSED: bool, const MR: usize, const NV: usize>(
    g: &Gemm,
    b: *const f32,
    b_stride: usize,
    row: usize,
    col: usize,
    epilogue: &E,
) {
    // SAFETY: `gemm` passes rows and columns inside C, so that every access is inside A and B.
    unsafe {
        let mut acc = [[S::splat(0.0); NV]; MR];
        let a = g.a.add(if TRANSPOSED { row } else { row * g.a_stride });
        for k in 0..g.depth {
            let b_k: [S; NV] = std::array::from_fn(|j| S::load(b.add(k * b_stride + j * S::LANES)));
            for (i, acc) in acc.iter_mut().enumerate() {
                let at = if TRANSPOSED { k * g.a_stride + i } else { i * g.a_stride + k };
                let a_ik = S::splat(*a.add(at));
                for (acc, &b) in acc.iter_mut().zip(&b_k) {
                    *acc = a_ik.mul_add(b, *acc);
                }
            }
        }
        epilogue.finish(row, col, &acc);
    }
}

/// The rows of C in nearly equal blocks, for one group of columns.
#[inline(always)]
unsafe fn column_tiles<S: Simd, E: Epilogue<S>, const TRANSPOSED: bool, const NV: usize>(
    g: &Gemm,
    col: usize,
    epilogue: &E,
) {
    let (offset, stride) = g.b_grid.column(col);
    let blocks = g.rows.div_ceil(if TRANSPOSED { S::GRADIENT_ROWS } else { S::ROWS });
    let mut row = 0;
    for block in 0..blocks {
        let rows = g.rows / blocks + usize::from(block < g.rows % blocks);
        // SAFETY: `gemm`'s contract; the blocks add up to `g.rows`.
        unsafe {
            let b = g.b.add(offset);
            match rows {
                1 => tile::<S, E, TRANSPOSED, 1, NV>(g, b, stride, row, col, epilogue),
                2 => tile::<S, E, TRANSPOSED, 2, NV>(g, b, stride, row, col, epilogue),
                3 => tile::<S, E, TRANSPOSED, 3, NV>(g, b, stride, row, col, epilogue),
                4 => tile::<S, E, TRANSPOSED, 4, NV>(g, b, stride, row, col, epilogue),
                5 => tile::<S, E, TRANSPOSED, 5, NV>(g, b, stride, row, col, epilogue),
                _ => tile::<S, E, TRANSPOSED, 6, NV>(g, b, stride, row, col, epilogue),
            }
        }
        row += rows;
    }
}

/// The widest tile that fits between `col` and the end of its panel, in vectors.
#[inline(always)]
fn vectors_at<S: Simd>(col: usize, cols: usize) -> usize {
    S::VECTORS.min((PANEL - col % PANEL).min(cols - col) / S::LANES)
}

/// # Safety
/// The CPU has the instruction set of `S`; A, B and the matrices of the epilogue are as large as `g` says.
#[inline(always)]
pub(super) unsafe fn gemm<S: Simd, E: Epilogue<S>, const TRANSPOSED: bool>(g: &Gemm, epilogue: &E) {
    let mut col = 0;
    while col < g.cols {
        let vectors = vectors_at::<S>(col, g.cols);
        // SAFETY: the caller's contract; the columns of the tile end inside the panel.
        unsafe {
            match vectors {
                1 => column_tiles::<S, E, TRANSPOSED, 1>(g, col, epilogue),
                2 => column_tiles::<S, E, TRANSPOSED, 2>(g, col, epilogue),
                3 => column_tiles::<S, E, TRANSPOSED, 3>(g, col, epilogue),
                _ => column_tiles::<S, E, TRANSPOSED, 4>(g, col, epilogue),
            }
        }
        col += vectors * S::LANES;
    }
}

/// Rows of B picked by index instead of a product: the first layer on one-hot observations.
///
/// # Safety
/// As [`gemm`]; `indices` holds `g.rows` indices below `g.depth`.
#[inline(always)]
pub(super) unsafe fn gather<S: Simd, E: Epilogue<S>>(g: &Gemm, indices: *const u32, epilogue: &E) {
    for row in 0..g.rows {
        for col in (0..g.cols).step_by(S::LANES) {
            let (offset, stride) = g.b_grid.column(col);
            // SAFETY: the caller's contract.
            unsafe {
                let at = offset + *indices.add(row) as usize * stride;
                epilogue.finish(row, col, &[[S::load(g.b.add(at))]]);
            }
        }
    }
}

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
        let vectors = vectors_at::<S>(col, g.cols);
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
        epilogue.finish(0, col, &[sum]);
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
            vectors.update(S::load(g.add(at)).mul(scale), adam.w.add(at), adam.m.add(at), adam.v.add(at));
        }
    }
}

/// `g[indices[r]] += dy[r]` for the rows of a first layer on one-hot observations.
///
/// # Safety
/// The CPU has the instruction set of `S`; `dy` holds `rows` rows of `cols` numbers, `g` a matrix of `grid`.
#[inline(always)]
pub(super) unsafe fn scatter<S: Simd>(s: &Scatter) {
    for row in 0..s.rows {
        for col in (0..s.cols).step_by(S::LANES) {
            let (offset, stride) = s.grid.column(col);
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

/// The functions of one instruction set. See the generic functions of the same names for their contracts.
pub(super) struct Table {
    pub hidden: unsafe fn(&Gemm, &Hidden),
    pub hidden_gather: unsafe fn(&Gemm, *const u32, &Hidden),
    pub hidden_single: unsafe fn(&Gemm, *mut u32, &Hidden),
    pub gate: unsafe fn(&Gemm, &Gate),
    pub gradient: unsafe fn(&Gemm, &Store),
    pub gradient_adam: unsafe fn(&Gemm, &Adam<'_>),
    pub adam_flat: unsafe fn(*const f32, f32, usize, &Adam<'_>),
    pub dot: unsafe fn(&Dot),
    pub scatter: unsafe fn(&Scatter),
    pub transpose: unsafe fn(&Transpose),
    pub mask_words: unsafe fn(&mut [[u32; 16]; 4], u16, &mut [u16]),
    pub fma_burst: unsafe fn(u64) -> f32,
}

/// Compiles the kernels for one vector type and puts them in `TABLE`.
macro_rules! entry_points {
    ($simd:ty $(, #[$features:meta])?) => {
        use super::generic::*;

        entry_points!(@functions $simd, $(#[$features])?,
            hidden(g: &Gemm, e: &Hidden) = gemm::<$simd, _, false>;
            hidden_gather(g: &Gemm, indices: *const u32, e: &Hidden) = gather::<$simd, _>;
            hidden_single(g: &Gemm, list: *mut u32, e: &Hidden) = single::<$simd, _>;
            gate(g: &Gemm, e: &Gate) = gemm::<$simd, _, false>;
            gradient(g: &Gemm, e: &Store) = gemm::<$simd, _, true>;
            gradient_adam(g: &Gemm, e: &Adam<'_>) = gemm::<$simd, _, true>;
            adam_step(g: *const f32, scale: f32, len: usize, adam: &Adam<'_>) = adam_flat::<$simd>;
            output(d: &Dot) = dot::<$simd>;
            scatter_rows(s: &Scatter) = scatter::<$simd>;
            transpose_weights(t: &Transpose) = transpose::<$simd>;
            draw_words(state: &mut [[u32; 16]; 4], most: u16, words: &mut [u16]) = <$simd>::mask_words;
        );

        $(#[$features])?
        unsafe fn burst(rounds: u64) -> f32 {
            // SAFETY: the CPU has the instruction set, as the contract of this table says.
            unsafe { super::peak::burst::<$simd>(rounds) }
        }

        pub(super) static TABLE: Table = Table {
            hidden,
            hidden_gather,
            hidden_single,
            gate,
            gradient,
            gradient_adam,
            adam_flat: adam_step,
            dot: output,
            scatter: scatter_rows,
            transpose: transpose_weights,
            mask_words: draw_words,
            fma_burst: burst,
        };
    };
    (@functions $simd:ty, $(#[$features:meta])?, $($name:ident($($arg:ident: $type:ty),*) = $kernel:expr;)*) => {
        entry_points!(@each [$(#[$features])?] $($name($($arg: $type),*) = $kernel;)*);
    };
    (@each $features:tt $($name:ident($($arg:ident: $type:ty),*) = $kernel:expr;)*) => {
        $(entry_points!(@one $features $name($($arg: $type),*) = $kernel);)*
    };
    (@one [$(#[$features:meta])?] $name:ident($($arg:ident: $type:ty),*) = $kernel:expr) => {
        $(#[$features])?
        unsafe fn $name($($arg: $type),*) {
            // SAFETY: the contract of the kernel, passed on to the caller.
            unsafe { ($kernel)($($arg),*) }
        }
    };
}
pub(super) use entry_points;
