//! Experiments with many episodes: what the first view of the page needs. `DUVN_ROWS=10000000 cargo test -p duvn-serve --release
//! --test large -- --nocapture` tells the times of the real thing; `DUVN_KEEP=FOLDER` keeps the experiment in a folder that is
//! not there yet, for `tests/browser/paint.mjs`.

mod common;

use common::{Folder, question, serve};
use duvn_lab::board::assets;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::record::Record;
use duvn_lab::run::Outcome;
use duvn_lab::store::Store;
use std::time::{Duration, Instant};

#[test]
fn the_first_view_of_many_episodes_is_small_and_soon_there() {
    let rows: u64 = std::env::var("DUVN_ROWS").ok().and_then(|text| text.parse().ok()).unwrap_or(40_000);
    let each = rows / 20;
    let kept = std::env::var_os("DUVN_KEEP");
    let folder = kept.as_ref().map_or_else(|| Folder::new("large"), |path| Folder(path.into()));
    let text = format!(
        "name = 'large'\nseeds = '0..10'\nepisodes = {each}\nevaluations = 0\n[[environments]]\nid = 'Chain-5'\n\
         [[agents]]\npreset = 'egreedy'\n[[agents]]\npreset = 'duvn'\n"
    );
    let experiment = Experiment::parse(&text, &Variant::default()).unwrap();
    let store = Store::open_for(&folder.0, &experiment).unwrap();
    for run in store.runs().unwrap() {
        store.begin(run.number, "a machine", "portable").unwrap();
        for first in (1..=each).step_by(50_000) {
            let record = |episode: u64| Record {
                episode,
                ret: f64::from(u8::from((episode * 7 + run.spec.seed) % 11 < episode * 11 / each)),
                denoised: None,
                length: 5,
                steps: 5 * episode,
                loss: 0.5,
                start: None,
            };
            let records: Vec<_> = (first..(first + 50_000).min(each + 1)).map(record).collect();
            store.append(run.number, &records, &[], &[], 5 * (first + records.len() as u64), 1.0).unwrap();
        }
        let outcome = Outcome {
            env: run.spec.env.clone(),
            agent: run.spec.agent.clone(),
            seed: run.spec.seed,
            episodes: each,
            steps: 5 * each,
            updates: 0,
            first_reward_episode: Some(1),
            solved_episode: None,
            mean_return_last_100: Some(0.9),
            seconds: 10.0,
            steps_per_second: 1.0,
            weights_sha256: String::new(),
            interrupted: false,
            judgement: Default::default(),
        };
        store.finish(&run, &outcome).unwrap();
    }
    drop(store);
    let began = Instant::now();
    let server = serve(&folder, false);
    let opened = began.elapsed();
    let overview = question(&server, "/api/overview?e=0").body;
    let curves =
        question(&server, "/api/curves?e=0&task=0&metric=return&x=episodes&centre=mean&seeds=0").body;
    let shown = began.elapsed();
    let page = assets::PAGE.len()
        + assets::SCRIPT.len()
        + assets::STYLE.len()
        + assets::UPLOT.len()
        + assets::UPLOT_STYLE.len();
    let bytes = page + overview.len() + curves.len();
    println!("{rows} rows: open {opened:?}, first view {shown:?}, {bytes} bytes");
    assert!(bytes < 2_000_000, "{bytes}");
    // Generous, for machines that are busy with something else.
    assert!(shown < Duration::from_secs(30), "{shown:?}");
    let again = Instant::now();
    for _ in 0..50 {
        assert_eq!(question(&server, "/api/overview?e=0").status, 200);
    }
    println!("an answer that is kept takes {:?}", again.elapsed() / 50);
    // What the kept curves do not have is read from the episodes.
    let began = Instant::now();
    let loss = question(&server, "/api/curves?e=0&task=0&metric=loss&x=steps&centre=mean&seeds=0").body;
    assert!(loss.contains("0.5"), "{loss}");
    println!("all episodes are read in {:?}", began.elapsed());
    server.stop();
    if kept.is_some() {
        std::mem::forget(folder);
    }
}
