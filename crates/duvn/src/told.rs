//! What a target network has said of index observations. Until it moves it says the same of a state, so it is asked
//! about each state once, however often batches come back to it.

/// The beliefs of a target network, by state.
pub(crate) struct Told {
    /// Numbers of one state.
    width: usize,
    /// Empty until the first question.
    table: Vec<f32>,
    known: Vec<bool>,
    asked: Vec<u32>,
    answers: Vec<f32>,
}

impl Told {
    /// Nothing is known yet. The target network has `width` numbers to say of each of the `states`.
    pub(crate) fn new(states: usize, width: usize) -> Self {
        Told { width, table: Vec::new(), known: vec![false; states], asked: Vec::new(), answers: Vec::new() }
    }

    /// The target network has moved: nothing is known any more.
    pub(crate) fn forget(&mut self) {
        self.known.fill(false);
    }

    /// Writes what is said of `states` into `out`, of all actions or of those that are `taken`, which have `outputs` numbers each.
    /// `ask` gives the answers that are not known yet, for at least two states: one state alone goes through other sums
    /// than a batch does.
    pub(crate) fn answer(
        &mut self,
        states: &[u32],
        (taken, outputs): (Option<&[u8]>, usize),
        out: &mut [f32],
        ask: impl FnOnce(&[u32], &mut [f32]),
    ) {
        let Told { width, table, known, asked, answers } = self;
        let width = *width;
        table.resize(known.len() * width, 0.0);
        asked.clear();
        asked.reserve(states.len().max(2));
        answers.reserve((states.len().max(2) * width).saturating_sub(answers.len()));
        for &state in states {
            if !std::mem::replace(&mut known[state as usize], true) {
                asked.push(state);
            }
        }
        if let &[only] = &asked[..] {
            asked.push(only);
        }
        if !asked.is_empty() {
            answers.resize(asked.len() * width, 0.0);
            ask(asked, answers);
            for (&state, answer) in asked.iter().zip(answers.chunks_exact(width)) {
                table[state as usize * width..][..width].copy_from_slice(answer);
            }
        }
        let block = if taken.is_some() { outputs } else { width };
        for (row, (out, &state)) in out.chunks_exact_mut(block).zip(states).enumerate() {
            let skip = taken.map_or(0, |actions| usize::from(actions[row]) * outputs);
            out.copy_from_slice(&table[state as usize * width + skip..][..block]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_asked_about_once_until_the_target_moves() {
        let mut told = Told::new(5, 4);
        let mut asked = Vec::new();
        let mut say = |told: &mut Told, states: &[u32], taken: Option<&[u8]>, factor: f32| {
            let mut out = vec![0.0; states.len() * if taken.is_some() { 2 } else { 4 }];
            told.answer(states, (taken, 2), &mut out, |states, answers| {
                asked.push(states.to_vec());
                for (&state, answer) in states.iter().zip(answers.chunks_exact_mut(4)) {
                    answer
                        .iter_mut()
                        .enumerate()
                        .for_each(|(i, x)| *x = factor * (10 * state + i as u32) as f32);
                }
            });
            out
        };
        assert_eq!(
            say(&mut told, &[3, 0, 3], None, 1.0),
            [30., 31., 32., 33., 0., 1., 2., 3., 30., 31., 32., 33.]
        );
        assert_eq!(say(&mut told, &[0, 3], Some(&[1, 0]), 9.0), [2., 3., 30., 31.]);
        assert_eq!(say(&mut told, &[4, 0], Some(&[1, 1]), 1.0), [42., 43., 2., 3.]);
        told.forget();
        assert_eq!(say(&mut told, &[3, 3], Some(&[0, 1]), 2.0), [60., 62., 64., 66.]);
        assert_eq!(asked, [vec![3, 0], vec![4, 4], vec![3, 3]], "never one state alone");
    }
}
