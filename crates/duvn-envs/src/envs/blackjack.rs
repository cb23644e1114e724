use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};

/// Gymnasium's `Blackjack`: stick (0) or take another card (1), against a dealer who sticks at 17, with an
/// endless deck. Winning pays 1, losing costs 1.
///
/// Gymnasium's observation (player's sum, dealer's open card, usable ace) becomes the index
/// (sum · 11 + card) · 2 + ace of its space of 32 x 11 x 2.
#[derive(Clone, Debug)]
pub struct Blackjack {
    rules: Rules,
    state: State,
}

/// The two variants of what a natural (an ace and a ten at once) is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Sutton and Barto's: a natural of the player alone always wins.
    pub sab: bool,
    /// Without `sab`: winning with a natural pays 1.5.
    pub natural: bool,
}

impl Default for Rules {
    /// Those of `Blackjack-v1`.
    fn default() -> Self {
        Rules { sab: true, natural: false }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    player: Hand,
    dealer: Hand,
    open_card: u8,
    rng: NumpyRng,
}

/// What counts of the cards that someone holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Hand {
    cards: u8,
    /// Aces counted as one.
    hard_sum: u8,
    ace: bool,
}

impl Hand {
    fn add(&mut self, card: u8) {
        self.cards = self.cards.saturating_add(1);
        self.hard_sum += card;
        self.ace |= card == 1;
    }

    fn usable_ace(self) -> bool {
        self.ace && self.hard_sum + 10 <= 21
    }

    fn sum(self) -> u8 {
        if self.usable_ace() { self.hard_sum + 10 } else { self.hard_sum }
    }

    fn score(self) -> u8 {
        if self.sum() > 21 { 0 } else { self.sum() }
    }

    fn is_natural(self) -> bool {
        self.cards == 2 && self.ace && self.hard_sum == 11
    }
}

impl Blackjack {
    const DECK: [u8; 13] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10];

    /// A table with these rules.
    pub fn new(rules: Rules) -> Self {
        let (player, dealer) = (Hand::default(), Hand::default());
        Blackjack { rules, state: State { player, dealer, open_card: 1, rng: NumpyRng::new(0) } }
    }
}

fn draw_card(rng: &mut NumpyRng) -> u8 {
    Blackjack::DECK[rng.integers(0, 13) as usize]
}

impl Environment for Blackjack {
    fn observation_space(&self) -> Space {
        Space::Discrete(32 * 11 * 2)
    }

    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }

    fn reset(&mut self, seed: Option<u64>) {
        let State { player, dealer, open_card, rng } = &mut self.state;
        rng.restart(seed);
        (*player, *dealer) = (Hand::default(), Hand::default());
        *open_card = draw_card(rng);
        dealer.add(*open_card);
        dealer.add(draw_card(rng));
        player.add(draw_card(rng));
        player.add(draw_card(rng));
        // The suit and the face of the open card, which Gymnasium draws for its pictures.
        rng.integers(0, 4);
        if *open_card == 10 {
            rng.integers(0, 3);
        }
    }

    fn observation(&self) -> Observation<'_> {
        let State { player, open_card, .. } = self.state;
        let sum = usize::from(player.sum());
        Observation::Index((sum * 11 + usize::from(open_card)) * 2 + usize::from(player.usable_ace()))
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let State { player, dealer, rng, .. } = &mut self.state;
        if action == Action::Index(1) {
            player.add(draw_card(rng));
            let bust = player.sum() > 21;
            let reward = if bust { -1.0 } else { 0.0 };
            return Ok(Step { reward, terminated: bust, truncated: false });
        }
        while dealer.sum() < 17 {
            dealer.add(draw_card(rng));
        }
        let mut reward = f64::from(player.score().cmp(&dealer.score()) as i8);
        if self.rules.sab && player.is_natural() && !dealer.is_natural() {
            reward = 1.0;
        } else if !self.rules.sab && self.rules.natural && player.is_natural() && reward == 1.0 {
            reward = 1.5;
        }
        Ok(Step { reward, terminated: true, truncated: false })
    }

    saves_state!(unless |_, state| {
        state.open_card > 10 || [state.player, state.dealer].iter().any(|hand| hand.hard_sum > 31)
    } => "such cards cannot be held");

    fn render_text(&self) -> Option<String> {
        let State { player, open_card, .. } = self.state;
        let ace = if player.usable_ace() { " with a usable ace" } else { "" };
        Some(format!("dealer shows {open_card}\nplayer holds {}{ace}\n", player.sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_natural_pays_what_the_rules_say() {
        let natural = Hand { cards: 2, hard_sum: 11, ace: true };
        let twenty = Hand { cards: 2, hard_sum: 20, ace: false };
        for (rules, expected) in [
            (Rules { sab: true, natural: false }, 1.0),
            (Rules { sab: false, natural: true }, 1.5),
            (Rules { sab: false, natural: false }, 1.0),
        ] {
            let mut table = Blackjack::new(rules);
            table.reset(Some(0));
            (table.state.player, table.state.dealer) = (natural, twenty);
            assert_eq!(table.step(0.into()).unwrap().reward, expected);
        }
    }

    #[test]
    fn an_ace_is_eleven_only_while_that_does_not_bust() {
        let mut hand = Hand::default();
        hand.add(1);
        hand.add(5);
        assert_eq!((hand.sum(), hand.usable_ace()), (16, true));
        hand.add(9);
        assert_eq!((hand.sum(), hand.usable_ace()), (15, false));
    }
}
