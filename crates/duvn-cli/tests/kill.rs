//! Sweeps that are killed again and again end as if nothing had happened.
//!
//! `DUVN_KILLS=300` makes it a longer campaign.
#![cfg(unix)]

mod common;

use common::{Folder, everything, let_work, recorded, small, stderr, succeed, sweep};
use std::time::{Duration, SystemTime};

/// Times of 0 to 150 ms of work that look random and are the same each time (a linear congruential generator).
struct Waits(u64);

impl Iterator for Waits {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some(Duration::from_micros((self.0 >> 33) % 150_000))
    }
}

#[test]
fn killed_sweeps_end_as_if_undisturbed() {
    let wanted: usize = std::env::var("DUVN_KILLS").map_or(24, |kills| kills.parse().unwrap());
    let folder = Folder::new("kill");
    let file = folder.file("small.toml", &small(1500));
    let whole = folder.path("whole");
    succeed(sweep(&file, &whole, &["--jobs", "2"]));
    let expected = recorded(&whole);
    assert!(expected.iter().all(|run| run.episodes.len() == 1500 && run.weights.is_some()));

    let mut waits = Waits(1);
    let (mut kills, mut sweeps, mut cut_short) = (0, 0, 0);
    while kills < wanted {
        let out = folder.path(&format!("killed-{sweeps}"));
        sweeps += 1;
        loop {
            let started = SystemTime::now();
            // Checkpoints so close together that many kills fall into the writing of one.
            let mut child =
                sweep(&file, &out, &["--jobs", "2", "--checkpoint-every", "0.004"]).spawn().unwrap();
            let_work(&mut child, waits.next().unwrap());
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "{}", stderr(&child.wait_with_output().unwrap()));
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            let runs = std::fs::read_dir(out.join("runs")).into_iter().flatten().flatten();
            let left_now = |run: &std::fs::DirEntry| {
                let left = std::fs::metadata(run.path().join("unfinished.tmp"));
                left.is_ok_and(|left| left.modified().unwrap() >= started)
            };
            cut_short += usize::from(runs.into_iter().any(|run| left_now(&run)));
            if kills >= wanted {
                succeed(sweep(&file, &out, &["--jobs", "2"]));
                break;
            }
        }
        assert!(recorded(&out) == expected, "after {kills} kills, sweep {sweeps} differs");
        std::fs::remove_dir_all(&out).unwrap();
    }
    println!("{kills} kills in {sweeps} sweeps, {cut_short} of them inside the writing of a checkpoint");
    assert!(cut_short > 0, "no kill fell into the writing of a checkpoint");
}

/// Every preset is killed on the way to its budget, and again on the way to a larger one.
#[test]
fn killed_sweeps_of_every_preset_are_extended_as_if_undisturbed() {
    let wanted: usize = std::env::var("DUVN_KILLS").map_or(10, |kills| kills.parse().unwrap());
    let folder = Folder::new("kill-all");
    let (short, long) =
        (folder.file("short.toml", &everything(40)), folder.file("long.toml", &everything(80)));
    let whole = folder.path("whole");
    succeed(sweep(&long, &whole, &["--jobs", "2"]));
    let expected = recorded(&whole);
    let mut waits = Waits(5);
    let (mut kills, mut sweeps) = (0, 0);
    while kills < wanted {
        let out = folder.path(&format!("killed-{sweeps}"));
        sweeps += 1;
        for (file, more) in [(&short, &[][..]), (&long, &["--extend"])] {
            let half = kills + (wanted - kills).div_ceil(2);
            loop {
                let arguments = [&["--jobs", "2", "--checkpoint-every", "0.004"], more].concat();
                let mut child = sweep(file, &out, &arguments).spawn().unwrap();
                let_work(&mut child, waits.next().unwrap() * 3);
                if kills < half && child.try_wait().unwrap().is_none() {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    kills += 1;
                    continue;
                }
                let output = child.wait_with_output().unwrap();
                assert!(output.status.success(), "{}", stderr(&output));
                break;
            }
        }
        assert!(recorded(&out) == expected, "after {kills} kills, sweep {sweeps} differs");
        std::fs::remove_dir_all(&out).unwrap();
    }
    println!("{kills} kills in {sweeps} sweeps of every preset, each extended");
}
