use crate::canvas::Canvas;
use crate::rng::RandomState;
use crate::{
    Action, Environment, Observation, Space, StateError, Step, StepError, freeze, text, thaw, tiles,
};
use serde::{Deserialize, Serialize};

/// bsuite's `Catch`: a ball falls through a board of 10 rows and 5 columns, one row a step; the paddle in
/// the last row goes left (0), stays (1) or goes right (2). Catching the ball pays 1, missing it costs 1.
///
/// The observation is the board, row by row: 1 where the ball or the paddle is, else 0.
#[derive(Clone, Debug)]
pub struct Catch {
    state: State,
    board: [f32; ROWS * COLUMNS],
}

const ROWS: usize = 10;
const COLUMNS: usize = 5;
const PADDLE_ROW: usize = ROWS - 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    ball_row: usize,
    ball_column: usize,
    paddle: usize,
    rng: RandomState,
}

impl Default for Catch {
    fn default() -> Self {
        let state = State { ball_row: 0, ball_column: 0, paddle: COLUMNS / 2, rng: RandomState::new(0) };
        let mut catch = Catch { state, board: [0.0; ROWS * COLUMNS] };
        catch.observe();
        catch
    }
}

impl Catch {
    fn observe(&mut self) {
        let State { ball_row, ball_column, paddle, .. } = self.state;
        self.board.fill(0.0);
        self.board[ball_row * COLUMNS + ball_column] = 1.0;
        self.board[PADDLE_ROW * COLUMNS + paddle] = 1.0;
    }
}

impl Environment for Catch {
    fn observation_space(&self) -> Space {
        Space::Box { low: vec![0.0; ROWS * COLUMNS], high: vec![1.0; ROWS * COLUMNS] }
    }

    fn action_space(&self) -> Space {
        Space::Discrete(3)
    }

    fn reset(&mut self, seed: Option<u64>) {
        self.state.rng.restart(seed);
        self.state.ball_column = self.state.rng.randint(COLUMNS as u32) as usize;
        (self.state.ball_row, self.state.paddle) = (0, COLUMNS / 2);
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.board)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let State { ball_row, ball_column, paddle, .. } = &mut self.state;
        if *ball_row >= PADDLE_ROW {
            return Err(StepError::NotRunning);
        }
        match action {
            Action::Index(0) => *paddle = paddle.saturating_sub(1),
            Action::Index(2) => *paddle = (*paddle + 1).min(COLUMNS - 1),
            _ => {}
        }
        *ball_row += 1;
        let terminated = *ball_row == PADDLE_ROW;
        let reward = match (terminated, paddle == ball_column) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => -1.0,
        };
        self.observe();
        Ok(Step { reward, terminated, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.state))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let state: State = thaw(state)?;
        if state.ball_row >= ROWS || state.ball_column >= COLUMNS || state.paddle >= COLUMNS {
            return Err(StateError::Misfit("the ball or the paddle is off the board".into()));
        }
        self.state = state;
        self.observe();
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        let State { ball_row, ball_column, paddle, .. } = self.state;
        let marked = Some((PADDLE_ROW, paddle));
        Some(text::grid(ROWS, COLUMNS, marked, |row, column| {
            if (row, column) == (ball_row, ball_column) { 'o' } else { '.' }
        }))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let State { ball_row, ball_column, paddle, .. } = self.state;
        tiles::grid(canvas, ROWS, COLUMNS, Some((PADDLE_ROW, paddle)), |row, column| {
            if (row, column) == (ball_row, ball_column) { '$' } else { '.' }
        });
        true
    }
}
