//! Draws environments after some random steps, one PNG each:
//! `cargo run -p duvn-envs --features render --example draw [FOLDER]`

use duvn_envs::raster::Raster;
use duvn_envs::registry::{ENTRIES, make};
use duvn_envs::rng::NumpyRng;
use duvn_envs::{Action, Environment, Space};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    for entry in ENTRIES {
        let id = entry.name.replace("-N", "-10");
        let mut env = make(&id, 0)?;
        let mut rng = NumpyRng::new(0);
        env.reset(Some(0));
        for _ in 0..15 {
            let step = match env.action_space() {
                Space::Discrete(n) => env.step(Action::Index(rng.integers(0, n as i64) as usize))?,
                Space::Box { high, .. } => env.step(Action::Vector(&high))?,
            };
            if step.done() {
                break;
            }
        }
        let mut picture = Raster::new(600, 400)?;
        if env.draw(&mut picture) {
            std::fs::write(folder.join(format!("{id}.png")), picture.png()?)?;
        } else if let Some(text) = env.render_text() {
            println!("{id}\n{text}");
        }
    }
    Ok(())
}
