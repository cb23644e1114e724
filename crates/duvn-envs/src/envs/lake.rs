//! The maps of FrozenLake.

use super::grid::{Direction, Grid};
use crate::rng::NumpyRng;

/// A frozen lake: `S` where one may start, `F` ice, `H` a hole, `G` the goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lake {
    pub(super) letters: Vec<u8>,
    pub(super) grid: Grid,
}

/// Why a map is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LakeError {
    /// The rows are not of one length from 1 to 100, or there are not 1 to 100 of them.
    #[error("write 1 to {0} rows of one length up to {0}, such as SFF/FHF/FFG", Lake::MAX_SIDE)]
    Shape,
    /// There is a letter with no meaning.
    #[error("write the letters S, F, H and G, such as SFF/FHF/FFG")]
    Letter,
    /// One cannot start anywhere.
    #[error("write an S where the episode starts, such as SFF/FHF/FFG")]
    NoStart,
    /// So many maps were drawn, and none had a way to the goal.
    #[error("none of {0} maps had a way to the goal: write a smaller side or more ice")]
    NoWay(usize),
}

impl Lake {
    /// The longest side of a map.
    pub const MAX_SIDE: usize = 100;
    const ATTEMPTS: usize = 10_000;

    /// Gymnasium's map `4x4`: four holes.
    pub fn small() -> Self {
        Self::known(4, "SFFFFHFHFFFHHFFG")
    }

    /// Gymnasium's map `8x8`: ten holes.
    pub fn large() -> Self {
        Self::known(8, "SFFFFFFFFFFFFFFFFFFHFFFFFFFFFHFFFFFHFFFFFHHFFFHFFHFFHFHFFFFHFFFG")
    }

    fn known(side: usize, letters: &str) -> Self {
        Lake { letters: letters.into(), grid: Grid { rows: side, columns: side } }
    }

    /// The map with these rows, separated by `/`.
    pub fn parse(rows: &str) -> Result<Self, LakeError> {
        let rows: Vec<&str> = rows.split('/').collect();
        let grid = Grid { rows: rows.len(), columns: rows[0].len() };
        let sides = 1..=Self::MAX_SIDE;
        if !sides.contains(&grid.rows) || !sides.contains(&grid.columns) {
            return Err(LakeError::Shape);
        }
        if rows.iter().any(|row| row.len() != grid.columns) {
            return Err(LakeError::Shape);
        }
        let letters: Vec<u8> = rows.concat().into();
        if !letters.iter().all(|letter| b"SFHG".contains(letter)) {
            return Err(LakeError::Letter);
        }
        if !letters.contains(&b'S') {
            return Err(LakeError::NoStart);
        }
        Ok(Lake { letters, grid })
    }

    /// Gymnasium's `generate_random_map(side, frozen, seed)`: each cell is ice with probability `frozen`, and
    /// maps are drawn until one has a way from the first cell to the last.
    pub fn random(side: usize, frozen: f64, seed: u64) -> Result<Self, LakeError> {
        if !(2..=Self::MAX_SIDE).contains(&side) {
            return Err(LakeError::Shape);
        }
        let mut rng = NumpyRng::new(seed);
        let mut lake = Lake { letters: vec![b'F'; side * side], grid: Grid { rows: side, columns: side } };
        // NumPy's `choice` divides by the sum of the probabilities.
        let ice = frozen / (frozen + (1.0 - frozen));
        for _ in 0..Self::ATTEMPTS {
            for letter in &mut lake.letters {
                *letter = if ice <= rng.random() { b'H' } else { b'F' };
            }
            lake.letters[0] = b'S';
            lake.letters[side * side - 1] = b'G';
            if lake.has_a_way() {
                return Ok(lake);
            }
        }
        Err(LakeError::NoWay(Self::ATTEMPTS))
    }

    /// The rows, separated by `/`: the other half of [`parse`](Self::parse).
    pub fn rows(&self) -> String {
        let row = |row: &[u8]| row.iter().map(|&letter| char::from(letter)).collect::<String>();
        self.letters.chunks(self.grid.columns).map(row).collect::<Vec<_>>().join("/")
    }

    /// Whether one can go from the first cell to a goal and around the holes.
    fn has_a_way(&self) -> bool {
        let mut known = vec![false; self.letters.len()];
        let mut open = vec![0];
        while let Some(cell) = open.pop() {
            for direction in [Direction::Left, Direction::Down, Direction::Right, Direction::Up] {
                let next = self.grid.next(cell, direction);
                match self.letters[next] {
                    b'G' => return true,
                    b'H' => {}
                    _ if known[next] => {}
                    _ => {
                        known[next] = true;
                        open.push(next);
                    }
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gymnasium 1.4.0's `generate_random_map(size, p, seed)`.
    #[test]
    fn random_maps_are_gymnasiums() {
        for (side, frozen, seed, rows) in [
            (4, 0.8, 0, "SFFF/HHFF/FHHF/HFFG"),
            (8, 0.8, 1, "SHFHFFHF/FFFFFFFF/FFFFFFFH/HFFFFHFF/FFFHFFFF/FHFFHFFF/FHFFFHFF/HHHFFFFG"),
            (5, 0.5, 7, "SHFFF/FHFFF/FFFFF/HFHFF/HFHHG"),
            (3, 1.0, 2, "SFF/FFF/FFG"),
            (
                12,
                0.6,
                1099511627779,
                "SFFFFHHFFHHH/HFHHFFFHHFHF/FHHHHFHHFFFH/FFFHFFFHHHFF/FFHHFHHFHHHF/FHFHFHHFHFFF/HFFHFHFFFFFF/FFHHFHHHFFFH/FFHHFFHFFFFF/FFHFFFFFHFFF/HFFFFHHFFHHF/HHFHFFFFHHFG",
            ),
        ] {
            assert_eq!(Lake::random(side, frozen, seed).unwrap().rows(), rows, "{side} {frozen} {seed}");
        }
    }

    #[test]
    fn a_map_that_is_none_says_why() {
        for (rows, error) in [
            ("", LakeError::Shape),
            ("SF/G", LakeError::Shape),
            ("SX/FG", LakeError::Letter),
            ("FF/FG", LakeError::NoStart),
        ] {
            assert_eq!(Lake::parse(rows), Err(error), "{rows}");
        }
        assert_eq!(Lake::random(30, 0.1, 0), Err(LakeError::NoWay(10_000)));
        assert_eq!(Lake::random(1, 1.0, 0), Err(LakeError::Shape));
        assert_eq!(Lake::parse(&Lake::large().rows()), Ok(Lake::large()));
    }
}
