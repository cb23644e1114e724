use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, text, thaw};
use serde::{Deserialize, Serialize};

/// Gymnasium's `FrozenLake`: cross the ice to the goal (reward 1) and fall into no hole, going left (0),
/// down (1), right (2) or up (3). On slippery ice a third of the moves go as meant, and a third each to
/// the left and to the right of that. The observation is row · width + column.
#[derive(Clone, Debug)]
pub struct FrozenLake {
    cells: Vec<Cell>,
    width: usize,
    slippery: bool,
    state: State,
}

/// A cell of the lake: its letter, and where the four directions lead.
#[derive(Clone, Debug)]
struct Cell {
    letter: u8,
    next: [usize; 4],
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    at: usize,
    rng: NumpyRng,
}

/// The lakes that Gymnasium knows by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lake {
    /// `4x4`: 16 cells, four holes.
    Small,
    /// `8x8`: 64 cells, ten holes.
    Large,
}

impl Lake {
    fn rows(self) -> &'static [&'static str] {
        match self {
            Lake::Small => &["SFFF", "FHFH", "FFFH", "HFFG"],
            Lake::Large => &[
                "SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF",
                "FFFHFFFG",
            ],
        }
    }
}

impl FrozenLake {
    /// The cumulative probabilities of one direction to the left, as meant, and one to the right, summed
    /// as Gymnasium sums them: 1/3 for the middle one and half of the rest for the others.
    const SLIP: [f64; 3] = {
        const MEANT: f64 = 1.0 / 3.0;
        const ASIDE: f64 = (1.0 - MEANT) / 2.0;
        [ASIDE, ASIDE + MEANT, ASIDE + MEANT + ASIDE]
    };

    /// The lake `map`, with or without slippery ice.
    pub fn new(map: Lake, slippery: bool) -> Self {
        let rows = map.rows();
        let (height, width) = (rows.len(), rows[0].len());
        let cell = |row: usize, column: usize| Cell {
            letter: rows[row].as_bytes()[column],
            next: [
                row * width + column.saturating_sub(1),
                (row + 1).min(height - 1) * width + column,
                row * width + (column + 1).min(width - 1),
                row.saturating_sub(1) * width + column,
            ],
        };
        let cells = (0..height * width).map(|at| cell(at / width, at % width)).collect();
        FrozenLake { cells, width, slippery, state: State { at: 0, rng: NumpyRng::new(0) } }
    }
}

impl Environment for FrozenLake {
    fn observation_space(&self) -> Space {
        Space::Discrete(self.cells.len())
    }

    fn action_space(&self) -> Space {
        Space::Discrete(4)
    }

    fn reset(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.state.rng = NumpyRng::new(seed);
        }
        // Gymnasium draws the start, though there is only one.
        self.state.rng.next_u64();
        self.state.at = 0;
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Index(self.state.at)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Index(direction @ 0..4) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        // One draw a step, on ice that is not slippery too.
        let draw = self.state.rng.random();
        let direction = if self.slippery {
            let aside = Self::SLIP.iter().position(|&sum| sum > draw).unwrap_or(0);
            (direction + 3 + aside) % 4
        } else {
            direction
        };
        self.state.at = self.cells[self.state.at].next[direction];
        let letter = self.cells[self.state.at].letter;
        let reward = if letter == b'G' { 1.0 } else { 0.0 };
        Ok(Step { reward, terminated: letter == b'G' || letter == b'H', truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.state))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let state: State = thaw(state)?;
        if state.at >= self.cells.len() {
            return Err(StateError::Misfit(format!("there is no cell {}", state.at)));
        }
        self.state = state;
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        let at = (self.state.at / self.width, self.state.at % self.width);
        let letter = |row: usize, column: usize| char::from(self.cells[row * self.width + column].letter);
        Some(text::grid(self.cells.len() / self.width, self.width, Some(at), letter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_go_to_the_sides_of_the_move_and_never_back() {
        let mut lake = FrozenLake::new(Lake::Large, true);
        let mut seen = [0; 4];
        for seed in 0..3000 {
            lake.reset(Some(seed));
            lake.state.at = 9;
            lake.step(2.into()).unwrap();
            seen[lake.cells[9].next.iter().position(|&next| next == lake.state.at).unwrap()] += 1;
        }
        assert_eq!(seen[0], 0);
        assert!(seen[1..].iter().all(|&count| (900..1100).contains(&count)), "{seen:?}");
    }
}
