//! Numbers on cache-line boundaries.

use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A growable array of `f32` that starts on a cache line, so that no vector access crosses one.
#[derive(Clone, Default)]
pub(crate) struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    /// `len` zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        Buffer { lines: vec![Line([0.0; 16]); len.div_ceil(16)], len }
    }

    /// Makes room for at least `len` numbers; what was there stays, new ones are 0.
    pub(crate) fn reserve(&mut self, len: usize) {
        if len > self.len {
            self.lines.resize(len.div_ceil(16), Line([0.0; 16]));
            self.len = len;
        }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: `Line` is `repr(C)` and 64 bytes of `f32` without padding, and `len <= 16 * lines.len()`.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`, and the borrow of `self` is unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
