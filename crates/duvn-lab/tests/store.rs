//! The records: what is taken back, what a curve is made of, and tables of an older version.

mod common;

use common::{Folder, outcome};
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::record::{Record, StartView};
use duvn_lab::run::Outcome;
use duvn_lab::store::{CurvePoint, EvaluationRow, FILE, SCHEMA, Status, Store};

fn experiment() -> Experiment {
    let text = "name = 'a'\nseeds = '18446744073709551615'\nepisodes = 400\n\
                [[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'";
    Experiment::parse(text, &Variant::default()).unwrap()
}

fn record(episode: u64) -> Record {
    let start = (episode % 2 == 1).then_some(StartView { value: 0.5, sigma: episode as f64, spread: 0.0 });
    Record { episode, ret: episode as f64, length: 2, steps: 2 * episode, loss: 0.1, start }
}

#[test]
fn what_comes_after_a_checkpoint_is_taken_back() {
    let folder = Folder::new("rewind");
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let run = store.runs().unwrap().remove(0);
    assert_eq!((run.spec.seed, run.status), (u64::MAX, Status::Pending));
    let records: Vec<_> = (1..=6).map(record).collect();
    let evaluations = [2, 5].map(|episode| EvaluationRow { episode, steps: 2 * episode, mean_return: 1.0 });
    store.append(run.number, &records, &evaluations, &[], 12, 1.5).unwrap();
    // The same episodes again, or a part of a batch that cannot be written, change nothing.
    assert!(store.append(run.number, &[record(7), record(6)], &[], &[], 14, 2.0).is_err());
    assert_eq!(store.recorded(run.number).unwrap(), 6);
    store.rewind(run.number, 4, 8).unwrap();
    let mut left = Vec::new();
    let keep = |record: &Record| {
        left.push(*record);
        Ok::<_, duvn_lab::store::StoreError>(())
    };
    store.each_episode(run.number, keep).unwrap();
    assert_eq!(left, records[..4]);
    assert_eq!(store.evaluations(run.number).unwrap(), evaluations[..1]);
    assert_eq!(store.timing(run.number).unwrap(), []);
}

#[test]
fn a_curve_is_the_same_kept_or_made_anew() {
    let folder = Folder::new("curve");
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let run = store.runs().unwrap().remove(0);
    store.append(run.number, &(1..=4).map(record).collect::<Vec<_>>(), &[], &[], 8, 1.0).unwrap();
    // 400 episodes in 200 parts: two a part.
    let point = |bin, mean_return, sigma| CurvePoint {
        bin,
        episodes: 2,
        mean_return,
        mean_length: 2.0,
        sigma: Some(sigma),
        spread: Some(0.0),
    };
    let expected = [point(0, 1.5, 1.0), point(1, 3.5, 3.0)];
    assert_eq!(store.curve(&run).unwrap(), expected);
    let outcome = Outcome { mean_return_last_100: Some(2.5), ..outcome(&run.spec, 4, None) };
    store.finish(&run, &outcome).unwrap();
    let done = store.run(&run.id).unwrap();
    assert_eq!((done.status, done.outcome.as_ref()), (Status::Done, Some(&outcome)));
    assert_eq!(store.curve(&done).unwrap(), expected);
}

#[test]
fn tables_of_the_first_version_are_brought_up_to_date() {
    let folder = Folder::new("migrate");
    drop(Store::open_for(&folder.0, &experiment()).unwrap());
    let connection = rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
    connection
        .execute_batch(
            "DROP TABLE beliefs; ALTER TABLE runs DROP COLUMN watch; ALTER TABLE runs DROP COLUMN until_solved; \
             PRAGMA user_version = 1;",
        )
        .unwrap();
    drop(connection);
    let store = Store::open(&folder.0).unwrap();
    let run = store.runs().unwrap().remove(0);
    assert!(run.watch.is_empty() && !run.spec.until_solved);
    assert_eq!(run.id, experiment().runs[0].id);
    assert!(store.moments(1).unwrap().is_empty());
    drop(store);
    let connection = rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, SCHEMA);
}
