//! Numbers on cache-line boundaries.

use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A growable array of `f32` that starts on a cache line, so that no vector access crosses one.
#[derive(Clone, Default)]
pub(crate) struct Buffer {
    lines: Vec<Line>,
    /// Lines before the first number.
    skipped: usize,
    len: usize,
}

impl Buffer {
    /// `len` zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        Self::staggered(len, 0)
    }

    /// `len` zeros that begin `skipped` cache lines further on than they could. Arrays that are walked together
    /// should not begin at the same place of a page: a CPU takes a load for dependent on a store just before it
    /// if the last 12 bits of their addresses are the same.
    pub(crate) fn staggered(len: usize, skipped: usize) -> Self {
        Buffer { lines: vec![Line([0.0; 16]); skipped + len.div_ceil(16)], skipped, len }
    }

    /// Makes room for at least `len` numbers; what was there stays, new ones are 0.
    pub(crate) fn reserve(&mut self, len: usize) {
        if len > self.len {
            self.lines.resize(self.skipped + len.div_ceil(16), Line([0.0; 16]));
            self.len = len;
        }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        let lines = &self.lines[self.skipped..];
        // SAFETY: `Line` is `repr(C)` and 64 bytes of `f32` without padding, and `len <= 16 * lines.len()`.
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        let lines = &mut self.lines[self.skipped..];
        // SAFETY: as in `deref`, and the borrow of `self` is unique.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), self.len) }
    }
}
