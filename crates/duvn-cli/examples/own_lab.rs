//! The whole command line of duvn with an environment of one's own in it:
//!
//! ```sh
//! cargo run --release -p duvn --example own_lab -- train Corridor-v0 --agent duvn-deep --episodes 300 --out results/door
//! cargo run --release -p duvn --example own_lab -- report results/door
//! ```

use duvn_cli::main_with;
use duvn_envs::registry::{Own, OwnError, Registry};
use duvn_envs::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, thaw};
use std::process::ExitCode;

/// Nine places in a row. The door at the right end opens only for whoever has fetched the key at the left end.
struct Corridor {
    at: usize,
    has_key: bool,
}

const PLACES: [char; 9] = ['k', '.', '.', '.', '.', '.', '.', '.', 'D'];
const START: Corridor = Corridor { at: 2, has_key: false };

impl Environment for Corridor {
    // Every place twice: without the key, and with it.
    fn observation_space(&self) -> Space {
        Space::Discrete(18)
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Index(if self.has_key { 9 + self.at } else { self.at })
    }

    // Left and right.
    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }

    fn reset(&mut self, _seed: Option<u64>) {
        *self = START;
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        self.at = match action {
            Action::Index(0) => self.at.saturating_sub(1),
            _ => (self.at + 1).min(8),
        };
        self.has_key |= self.at == 0;
        let opened = self.at == 8 && self.has_key;
        Ok(Step { reward: if opened { 1.0 } else { 0.0 }, terminated: opened, truncated: false })
    }

    // So that a sweep can be stopped at any moment and goes on to the same bits.
    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&(self.at, self.has_key)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        (self.at, self.has_key) = thaw(state)?;
        Ok(())
    }

    // So that `play` can show it.
    fn render_text(&self) -> Option<String> {
        Some((0..9).map(|place| if place == self.at { '@' } else { PLACES[place] }).chain(['\n']).collect())
    }
}

fn registry() -> Result<Registry, OwnError> {
    let corridor = Own::new("Corridor-v0", |_seed| START);
    Registry::new()
        .with(corridor.about("a corridor with a key and a door").time_limit(50).reward_threshold(0.95))
}

fn main() -> ExitCode {
    match registry() {
        Ok(registry) => main_with(registry),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
