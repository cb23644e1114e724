//! Beliefs about a world that is a grid, as maps of colours.

use super::heading;
use crate::beliefs::Moment;
use crate::figures::{Axis, Figure, Heat, Mark, Panel};
use duvn::ActionView;
use duvn_envs::registry::stem;

/// Where the states of a world lie.
pub struct Grid {
    /// The states in each cell, by row, then column. A cell without any cannot be reached.
    cells: Vec<Vec<Vec<usize>>>,
    /// What the rows are called.
    down: &'static str,
}

impl Grid {
    /// The grid of a world with so many states; `None` where it is none.
    pub fn of(env: &str, states: usize) -> Option<Self> {
        let side = states.isqrt();
        let grid = |rows: usize, columns: usize, down, cell: &dyn Fn(usize, usize) -> Vec<usize>| {
            let row = |row| (0..columns).map(|column| cell(row, column)).collect();
            Some(Grid { cells: (0..rows).map(row).collect(), down })
        };
        match stem(env) {
            // Every move is one down: what lies right of the diagonal is never reached. One state is the end.
            "DeepSea" | "DeepSeaStochastic" if side * side + 1 == states => {
                grid(side, side, "depth", &|row, column| {
                    if column <= row { vec![row * side + column] } else { Vec::new() }
                })
            }
            "FrozenLake" | "FrozenLake8x8" if side * side == states => {
                grid(side, side, "row", &|row, column| vec![row * side + column])
            }
            "CliffWalking" | "CliffWalkingSlippery" if states == 48 => {
                grid(4, 12, "row", &|row, column| vec![row * 12 + column])
            }
            // A cell has a state for each of five places of the passenger and four destinations.
            "Taxi" if states == 500 => grid(5, 5, "row", &|row, column| {
                let first = 20 * (5 * row + column);
                (first..first + 20).collect()
            }),
            _ => None,
        }
    }

    /// The states in each cell, by row, then column.
    pub fn cells(&self) -> &[Vec<Vec<usize>>] {
        &self.cells
    }

    /// What the rows are called.
    pub fn down(&self) -> &'static str {
        self.down
    }

    /// The size of a panel: its longer side is 150, and cells are squares.
    fn panel_size(&self) -> (f64, f64) {
        let (rows, columns) = (self.cells.len(), self.cells.first().map_or(1, Vec::len));
        let cell = 150.0 / rows.max(columns).max(1) as f64;
        (cell * columns as f64, cell * rows as f64)
    }
}

/// What a map shows: its name, what it takes from the actions of a state, and whether it starts at 0.
struct Kind {
    label: &'static str,
    of: fn(&[ActionView]) -> f64,
    from_zero: bool,
}

fn greatest(views: &[ActionView], of: fn(&ActionView) -> f64) -> f64 {
    views.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
}

const KINDS: [Kind; 3] = [
    Kind { label: "μ of the best action", of: |views| greatest(views, |view| view.mean), from_zero: false },
    Kind {
        label: "σ of the more uncertain action",
        of: |views| greatest(views, |view| view.sigma),
        from_zero: true,
    },
    Kind {
        label: "spread of the more uncertain action",
        of: |views| greatest(views, |view| view.spread),
        from_zero: true,
    },
];

/// A row of maps for the mean and for each kind of uncertainty that the agent has: one it does not have is 0 in all
/// states, which would be no map.
pub fn grids(grid: &Grid, moments: &[Moment]) -> Figure {
    let views = || moments.iter().flat_map(|moment| &moment.states);
    let has = |kind: &&Kind| !kind.from_zero || views().any(|views| (kind.of)(views) > 0.0);
    let panels = KINDS.iter().filter(has).flat_map(|kind| maps(grid, kind, moments)).collect();
    Figure { size: grid.panel_size(), ..Figure::new(panels, moments.len()) }
}

/// One kind at every moment, with the same colours.
fn maps(grid: &Grid, kind: &Kind, moments: &[Moment]) -> Vec<Panel> {
    let rows = |moment: &Moment| -> Vec<Vec<f64>> {
        let cell = |states: &Vec<usize>| {
            let sum: f64 = states.iter().map(|&state| (kind.of)(&moment.states[state])).sum();
            // No state: 0 / 0, which is drawn as nothing.
            sum / states.len() as f64
        };
        grid.cells.iter().map(|row| row.iter().map(cell).collect()).collect()
    };
    let all: Vec<_> = moments.iter().map(rows).collect();
    let values = || all.iter().flatten().flatten().copied().filter(|value| value.is_finite());
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let low = if kind.from_zero { 0.0 } else { values().fold(f64::INFINITY, f64::min) };
    let panel = |(moment, rows): (&Moment, Vec<Vec<f64>>)| {
        let down = Axis { reversed: true, ..Axis::new(grid.down) };
        let heat = Heat { rows, range: Some((low, high.max(low + 1e-9))), label: kind.label.into() };
        let marks = vec![Mark::Heat(heat)];
        Panel { title: heading(moment), marks, ..Panel::new(Axis::new("column"), down) }
    };
    moments.iter().zip(all).map(panel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_one_cell_and_deep_sea_half_of_them() {
        for (env, states, rows, columns) in [
            ("FrozenLake-v1?slippery=false", 16, 4, 4),
            ("FrozenLake8x8-v1", 64, 8, 8),
            ("CliffWalking-v1", 48, 4, 12),
            ("Taxi-v4", 500, 5, 5),
        ] {
            let grid = Grid::of(env, states).unwrap();
            let mut held: Vec<usize> = grid.cells.iter().flatten().flatten().copied().collect();
            held.sort_unstable();
            assert_eq!(held, (0..states).collect::<Vec<_>>(), "{env}");
            assert_eq!((grid.cells.len(), grid.cells[0].len()), (rows, columns), "{env}");
        }
        assert_eq!(Grid::of("CliffWalking-v1", 48).unwrap().panel_size(), (150.0, 50.0));
        assert!(Grid::of("Chain-15", 16).is_none() && Grid::of("Toy", 4).is_none());
    }
}
