//! The records: what is taken back, what a curve is made of, and tables of an older version.

mod common;

use common::{Folder, outcome};
use duvn_lab::calibration::Calibration;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::record::{Record, StartView};
use duvn_lab::run::Outcome;
use duvn_lab::store::{CurvePoint, EvaluationRow, FILE, SCHEMA, Status, Store, Verified};

fn experiment() -> Experiment {
    let text = "name = 'a'\nseeds = '18446744073709551615'\nepisodes = 400\n\
                [[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'";
    Experiment::parse(text, &Variant::default()).unwrap()
}

fn record(episode: u64) -> Record {
    let start = (episode % 2 == 1).then_some(StartView { value: 0.5, sigma: episode as f64, spread: 0.0 });
    let denoised = None;
    Record { episode, ret: episode as f64, denoised, length: 2, steps: 2 * episode, loss: 0.1, start }
}

/// An evaluation, with what was believed or without.
fn evaluation(episode: u64, believed: bool) -> EvaluationRow {
    let known = Calibration { believed: 0.75, sigma: 0.5, earned: 0.25, covered: Some(0.8) };
    EvaluationRow { episode, steps: 2 * episode, mean_return: 1.0, calibration: believed.then_some(known) }
}

#[test]
fn what_comes_after_a_checkpoint_is_taken_back() {
    let folder = Folder::new("rewind");
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let run = store.runs().unwrap().remove(0);
    assert_eq!((run.spec.seed, run.status), (u64::MAX, Status::Pending));
    let records: Vec<_> = (1..=6).map(record).collect();
    // One as it is now, one as earlier versions recorded it.
    let evaluations = [evaluation(2, true), evaluation(5, false)];
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

/// A flipped sign bit makes -0 of 0, which the digest takes for the same number: readers must give 0.
#[test]
fn no_zero_that_is_read_is_negative() {
    // Every number of an episode, an evaluation and a time is x.
    let write = |name: &str, x: f64| {
        let folder = Folder::new(name);
        let store = Store::open_for(&folder.0, &experiment()).unwrap();
        let number = store.runs().unwrap()[0].number;
        let start = Some(StartView { value: x, sigma: x, spread: x });
        let record = Record { episode: 1, ret: x, denoised: Some(x), length: 2, steps: 2, loss: x, start };
        let calibration = Some(Calibration { believed: x, sigma: x, earned: x, covered: Some(x) });
        let evaluation = EvaluationRow { episode: 1, steps: 2, mean_return: x, calibration };
        store.append(number, &[record], &[evaluation], &[], 2, x).unwrap();
        folder
    };
    let read = |folder: &Folder| {
        let store = Store::open(&folder.0).unwrap();
        let run = store.runs().unwrap().remove(0);
        let mut records = Vec::new();
        let keep = |record: &Record| {
            records.push(*record);
            Ok::<_, duvn_lab::store::StoreError>(())
        };
        store.each_episode(run.number, keep).unwrap();
        let (evaluations, timing) =
            (store.evaluations(run.number).unwrap(), store.timing(run.number).unwrap());
        format!("{records:?} {evaluations:?} {timing:?} {:?}", store.curve(&run).unwrap())
    };
    // Where the numbers lie is seen from one that is easily found.
    let marker = 1.234_567_89e-67f64;
    let bytes = |folder: &Folder| std::fs::read(folder.0.join(FILE)).unwrap();
    let marked = bytes(&write("marked", marker));
    let folder = write("zero", 0.0);
    let (expected, zeros) = (read(&folder), bytes(&folder));
    let places = (0..marked.len() - 7).filter(|&at| marked[at..at + 8] == marker.to_be_bytes());
    let places: Vec<usize> = places.filter(|&at| zeros[at..at + 8] == [0; 8]).collect();
    assert!(places.len() >= 11, "{places:?}");
    for at in places {
        let mut flipped = zeros.clone();
        flipped[at] = 0x80;
        std::fs::write(folder.0.join(FILE), &flipped).unwrap();
        assert_eq!(read(&folder), expected, "byte {at}");
    }
}

#[test]
fn a_run_that_succeeds_at_last_is_not_to_be_tried_again() {
    let folder = Folder::new("again");
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let run = store.runs().unwrap().remove(0);
    store.fail(run.number, "the disk is full", true).unwrap();
    assert!(store.run(&run.id).unwrap().again);
    store.begin(run.number, "a machine", "portable").unwrap();
    store.append(run.number, &[record(1)], &[], &[], 2, 1.0).unwrap();
    store.finish(&run, &outcome(&run.spec, 1, None)).unwrap();
    let done = store.run(&run.id).unwrap();
    assert_eq!((done.again, done.error, done.status), (false, None, Status::Done));
}

/// A finished run with something in every table.
fn finished(folder: &Folder) -> Store {
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let run = store.runs().unwrap().remove(0);
    let records: Vec<_> = (1..=6).map(record).collect();
    let evaluation = evaluation(5, true);
    let view = duvn::ActionView { mean: 1.0, sigma: 0.5, probability: 0.5, ..Default::default() };
    let moment = duvn_lab::beliefs::Moment { episode: 3, states: vec![vec![view; 2]; 2] };
    store.append(run.number, &records[..4], &[], &[moment], 8, 1.5).unwrap();
    store.append(run.number, &records[4..], &[evaluation], &[], 12, 2.5).unwrap();
    store.finish(&run, &outcome(&run.spec, 6, None)).unwrap();
    store
}

/// Reads all that is recorded.
fn read(store: &Store) -> Result<(), duvn_lab::store::StoreError> {
    let run = store.runs()?.remove(0);
    store.finished(&run)?;
    store.curve(&run)?;
    Ok(())
}

#[test]
fn no_change_of_a_record_goes_unnoticed() {
    for change in [
        "SELECT 1",
        "UPDATE episodes SET return = 9 WHERE episode = 2",
        "UPDATE episodes SET loss = NULL WHERE episode = 2",
        "UPDATE episodes SET sigma = 1.5 WHERE episode = 3",
        "UPDATE episodes SET episode = 7 WHERE episode = 6",
        "DELETE FROM episodes WHERE episode = 6",
        "INSERT INTO episodes SELECT run, 7, return, length, steps, loss, value, sigma, spread, denoised FROM episodes \
         WHERE episode = 6",
        "UPDATE evaluations SET mean_return = 2",
        "UPDATE evaluations SET believed = 0.5",
        "UPDATE evaluations SET covered = NULL",
        "UPDATE evaluations SET believed = NULL, sigma = NULL, earned = NULL, covered = NULL",
        "DELETE FROM evaluations",
        "UPDATE beliefs SET spread = 1 WHERE state = 1 AND action = 0",
        "UPDATE timing SET seconds = 3 WHERE steps = 12",
        "UPDATE curves SET mean_return = 0",
        "UPDATE runs SET weights_sha256 = '11'",
        "UPDATE runs SET config = replace(config, 'gamma', 'gamma ')",
        "UPDATE runs SET status = 'pending'",
        "UPDATE runs SET panel = 'other'",
        "UPDATE runs SET isa = 'avx2'",
        "UPDATE runs SET episodes_sha256 = ''",
        "UPDATE runs SET seal = ''",
        // A damaged text of a table makes statements that do not fit.
        "ALTER TABLE beliefs RENAME COLUMN spread TO spreae",
        "ALTER TABLE runs RENAME COLUMN place TO plade",
        "DROP TABLE timing",
    ] {
        let folder = Folder::new("digest");
        drop(finished(&folder));
        let other = rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
        other.execute_batch(change).unwrap();
        drop(other);
        let store = Store::open(&folder.0).unwrap();
        let sound = |found: Vec<Verified>| found.iter().all(|verified| verified.faults.is_empty());
        let faulty = !store.verify().is_ok_and(sound);
        match read(&store) {
            Ok(()) => assert!(change == "SELECT 1" && !faulty, "{change}"),
            Err(error) => assert!(faulty && error.to_string().contains("duvn check"), "{change}: {error}"),
        }
    }
}

/// Every column of every table, so that one that comes to be is covered by a digest, too.
#[test]
fn no_column_is_without_a_digest() {
    let mut changed = 0;
    for table in ["episodes", "evaluations", "beliefs", "timing", "curves", "runs"] {
        let folder = Folder::new("columns");
        drop(finished(&folder));
        let whole = std::fs::read(folder.0.join(FILE)).unwrap();
        let connection = || rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
        let columns: Vec<String> = {
            let connection = connection();
            let mut query = connection.prepare(&format!("PRAGMA table_info({table})")).unwrap();
            query.query_map([], |row| row.get(1)).unwrap().map(Result::unwrap).collect()
        };
        for column in columns.iter().filter(|column| *column != "number") {
            for rest in ["-wal", "-shm"] {
                let _ = std::fs::remove_file(folder.0.join(format!("{FILE}{rest}")));
            }
            std::fs::write(folder.0.join(FILE), &whole).unwrap();
            let one = format!("SELECT {column} FROM {table} ORDER BY 1 DESC LIMIT 1");
            let change = format!(
                "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; UPDATE {table} SET {column} = \
                 CASE typeof({column}) WHEN 'null' THEN 1 WHEN 'text' THEN {column} || 'x' ELSE {column} + 1 END WHERE {column} IS ({one})"
            );
            connection().execute_batch(&change).unwrap_or_else(|error| panic!("{change}: {error}"));
            let noticed = match Store::open(&folder.0) {
                Ok(store) => store
                    .verify()
                    .map_or(true, |found| found.iter().any(|verified| !verified.faults.is_empty())),
                Err(_) => true,
            };
            assert!(noticed, "{table}.{column}");
            changed += 1;
        }
    }
    assert!(changed > 50, "{changed} columns");
}

/// SQLite does not wait where a fresh file is made a database: so programs wait for each other before.
#[test]
fn opening_waits_for_whoever_is_opening() {
    let folder = Folder::new("waits");
    drop(Store::open_for(&folder.0, &experiment()).unwrap());
    let lock = std::fs::File::options().append(true).open(folder.0.join("records.lock")).unwrap();
    lock.lock().unwrap();
    let path = folder.0.clone();
    let opening = std::thread::spawn(move || {
        drop(Store::open(&path).unwrap());
        drop(Store::open_for(&path, &experiment()).unwrap());
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(!opening.is_finished(), "it must wait");
    drop(lock);
    opening.join().unwrap();
}

#[test]
fn a_run_has_one_program_at_a_time() {
    let folder = Folder::new("one");
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let id = store.runs().unwrap().remove(0).id;
    let mine = store.try_lock(&id).unwrap();
    assert!(mine.is_some() && store.try_lock(&id).unwrap().is_none());
    drop(mine);
    assert!(store.try_lock(&id).unwrap().is_some());
}

/// Its seal may be as good as it likes: a row must describe the run whose id it has.
#[test]
fn a_run_is_what_its_id_says() {
    let folder = Folder::new("id");
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let run = store.runs().unwrap().remove(0);
    let other = rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
    other.execute_batch("UPDATE runs SET config = replace(config, 'gamma = 0.', 'gamma = 0.1')").unwrap();
    // Any change that this program makes seals the row anew.
    store.fail(run.number, "whatever", true).unwrap();
    let error = store.runs().unwrap_err().to_string();
    assert!(error.contains("describes the run"), "{error}");
}

#[test]
fn what_was_changed_is_not_gone_on_with() {
    let folder = Folder::new("rewind-changed");
    let store = finished(&folder);
    let run = store.runs().unwrap().remove(0);
    let other = rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
    other.execute_batch("UPDATE episodes SET return = 9 WHERE episode = 2").unwrap();
    let error = store.rewind(run.number, 6, 12).unwrap_err().to_string();
    assert!(error.contains("the episodes of run") && error.contains(&run.id), "{error}");
    assert_eq!(store.recorded(run.number).unwrap(), 6, "nothing is taken back");
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
    drop_later_columns(&connection);
    connection
        .execute_batch(
            "DROP TABLE beliefs; ALTER TABLE runs DROP COLUMN watch; ALTER TABLE runs DROP COLUMN until_solved; \
             DELETE FROM experiment WHERE key = 'seal'; \
             UPDATE runs SET machine = 'a CPU, 2 threads, linux x86_64, kernels for Avx2'; \
             PRAGMA user_version = 1;",
        )
        .unwrap();
    for column in ["place", "isa", "starts", "former", "seal", "judgement"] {
        connection.execute_batch(&format!("ALTER TABLE runs DROP COLUMN {column}")).unwrap();
    }
    for part in ["episodes", "evaluations", "beliefs", "timing", "curves"] {
        connection.execute_batch(&format!("ALTER TABLE runs DROP COLUMN {part}_sha256")).unwrap();
    }
    drop(connection);
    let store = Store::open(&folder.0).unwrap();
    let run = store.runs().unwrap().remove(0);
    assert!(run.watch.is_empty() && !run.spec.until_solved);
    assert_eq!(run.isa.as_deref(), Some("avx2"));
    assert!(store.verify().unwrap().iter().all(|verified| verified.faults.is_empty()));
    assert_eq!(run.id, experiment().runs[0].id);
    assert!(store.moments(1).unwrap().is_empty());
    drop(store);
    let connection = rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, SCHEMA);
}

/// Makes the tables what they were in version 4.
fn drop_later_columns(connection: &rusqlite::Connection) {
    let later = [
        ("evaluations", &["believed", "sigma", "earned", "covered"][..]),
        ("beliefs", &["epistemic", "aleatoric"]),
        ("episodes", &["denoised"]),
    ];
    for (table, columns) in later {
        for column in columns {
            connection.execute_batch(&format!("ALTER TABLE {table} DROP COLUMN {column}")).unwrap();
        }
    }
}

/// Records of version 4 keep their digests and seals, say nothing of what was believed, and go on with rows that do.
#[test]
fn tables_of_the_fourth_version_stay_valid_and_go_on() {
    let folder = Folder::new("migrate-4");
    let store = Store::open_for(&folder.0, &experiment()).unwrap();
    let run = store.runs().unwrap().remove(0);
    let records: Vec<_> = (1..=6).map(record).collect();
    store.append(run.number, &records, &[evaluation(2, false), evaluation(5, false)], &[], 12, 1.5).unwrap();
    let before = store.run(&run.id).unwrap().records_sha256;
    drop(store);
    let version_4 = |change: &str| {
        let connection = rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
        drop_later_columns(&connection);
        connection.execute_batch(change).unwrap();
        connection.execute_batch("PRAGMA user_version = 4").unwrap();
    };
    version_4("SELECT 1");
    let store = Store::open(&folder.0).unwrap();
    assert!(store.verify().unwrap().iter().all(|verified| verified.faults.is_empty()));
    assert_eq!(store.evaluations(run.number).unwrap(), [evaluation(2, false), evaluation(5, false)]);
    assert_eq!(store.run(&run.id).unwrap().records_sha256, before, "the same runs still agree");
    let denoised = Record { denoised: Some(0.25), ..record(7) };
    store.append(run.number, &[denoised], &[evaluation(7, true)], &[], 14, 2.0).unwrap();
    assert_eq!(store.evaluations(run.number).unwrap()[2], evaluation(7, true));
    assert_eq!(store.last_episode(run.number).unwrap().map(|(last, _)| last), Some(denoised));
    assert!(store.verify().unwrap().iter().all(|verified| verified.faults.is_empty()));
    store.rewind(run.number, 6, 12).unwrap();
    assert_eq!(store.run(&run.id).unwrap().records_sha256, before);
    drop(store);
    // What was changed before is not made good by bringing the tables up to date.
    version_4("UPDATE evaluations SET mean_return = 9 WHERE episode = 2");
    let store = Store::open(&folder.0).unwrap();
    assert!(store.evaluations(run.number).is_err());
}

#[test]
fn one_who_looks_waits_for_the_one_who_makes_the_records() {
    for attempt in 0..20 {
        let folder = Folder::new(&format!("early-{attempt}"));
        let file = folder.0.join(FILE);
        std::thread::scope(|scope| {
            let maker = scope.spawn(|| Store::open_for(&folder.0, &experiment()).map(drop));
            while !file.exists() {
                std::thread::yield_now();
            }
            let seen = Store::open_to_read(&folder.0).map(|store| store.runs().unwrap().len());
            maker.join().unwrap().unwrap();
            assert_eq!(seen.unwrap(), 1);
        });
    }
}
