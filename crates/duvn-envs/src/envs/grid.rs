//! What the grid worlds share: numbered cells, four directions, and moves that slip to the side.

use crate::rng::NumpyRng;
use serde::{Deserialize, Serialize};

/// Where one stands, and the random numbers that decide how one goes on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) at: usize,
    pub(super) rng: NumpyRng,
}

impl State {
    pub(super) fn new(at: usize) -> Self {
        State { at, rng: NumpyRng::new(0) }
    }
}

/// A grid of cells, numbered row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// One of the four ways to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Left,
    Down,
    Right,
    Up,
}

impl Grid {
    pub(super) const fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// The row and the column of a cell.
    pub(super) fn place(self, cell: usize) -> (usize, usize) {
        (cell / self.columns, cell % self.columns)
    }

    /// The next cell in a direction; at the border, the cell itself.
    pub(super) fn next(self, cell: usize, direction: Direction) -> usize {
        let (row, column) = self.place(cell);
        let (row, column) = match direction {
            Direction::Left => (row, column.saturating_sub(1)),
            Direction::Down => ((row + 1).min(self.rows - 1), column),
            Direction::Right => (row, (column + 1).min(self.columns - 1)),
            Direction::Up => (row.saturating_sub(1), column),
        };
        row * self.columns + column
    }
}

/// How likely a move goes one direction to the left of the one that is meant, as meant, and one to the
/// right: cumulative probabilities.
pub(super) type Slip = [f64; 3];

/// The number of the direction (of four, in a circle) that a move takes. `draw` is uniform on [0, 1); where
/// nothing slips it is not looked at, but Gymnasium draws it all the same.
pub(super) fn slipped(meant: usize, slip: Option<&Slip>, draw: f64) -> usize {
    let Some(slip) = slip else { return meant };
    // The sums rise, so the first one above the draw is known by how many are not; no branch has to be foreseen. Where
    // rounding leaves the last sum below the draw, NumPy's argmax gives 0.
    let aside = slip.iter().map(|&sum| usize::from(sum <= draw)).sum::<usize>() % slip.len();
    (meant + 3 + aside) % 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_go_to_the_sides_and_never_back() {
        let slip = [0.25, 0.75, 1.0];
        assert_eq!([0.0, 0.3, 0.8].map(|draw| slipped(0, Some(&slip), draw)), [3, 0, 1]);
        assert_eq!([0.0, 0.3, 0.8].map(|draw| slipped(2, Some(&slip), draw)), [1, 2, 3]);
        assert_eq!(slipped(2, None, 0.0), 2);
        assert_eq!(slipped(2, Some(&[0.25, 0.75, 0.9]), 0.95), 1);
    }

    #[test]
    fn the_border_holds() {
        let grid = Grid { rows: 2, columns: 3 };
        let all = |cell| {
            [Direction::Left, Direction::Down, Direction::Right, Direction::Up]
                .map(|way| grid.next(cell, way))
        };
        assert_eq!(all(0), [0, 3, 1, 0]);
        assert_eq!(all(5), [4, 5, 5, 2]);
    }
}
