//! The whole command line of duvn with an environment of one's own in it:
//!
//! ```sh
//! cargo run --release -p duvn --example own_lab -- train Corridor-v0 --agent duvn-deep --episodes 300 --out results/corridor
//! cargo run --release -p duvn --example own_lab -- report results/corridor
//! ```

use duvn_cli::main_with;
use duvn_envs::registry::{Own, OwnError, Registry};
use duvn_envs::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, thaw};
use std::process::ExitCode;

/// Nine places in a row. A little reward waits at the left end, a large one at the right end.
struct Corridor {
    at: usize,
}

impl Environment for Corridor {
    fn observation_space(&self) -> Space {
        Space::Discrete(9)
    }

    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }

    fn reset(&mut self, _seed: Option<u64>) {
        self.at = 2;
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Index(self.at)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        self.at = if action == Action::Index(1) { self.at + 1 } else { self.at - 1 };
        let reward = match self.at {
            0 => 0.1,
            8 => 1.0,
            _ => 0.0,
        };
        Ok(Step { reward, terminated: self.at == 0 || self.at == 8, truncated: false })
    }

    // So that a sweep can be stopped at any moment and goes on to the same bits.
    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.at))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.at = thaw(state)?;
        Ok(())
    }

    // So that `play` can show it.
    fn render_text(&self) -> Option<String> {
        Some((0..9).map(|place| if place == self.at { '@' } else { '.' }).chain(['\n']).collect())
    }
}

fn registry() -> Result<Registry, OwnError> {
    let corridor = Own::new("Corridor-v0", |_seed| Corridor { at: 2 });
    Registry::new().with(corridor.about("a corridor").time_limit(50).reward_threshold(0.95))
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
