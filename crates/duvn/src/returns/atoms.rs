//! Evenly spaced atoms, and masses that are put on them, moved along them and drawn from them.

use crate::rng::Stream;

/// The atoms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Support {
    pub(super) low: f64,
    pub(super) step: f64,
    pub(super) count: usize,
}

impl Support {
    pub(super) fn atom(&self, i: usize) -> f64 {
        self.low + self.step * i as f64
    }

    /// Where a value lies among the atoms: 0 is the first; what is outside counts as at the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        ((value - self.low) / self.step).clamp(0.0, (self.count - 1) as f64)
    }

    /// Adds `mass` at a place to the two atoms next to it, by how near they are: the projection of Bellemare
    /// et al., m_i = sum over j of p_j clip(1 - |clip(r + gamma z_j) - z_i| / step, 0, 1).
    pub(super) fn put(&self, mass: f64, place: f64, out: &mut [f32]) {
        // At the last atom the one above is itself: no index is beyond it, and no mass is lost.
        let below = (place as usize).min(self.count - 1);
        let above = (below + 1).min(self.count - 1);
        let rest = place - below as f64;
        out[below] += (mass * (1.0 - rest)) as f32;
        out[above] += (mass * rest) as f32;
    }
}

/// Projects values, each with its weight, onto evenly spaced atoms: those outside go to the ends.
pub fn project(values: &[f32], weights: &[f32], (low, high): (f64, f64), out: &mut [f32]) {
    let support = Support { low, step: (high - low) / (out.len() - 1) as f64, count: out.len() };
    out.fill(0.0);
    for (&value, &weight) in values.iter().zip(weights) {
        support.put(f64::from(weight), support.place(f64::from(value)), out);
    }
}

/// The power of two at or above `x`, at least 1/1024; 0 for what is not above 0.
pub(super) fn room_for(x: f32) -> f32 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut power = 1.0 / 1024.0;
    while power < x && power < f32::MAX / 4.0 {
        power *= 2.0;
    }
    power
}

/// Moves every mass up by so many cells, in part to one and in part to the next; what is beyond the last
/// stays there.
pub(super) fn shift_up(p: &mut [f32], cells: f64) {
    let last = p.len() - 1;
    let whole = (cells as usize).min(last);
    let rest = (cells - cells.floor()) as f32;
    let rest = if cells >= last as f64 { 0.0 } else { rest };
    let total: f32 = p.iter().sum();
    for i in (0..last).rev() {
        let from = |back: usize| if i >= back { p[i - back] } else { 0.0 };
        p[i] = (1.0 - rest) * from(whole) + rest * from(whole + 1);
    }
    p[last] = (total - p[..last].iter().sum::<f32>()).max(0.0);
}

/// The number of an atom, drawn by the probabilities.
pub(super) fn draw(masses: &[f32], stream: &mut Stream) -> usize {
    let mut left = stream.uniform();
    for (i, &mass) in masses.iter().enumerate() {
        left -= f64::from(mass);
        if left < 0.0 {
            return i;
        }
    }
    masses.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projection_is_that_of_rlax() {
        let support: Vec<f32> = (0..8).map(|i| -1.0 + 0.25 * i as f32).collect();
        let weights: Vec<f32> =
            support.iter().enumerate().map(|(i, &z)| if i % 2 == 0 { 0.0 } else { z }).collect();
        let mut out = [0.0; 4];
        project(&support, &weights, (-1.0, 0.5), &mut out);
        for (found, expected) in out.iter().zip([-0.375, -0.5, 0.0, 0.875]) {
            assert!((found - expected).abs() < 1e-6, "{out:?}");
        }
    }
}
