//! Dropout masks as bits.

use rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::kernels::{Bits, Kernels, isa, padded};

/// 16 lanes of xoshiro128++: integers only, so that the masks are the same on every instruction set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskRng {
    /// Word w of the state of lane i is `state[w][i]`.
    state: [[u32; 16]; 4],
}

impl MaskRng {
    /// Lanes seeded one after another from SplitMix64 on `seed`.
    pub fn new(seed: u64) -> Self {
        let mut counter = seed;
        Self::from_words(|| {
            counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = counter;
            word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ word >> 31
        })
    }

    /// Lanes seeded one after another from `rng`.
    pub fn from_rng(rng: &mut impl Rng) -> Self {
        Self::from_words(|| rng.next_u64())
    }

    fn from_words(mut next: impl FnMut() -> u64) -> Self {
        let mut state = [[0; 16]; 4];
        for lane in 0..16 {
            let (a, b) = (next(), next());
            // xoshiro cannot leave the state of zeros.
            let words = if a | b == 0 { [1, 0, 0, 0] } else { [a, a >> 32, b, b >> 32] };
            for (row, word) in state.iter_mut().zip(words) {
                row[lane] = word as u32;
            }
        }
        MaskRng { state }
    }
}

/// What the mask of a row covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extent {
    /// The trunk and the sub-networks of all actions.
    AllActions,
    /// The trunk and the sub-network of the action taken.
    TakenAction,
}

/// A hidden layer, as [`Masks::kept`] names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenAt {
    /// Layer of the trunk.
    Trunk(usize),
    /// Action, and layer of its sub-network.
    Head(usize, usize),
}

/// The dropout masks of a batch: for every row and hidden layer a word of bits for each 16 units. A kept unit is
/// multiplied by 1 / keep, so that its mean does not depend on dropout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Masks {
    words: Vec<u16>,
    row_words: usize,
    rows: usize,
    extent: Extent,
    scale: f32,
}

impl Default for Masks {
    fn default() -> Self {
        Self::new()
    }
}

impl Masks {
    /// Masks of no rows.
    pub fn new() -> Self {
        Masks { words: Vec::new(), row_words: 0, rows: 0, extent: Extent::AllActions, scale: 1.0 }
    }

    /// Draws fresh masks for `rows` rows: every unit is kept with probability `keep`, rounded to 1/65536.
    ///
    /// # Panics
    /// If `keep` is not in (0, 1].
    pub fn draw(&mut self, shape: &Shape, extent: Extent, rows: usize, keep: f32, rng: &mut MaskRng) {
        self.draw_with(Kernels::best(isa()), shape, extent, rows, keep, rng);
    }

    pub(super) fn draw_with(
        &mut self,
        kernels: Kernels,
        shape: &Shape,
        extent: Extent,
        rows: usize,
        keep: f32,
        rng: &mut MaskRng,
    ) {
        assert!(keep > 0.0 && keep <= 1.0, "keep must be in (0, 1]");
        let heads = if extent == Extent::AllActions { shape.actions } else { 1 };
        self.row_words = shape.trunk_words() + heads * shape.head_words();
        self.rows = rows;
        self.extent = extent;
        self.scale = 1.0 / keep;
        let most = (f64::from(keep) * 65536.0).round().max(1.0) as u32 - 1;
        self.words.resize(rows * self.row_words, 0);
        kernels.mask_words(&mut rng.state, most as u16, &mut self.words);
    }

    /// The rows of several masks that were drawn alike, one after another.
    pub fn join<'m>(&mut self, parts: impl Iterator<Item = &'m Masks>) {
        self.words.clear();
        self.rows = 0;
        for part in parts {
            self.words.extend_from_slice(&part.words);
            self.rows += part.rows;
            (self.row_words, self.extent, self.scale) = (part.row_words, part.extent, part.scale);
        }
    }

    /// Whether these are `rows` rows of masks over all actions of `shape`, as [`draw`](Self::draw) would have made them.
    pub fn fit(&self, shape: &Shape, rows: usize) -> bool {
        let row_words = shape.trunk_words() + shape.actions * shape.head_words();
        (self.rows, self.row_words, self.extent) == (rows, row_words, Extent::AllActions)
            && self.words.len() == rows * row_words
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What a kept unit is multiplied by: 1 / keep.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// What the mask of a row covers.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Whether a unit is kept; `None` if there is no such row, layer or unit.
    pub fn kept(&self, shape: &Shape, row: usize, layer: HiddenAt, unit: usize) -> Option<bool> {
        let (layers, index, base) = match layer {
            HiddenAt::Trunk(index) => (&shape.trunk, index, 0),
            HiddenAt::Head(action, index) => {
                (&shape.head, index, shape.trunk_words() + self.head_at(shape, action))
            }
        };
        if row >= self.rows || unit >= *layers.get(index)? {
            return None;
        }
        let below: usize = layers[..index].iter().map(|&units| padded(units) / 16).sum();
        let word = self.words.get(row * self.row_words + base + below + unit / 16)?;
        Some(word >> (unit % 16) & 1 == 1)
    }

    /// How far the bits of `action` lie behind those of the first action.
    pub(super) fn head_at(&self, shape: &Shape, action: usize) -> usize {
        match self.extent {
            Extent::AllActions => action * shape.head_words(),
            Extent::TakenAction => 0,
        }
    }

    /// Where the words of `row` begin.
    pub(super) fn start(&self, row: usize) -> u32 {
        (row * self.row_words) as u32
    }

    /// The bits that lie `at` words into each of the rows that begin at `starts`.
    pub(super) fn bits<'a>(&'a self, starts: &'a [u32], at: usize) -> Bits<'a> {
        Bits { words: &self.words, starts, at, scale: self.scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Input, Isa};

    fn draw(isa: Isa, rows: usize, units: usize, rng: &mut MaskRng) -> Vec<u16> {
        let shape = Shape::heads(Input::Dense(1), vec![units], 1, 1);
        let mut masks = Masks::new();
        let kernels = Kernels::new(isa).expect("an available instruction set");
        masks.draw_with(kernels, &shape, Extent::AllActions, rows, 0.75, rng);
        masks.words
    }

    /// From a separate implementation of SplitMix64 and xoshiro128++ in another language.
    #[test]
    fn the_first_words_are_those_of_xoshiro() {
        for isa in Isa::available() {
            let words = draw(isa, 5, 16, &mut MaskRng::new(42));
            assert_eq!(words, [0xfdff, 0x3b96, 0xffee, 0x6937, 0xff77], "{isa}");
        }
    }

    #[test]
    fn every_path_draws_the_same_bits() {
        let mut portable = MaskRng::new(9);
        let expected = draw(Isa::Portable, 33, 50, &mut portable);
        for isa in Isa::available() {
            let mut rng = MaskRng::new(9);
            assert_eq!(draw(isa, 33, 50, &mut rng), expected, "{isa}");
            assert_eq!(rng, portable, "{isa}");
        }
    }
}
