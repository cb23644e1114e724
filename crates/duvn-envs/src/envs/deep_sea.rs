use crate::canvas::Canvas;
use crate::rng::{NumpyRng, RandomState};
use crate::{
    Action, Environment, Observation, Space, StateError, Step, StepError, freeze, text, thaw, tiles,
};
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
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    row: usize,
    column: usize,
    /// Decides about slips and noise, where there are any.
    rng: Option<RandomState>,
    /// An action led away from the diagonal, where the only way to the treasure is.
    strayed: bool,
}

impl DeepSea {
    const MOVE_COST: f64 = 0.01;

    /// The `n` x `n` sea whose mapping is drawn from `seed`.
    pub fn new(n: usize, stochastic: bool, seed: u64) -> Self {
        let mut rng = NumpyRng::new(seed);
        Self::with(n, stochastic, || rng.random() < 0.5)
    }

    /// The `n` x `n` sea with bsuite's mapping of this seed.
    pub fn bsuite(n: usize, stochastic: bool, mapping_seed: u64) -> Self {
        let mut rng = RandomState::new(mapping_seed);
        Self::with(n, stochastic, || rng.coin())
    }

    fn with(n: usize, stochastic: bool, mut right: impl FnMut() -> bool) -> Self {
        let rng = stochastic.then(|| RandomState::new(0));
        DeepSea {
            n,
            right: (0..n * n).map(|_| right()).collect(),
            state: State { row: 0, column: 0, rng, strayed: false },
        }
    }

    /// For each cell, row by row, whether action 1 goes right.
    pub fn mapping(&self) -> &[bool] {
        &self.right
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
        if let Some(rng) = &mut self.state.rng {
            rng.restart(seed);
        }
        (self.state.row, self.state.column, self.state.strayed) = (0, 0, false);
    }

    fn observation(&self) -> Observation<'_> {
        let &State { row, column, .. } = &self.state;
        Observation::Index(if row < self.n { row * self.n + column } else { self.n * self.n })
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let State { row, column, rng, strayed } = &mut self.state;
        if *row >= self.n {
            return Err(StepError::NotRunning);
        }
        let (last, n) = (self.n - 1, self.n as f64);
        let right = self.right[*row * self.n + *column] == (action == Action::Index(1));
        let mut reward = if *column == last && right { 1.0 } else { 0.0 };
        if let Some(rng) = rng
            && *row == last
            && (*column == 0 || *column == last)
        {
            reward += rng.randn();
        }
        if right {
            if rng.as_mut().is_none_or(|rng| rng.rand() > 1.0 / n) {
                *column = (*column + 1).min(last);
            }
            reward -= Self::MOVE_COST / n;
        } else {
            *strayed |= row == column;
            *column = column.saturating_sub(1);
        }
        *row += 1;
        Ok(Step { reward, terminated: *row == self.n, truncated: false })
    }

    /// Where moves fail, an episode counts by what was tried: 1 if all actions on the diagonal went right, else 0.
    fn denoised_return(&self) -> Option<f64> {
        let State { row, strayed, rng, .. } = &self.state;
        rng.as_ref().map(|_| if *row == self.n && !strayed { 1.0 } else { 0.0 })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(&self.right, &self.state)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (right, state): (Vec<bool>, State) = thaw(state)?;
        let alike = right == self.right && state.rng.is_some() == self.state.rng.is_some();
        if !alike || state.row > self.n || state.column >= self.n {
            return Err(StateError::Misfit("it is of another sea".into()));
        }
        self.state = state;
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        let &State { row, column, .. } = &self.state;
        let at = (row < self.n).then_some((row, column));
        Some(text::grid(self.n, self.n, at, |row, column| {
            if row == self.n - 1 && column == self.n - 1 { '$' } else { '~' }
        }))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let &State { row, column, .. } = &self.state;
        let at = (row < self.n).then_some((row, column));
        tiles::grid(canvas, self.n, self.n, at, |row, column| {
            if row == self.n - 1 && column == self.n - 1 { '$' } else { '~' }
        });
        true
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

    #[test]
    fn without_its_noise_an_episode_counts_by_what_was_tried() {
        let mut sea = DeepSea::new(6, true, 1);
        for seed in 0..30 {
            let wrong_at = (seed % 2 == 0).then_some(0);
            sea.reset(Some(seed));
            for row in 0..6 {
                let Observation::Index(cell) = sea.observation() else { panic!("an index") };
                let right = usize::from(sea.mapping()[cell]);
                sea.step(if wrong_at == Some(row) { 1 - right } else { right }.into()).unwrap();
            }
            assert_eq!(sea.denoised_return(), Some(if wrong_at.is_some() { 0.0 } else { 1.0 }));
        }
        assert_eq!(DeepSea::new(6, false, 1).denoised_return(), None);
    }
}
