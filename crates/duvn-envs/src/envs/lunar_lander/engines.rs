//! What an action does to the engines.

/// Which engines run, and how strongly (from 0 to 1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Engines {
    pub(super) main: f64,
    pub(super) side: f64,
    /// -1 for the left engine, 1 for the right one.
    pub(super) direction: f64,
}

impl Engines {
    pub(super) fn of_index(action: usize) -> Self {
        match action {
            2 => Engines { main: 1.0, ..Engines::default() },
            1 | 3 => Engines { main: 0.0, side: 1.0, direction: action as f64 - 2.0 },
            _ => Engines::default(),
        }
    }

    pub(super) fn of_throttles(throttles: [f32; 2]) -> Self {
        let [main, side] = throttles.map(f64::from);
        Engines {
            main: if main > 0.0 { (main + 1.0) * 0.5 } else { 0.0 },
            side: if side.abs() > 0.5 { side.abs() } else { 0.0 },
            direction: side.signum(),
        }
    }
}
