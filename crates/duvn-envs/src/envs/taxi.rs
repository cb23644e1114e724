use super::grid::Slip;
use crate::canvas::{Canvas, Colour};
use crate::rng::NumpyRng;
use crate::{Action, Environment, Step, StepError, text, tiles};
use serde::{Deserialize, Serialize};

/// Gymnasium's `Taxi`: fetch a passenger from one of four landmarks and drop them off at another, by
/// driving south (0), north (1), east (2), west (3), picking up (4) and dropping off (5).
///
/// A step costs 1, a pick-up or drop-off where none is possible 10; the right drop-off pays 20 and ends
/// the episode. Dropping the passenger at a wrong landmark is allowed. The observation is
/// ((row · 5 + column) · 5 + passenger) · 4 + destination, the passenger being 4 while in the taxi.
#[derive(Clone, Debug)]
pub struct Taxi {
    moves: Vec<[Move; 6]>,
    /// Cumulative probabilities of the start states.
    starts: Vec<f64>,
    /// In rain: cumulative probabilities of driving as meant, to the left and to the right of that.
    rain: Option<Slip>,
    /// How likely a passenger changes their mind, if they ever do.
    fickleness: Option<f64>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
struct Move {
    next: u16,
    reward: i8,
    terminated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    at: usize,
    rng: NumpyRng,
    /// The passenger will choose another destination on the first drive.
    changes_mind: bool,
}

/// What a state's number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scene {
    row: usize,
    column: usize,
    passenger: usize,
    destination: usize,
}

const STATES: usize = 500;
const IN_TAXI: usize = 4;
const LANDMARKS: [(usize, usize); 4] = [(0, 0), (0, 4), (4, 0), (4, 3)];
const NAMES: [char; 4] = ['R', 'G', 'Y', 'B'];
/// The rows and the column of each cell with a wall on its eastern side.
const WALLS: [(usize, usize); 6] = [(0, 1), (1, 1), (3, 0), (3, 2), (4, 0), (4, 2)];

impl Scene {
    fn of(state: usize) -> Self {
        Scene { row: state / 100, column: state / 20 % 5, passenger: state / 4 % 5, destination: state % 4 }
    }

    fn index(self) -> usize {
        ((self.row * 5 + self.column) * 5 + self.passenger) * 4 + self.destination
    }

    fn is_start(self) -> bool {
        self.passenger != IN_TAXI && self.passenger != self.destination
    }

    fn after(self, action: usize) -> Move {
        let mut next = self;
        let mut reward = -1;
        let mut terminated = false;
        let here = (self.row, self.column);
        match action {
            0 => next.row = (self.row + 1).min(4),
            1 => next.row = self.row.saturating_sub(1),
            2 if self.column < 4 && !WALLS.contains(&here) => next.column += 1,
            3 if self.column > 0 && !WALLS.contains(&(self.row, self.column - 1)) => next.column -= 1,
            4 if LANDMARKS.get(self.passenger) == Some(&here) => next.passenger = IN_TAXI,
            5 if self.passenger == IN_TAXI && LANDMARKS.contains(&here) => {
                terminated = LANDMARKS[self.destination] == here;
                next.passenger = LANDMARKS.iter().position(|&place| place == here).unwrap_or(IN_TAXI);
                reward = if terminated { 20 } else { -1 };
            }
            4 | 5 => reward = -10,
            _ => {}
        }
        Move { next: next.index() as u16, reward, terminated }
    }
}

/// The directions to the left and to the right of south, north, east and west.
const ASIDE: [[usize; 2]; 4] = [[2, 3], [3, 2], [1, 0], [0, 1]];

impl Taxi {
    /// The chance of driving as meant in rain, in Gymnasium.
    pub const RAINY_PROBABILITY: f64 = 0.8;
    /// The chance that a fickle passenger changes their mind, in Gymnasium.
    pub const FICKLE_PROBABILITY: f64 = 0.3;

    /// The town. In rain the taxi drives as meant with the probability `rain`, else to one of the sides. A
    /// passenger who is fickle, with the probability `fickleness` for each episode, chooses another destination
    /// when the taxi first drives with them in it.
    pub fn new(rain: Option<f64>, fickleness: Option<f64>) -> Self {
        let starts = (0..STATES).filter(|&state| Scene::of(state).is_start()).count() as f64;
        let mut sum = 0.0;
        Taxi {
            moves: (0..STATES).map(|state| std::array::from_fn(|a| Scene::of(state).after(a))).collect(),
            starts: (0..STATES)
                .map(|state| {
                    sum += if Scene::of(state).is_start() { 1.0 / starts } else { 0.0 };
                    sum
                })
                .collect(),
            rain: rain.map(|meant| {
                let aside = (1.0 - meant) / 2.0;
                [meant, meant + aside, meant + aside + aside]
            }),
            fickleness,
            state: State { at: 0, rng: NumpyRng::new(0), changes_mind: false },
        }
    }

    /// Where a drive leads in rain: to the side it slips only where the way that is meant is free.
    fn drive(&self, direction: usize, rain: &Slip, draw: f64) -> usize {
        let lead = |direction: usize| usize::from(self.moves[self.state.at][direction].next);
        let slip = rain.iter().position(|&sum| sum > draw).unwrap_or(0);
        if slip == 0 || lead(direction) == self.state.at {
            return lead(direction);
        }
        lead(ASIDE[direction][slip - 1])
    }

    /// Where a move that is meant to lead to `next` ends in rain or with a fickle passenger. Apart, so that the plain town
    /// does not pay for it.
    #[inline(never)]
    fn surprise(&mut self, action: usize, mut next: usize, draw: f64) -> usize {
        if let (Some(rain), 0..4) = (&self.rain, action) {
            next = self.drive(action, rain, draw);
        }
        if self.state.changes_mind { self.change_mind(next) } else { next }
    }

    /// Where a move to `next` leads with a passenger who changes their mind when the taxi first drives with them.
    fn change_mind(&mut self, next: usize) -> usize {
        let (before, mut after) = (Scene::of(self.state.at), Scene::of(next));
        let drove = (before.row, before.column) != (after.row, after.column);
        if before.passenger == IN_TAXI && drove {
            self.state.changes_mind = false;
            let other = self.state.rng.integers(0, 3) as usize;
            after.destination = if other < before.destination { other } else { other + 1 };
        }
        after.index()
    }
}

impl Default for Taxi {
    fn default() -> Self {
        Taxi::new(None, None)
    }
}

impl Environment for Taxi {
    numbered!(|env| { states: STATES, actions: 6, at: env.state.at });

    fn reset(&mut self, seed: Option<u64>) {
        self.state.rng.restart(seed);
        self.state.at = self.state.rng.categorical(&self.starts);
        self.state.changes_mind = self.fickleness.is_some_and(|chance| self.state.rng.random() < chance);
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Index(index @ 0..6) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        // Gymnasium draws the outcome, even where there is only one.
        let draw = self.state.rng.random();
        let Move { next, reward, terminated } = self.moves[self.state.at][index];
        self.state.at = if self.rain.is_none() && !self.state.changes_mind {
            usize::from(next)
        } else {
            self.surprise(index, usize::from(next), draw)
        };
        Ok(Step { reward: f64::from(reward), terminated, truncated: false })
    }

    saves_state!(unless |_, state| state.at >= STATES => "there is no such state");

    fn render_text(&self) -> Option<String> {
        let scene = Scene::of(self.state.at);
        let mut lines = String::from("+---------+\n");
        for row in 0..5 {
            lines.push('|');
            for column in 0..5 {
                let landmark = LANDMARKS.iter().position(|&place| place == (row, column));
                let letter = landmark.map_or(' ', |landmark| NAMES[landmark]);
                text::push(&mut lines, letter, (row, column) == (scene.row, scene.column));
                lines.push(if column == 4 || WALLS.contains(&(row, column)) { '|' } else { ':' });
            }
            lines.push('\n');
        }
        lines.push_str("+---------+\n");
        let passenger = NAMES.get(scene.passenger).map_or("in the taxi".into(), |name| format!("at {name}"));
        Some(lines + &format!("passenger {passenger}, to {}\n", NAMES[scene.destination]))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let scene = Scene::of(self.state.at);
        let at = Some((scene.row, scene.column));
        let landmark = |place| LANDMARKS.iter().position(|&known| known == place);
        tiles::grid(canvas, 5, 5, at, |row, column| match landmark((row, column)) {
            Some(place) if place == scene.destination => 'G',
            Some(_) => 'S',
            None => ' ',
        });
        for &(row, column) in &WALLS {
            let (x, top) = (column as f64 + 1.0, 5.0 - row as f64);
            canvas.line(&[(x, top), (x, top - 1.0)], 0.09, Colour::BLACK);
        }
        let waits = LANDMARKS.get(scene.passenger).copied().unwrap_or((scene.row, scene.column));
        canvas.circle((waits.1 as f64 + 0.5, 4.5 - waits.0 as f64), 0.15, Colour(60, 90, 200));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_scenes_are_one_to_one() {
        assert!((0..STATES).all(|state| Scene::of(state).index() == state));
    }

    #[test]
    fn a_draw_above_the_rounded_sum_of_the_starts_is_state_0() {
        let taxi = Taxi::default();
        assert_eq!(taxi.starts.last(), Some(&0.999_999_999_999_996_1));
    }
}
