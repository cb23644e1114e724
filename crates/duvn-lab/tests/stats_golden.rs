//! The statistics against what rliable, SciPy and lifelines say of the same data, and what NumPy draws
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

/// Estimates must agree to rounding. The ends of an interval that is drawn have a standard error of about half a percent
/// of its width with 50,000 draws: the tolerance is three times that.
fn agrees(found: Interval, expected: &Value, what: &str) {
    let expected = numbers(expected);
    let width = expected[2] - expected[1];
    close(found.estimate, expected[0], 1e-12, what);
    close(found.low, expected[1], 0.015 * width, &format!("{what}: low"));
    close(found.high, expected[2], 0.015 * width, &format!("{what}: high"));
}

#[test]
fn aggregates_are_those_of_rliable() {
    let golden = golden();
    let (x, y) = (tasks(&golden["x"]), tasks(&golden["y"]));
    let number = |key: &str| golden[key].as_f64().unwrap();
    close(mean_of_tasks(&x).unwrap(), number("mean"), 1e-14, "mean");
    close(median_of_tasks(&x).unwrap(), number("median"), 1e-14, "median");
    close(iqm_of_tasks(&x).unwrap(), number("iqm"), 1e-14, "iqm");
    close(probability_of_improvement(&x, &y).unwrap(), number("improvement_rliable"), 1e-14, "improvement");
    let thresholds = numbers(&golden["taus"]).into_iter().zip(numbers(&golden["profile"]));
    for ((tau, share), above) in thresholds.zip(numbers(&golden["profile_above"])) {
        close(score_at_least(&x, tau).unwrap(), share, 1e-14, "profile");
        close(score_at_least(&x, tau.next_up()).unwrap(), above, 1e-14, "rliable's profile");
    }
}

#[test]
fn intervals_are_those_that_numpy_draws() {
    let golden = golden();
    let bootstrap = Bootstrap { resamples: 49_999, seed: 0 };
    for case in golden["bootstrap_t"].as_array().unwrap() {
        let runs = numbers(&case["runs"]);
        agrees(
            bootstrap.studentised(&runs, mean_and_error).unwrap(),
            &case["mean"],
            "bootstrap-t of the mean",
        );
        agrees(bootstrap.studentised(&runs, iqm_and_error).unwrap(), &case["iqm"], "bootstrap-t of the IQM");
    }
    for case in golden["bounded"].as_array().unwrap() {
        let found = bootstrap.bounded(&numbers(&case["runs"]), -1.0, 2.0).unwrap();
        agrees(found, &case["interval"], "bounded mean");
    }
    let found = improvement_interval(&tasks(&golden["x"]), &tasks(&golden["y"])).unwrap();
    let expected = numbers(&golden["improvement"]);
    close(found.low, expected[1], 1e-9, "improvement: low");
    close(found.high, expected[2], 1e-9, "improvement: high");
}

#[test]
fn exact_intervals_of_shares_are_those_of_scipy() {
    for case in golden()["exact"].as_array().unwrap() {
        let count = |key: &str| case[key].as_u64().unwrap() as usize;
        let found = share_interval(count("successes"), count("runs")).unwrap();
        let expected = numbers(&case["interval"]);
        close(found.low, expected[0], 1e-12, "low");
        close(found.high, expected[1], 1e-12, "high");
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
fn kaplan_meier_curves_are_those_of_lifelines_and_their_medians_those_of_beta_products() {
    for case in golden()["survival"].as_array().unwrap() {
        let solved = case["solved"].as_array().unwrap();
        let outcome = |(time, solved): (f64, &Value)| Outcome { time, solved: solved.as_bool().unwrap() };
        let outcomes: Vec<_> = numbers(&case["times"]).into_iter().zip(solved).map(outcome).collect();
        let curve = KaplanMeier::new(&outcomes).unwrap();
        let steps = case["steps"].as_array().unwrap();
        assert_eq!(curve.steps.len(), steps.len());
        for (found, step) in curve.steps.iter().zip(steps) {
            close(found.time, step["time"].as_f64().unwrap(), 0.0, "time");
            close(found.unsolved, step["unsolved"].as_f64().unwrap(), 1e-12, "unsolved");
        }
        assert_eq!(curve.median(), case["median"].as_f64());
        let (low, high) = curve.median_interval().unwrap();
        assert_eq!([low, high], [0, 1].map(|end| case["median_interval"][end].as_f64()));
    }
}
