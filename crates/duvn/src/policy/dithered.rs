use super::{Beliefs, Choice, Moment, Policy};
use crate::rng::Stream;

/// Another policy, but now and then any action: what gets an agent out of where it has nothing left to explore.
pub struct Dithered {
    /// The other policy.
    pub policy: Box<dyn Policy>,
    /// The probability of any action.
    pub share: f64,
}

impl Policy for Dithered {
    fn choose(&self, beliefs: Beliefs<'_>, moment: Moment, stream: &mut Stream) -> usize {
        if stream.uniform() < self.share {
            return stream.below(beliefs.actions());
        }
        self.policy.choose(beliefs, moment, stream)
    }

    /// No draw of its return chose an action that was taken at random.
    fn choose_by(&self, beliefs: Beliefs<'_>, moment: Moment, stream: &mut Stream) -> Choice {
        if stream.uniform() < self.share {
            return Choice { action: stream.below(beliefs.actions()), ..Choice::default() };
        }
        self.policy.choose_by(beliefs, moment, stream)
    }

    fn index(&self, moment: Moment, stream: &mut Stream) -> Option<f64> {
        self.policy.index(moment, stream)
    }

    fn draws(&self) -> usize {
        self.policy.draws()
    }

    fn draw_index(&self, stream: &mut Stream) -> Option<f64> {
        self.policy.draw_index(stream)
    }

    /// share / n for every action, and the rest as the other policy has it.
    fn probabilities(
        &self,
        beliefs: Beliefs<'_>,
        moment: Moment,
        draws: usize,
        stream: &mut Stream,
        out: &mut [f32],
    ) {
        self.policy.probabilities(beliefs, moment, draws, stream, out);
        let (share, any) = (self.share as f32, self.share as f32 / out.len() as f32);
        out.iter_mut().for_each(|probability| *probability = (1.0 - share) * *probability + any);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::EGreedy;
    use crate::returns::Mean;

    #[test]
    fn a_share_of_the_choices_is_any_action() {
        let policy = Dithered { policy: Box::new(EGreedy::fixed(0.0)), share: 0.2 };
        let beliefs = Beliefs::new(&Mean, &[0.0, 2.0]);
        let mut stream = Stream::new(0, "test");
        let mut stated = [0.0; 2];
        policy.probabilities(beliefs, Moment::default(), 0, &mut stream, &mut stated);
        assert!((stated[0] - 0.1).abs() < 1e-6 && (stated[1] - 0.9).abs() < 1e-6, "{stated:?}");
        let worse =
            (0..40_000).filter(|_| policy.choose(beliefs, Moment::default(), &mut stream) == 0).count();
        // Five standard errors of a share of 0.1.
        assert!((worse as f64 / 40_000.0 - 0.1).abs() < 0.0075, "{worse}");
    }
}
