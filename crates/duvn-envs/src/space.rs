use std::fmt;

/// What an agent sees: an index of a discrete space, or a view of the numbers of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation<'a> {
    /// One of the indices `0..n` of [`Space::Discrete`]; to a network it is a one-hot vector.
    Index(usize),
    /// The numbers of a [`Space::Box`], borrowed from the environment.
    Vector(&'a [f32]),
}

/// What an agent does: the index of a discrete action, or the numbers of a continuous one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action<'a> {
    /// One of the indices `0..n` of [`Space::Discrete`].
    Index(usize),
    /// The numbers of a [`Space::Box`].
    Vector(&'a [f32]),
}

impl From<usize> for Action<'_> {
    fn from(index: usize) -> Self {
        Action::Index(index)
    }
}

impl<'a> From<&'a [f32]> for Action<'a> {
    fn from(numbers: &'a [f32]) -> Self {
        Action::Vector(numbers)
    }
}

/// A set that observations or actions lie in.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Space {
    /// The indices `0..n`.
    Discrete(usize),
    /// Vectors between two bounds (which may be infinite), component by component.
    Box {
        /// The least value of each component.
        low: Vec<f32>,
        /// The greatest value of each component.
        high: Vec<f32>,
    },
}

impl Space {
    /// A box that is symmetric about zero.
    pub fn symmetric_box(bounds: &[f32]) -> Self {
        Space::Box { low: bounds.iter().map(|b| -b).collect(), high: bounds.to_vec() }
    }

    /// The width of the vector that a network sees: `n` (one-hot) or the number of components.
    pub fn width(&self) -> usize {
        match self {
            Space::Discrete(n) => *n,
            Space::Box { low, .. } => low.len(),
        }
    }

    /// Whether an observation lies in the space.
    pub fn contains(&self, observation: Observation<'_>) -> bool {
        match (self, observation) {
            (Space::Discrete(n), Observation::Index(index)) => index < *n,
            (Space::Box { low, high }, Observation::Vector(x)) => {
                x.len() == low.len()
                    && x.iter().zip(low).zip(high).all(|((x, low), high)| low <= x && x <= high)
            }
            _ => false,
        }
    }

    /// Whether an action lies in the space.
    pub fn contains_action(&self, action: Action<'_>) -> bool {
        self.contains(match action {
            Action::Index(index) => Observation::Index(index),
            Action::Vector(numbers) => Observation::Vector(numbers),
        })
    }

    /// What to write for an action of this space, for error messages.
    pub fn example(&self) -> String {
        match self {
            Space::Discrete(n) => format!("a whole number from 0 to {}", n.saturating_sub(1)),
            Space::Box { low, high } => match (&low[..], &high[..]) {
                ([low], [high]) => format!("a number from {low} to {high}"),
                _ => format!("{} numbers, from {low:?} to {high:?}", low.len()),
            },
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Space::Discrete(n) => write!(f, "Discrete({n})"),
            Space::Box { low, .. } => write!(f, "Box({})", low.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_hold_their_bounds_and_refuse_nan() {
        let space = Space::symmetric_box(&[1.0, f32::INFINITY]);
        assert!(space.contains(Observation::Vector(&[1.0, -1e30])));
        assert!(!space.contains(Observation::Vector(&[1.1, 0.0])));
        assert!(!space.contains(Observation::Vector(&[f32::NAN, 0.0])));
        assert!(!space.contains(Observation::Vector(&[0.0])));
        assert!(!space.contains(Observation::Index(0)));
    }
}
