//! Actions as a user writes them: `2`, or `0.5:-1` where an action is several numbers.

use duvn_envs::{Action, Space};

/// An action that was written down.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// One of a few.
    Index(usize),
    /// Numbers.
    Vector(Vec<f32>),
}

/// Why a text is no action.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("'{text}' is not an action of {space}: write {example}")]
pub struct ActionError {
    text: String,
    space: String,
    example: String,
}

impl Written {
    /// Reads an action of `space`. Whether it is inside is for the environment to say.
    pub fn parse(text: &str, space: &Space) -> Result<Self, ActionError> {
        let parsed = match space {
            Space::Discrete(_) => text.trim().parse().ok().map(Written::Index),
            Space::Box { .. } => {
                let numbers: Option<_> = text.split(':').map(|number| number.trim().parse().ok()).collect();
                numbers.map(Written::Vector)
            }
        };
        parsed.ok_or_else(|| ActionError {
            text: text.into(),
            space: space.to_string(),
            example: space.example(),
        })
    }

    /// The action.
    pub fn action(&self) -> Action<'_> {
        match self {
            Written::Index(index) => Action::Index(*index),
            Written::Vector(numbers) => Action::Vector(numbers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_read_as_their_space_wants_them() {
        let (few, many) = (Space::Discrete(2), Space::symmetric_box(&[1.0; 2]));
        assert_eq!(Written::parse(" 1 ", &few), Ok(Written::Index(1)));
        assert_eq!(Written::parse("0.5: -1", &many), Ok(Written::Vector(vec![0.5, -1.0])));
        for (text, space) in [("left", &few), ("-1", &few), ("", &few), ("1:", &many), ("a:b", &many)] {
            assert!(Written::parse(text, space).is_err(), "{text}");
        }
    }
}
