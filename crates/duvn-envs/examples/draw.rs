//! Draws environments after some random steps, one PNG each, and shows the others as text:
//! `cargo run -p duvn-envs --features render --example draw FOLDER [ID...]`

use duvn_envs::raster::Raster;
use duvn_envs::registry::{ENTRIES, Entry, make};
use duvn_envs::{Environment, RandomActions};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    let mut ids: Vec<String> = arguments.collect();
    if ids.is_empty() {
        ids = ENTRIES.iter().map(Entry::example).collect();
    }
    for id in ids {
        let mut env = make(&id, 0)?;
        let mut actions = RandomActions::new(env.action_space(), 0);
        env.reset(Some(0));
        for _ in 0..15 {
            if env.step(actions.draw())?.done() {
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
