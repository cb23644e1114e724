//! `duvn bench`: its JSON contract.

mod program;

use program::{duvn, folder, keys};

const KEYS: [&str; 11] = [
    "allocations",
    "bytes",
    "flops",
    "isa",
    "name",
    "percent_of_avx2_peak",
    "percent_of_peak",
    "rate",
    "repetitions",
    "spread",
    "unit",
];

#[test]
fn a_measurement_is_an_object_with_the_documented_keys() {
    let help = duvn(&["bench", "--help"]).stdout;
    for only in ["peak", "train-32x2", "act", "env-CartPole", "start", "memory"] {
        let measurements = duvn(&["bench", "--quick", "--json", "--only", only]).objects();
        assert!(!measurements.is_empty());
        for measurement in measurements {
            assert_eq!(keys(&measurement), KEYS);
            assert!(measurement["name"].as_str().unwrap().starts_with(only), "{measurement}");
            let number = |key: &str| measurement[key].as_f64().unwrap();
            let end = |index: usize| measurement["spread"][index].as_f64().unwrap();
            assert!(end(0) <= number("rate") && number("rate") <= end(1) && end(0) > 0.0, "{measurement}");
        }
    }
    for key in KEYS {
        assert!(help.contains(key), "{key} is documented");
    }
}

#[test]
fn acting_training_and_the_whole_loop_allocate_nothing() {
    for only in ["train-32x2", "act-agent", "loop-duvn-Chain-10"] {
        let measurement = &duvn(&["bench", "--quick", "--json", "--only", only]).objects()[0];
        assert_eq!(measurement["allocations"], 0.0, "{measurement}");
        assert!(measurement["flops"].as_f64().unwrap() > 1e5, "{measurement}");
    }
}

#[test]
fn the_instruction_set_can_be_chosen() {
    let peak = &duvn(&["bench", "--quick", "--json", "--only", "peak", "--isa", "portable"]).objects()[0];
    assert_eq!(peak["isa"], "portable");
}

#[test]
fn a_measurement_is_divided_by_an_earlier_one() {
    let first = duvn(&["bench", "--quick", "--json", "--only", "env-Taxi"]).stdout;
    let file = folder("bench-compare").join("earlier.json");
    let rate: f64 = serde_json::from_str::<serde_json::Value>(&first).unwrap()["rate"].as_f64().unwrap();
    std::fs::write(&file, first).unwrap();
    let compare = ["--compare", file.to_str().unwrap()];
    let now = &duvn(&[&["bench", "--quick", "--json", "--only", "env-"], &compare[..]].concat()).objects();
    let of = |name: &str| now.iter().find(|row| row["name"] == name).unwrap();
    let taxi = of("env-Taxi-v4");
    assert_eq!(taxi["ratio"].as_f64().unwrap(), taxi["rate"].as_f64().unwrap() / rate);
    // Nothing to divide by.
    assert!(of("env-CartPole-v1")["ratio"].is_null());
}
