use crate::canvas::Canvas;
use crate::{Action, Environment, StateError, Step, StepError, freeze, text, thaw, tiles};

/// N-chain: `n` states in a row, from the second of which one goes left (0) or right (1), for `n` + 8 steps. A step
/// from the left end pays 0.001, one from the right end 1, so that the best return is 10.
///
/// (Osband et al. 2016, with the length of the later comparisons.) The observation is the state.
#[derive(Clone, Debug)]
pub struct NChain {
    n: usize,
    at: usize,
}

impl NChain {
    /// A chain of `n` states, at least 2.
    pub fn new(n: usize) -> Self {
        NChain { n: n.max(2), at: 1 }
    }

    /// Steps of an episode.
    pub fn steps(&self) -> u32 {
        self.n as u32 + 8
    }
}

impl Environment for NChain {
    numbered!(|env| { states: env.n, actions: 2, at: env.at });

    fn reset(&mut self, _seed: Option<u64>) {
        self.at = 1;
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let last = self.n - 1;
        let reward = match self.at {
            0 => 0.001,
            at if at == last => 1.0,
            _ => 0.0,
        };
        let right = action == Action::Index(1);
        self.at = if right { (self.at + 1).min(last) } else { self.at.saturating_sub(1) };
        Ok(Step { reward, terminated: false, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.at))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let at: usize = thaw(state)?;
        if at >= self.n {
            return Err(StateError::Misfit(format!("there is no state {at}")));
        }
        self.at = at;
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        Some(text::grid(1, self.n, Some((0, self.at)), |_, at| if at + 1 == self.n { '$' } else { 'o' }))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        tiles::grid(canvas, 1, self.n, Some((0, self.at)), |_, at| if at + 1 == self.n { '$' } else { 'o' });
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::{Environment, registry};

    #[test]
    fn the_best_return_is_10_and_the_left_end_pays_little() {
        for n in [3, 25, 100] {
            for (action, expected) in [(1, 10.0), (0, 0.001 * (n as f64 + 7.0))] {
                let mut chain = registry::make(&format!("NChain-{n}"), 0).unwrap();
                chain.reset(None);
                let mut total = 0.0;
                loop {
                    let step = chain.step(action.into()).unwrap();
                    total += step.reward;
                    if step.done() {
                        break;
                    }
                }
                assert!((total - expected).abs() < 1e-9, "{n}: {total}");
            }
        }
    }
}
