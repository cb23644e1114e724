use crate::canvas::{Canvas, Colour, rectangle};
use crate::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, text, thaw};

/// A point in the unit square that goes right (0), up (1), left (2) or down (3) by 1/`n` a step, from the
/// lower left corner to the upper right one. Only arriving there pays (1), and it ends the episode.
///
/// The observation is x and y, so that what is learnt of one place is guessed of its neighbours; but the places are
/// those of a grid, so that true values can be computed: a shortest way has 2`n` steps.
///
/// Walls across the square, at equal distances, leave open one place each: the uppermost, then the lowest,
/// and so on. The second wall makes the way 2`n` steps longer.
#[derive(Clone, Debug)]
pub struct PointMaze {
    n: usize,
    /// The column to the left of each wall.
    walls: Vec<usize>,
    /// Column and row.
    at: (usize, usize),
    observation: [f32; 2],
}

impl PointMaze {
    /// The most walls that there can be.
    pub const MAX_WALLS: usize = 3;

    /// A square of side `n` steps with so many walls, at most [`Self::MAX_WALLS`].
    pub fn new(n: usize, walls: usize) -> Self {
        let walls = walls.min(Self::MAX_WALLS);
        let walls = (1..=walls).map(|wall| (wall * (n + 1) / (walls + 1)).saturating_sub(1)).collect();
        PointMaze { n, walls, at: (0, 0), observation: [0.0; 2] }
    }

    /// Where the wall to the right of `column` is open; `None` where there is no wall.
    fn opening(&self, column: usize) -> Option<usize> {
        let wall = self.walls.iter().position(|&left| left == column)?;
        Some(if wall % 2 == 0 { self.n } else { 0 })
    }

    /// Whether one can go from `column` to the next one in this row.
    fn is_open(&self, column: usize, row: usize) -> bool {
        column < self.n && self.opening(column).is_none_or(|open| open == row)
    }

    fn place(&mut self, at: (usize, usize)) {
        self.at = at;
        self.observation = [at.0, at.1].map(|steps| steps as f32 / self.n as f32);
    }
}

impl Environment for PointMaze {
    fn observation_space(&self) -> Space {
        Space::Box { low: vec![0.0; 2], high: vec![1.0; 2] }
    }

    fn action_space(&self) -> Space {
        Space::Discrete(4)
    }

    fn reset(&mut self, _seed: Option<u64>) {
        self.place((0, 0));
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let (column, row) = self.at;
        self.place(match action {
            Action::Index(0) if self.is_open(column, row) => (column + 1, row),
            Action::Index(1) => (column, (row + 1).min(self.n)),
            Action::Index(2) if column > 0 && self.is_open(column - 1, row) => (column - 1, row),
            Action::Index(3) => (column, row.saturating_sub(1)),
            _ => (column, row),
        });
        let arrived = self.at == (self.n, self.n);
        Ok(Step { reward: f64::from(u8::from(arrived)), terminated: arrived, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.at))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let at: (usize, usize) = thaw(state)?;
        if at.0 > self.n || at.1 > self.n {
            return Err(StateError::Misfit(format!("there is no place {at:?}")));
        }
        self.place(at);
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        let mut lines = String::new();
        for row in (0..=self.n).rev() {
            for column in 0..=self.n {
                let letter = if (column, row) == (self.n, self.n) { 'G' } else { '.' };
                text::push(&mut lines, letter, (column, row) == self.at);
                if self.opening(column).is_some() {
                    lines.push(if self.is_open(column, row) { ' ' } else { '|' });
                }
            }
            lines.push('\n');
        }
        Some(lines)
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let (side, n) = (1.0 / (self.n as f64 + 1.0), self.n as f64);
        let centre = |column: f64, row: f64| ((column + 0.5) * side, (row + 0.5) * side);
        canvas.view((-0.02, -0.02), (1.02, 1.02), Colour::WHITE);
        let frame = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)];
        canvas.line(&frame, 0.01, Colour::BLACK);
        canvas.polygon(&rectangle((n * side, n * side), (1.0, 1.0)), Colour(150, 205, 150));
        for &left in &self.walls {
            let x = (left as f64 + 1.0) * side;
            let (foot, top) = if self.opening(left) == Some(0) { (side, 1.0) } else { (0.0, n * side) };
            canvas.line(&[(x, foot), (x, top)], 0.015, Colour::BLACK);
        }
        canvas.circle(
            centre(self.at.0 as f64, self.at.1 as f64),
            (side * 0.4).max(0.01),
            Colour(204, 77, 77),
        );
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of a shortest way, by breadth-first search through the environment itself.
    fn shortest(n: usize, walls: usize) -> usize {
        let mut maze = PointMaze::new(n, walls);
        let mut known = vec![(0, 0)];
        let mut frontier = known.clone();
        for steps in 1.. {
            for from in std::mem::take(&mut frontier) {
                for action in 0..4 {
                    maze.place(from);
                    if maze.step(action.into()).unwrap().terminated {
                        return steps;
                    }
                    if !known.contains(&maze.at) {
                        known.push(maze.at);
                        frontier.push(maze.at);
                    }
                }
            }
            assert!(!frontier.is_empty(), "no way to the goal");
        }
        unreachable!("the loop has no end")
    }

    #[test]
    fn every_second_wall_makes_the_way_longer() {
        for n in [4, 10, 11] {
            assert_eq!([0, 1, 2, 3].map(|walls| shortest(n, walls)), [2 * n, 2 * n, 4 * n, 4 * n]);
        }
    }

    #[test]
    fn only_the_corner_pays_and_the_border_holds() {
        let mut maze = PointMaze::new(4, 0);
        maze.reset(None);
        for action in [2, 3, 0, 0, 0, 0, 0, 1, 1, 1] {
            assert_eq!(maze.step(action.into()).unwrap().reward, 0.0);
        }
        assert_eq!(maze.observation(), Observation::Vector(&[1.0, 0.75]));
        let step = maze.step(1.into()).unwrap();
        assert_eq!(step, Step { reward: 1.0, terminated: true, truncated: false });
    }

    #[test]
    fn a_wall_is_open_in_one_place_and_shown() {
        let mut maze = PointMaze::new(4, 2);
        maze.reset(None);
        maze.step(0.into()).unwrap();
        assert_eq!(maze.at, (0, 0));
        let text = maze.render_text().unwrap().replace("\x1b[7m", "").replace("\x1b[0m", "");
        assert_eq!(text, ". ..|.G\n.|..|..\n.|..|..\n.|..|..\n.|.. ..\n");
    }
}
