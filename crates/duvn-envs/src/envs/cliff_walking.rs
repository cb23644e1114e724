use super::grid::{Direction, Grid, Slip, State, slipped};
use crate::canvas::Canvas;
use crate::{Action, Environment, Step, StepError, text, tiles};

/// Gymnasium's `CliffWalking`: from the lower left to the lower right of a 4 x 12 grid, going up (0), right
/// (1), down (2) or left (3), along a cliff. A step costs 1; a fall costs 100 and leads back to the start.
/// The observation is row · 12 + column.
#[derive(Clone, Debug)]
pub struct CliffWalking {
    slippery: bool,
    state: State,
}

impl CliffWalking {
    const GRID: Grid = Grid { rows: 4, columns: 12 };
    const START: usize = 36;
    const GOAL: usize = 47;
    const DIRECTIONS: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];
    const SLIP: Slip = [1.0 / 3.0, 1.0 / 3.0 + 1.0 / 3.0, 1.0 / 3.0 + 1.0 / 3.0 + 1.0 / 3.0];

    /// The cliff; where it is `slippery`, two of three moves go to the side of the one that is meant.
    pub fn new(slippery: bool) -> Self {
        CliffWalking { slippery, state: State::new(Self::START) }
    }

    fn letter(row: usize, column: usize) -> char {
        match row * Self::GRID.columns + column {
            Self::GOAL => 'G',
            Self::START => 'S',
            cell if cell > Self::START => 'C',
            _ => 'o',
        }
    }
}

impl Environment for CliffWalking {
    numbered!(|env| { states: Self::GRID.cells(), actions: 4, at: env.state.at });

    fn reset(&mut self, seed: Option<u64>) {
        self.state.rng.restart(seed);
        // Gymnasium draws the start, though there is only one.
        self.state.rng.next_u64();
        self.state.at = Self::START;
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Index(meant @ 0..4) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        let slip = self.slippery.then_some(&Self::SLIP);
        let direction = slipped(meant, slip, self.state.rng.random());
        let at = Self::GRID.next(self.state.at, Self::DIRECTIONS[direction]);
        let fell = at > Self::START && at < Self::GOAL;
        self.state.at = if fell { Self::START } else { at };
        let reward = if fell { -100.0 } else { -1.0 };
        Ok(Step { reward, terminated: at == Self::GOAL, truncated: false })
    }

    saves_state!(unless |_, state| state.at > Self::GOAL => "there is no such cell");

    fn render_text(&self) -> Option<String> {
        let Grid { rows, columns } = Self::GRID;
        let at = Some(Self::GRID.place(self.state.at));
        Some(text::grid(rows, columns, at, Self::letter))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let Grid { rows, columns } = Self::GRID;
        tiles::grid(canvas, rows, columns, Some(Self::GRID.place(self.state.at)), Self::letter);
        true
    }
}
