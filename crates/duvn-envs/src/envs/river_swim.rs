use super::grid::State;
use crate::canvas::Canvas;
use crate::{Action, Environment, Step, StepError, text, tiles};

/// RiverSwim: `n` places in a row along a river; swimming left (0), with the current, always succeeds, swimming
/// right (1), against it, often does not. Going left at the left end pays 0.005, going right at the right end 1.
///
/// | going right from | one to the left | stays | one to the right |
/// | --- | --- | --- | --- |
/// | the left end | | 0.6 | 0.4 |
/// | between | 0.05 | 0.6 | 0.35 |
/// | the right end | 0.4 | 0.6 | |
///
/// The transitions are those of Osband, Russo and Van Roy (2013); one starts at the left end. The observation is
/// the place.
#[derive(Clone, Debug)]
pub struct RiverSwim {
    n: usize,
    state: State,
}

impl RiverSwim {
    const NEAR: f64 = 0.005;
    const FAR: f64 = 1.0;

    /// A river with `n` places, at least 2.
    pub fn new(n: usize) -> Self {
        RiverSwim { n: n.max(2), state: State::new(0) }
    }

    /// Where one is `aside` places further right after swimming right: probabilities of -1, 0 and 1.
    fn swim(&self, at: usize) -> [f64; 3] {
        match at {
            0 => [0.0, 0.6, 0.4],
            _ if at == self.n - 1 => [0.4, 0.6, 0.0],
            _ => [0.05, 0.6, 0.35],
        }
    }

    fn reward(&self, at: usize, right: bool) -> f64 {
        match (at, right) {
            (0, false) => Self::NEAR,
            (_, true) if at == self.n - 1 => Self::FAR,
            _ => 0.0,
        }
    }

    /// The greatest mean return of an episode of so many steps:
    /// V_h(s) = max_a r(s,a) + Σ_s' p(s'|s,a) V_{h-1}(s').
    pub fn optimal_return(&self, steps: u32) -> f64 {
        let mut values = vec![0.0; self.n];
        for _ in 0..steps {
            let value = |at: usize| {
                let left = self.reward(at, false) + values[at.saturating_sub(1)];
                let swim = self.swim(at).into_iter().enumerate().filter(|(_, chance)| *chance > 0.0);
                let right: f64 = swim.map(|(aside, chance)| chance * values[at + aside - 1]).sum();
                left.max(self.reward(at, true) + right)
            };
            values = (0..self.n).map(value).collect();
        }
        values[0]
    }
}

impl Environment for RiverSwim {
    numbered!(|env| { states: env.n, actions: 2, at: env.state.at });

    fn reset(&mut self, seed: Option<u64>) {
        self.state.rng.restart(seed);
        self.state.at = 0;
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let (at, right) = (self.state.at, action == Action::Index(1));
        let reward = self.reward(at, right);
        self.state.at = if right {
            let [back, stay, _] = self.swim(at);
            match self.state.rng.random() {
                draw if draw < back => at - 1,
                draw if draw < back + stay => at,
                _ => (at + 1).min(self.n - 1),
            }
        } else {
            at.saturating_sub(1)
        };
        Ok(Step { reward, terminated: false, truncated: false })
    }

    saves_state!(unless |env, state| state.at >= env.n => "there is no such place");

    fn render_text(&self) -> Option<String> {
        Some(text::grid(
            1,
            self.n,
            Some((0, self.state.at)),
            |_, at| if at + 1 == self.n { '$' } else { '~' },
        ))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let letter = |_, at| if at + 1 == self.n { '$' } else { '~' };
        tiles::grid(canvas, 1, self.n, Some((0, self.state.at)), letter);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optimum_is_the_published_one() {
        assert!((RiverSwim::new(6).optimal_return(20) - 3.0645).abs() < 5e-5);
        // By hand, two places: right; then right from the right end, or left where the current was too strong.
        assert!((RiverSwim::new(2).optimal_return(2) - (0.4 * 1.0 + 0.6 * 0.005)).abs() < 1e-12);
    }

    #[test]
    fn the_current_carries_as_often_as_the_table_says() {
        let mut river = RiverSwim::new(4);
        river.reset(Some(0));
        for (at, expected) in [(0, [0.0, 0.6, 0.4]), (2, [0.05, 0.6, 0.35]), (3, [0.4, 0.6, 0.0])] {
            let mut counts = [0.0f64; 3];
            for _ in 0..20_000 {
                river.state.at = at;
                let reward = river.step(1.into()).unwrap().reward;
                assert_eq!(reward, if at == 3 { 1.0 } else { 0.0 });
                counts[river.state.at + 1 - at] += 1.0 / 20_000.0;
            }
            assert!(
                counts.iter().zip(expected).all(|(count, share)| (count - share).abs() < 0.015),
                "{counts:?}"
            );
        }
        river.state.at = 0;
        assert_eq!(river.step(0.into()).unwrap().reward, 0.005);
    }
}
