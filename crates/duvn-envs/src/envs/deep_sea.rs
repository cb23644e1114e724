use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, text, thaw};
use serde::{Deserialize, Serialize};

/// bsuite's `DeepSea`: a diver sinks one row a step through an `n` x `n` grid and goes left or right at
/// each; only going right `n` times reaches the treasure (reward 1), and every move to the right costs
/// 0.01 / `n`. Which action is "right" differs from cell to cell, by a random mapping.
///
/// In the stochastic variant a move to the right fails with probability 1/`n`, and both lower corners pay
/// an extra N(0, 1).
///
/// The observation is row · n + column, and n² at the end of an episode (where bsuite's grid is empty).
#[derive(Clone, Debug)]
pub struct DeepSea {
    n: usize,
    /// The action that goes right, cell by cell.
    right: Vec<bool>,
    stochastic: bool,
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    row: usize,
    column: usize,
    rng: NumpyRng,
}

/// The random numbers of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draws {
    /// From N(0, 1): what a lower corner pays.
    pub noise: f64,
    /// From [0, 1): a move to the right succeeds above 1/n.
    pub slip: f64,
}

impl DeepSea {
    const MOVE_COST: f64 = 0.01;

    /// The `n` x `n` sea whose mapping is drawn from `seed`.
    pub fn new(n: usize, stochastic: bool, seed: u64) -> Self {
        let mut rng = NumpyRng::new(seed);
        let right = (0..n * n).map(|_| rng.random() < 0.5).collect();
        DeepSea { n, right, stochastic, state: State { row: 0, column: 0, rng: NumpyRng::new(0) } }
    }

    /// The sea with a given mapping (for each cell, row by row, whether action 1 goes right); `None`
    /// where that is not a square.
    pub fn with_mapping(right: Vec<bool>, stochastic: bool) -> Option<Self> {
        let n = right.len().isqrt();
        let sea = DeepSea { n, right, stochastic, state: State { row: 0, column: 0, rng: NumpyRng::new(0) } };
        (n > 0 && n * n == sea.right.len()).then_some(sea)
    }

    /// For each cell, row by row, whether action 1 goes right.
    pub fn mapping(&self) -> &[bool] {
        &self.right
    }

    /// One step with these draws in place of the environment's own.
    pub fn advance(&mut self, action: usize, draws: Draws) -> Result<Step, StepError> {
        let State { row, column, .. } = self.state;
        if row >= self.n {
            return Err(StepError::NotRunning);
        }
        let last = self.n - 1;
        let right = self.right[row * self.n + column] == (action == 1);
        let mut reward = 0.0;
        if column == last && right {
            reward += 1.0;
        }
        if self.stochastic && row == last && (column == 0 || column == last) {
            reward += draws.noise;
        }
        if right {
            reward -= Self::MOVE_COST / self.n as f64;
            if !self.stochastic || draws.slip > 1.0 / self.n as f64 {
                self.state.column = (column + 1).min(last);
            }
        } else {
            self.state.column = column.saturating_sub(1);
        }
        self.state.row += 1;
        Ok(Step { reward, terminated: self.state.row == self.n, truncated: false })
    }
}

impl Environment for DeepSea {
    fn observation_space(&self) -> Space {
        Space::Discrete(self.n * self.n + 1)
    }

    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }

    fn reset(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.state.rng = NumpyRng::new(seed);
        }
        (self.state.row, self.state.column) = (0, 0);
    }

    fn observation(&self) -> Observation<'_> {
        let State { row, column, .. } = self.state;
        Observation::Index(if row < self.n { row * self.n + column } else { self.n * self.n })
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Index(index) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        let mut draws = Draws { noise: 0.0, slip: 1.0 };
        if self.stochastic {
            let rng = &mut self.state.rng;
            draws = Draws { noise: rng.gaussian(), slip: rng.random() };
        }
        self.advance(index, draws)
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(&self.right, &self.state)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (right, state): (Vec<bool>, State) = thaw(state)?;
        if right != self.right || state.row > self.n || state.column >= self.n {
            return Err(StateError::Misfit("it is of another sea".into()));
        }
        self.state = state;
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        let State { row, column, .. } = self.state;
        let at = (row < self.n).then_some((row, column));
        Some(text::grid(self.n, self.n, at, |row, column| {
            if row == self.n - 1 && column == self.n - 1 { '$' } else { '~' }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_going_right_every_time_reaches_the_treasure() {
        let mut sea = DeepSea::new(8, false, 3);
        for wrong_at in [None, Some(0), Some(4), Some(7)] {
            sea.reset(Some(0));
            let mut total = 0.0;
            for row in 0..8 {
                let Observation::Index(cell) = sea.observation() else { panic!("an index") };
                let right = usize::from(sea.mapping()[cell]);
                let action = if wrong_at == Some(row) { 1 - right } else { right };
                total += sea.step(action.into()).unwrap().reward;
            }
            let moves = if wrong_at.is_some() { 7.0 } else { 8.0 };
            let treasure = if wrong_at.is_some() { 0.0 } else { 1.0 };
            assert!((total - (treasure - 0.01 * moves / 8.0)).abs() < 1e-12, "{total}");
            assert_eq!(sea.observation(), Observation::Index(64));
        }
    }
}
