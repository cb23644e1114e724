//! Tells when episodes come into the records: a line for each time that there are more, with the time in milliseconds since
//! 1970 and how many there are of the first run. It ends with its input.
//!
//! ```sh
//! cargo run -p duvn-serve --example recorded -- results/chain
//! ```
//!
//! The tests in the browser measure with it how soon a page shows what is recorded.

use duvn_lab::store::Store;
use std::error::Error;
use std::io::BufRead;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Records are looked at so often: it takes a few microseconds while nothing is new.
const LOOK_EVERY: Duration = Duration::from_millis(5);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder of an experiment")?;
    let store = Store::open_to_read(Path::new(&folder))?;
    let run = store.runs()?.first().ok_or("there is no run")?.number;
    std::thread::spawn(|| {
        std::io::stdin().lock().lines().for_each(drop);
        std::process::exit(0);
    });
    let (mut seen, mut known) = (None, 0);
    loop {
        let version = Some(store.data_version()?);
        let episodes = if version == seen { known } else { store.recorded(run)? };
        seen = version;
        if episodes > known {
            known = episodes;
            let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis();
            println!("{at} {episodes}");
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
