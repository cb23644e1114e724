use super::grid::{Direction, Slip, State, slipped};
use super::lake::Lake;
use crate::canvas::Canvas;
use crate::{Action, Environment, Step, StepError, text, tiles};

/// Gymnasium's `FrozenLake`: cross the ice to the goal (reward 1) and fall into no hole, going left (0),
/// down (1), right (2) or up (3). On slippery ice a share of the moves go as meant, and the others to the left
/// and to the right of that, equally often. The observation is row · width + column.
#[derive(Clone, Debug)]
pub struct FrozenLake {
    lake: Lake,
    /// Where the four actions lead from each cell.
    next: Vec<[usize; 4]>,
    slip: Option<Slip>,
    /// Cumulative probabilities of the start cells.
    starts: Vec<f64>,
    state: State,
}

impl FrozenLake {
    /// The share of moves that go as meant, in Gymnasium.
    pub const SUCCESS_RATE: f64 = 1.0 / 3.0;
    const DIRECTIONS: [Direction; 4] = [Direction::Left, Direction::Down, Direction::Right, Direction::Up];

    /// The lake `map`. With a `success_rate` the ice is slippery, and so many of the moves go as meant.
    pub fn new(map: Lake, success_rate: Option<f64>) -> Self {
        // Summed as Gymnasium sums them.
        let slip = |meant: f64| {
            let aside = (1.0 - meant) / 2.0;
            [aside, aside + meant, aside + meant + aside]
        };
        let count = map.letters.iter().filter(|&&letter| letter == b'S').count() as f64;
        let mut sum = 0.0;
        let starts = map.letters.iter().map(|&letter| {
            sum += if letter == b'S' { 1.0 / count } else { 0.0 };
            sum
        });
        let starts = starts.collect();
        let next = (0..map.grid.cells()).map(|cell| Self::DIRECTIONS.map(|way| map.grid.next(cell, way)));
        let (next, slip) = (next.collect(), success_rate.map(slip));
        FrozenLake { lake: map, next, slip, starts, state: State::new(0) }
    }
}

impl Environment for FrozenLake {
    numbered!(|env| { states: env.lake.grid.cells(), actions: 4, at: env.state.at });

    fn reset(&mut self, seed: Option<u64>) {
        self.state.rng.restart(seed);
        self.state.at = self.state.rng.categorical(&self.starts);
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Index(meant @ 0..4) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        let direction = slipped(meant, self.slip.as_ref(), self.state.rng.random());
        self.state.at = self.next[self.state.at][direction];
        let letter = self.lake.letters[self.state.at];
        let reward = if letter == b'G' { 1.0 } else { 0.0 };
        Ok(Step { reward, terminated: letter == b'G' || letter == b'H', truncated: false })
    }

    saves_state!(unless |env, state| state.at >= env.lake.grid.cells() => "there is no such cell");

    fn render_text(&self) -> Option<String> {
        let grid = self.lake.grid;
        let letter = |row: usize, column: usize| char::from(self.lake.letters[row * grid.columns + column]);
        Some(text::grid(grid.rows, grid.columns, Some(grid.place(self.state.at)), letter))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let grid = self.lake.grid;
        let letter = |row: usize, column: usize| char::from(self.lake.letters[row * grid.columns + column]);
        tiles::grid(canvas, grid.rows, grid.columns, Some(grid.place(self.state.at)), letter);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_success_rate_is_the_share_of_moves_as_meant() {
        let mut lake = FrozenLake::new(Lake::large(), Some(0.5));
        let mut seen = [0; 4];
        for seed in 0..3000 {
            lake.reset(Some(seed));
            lake.state.at = 9;
            lake.step(2.into()).unwrap();
            seen[[8, 17, 10, 1].iter().position(|&next| next == lake.state.at).unwrap()] += 1;
        }
        assert_eq!(seen[0], 0);
        assert!((1400..1600).contains(&seen[2]), "{seen:?}");
        assert!([seen[1], seen[3]].iter().all(|count| (650..850).contains(count)), "{seen:?}");
    }

    #[test]
    fn every_start_of_a_map_is_used() {
        let mut lake = FrozenLake::new(Lake::parse("SFS/FFG").unwrap(), None);
        let starts: Vec<_> = (0..50)
            .map(|seed| {
                lake.reset(Some(seed));
                lake.state.at
            })
            .collect();
        assert!(
            starts.contains(&0) && starts.contains(&2) && starts.iter().all(|start| [0, 2].contains(start))
        );
    }
}
