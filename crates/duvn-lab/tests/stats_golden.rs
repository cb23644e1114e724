//! The statistics against what rliable, SciPy, statsmodels and lifelines say of the same data
//! (`golden/stats.json`, written by `golden/generate_stats.py`).

use duvn_lab::stats::*;
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/stats.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn tasks(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected}");
}

/// Estimates must agree to rounding. The ends of an interval have a standard error of about 0.3 % of its
/// width with 50,000 resamples, and both sides draw their own: the tolerance is three times the error of
/// their difference.
fn agrees(found: &[Interval], expected: &Value, what: &str) {
    let [estimate, low, high] = ["estimate", "low", "high"].map(|key| numbers(&expected[key]));
    assert_eq!(found.len(), estimate.len());
    for (i, found) in found.iter().enumerate() {
        let width = high[i] - low[i];
        close(found.estimate, estimate[i], 1e-14, &format!("{what}[{i}]"));
        close(found.low, low[i], 0.013 * width, &format!("{what}[{i}].low"));
        close(found.high, high[i], 0.013 * width, &format!("{what}[{i}].high"));
    }
}

#[test]
fn aggregates_and_their_intervals_are_those_of_rliable() {
    let golden = golden();
    let (x, y) = (tasks(&golden["x"]), tasks(&golden["y"]));
    let bootstrap = Bootstrap { resamples: 50_000, ..Bootstrap::default() };
    agrees(&[bootstrap.of_tasks(&x, mean_of_tasks).unwrap()], &golden["mean"], "mean");
    agrees(&[bootstrap.of_tasks(&x, median_of_tasks).unwrap()], &golden["median"], "median");
    agrees(&[bootstrap.of_tasks(&x, iqm_of_tasks).unwrap()], &golden["iqm"], "iqm");
    let profile = performance_profile(&x, &numbers(&golden["taus"]), &bootstrap).unwrap();
    agrees(&profile, &golden["profile"], "profile");
    let improvement = improvement_interval(&x, &y, &bootstrap).unwrap();
    agrees(&[improvement], &golden["improvement"], "improvement");
}

#[test]
fn wilson_intervals_are_those_of_statsmodels() {
    for case in golden()["wilson"].as_array().unwrap() {
        let count = |key: &str| case[key].as_u64().unwrap() as usize;
        let found = wilson(count("successes"), count("runs")).unwrap();
        let expected = numbers(&case["interval"]);
        close(found.low, expected[0], 1e-14, "low");
        close(found.high, expected[1], 1e-14, "high");
    }
}

#[test]
fn kolmogorov_smirnov_and_the_normal_cdf_are_those_of_scipy() {
    let golden = golden();
    for case in golden["ks"].as_array().unwrap() {
        let found = ks_two_sample(&numbers(&case["x"]), &numbers(&case["y"])).unwrap();
        close(found.statistic, case["statistic"].as_f64().unwrap(), 1e-14, "statistic");
        close(found.p_value, case["p_value"].as_f64().unwrap(), 1e-12, "p-value");
    }
    for case in golden["normal_cdf"].as_array().unwrap() {
        let expected = case["below"].as_f64().unwrap();
        close(normal_cdf(case["x"].as_f64().unwrap(), 0.0, 1.0), expected, 1e-13 * expected, "below");
    }
}

#[test]
fn kaplan_meier_curves_are_those_of_lifelines() {
    for case in golden()["survival"].as_array().unwrap() {
        let solved = case["solved"].as_array().unwrap();
        let outcome = |(time, solved): (f64, &Value)| Outcome { time, solved: solved.as_bool().unwrap() };
        let outcomes: Vec<_> = numbers(&case["times"]).into_iter().zip(solved).map(outcome).collect();
        let curve = KaplanMeier::new(&outcomes).unwrap();
        let steps = case["steps"].as_array().unwrap();
        assert_eq!(curve.steps.len(), steps.len());
        for (found, step) in curve.steps.iter().zip(steps) {
            close(found.time, step["time"].as_f64().unwrap(), 0.0, "time");
            close(found.unsolved.estimate, step["unsolved"].as_f64().unwrap(), 1e-12, "unsolved");
            close(found.unsolved.low, step["low"].as_f64().unwrap(), 1e-12, "low");
            close(found.unsolved.high, step["high"].as_f64().unwrap(), 1e-12, "high");
        }
        assert_eq!(curve.median(), case["median"].as_f64());
        let (low, high) = curve.median_interval();
        assert_eq!([low, high], [0, 1].map(|end| case["median_interval"][end].as_f64()));
    }
}
