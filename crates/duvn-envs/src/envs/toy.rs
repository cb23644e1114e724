use crate::canvas::Canvas;
use crate::{Action, Environment, StateError, Step, StepError, freeze, text, thaw, tiles};

/// A deterministic two-step MDP, small enough to work out by hand.
///
/// | state | action 0 | action 1 |
/// | --- | --- | --- |
/// | 0 | -1, to state 1 | +1, to state 2 |
/// | 1 | +4, end | +1, end |
/// | 2 | +1, end | 0, end |
///
/// The greedy first step (+1) is the wrong one: the best return is -1 + 4 = 3.
#[derive(Clone, Debug, Default)]
pub struct Toy {
    at: usize,
}

impl Toy {
    const END: usize = 3;
    /// Reward and next state, by state and action.
    const MOVES: [[(f64, usize); 2]; 3] =
        [[(-1.0, 1), (1.0, 2)], [(4.0, Self::END), (1.0, Self::END)], [(1.0, Self::END), (0.0, Self::END)]];
}

impl Environment for Toy {
    numbered!(|env| { states: 4, actions: 2, at: env.at });

    fn reset(&mut self, _seed: Option<u64>) {
        self.at = 0;
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let moves = Self::MOVES.get(self.at).ok_or(StepError::NotRunning)?;
        let (reward, next) = moves[usize::from(action == Action::Index(1))];
        self.at = next;
        Ok(Step { reward, terminated: next == Self::END, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.at))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let at: usize = thaw(state)?;
        if at > Self::END {
            return Err(StateError::Misfit(format!("there is no state {at}")));
        }
        self.at = at;
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        Some(text::grid(1, 4, Some((0, self.at)), |_, at| ['0', '1', '2', 'E'][at]))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        tiles::grid(canvas, 1, 4, Some((0, self.at)), |_, at| ['S', 'o', 'o', 'G'][at]);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_returns_are_those_of_the_table() {
        for (first, second, expected) in [(0, 0, 3.0), (0, 1, 0.0), (1, 0, 2.0), (1, 1, 1.0)] {
            let mut toy = Toy::default();
            toy.reset(None);
            let one = toy.step(first.into()).unwrap();
            let two = toy.step(second.into()).unwrap();
            assert!(!one.terminated && two.terminated);
            assert_eq!(one.reward + two.reward, expected);
        }
    }
}
