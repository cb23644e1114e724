use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, text, thaw};
use serde::{Deserialize, Serialize};

/// Gymnasium's `CliffWalking`: from the lower left to the lower right of a 4 x 12 grid, going up (0), right
/// (1), down (2) or left (3), along a cliff. A step costs 1; a fall costs 100 and leads back to the start.
/// The observation is row · 12 + column.
#[derive(Clone, Debug)]
pub struct CliffWalking {
    slippery: bool,
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    at: usize,
    rng: NumpyRng,
}

impl CliffWalking {
    const ROWS: usize = 4;
    const COLUMNS: usize = 12;
    const START: usize = 36;
    const GOAL: usize = 47;
    /// Cumulative probabilities of one direction to the left, as meant, and one to the right.
    const SLIP: [f64; 3] = [1.0 / 3.0, 1.0 / 3.0 + 1.0 / 3.0, 1.0 / 3.0 + 1.0 / 3.0 + 1.0 / 3.0];

    /// The cliff; where it is `slippery`, two of three moves go to the side of the one that is meant.
    pub fn new(slippery: bool) -> Self {
        CliffWalking { slippery, state: State { at: Self::START, rng: NumpyRng::new(0) } }
    }
}

impl Environment for CliffWalking {
    fn observation_space(&self) -> Space {
        Space::Discrete(Self::ROWS * Self::COLUMNS)
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
        self.state.at = Self::START;
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Index(self.state.at)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Index(direction @ 0..4) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        // One draw a step, on dry ground too.
        let draw = self.state.rng.random();
        let direction = if self.slippery {
            let aside = Self::SLIP.iter().position(|&sum| sum > draw).unwrap_or(0);
            (direction + 3 + aside) % 4
        } else {
            direction
        };
        let (row, column) = (self.state.at / Self::COLUMNS, self.state.at % Self::COLUMNS);
        let (row, column) = match direction {
            0 => (row.saturating_sub(1), column),
            1 => (row, (column + 1).min(Self::COLUMNS - 1)),
            2 => ((row + 1).min(Self::ROWS - 1), column),
            _ => (row, column.saturating_sub(1)),
        };
        let at = row * Self::COLUMNS + column;
        let fell = at > Self::START && at < Self::GOAL;
        self.state.at = if fell { Self::START } else { at };
        let reward = if fell { -100.0 } else { -1.0 };
        Ok(Step { reward, terminated: at == Self::GOAL, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.state))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let state: State = thaw(state)?;
        if state.at > Self::GOAL {
            return Err(StateError::Misfit(format!("there is no cell {}", state.at)));
        }
        self.state = state;
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        let at = (self.state.at / Self::COLUMNS, self.state.at % Self::COLUMNS);
        Some(text::grid(Self::ROWS, Self::COLUMNS, Some(at), |row, column| {
            match row * Self::COLUMNS + column {
                Self::GOAL => 'G',
                Self::START => 'S',
                cell if cell > Self::START => 'C',
                _ => 'o',
            }
        }))
    }
}
