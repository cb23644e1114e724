use crate::canvas::Canvas;
use crate::rng::NumpyRng;
use crate::{Action, Environment, StateError, Step, StepError, freeze, text, thaw, tiles};

/// The paper's Chain (App. D): `n` states in a row, two actions, one of them correct in each state.
///
/// The correct action leads one state on; the wrong one ends the episode with nothing; the `n`-th
/// correct action in a row ends it with reward 1. A uniform policy succeeds with probability `2^-n`.
#[derive(Clone, Debug)]
pub struct Chain {
    correct: Vec<u8>,
    at: usize,
}

impl Chain {
    /// The unordered chain: each state's correct action is drawn from `seed`, once and for all.
    pub fn unordered(n: usize, seed: u64) -> Self {
        let mut rng = NumpyRng::new(seed);
        Chain { correct: (0..n).map(|_| u8::from(rng.random() < 0.5)).collect(), at: 0 }
    }

    /// The ordered chain: the correct action is always 1.
    pub fn ordered(n: usize) -> Self {
        Chain { correct: vec![1; n], at: 0 }
    }

    /// The correct action of every state.
    pub fn correct(&self) -> &[u8] {
        &self.correct
    }
}

impl Environment for Chain {
    numbered!(|env| { states: env.correct.len() + 1, actions: 2, at: env.at });

    fn reset(&mut self, _seed: Option<u64>) {
        self.at = 0;
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let &correct = self.correct.get(self.at).ok_or(StepError::NotRunning)?;
        let correct = action == Action::Index(usize::from(correct));
        self.at += usize::from(correct);
        let reached = self.at == self.correct.len();
        Ok(Step { reward: f64::from(u8::from(reached)), terminated: reached || !correct, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(&self.correct, self.at)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let (correct, at): (Vec<u8>, usize) = thaw(state)?;
        if correct != self.correct || at > correct.len() {
            return Err(StateError::Misfit("it is of another chain".into()));
        }
        self.at = at;
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        let end = self.correct.len();
        Some(text::grid(1, end + 1, Some((0, self.at)), |_, at| if at == end { 'G' } else { 'o' }))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let end = self.correct.len();
        tiles::grid(canvas, 1, end + 1, Some((0, self.at)), |_, at| if at == end { 'G' } else { 'o' });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;

    #[test]
    fn only_the_whole_correct_sequence_pays() {
        let mut chain = Chain::unordered(5, 3);
        chain.reset(None);
        for at in 0..5 {
            assert_eq!(chain.observation(), Observation::Index(at));
            let step = chain.step(usize::from(chain.correct()[at]).into()).unwrap();
            assert_eq!(step.reward, if at == 4 { 1.0 } else { 0.0 });
            assert_eq!(step.terminated, at == 4);
        }
        assert_eq!(chain.observation(), Observation::Index(5));
    }

    #[test]
    fn a_wrong_action_ends_the_episode_where_it_stands() {
        let mut chain = Chain::ordered(5);
        chain.reset(None);
        chain.step(1.into()).unwrap();
        let step = chain.step(0.into()).unwrap();
        assert_eq!(step, Step { reward: 0.0, terminated: true, truncated: false });
        assert_eq!(chain.observation(), Observation::Index(1));
    }

    #[test]
    fn both_actions_are_correct_somewhere_and_the_seed_decides_where() {
        let chain = Chain::unordered(64, 0);
        assert!(chain.correct().contains(&0) && chain.correct().contains(&1));
        assert_eq!(chain.correct(), Chain::unordered(64, 0).correct());
        assert_ne!(chain.correct(), Chain::unordered(64, 1).correct());
    }
}
