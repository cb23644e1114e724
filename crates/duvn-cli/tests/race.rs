//! Several programs on one folder that none of them has made.
#![cfg(unix)]

mod common;

use common::{Folder, recorded, small, stderr, sweep};
use duvn_lab::store::Status;

/// `DUVN_RACES=1000` makes it a longer campaign.
#[test]
fn programs_that_start_at_once_on_a_fresh_folder_share_it() {
    let races: usize = std::env::var("DUVN_RACES").map_or(12, |races| races.parse().unwrap());
    let folder = Folder::new("race");
    let file = folder.file("small.toml", &small(3));
    for race in 0..races {
        let out = folder.path(&format!("out-{race}"));
        let children: Vec<_> =
            (0..4).map(|_| sweep(&file, &out, &["--jobs", "1"]).spawn().unwrap()).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "race {race}: {}", stderr(&output));
        }
        assert!(recorded(&out).iter().all(|run| run.status == Status::Done && run.episodes.len() == 3));
        std::fs::remove_dir_all(&out).unwrap();
    }
    println!("{races} races of 4 programs");
}
