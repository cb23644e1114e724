//! True values of small worlds, by dynamic programming: what beliefs are held against.

use duvn_envs::{Environment, Observation, StateError, StepError};

/// An observation that is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// One of the indices of a discrete space.
    Index(usize),
    /// The numbers of a box.
    Vector(Vec<f32>),
}

impl Seen {
    /// The observation.
    pub fn as_observation(&self) -> Observation<'_> {
        match self {
            Seen::Index(index) => Observation::Index(*index),
            Seen::Vector(numbers) => Observation::Vector(numbers),
        }
    }
}

impl From<Observation<'_>> for Seen {
    fn from(observation: Observation<'_>) -> Self {
        match observation {
            Observation::Index(index) => Seen::Index(index),
            Observation::Vector(numbers) => Seen::Vector(numbers.to_vec()),
        }
    }
}

/// Where an action leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The reward of going there.
    pub reward: f64,
    /// The state; `None` where the task ends.
    pub to: Option<usize>,
}

/// Every state of a world without chance, and where each action leads.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// What an agent sees in each state; the first is the start.
    pub states: Vec<Seen>,
    /// By state and action.
    pub ways: Vec<Vec<Way>>,
}

/// Why the states of an environment cannot be listed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum ExactError {
    /// Its actions cannot be listed.
    #[error("the actions of this environment cannot be listed: choose one with discrete actions")]
    Actions,
    /// It cannot be brought back to a state.
    #[error("this environment cannot be frozen: write its `save` and `restore`")]
    Frozen,
    /// There are more states than asked for.
    #[error("there are more than {0} states: choose a smaller world")]
    Many(usize),
    /// It cannot be brought back to a state that it was in.
    State(#[from] StateError),
    /// It refused an action.
    Step(#[from] StepError),
}

impl World {
    /// The states of `env` that can be reached from its start, at most `most`, found by trying every action in every
    /// state. What is seen must be all that decides what follows, and nothing may be left to chance.
    pub fn explore(env: &mut impl Environment, most: usize) -> Result<Self, ExactError> {
        let duvn_envs::Space::Discrete(actions) = env.action_space() else { return Err(ExactError::Actions) };
        env.reset(Some(0));
        let mut states = vec![Seen::from(env.observation())];
        let mut frozen = vec![env.save().ok_or(ExactError::Frozen)?];
        let mut ways: Vec<Vec<Way>> = Vec::new();
        while ways.len() < states.len() {
            let mut of_state = Vec::with_capacity(actions);
            for action in 0..actions {
                env.restore(&frozen[ways.len()])?;
                let step = env.step(action.into())?;
                let to = if step.terminated {
                    None
                } else {
                    let seen = Seen::from(env.observation());
                    let known = states.iter().position(|state| *state == seen);
                    Some(match known {
                        Some(state) => state,
                        None if states.len() == most => return Err(ExactError::Many(most)),
                        None => {
                            states.push(seen);
                            frozen.push(env.save().ok_or(ExactError::Frozen)?);
                            states.len() - 1
                        }
                    })
                };
                of_state.push(Way { reward: step.reward, to });
            }
            ways.push(of_state);
        }
        Ok(World { states, ways })
    }

    /// The value of each state for whoever acts best: V(s) = max over a of r + gamma V(s'), with V = 0 after the end.
    pub fn values(&self, gamma: f64) -> Vec<f64> {
        let mut values = vec![0.0; self.states.len()];
        for _ in 0..MOST_SWEEPS {
            let mut moved = 0.0f64;
            for state in 0..values.len() {
                let worth = |way: &Way| way.reward + gamma * way.to.map_or(0.0, |to| values[to]);
                let best = self.ways[state].iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
                moved = moved.max((best - values[state]).abs());
                values[state] = best;
            }
            if moved < STILL {
                break;
            }
        }
        values
    }
}

/// Sweeps after which values are taken as they are: with a discount they have long come to rest.
const MOST_SWEEPS: usize = 20_000;
/// A sweep that moves nothing by more than this is the last.
const STILL: f64 = 1e-10;

/// Values of a world with two coordinates and no chance: on the nodes of a grid, and linear between them in each
/// direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    low: [f64; 2],
    high: [f64; 2],
    nodes: [usize; 2],
    values: Vec<f64>,
}

impl Plane {
    /// The values for whoever acts best within a box, on so many nodes in each direction. `step` says what an action
    /// pays in a place and where it leads: `None` where the task ends.
    pub fn solve(
        (low, high): ([f64; 2], [f64; 2]),
        nodes: [usize; 2],
        actions: usize,
        gamma: f64,
        step: impl Fn([f64; 2], usize) -> (f64, Option<[f64; 2]>),
    ) -> Self {
        let nodes = nodes.map(|count| count.max(2));
        let mut plane = Plane { low, high, nodes, values: vec![0.0; nodes[0] * nodes[1]] };
        // Where the actions lead does not change from sweep to sweep.
        let ways: Vec<(f64, Option<Corners>)> = (0..plane.values.len())
            .flat_map(|node| (0..actions).map(move |action| (node, action)))
            .map(|(node, action)| {
                let (reward, to) = step(plane.place(node), action);
                (reward, to.map(|at| plane.corners(at)))
            })
            .collect();
        for _ in 0..MOST_SWEEPS {
            let mut moved = 0.0f64;
            for (node, ways) in ways.chunks_exact(actions.max(1)).enumerate() {
                let worth = |(reward, to): &(f64, Option<Corners>)| {
                    reward + gamma * to.as_ref().map_or(0.0, |corners| corners.value(&plane.values))
                };
                let best = ways.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
                moved = moved.max((best - plane.values[node]).abs());
                plane.values[node] = best;
            }
            if moved < STILL {
                break;
            }
        }
        plane
    }

    /// The value of a place; outside of the box that of the nearest place within.
    pub fn value(&self, at: [f64; 2]) -> f64 {
        self.corners(at).value(&self.values)
    }

    fn place(&self, node: usize) -> [f64; 2] {
        let along = [node / self.nodes[1], node % self.nodes[1]];
        [0, 1].map(|i| {
            self.low[i] + (self.high[i] - self.low[i]) * along[i] as f64 / (self.nodes[i] - 1) as f64
        })
    }

    fn corners(&self, at: [f64; 2]) -> Corners {
        let [(row, up), (column, right)] = [0, 1].map(|i| {
            let last = (self.nodes[i] - 1) as f64;
            let along = ((at[i] - self.low[i]) / (self.high[i] - self.low[i]) * last).clamp(0.0, last);
            let cell = (along as usize).min(self.nodes[i] - 2);
            (cell, along - cell as f64)
        });
        Corners { first: row * self.nodes[1] + column, row: self.nodes[1], up, right }
    }
}

/// A place among the four nodes around it.
struct Corners {
    first: usize,
    /// From a node to that of the next row.
    row: usize,
    up: f64,
    right: f64,
}

impl Corners {
    fn value(&self, values: &[f64]) -> f64 {
        let across = |from: usize| values[from] * (1.0 - self.right) + values[from + 1] * self.right;
        across(self.first) * (1.0 - self.up) + across(self.first + self.row) * self.up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duvn_envs::registry;

    /// The far corner of a square of side 4 is eight steps away, and the last one pays.
    #[test]
    fn a_square_is_worth_what_the_shortest_way_out_is() {
        let world = World::explore(&mut registry::make("PointMaze-4", 0).unwrap(), 100).unwrap();
        let values = world.values(0.9);
        assert_eq!((world.states.len(), &world.states[0]), (24, &Seen::Vector(vec![0.0, 0.0])));
        assert!((values[0] - 0.9f64.powi(7)).abs() < 1e-9, "{}", values[0]);
        let beside = world.states.iter().position(|state| *state == Seen::Vector(vec![1.0, 0.75])).unwrap();
        assert!((values[beside] - 1.0).abs() < 1e-9);
    }

    /// The goal of the small lake is six steps away; holes are worth nothing and are no states.
    #[test]
    fn a_lake_is_crossed_in_six_steps() {
        let mut lake = registry::make("FrozenLake-v1?slippery=false", 0).unwrap();
        let world = World::explore(&mut lake, 100).unwrap();
        assert_eq!(world.states.len(), 11);
        assert!((world.values(0.995)[0] - 0.995f64.powi(5)).abs() < 1e-9);
        assert_eq!(World::explore(&mut lake, 5), Err(ExactError::Many(5)));
    }

    /// Every step costs 1 and goes up by a quarter: one step from 0.75 on, two from 0.5 on. Values are linear between
    /// nodes, which lie at multiples of 0.25.
    #[test]
    fn a_plane_is_linear_between_its_nodes() {
        let up = |at: [f64; 2], _: usize| (-1.0, (at[0] < 0.75).then_some([at[0] + 0.25, at[1]]));
        let plane = Plane::solve(([0.0, -1.0], [1.0, 1.0]), [5, 3], 1, 0.5, up);
        let values = [0.75, 0.5, 0.25, 0.0].map(|x| plane.value([x, 0.3]));
        assert_eq!(values, [-1.0, -1.5, -1.75, -1.875]);
        assert_eq!(plane.value([0.625, 0.0]), -1.25);
        assert_eq!(plane.value([-3.0, 9.0]), -1.875, "outside it is the nearest place");
    }
}
