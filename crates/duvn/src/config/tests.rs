use super::*;

#[test]
fn every_knob_reads_back_what_it_shows() {
    let mut config = preset("duvn").unwrap();
    config.trunk = vec![7, 9];
    let mut copy = Config::default();
    for (key, text) in config.entries() {
        copy.set(key, &text).unwrap();
    }
    assert_eq!(copy, config);
}

#[test]
fn values_out_of_range_are_named() {
    for (key, text) in [
        ("keep", "0"),
        ("keep", "1.5"),
        ("gamma", "-0.1"),
        ("batch", "0"),
        ("batch", "200000"),
        ("temperature", "0"),
        ("hidden", "[0]"),
        ("sd_rule", "total"),
        ("learning_starts", "1000000"),
        ("shrink", "true"),
    ] {
        let mut config = preset("duvn").unwrap();
        config.set(key, text).unwrap();
        let error = config.check().unwrap_err();
        assert!(error.to_string().starts_with(&format!("'{key}'")), "{key}={text}: {error}");
    }
}

/// The ends of every numeric range: just inside, and just outside.
#[test]
fn ranges_end_where_they_say() {
    let table: &[(&str, &[&str], &[&str])] = &[
        ("keep", &["0.000001", "1"], &["0", "1.000001"]),
        ("mc_samples", &["1", "1024"], &["0", "1025"]),
        ("members", &["1", "64"], &["0", "65"]),
        ("bootstrap", &["0.000001", "1"], &["0", "1.000001"]),
        ("prior_mu", &["0", "1000000"], &["-0.1", "1000001"]),
        ("prior_sigma", &["0", "1000000"], &["-0.1", "1000001"]),
        ("prior_gain", &["0.000001", "1000000"], &["0", "1000001"]),
        ("sigma_bias", &["-10000", "10000"], &["-10001", "10001"]),
        ("sigma_floor", &["0", "1000000"], &["-0.1", "1000001"]),
        ("terminal_sigma", &["0", "1000000"], &["-0.1", "1000001"]),
        ("samples", &["1", "4096"], &["0", "4097"]),
        ("atoms", &["2", "1024"], &["1", "1025"]),
        ("value_min", &["-1e9", "9.9"], &["-1.1e9", "1.1e9"]),
        ("value_max", &["-9.9", "1e9"], &["-1.1e9", "1.1e9"]),
        ("quantiles", &["1", "1024"], &["0", "1025"]),
        ("kappa", &["0", "1000000"], &["-0.1", "1000001"]),
        ("components", &["1", "64"], &["0", "65"]),
        ("component_spread", &["0", "1000000"], &["-0.1", "1000001"]),
        ("local_scale", &["0", "1e9"], &["-0.1", "1.1e9"]),
        ("local_power", &["0.000001", "100"], &["0", "100.1"]),
        ("features", &["1", "4096"], &["0", "4097"]),
        ("feature_width", &["0.000001", "1000000"], &["0", "1000001"]),
        ("epsilon", &["0", "1"], &["-0.000001", "1.000001"]),
        ("epsilon_start", &["0", "1"], &["-0.000001", "1.000001"]),
        ("epsilon_steps", &["0", "1000000000000"], &["1000000000001"]),
        ("temperature", &["0.000001", "1e9"], &["0", "1.1e9"]),
        ("draws", &["1", "1024"], &["0", "1025"]),
        ("redraw", &["0", "1"], &["-0.000001", "1.000001"]),
        ("ucb_low", &["-1000000", "2.3"], &["-1000001", "2.4"]),
        ("ucb_high", &["1.7", "1000000"], &["1.6", "1000001"]),
        ("belief_draws", &["2", "256"], &["1", "257"]),
        ("ids_lambda", &["0", "1000000"], &["-0.1", "1000001"]),
        ("risk_level", &["0.000001", "1"], &["0", "1.000001"]),
        ("dltv_scale", &["0", "1e9"], &["-0.1", "1.1e9"]),
        ("dither", &["0", "1"], &["-0.000001", "1.000001"]),
        ("gamma", &["0", "1"], &["-0.000001", "1.000001"]),
        ("probability_draws", &["1", "10000"], &["0", "10001"]),
        ("lambda", &["0", "1"], &["-0.000001", "1.000001"]),
        ("trace_steps", &["1", "10000"], &["0", "10001", "18446744073709551615"]),
        ("hidden", &["[]", "[4096]", "[1,1,1,1,1,1,1,1]"], &["[0]", "[4097]", "[1,1,1,1,1,1,1,1,1]"]),
        ("trunk", &["[]", "[4096]", "[1,1,1,1,1,1,1,1]"], &["[0]", "[4097]", "[1,1,1,1,1,1,1,1,1]"]),
        ("learning_rate", &["1e-12", "10"], &["0", "10.1"]),
        ("adam_beta1", &["0", "0.999999"], &["-0.1", "1"]),
        ("adam_beta2", &["0", "0.999999"], &["-0.1", "1"]),
        ("adam_epsilon", &["1e-20", "1"], &["0", "1.1"]),
        ("loop_gamma", &["0", "1"], &["-0.000001", "1.000001"]),
        ("sigma_gamma", &["0", "1"], &["-0.000001", "1.000001"]),
        ("rate_updates", &["1", "1000000000000"], &["0", "1000000000001"]),
        ("rate_end", &["0", "1"], &["-0.000001", "1.000001"]),
        ("rate_waits", &["0", "1"], &["-0.000001", "1.000001"]),
        ("priority_power", &["0", "1"], &["-0.000001", "1.000001"]),
        ("importance", &["0", "1"], &["-0.000001", "1.000001"]),
        ("importance_updates", &["1", "1000000000000"], &["0", "1000000000001"]),
        ("anchor", &["0", "1e9"], &["-0.1", "1.1e9"]),
        ("error_clip", &["0", "1e9"], &["-0.1", "1.1e9"]),
        ("max_gradient_norm", &["0", "1e9"], &["-0.1", "1.1e9"]),
        ("target_sync", &["1", "1000000000000"], &["0", "1000000000001"]),
        ("target_tau", &["0.000001", "1"], &["0", "1.000001"]),
        ("replay", &["32", "100000000"], &["0", "31", "100000001"]),
        ("batch", &["1", "65536"], &["0", "65537"]),
        ("prioritised", &["0", "1"], &["-0.000001", "1.000001"]),
        ("learning_starts", &["0", "100000"], &["100001"]),
        ("train_every", &["1", "1000000000000"], &["0", "1000000000001"]),
        ("updates", &["1", "1024"], &["0", "1025"]),
        ("actors", &["1", "1024"], &["0", "1025"]),
        ("train_episodes", &["0", "1000000000000"], &["1000000000001"]),
        ("replay_starts", &["0", "1000000000000"], &["1000000000001"]),
    ];
    let passes = |key: &str, text: &str| {
        let mut config = preset("duvn").unwrap();
        config.set(key, text).unwrap();
        config.check().is_ok()
    };
    for (key, inside, outside) in table {
        inside.iter().for_each(|text| assert!(passes(key, text), "{key}={text}"));
        outside.iter().for_each(|text| assert!(!passes(key, text), "{key}={text}"));
    }
    let numeric =
        Config::knobs().into_iter().filter(|knob| !knob.limit.is_empty() || knob.expects.contains("number"));
    for knob in numeric {
        assert!(table.iter().any(|(key, ..)| *key == knob.name), "{} is not in the table", knob.name);
    }
}

#[test]
fn a_knob_that_nothing_looks_at_is_named_with_what_it_needs() {
    let error = preset("egreedy").unwrap().check_effect("keep").unwrap_err();
    assert_eq!(
        error.to_string(),
        "'keep' has no effect here: it needs posterior=dropout; write that too, or leave it out"
    );
    for (name, key) in [
        ("duvn", "members"),
        ("duvn", "local_scale"),
        ("duvn", "epsilon"),
        ("parametric", "sigma_bias"),
        ("duvn-deep", "keep"),
        ("duvn-deep", "draws"),
        ("bootdqn", "temperature"),
        ("bootdqn", "scope"),
        ("duvn", "trace_steps"),
        ("duvn", "samples"),
        ("duvn", "redraw"),
    ] {
        assert!(preset(name).unwrap().check_effect(key).is_err(), "{name} {key}");
    }
    for (name, key) in [("duvn", "keep"), ("bootdqn", "redraw"), ("duvn-deep", "redraw"), ("duvn", "loss")] {
        assert!(preset(name).unwrap().check_effect(key).is_ok(), "{name} {key}");
    }
}

#[test]
fn what_asks_for_an_uncertainty_that_is_not_there_is_refused() {
    let with = |settings: &[(&str, &str)]| {
        let mut config = preset("dqn").unwrap();
        settings.iter().for_each(|(key, text)| config.set(key, text).unwrap());
        config.check().map(|_| ()).map_err(|error| error.to_string())
    };
    for (settings, key) in [
        (&[("policy", "ids")][..], "policy"),
        (&[("policy", "vpi")], "policy"),
        (&[("policy", "thompson"), ("act_on", "epistemic")], "act_on"),
        (&[("returns", "categorical"), ("local", "visits")], "local"),
        (&[("returns", "categorical"), ("prior_mu", "1")], "prior_mu"),
        (&[("returns", "categorical"), ("bound", "returns")], "bound"),
        (&[("returns", "categorical"), ("value_min", "3"), ("value_max", "3")], "value_min"),
        (&[("returns", "quantile"), ("prior_sigma", "1")], "prior_sigma"),
    ] {
        let error = with(settings).unwrap_err();
        assert!(error.starts_with(&format!("'{key}'")), "{settings:?}: {error}");
    }
    for settings in [
        &[("policy", "ids"), ("apart", "true")][..],
        &[("policy", "vpi"), ("posterior", "ensemble")],
        &[("returns", "categorical"), ("apart", "true"), ("local", "visits")],
        &[("returns", "mean"), ("apart", "true"), ("local", "outcomes"), ("policy", "optimistic")],
        &[("returns", "quantile"), ("local", "visits")],
    ] {
        with(settings).unwrap();
    }
}

#[test]
fn a_rule_for_mixtures_is_refused_where_there_are_none() {
    for (backup, holds) in [("sarsa", false), ("max", false), ("split", false), ("expected", true)] {
        let mut config = preset("duvn-deep").unwrap();
        config.set("backup", backup).unwrap();
        config.set("sd_rule", "total").unwrap();
        assert_eq!(config.check().is_ok(), holds, "{backup}");
    }
}

#[test]
fn text_that_is_no_value_is_answered_with_what_to_write() {
    let mut config = Config::default();
    for (key, text) in
        [("keep", "much"), ("keep", "NaN"), ("batch", "-1"), ("hidden", "[1,"), ("policy", "best")]
    {
        assert!(matches!(config.set(key, text), Err(ConfigError::Value { .. })), "{key}={text}");
    }
    let error = config.set("gama", "1").unwrap_err();
    assert!(error.to_string().contains("gamma"), "{error}");
}
