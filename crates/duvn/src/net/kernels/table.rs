//! The kernels, written once over `Simd`, compiled once for each instruction set.

use super::backward::{Back, Scatter, Transpose};
use super::epilogues::{Adam, Gate, Hidden, Store};
use super::gemm::Gemm;
use super::norm::{BackNormalise, Normalise};
use super::quantiles::Regression;
use super::single::Dot;

/// The functions of one instruction set. See the generic functions of the same names for their contracts.
pub(super) struct Table {
    pub hidden: unsafe fn(&Gemm, &Hidden),
    pub hidden_gather: unsafe fn(&Gemm, *const u32, &Hidden),
    pub hidden_single: unsafe fn(&Gemm, *mut u32, &Hidden),
    pub product: unsafe fn(&Gemm, &Store),
    pub product_gather: unsafe fn(&Gemm, *const u32, &Store),
    pub product_single: unsafe fn(&Gemm, *mut u32, &Store),
    pub normalise: unsafe fn(&Normalise),
    pub back_normalise: unsafe fn(&BackNormalise),
    pub gate: unsafe fn(&Gemm, &Gate),
    pub gradient: unsafe fn(&Gemm, &Store),
    pub gradient_adam: unsafe fn(&Gemm, &Adam<'_>),
    pub adam_flat: unsafe fn(*const f32, f32, usize, &Adam<'_>),
    pub dot: unsafe fn(&Dot),
    pub scatter: unsafe fn(&Scatter),
    pub transpose: unsafe fn(&Transpose),
    pub back: unsafe fn(&Back),
    pub regress: unsafe fn(&mut Regression<'_>),
    pub direct_rows: usize,
    /// Columns of a register tile.
    pub tile_columns: usize,
    pub mask_words: unsafe fn(&mut [[u32; 16]; 4], u16, &mut [u16]),
    pub sum_of_squares: unsafe fn(*const f32, usize) -> f64,
    pub fma_burst: unsafe fn(u64) -> f32,
}

/// Compiles the kernels for one vector type and puts them in `TABLE`.
macro_rules! entry_points {
    ($simd:ty $(, #[$features:meta])?) => {
        use super::backward::*;
        use super::epilogues::*;
        use super::gemm::*;
        use super::norm::*;
        use super::quantiles::*;
        use super::single::*;
        use super::table::Table;

        entry_points!(@functions $simd, $(#[$features])?,
            hidden(g: &Gemm, e: &Hidden) = gemm::<$simd, _, false>;
            hidden_gather(g: &Gemm, indices: *const u32, e: &Hidden) = gather::<$simd, _>;
            hidden_single(g: &Gemm, list: *mut u32, e: &Hidden) = single::<$simd, _>;
            product(g: &Gemm, e: &Store) = gemm::<$simd, _, false>;
            product_gather(g: &Gemm, indices: *const u32, e: &Store) = gather::<$simd, _>;
            product_single(g: &Gemm, list: *mut u32, e: &Store) = single::<$simd, _>;
            normalise_rows(n: &Normalise) = normalise::<$simd>;
            back_normalise_rows(n: &BackNormalise) = back_normalise::<$simd>;
            gate(g: &Gemm, e: &Gate) = gemm::<$simd, _, false>;
            gradient(g: &Gemm, e: &Store) = gemm::<$simd, _, true>;
            gradient_adam(g: &Gemm, e: &Adam<'_>) = gemm::<$simd, _, true>;
            adam_step(g: *const f32, scale: f32, len: usize, adam: &Adam<'_>) = adam_flat::<$simd>;
            output(d: &Dot) = dot::<$simd>;
            scatter_rows(s: &Scatter) = scatter::<$simd>;
            transpose_weights(t: &Transpose) = transpose::<$simd>;
            back_direct(b: &Back) = back::<$simd>;
            regress_quantiles(r: &mut Regression<'_>) = regress::<$simd>;
            draw_words(state: &mut [[u32; 16]; 4], most: u16, words: &mut [u16]) = <$simd>::mask_words;
        );

        $(#[$features])?
        unsafe fn square_sum(from: *const f32, len: usize) -> f64 {
            // SAFETY: the contract of the kernel, passed on to the caller.
            unsafe { <$simd>::sum_of_squares(from, len) }
        }

        $(#[$features])?
        unsafe fn burst(rounds: u64) -> f32 {
            // SAFETY: the CPU has the instruction set, as the contract of this table says.
            unsafe { super::peak::burst::<$simd>(rounds) }
        }

        pub(super) static TABLE: Table = Table {
            hidden,
            hidden_gather,
            hidden_single,
            product,
            product_gather,
            product_single,
            normalise: normalise_rows,
            back_normalise: back_normalise_rows,
            gate,
            gradient,
            gradient_adam,
            adam_flat: adam_step,
            dot: output,
            scatter: scatter_rows,
            transpose: transpose_weights,
            back: back_direct,
            regress: regress_quantiles,
            direct_rows: <$simd>::TILES.direct_rows,
            tile_columns: <$simd>::LANES * <$simd>::TILES.vectors,
            mask_words: draw_words,
            sum_of_squares: square_sum,
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
