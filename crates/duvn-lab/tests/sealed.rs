//! The name of an experiment and how it is shown: a change that duvn did not make is noticed.

mod common;

use common::Folder;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::store::{FILE, Store};

#[test]
fn what_an_experiment_is_called_and_how_it_is_shown_is_sealed() {
    let text = "name = 'a'\nseeds = '0'\n[[environments]]\nid = 'Toy'\n[[agents]]\npreset = 'egreedy'";
    let experiment = Experiment::parse(text, &Variant::default()).unwrap();
    for key in ["name", "show", "seal"] {
        let folder = Folder::new("facts");
        drop(Store::open_for(&folder.0, &experiment).unwrap());
        Store::open(&folder.0).unwrap();
        let database = rusqlite::Connection::open(folder.0.join(FILE)).unwrap();
        let changed =
            database.execute("UPDATE experiment SET value = value || ' ' WHERE key = ?1", [key]).unwrap();
        assert_eq!(changed, 1);
        let error = Store::open(&folder.0).err().expect("it is damaged").to_string();
        assert!(error.contains("not as it was written"), "{key}: {error}");
    }
}
