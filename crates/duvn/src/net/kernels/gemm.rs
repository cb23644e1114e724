//! The register-tiled product that most of the work is, and the row gather in its place for one-hot rows.

use super::simd::Simd;

/// Columns of a weight panel.
pub(in crate::net) const PANEL: usize = 64;

/// One panel of a matrix.
pub(crate) struct Panel {
    /// Its first column.
    pub column: usize,
    /// Its columns, and the distance between its rows.
    pub width: usize,
    /// Where its numbers lie among those of the matrix.
    pub numbers: std::ops::Range<usize>,
}

/// The panels of a matrix of `rows` x `cols`.
pub(crate) fn panels(rows: usize, cols: usize) -> impl Iterator<Item = Panel> {
    (0..cols).step_by(PANEL).map(move |column| {
        let width = PANEL.min(cols - column);
        Panel { column, width, numbers: column * rows..(column + width) * rows }
    })
}

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

/// What becomes of a finished row of a register tile of C.
pub(super) trait Epilogue<S: Simd> {
    /// # Safety
    /// The CPU has the instruction set of `S`; row `row` and columns `col..col + NV * LANES` are inside the matrices
    /// of the epilogue, and no panel boundary lies within those columns.
    unsafe fn finish<const NV: usize>(&self, row: usize, col: usize, sums: &[S; NV]);
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
        macro_rules! add_product {
            ($k:expr) => {{
                let k = $k;
                let b_k: [S; NV] = std::array::from_fn(|j| S::load(b.add(k * b_stride + j * S::LANES)));
                for (i, acc) in acc.iter_mut().enumerate() {
                    let at = if TRANSPOSED { k * g.a_stride + i } else { i * g.a_stride + k };
                    let a_ik = S::splat(*a.add(at));
                    for (acc, &b) in acc.iter_mut().zip(&b_k) {
                        *acc = a_ik.mul_add(b, *acc);
                    }
                }
            }};
        }
        let whole = g.depth / S::TILES.products * S::TILES.products;
        for first in (0..whole).step_by(S::TILES.products) {
            for k in 0..S::TILES.products {
                add_product!(first + k);
            }
        }
        for k in whole..g.depth {
            add_product!(k);
        }
        // Spelt out, because a loop over rows with a long epilogue is not unrolled in time: the sums would go to
        // memory before the first product and after the last.
        macro_rules! finish_rows {
            ($($i:literal)*) => { $(if $i < MR { epilogue.finish(row + $i, col, &acc[$i]); })* };
        }
        finish_rows!(0 1 2 3 4 5);
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
    let blocks = g.rows.div_ceil(if TRANSPOSED { S::TILES.gradient_rows } else { S::TILES.rows });
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
pub(super) fn vectors_at<S: Simd>(col: usize, cols: usize) -> usize {
    S::TILES.vectors.min((PANEL - col % PANEL).min(cols - col) / S::LANES)
}

/// # Safety
/// The CPU has the instruction set of `S`; A, B and the matrices of the epilogue are as large as `g` says.
#[inline(always)]
pub(super) unsafe fn gemm<S: Simd, E: Epilogue<S>, const TRANSPOSED: bool>(g: &Gemm, epilogue: &E) {
    if g.rows == 1 {
        // SAFETY: the caller's contract.
        return unsafe { gemm_row::<S, E, TRANSPOSED>(g, epilogue) };
    }
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

/// A single row: as many columns at once as there are, because each sum waits for itself.
///
/// # Safety
/// As [`gemm`].
#[inline(always)]
unsafe fn gemm_row<S: Simd, E: Epilogue<S>, const TRANSPOSED: bool>(g: &Gemm, epilogue: &E) {
    let mut col = 0;
    while col < g.cols {
        let vectors = 1 << ((PANEL - col % PANEL).min(g.cols - col) / S::LANES).ilog2();
        let (offset, stride) = g.b_grid.column(col);
        // SAFETY: the caller's contract; the columns of the tile end inside the panel, which has 8 vectors at most.
        unsafe {
            let b = g.b.add(offset);
            match vectors {
                1 => tile::<S, E, TRANSPOSED, 1, 1>(g, b, stride, 0, col, epilogue),
                2 => tile::<S, E, TRANSPOSED, 1, 2>(g, b, stride, 0, col, epilogue),
                4 => tile::<S, E, TRANSPOSED, 1, 4>(g, b, stride, 0, col, epilogue),
                _ => tile::<S, E, TRANSPOSED, 1, 8>(g, b, stride, 0, col, epilogue),
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
    let mut col = 0;
    while col < g.cols {
        let vectors = vectors_at::<S>(col, g.cols);
        // SAFETY: the caller's contract; the columns end inside the panel.
        unsafe {
            match vectors {
                1 => gather_columns::<S, E, 1>(g, indices, col, epilogue),
                2 => gather_columns::<S, E, 2>(g, indices, col, epilogue),
                3 => gather_columns::<S, E, 3>(g, indices, col, epilogue),
                _ => gather_columns::<S, E, 4>(g, indices, col, epilogue),
            }
        }
        col += vectors * S::LANES;
    }
}

#[inline(always)]
unsafe fn gather_columns<S: Simd, E: Epilogue<S>, const NV: usize>(
    g: &Gemm,
    indices: *const u32,
    col: usize,
    epilogue: &E,
) {
    let (offset, stride) = g.b_grid.column(col);
    for row in 0..g.rows {
        // SAFETY: as `gather`.
        unsafe {
            let b = g.b.add(offset + *indices.add(row) as usize * stride);
            let picked: [S; NV] = std::array::from_fn(|j| S::load(b.add(j * S::LANES)));
            epilogue.finish(row, col, &picked);
        }
    }
}
