//! What a user can get wrong: one sentence on stderr that says what to write, nothing on stdout, exit code 2.

mod program;

use program::{duvn, folder};

/// Calls that must be refused, with a part of what must be said.
fn refused(arguments: &[&str], part: &str) {
    let ran = duvn(arguments);
    assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
    assert_eq!(ran.stdout, "", "{arguments:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{arguments:?}: {}", ran.stderr);
    assert!(ran.stderr.starts_with("duvn: "), "{arguments:?}: {}", ran.stderr);
    assert!(ran.stderr.contains(part), "{arguments:?} should name '{part}': {}", ran.stderr);
}

#[test]
fn wrong_names_are_answered_with_the_nearest() {
    refused(&["train", "Chian-10", "--agent", "duvn"], "Chain-");
    refused(&["env", "CartPol-v1", "--actions", "0"], "CartPole-v1");
    refused(&["ire", "MountanCar-v0"], "MountainCar-v0");
    refused(&["train", "Chain-10", "--agent", "duvm"], "duvn");
    refused(&["train", "Chain-10", "--agent", "duvn", "--set", "gama=0.9"], "gamma");
    refused(&["train", "Chain-10", "--agent", "duvn", "--set", "policy=thomson"], "thompson");
    refused(&["bench", "--only", "trian"], "train-32x2");
    refused(&["--isa", "mmx", "envs"], "portable");
}

#[test]
fn values_out_of_range_are_named() {
    for (assignments, part) in [
        (&["keep=0"][..], "'keep'"),
        (&["keep=1.01"], "'keep'"),
        (&["keep=NaN"], "'keep'"),
        (&["keep=most"], "'keep'"),
        (&["batch=64", "replay=32"], "'batch'"),
        (&["batch=0"], "'batch'"),
        (&["gamma=-1"], "'gamma'"),
        (&["learning_rate=0"], "'learning_rate'"),
        (&["hidden=[0]"], "'hidden'"),
        (&["hidden=[12"], "'hidden'"),
        (&["gamma"], "key=value"),
    ] {
        let settings = assignments.iter().flat_map(|assignment| ["--set", assignment]);
        let arguments: Vec<_> = ["train", "Chain-4", "--agent", "duvn"].into_iter().chain(settings).collect();
        refused(&arguments, part);
    }
}

/// Amounts that nobody has the memory or the time for, in `train`, in a sweep and in its dry run.
#[test]
fn what_no_machine_has_room_for_is_refused_before_it_is_asked_for() {
    let folder = folder("no-room");
    let (file, out) = (folder.join("large.toml"), folder.join("out"));
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let large = "hidden=[4096,4096]";
    for (env, preset, settings, part) in [
        ("Toy", "duvn", &["mc_samples=1000000000000"][..], "'mc_samples'"),
        ("Toy", "duvn", &["propagation=sampling", "samples=1000000000000"], "'samples'"),
        ("Toy", "duvn", &["draws=1000000000000"], "'draws'"),
        ("Toy", "duvn", &["lambda=0.9", "trace_steps=9223372036854775807"], "'trace_steps'"),
        ("DeepSea-1000", "bootdqn", &["members=64", large], "memory"),
        ("Toy", "duvn", &["updates=1024", "mc_samples=256", "batch=1024"], "multiplications"),
    ] {
        let set = settings.iter().flat_map(|setting| ["--set", setting]);
        let train: Vec<_> = ["train", env, "--agent", preset].into_iter().chain(set).collect();
        refused(&train, part);
        let settings = settings.join(", ").replace("=sampling", "='sampling'");
        let text = format!(
            "name = 'large'\nseeds = '0'\n[[environments]]\nid = '{env}'\n[[agents]]\npreset = '{preset}'\n\
             settings = {{ {settings} }}\n"
        );
        std::fs::write(file, text).unwrap();
        refused(&["sweep", file, "--out", out, "--dry-run"], part);
        refused(&["sweep", file, "--out", out], part);
    }
    // The largest number that 64 bits hold is none that a TOML file can have.
    refused(
        &[
            "train",
            "Toy",
            "--agent",
            "duvn",
            "--set",
            "lambda=0.9",
            "--set",
            "trace_steps=18446744073709551615",
        ],
        "'trace_steps'",
    );
    assert!(!std::path::Path::new(out).exists(), "nothing was made");
}

#[test]
fn budgets_seeds_and_threads_must_make_sense() {
    for (option, value, part) in [
        ("--episodes", "0", "--episodes"),
        ("--steps", "0", "--steps"),
        ("--jobs", "0", "--jobs"),
        ("--seeds", "5..3", "0..5"),
        ("--seeds", "a", "0..5"),
        ("--seeds", "1,1", "twice"),
        ("--seeds", "", "0..5"),
    ] {
        refused(&["train", "Chain-4", "--agent", "duvn", option, value], part);
    }
    for (option, values) in
        [("--traces", &["0", "99999999999999"][..]), ("--max-steps", &["0"]), ("--jobs", &["0", "99999999"])]
    {
        values.iter().for_each(|value| refused(&["ire", "Toy", option, value], &option[2..]));
    }
}

#[test]
fn environments_say_what_they_take() {
    for (env, actions, part) in [
        ("Chain-0", "0", "Chain"),
        ("Chain-3", "0,7", "from 0 to 1"),
        ("Chain-3", "-1", "Discrete(2)"),
        ("Chain-3", "left", "Discrete(2)"),
        ("Toy", "0,0,0", "at most 2 actions"),
        ("FrozenLake-v1?map=9x9", "0", "map"),
        ("CartPole-v1?colour=red", "0", "colour"),
    ] {
        refused(&["env", env, "--actions", actions], part);
    }
    refused(&["train", "Pendulum-v1", "--agent", "duvn"], "Discrete");
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let folder = folder("bad-input");
    let (good, bad) = (folder.join("good.toml"), folder.join("bad.toml"));
    std::fs::write(&good, "keep = 0.9\n").unwrap();
    std::fs::write(&bad, "keep = 0.9\nbatch = = 3\n").unwrap();
    let (missing, inside) = (folder.join("missing.toml"), good.join("inside"));
    let path = |path: &std::path::Path| path.to_str().unwrap().to_string();
    let train = ["train", "Chain-4", "--agent", "duvn", "--episodes", "1"];
    let with = |option: &'static str, value: &str, part: &str| {
        refused(&[&train[..], &[option, value]].concat(), part);
    };
    with("--config", &path(&bad), "line 2");
    with("--config", &path(&missing), "missing.toml");
    with("--out", &path(&inside), "inside");
    refused(&["ire", "Toy", "--traces", "10", "--out", &path(&inside)], "inside");
}

#[test]
fn commands_that_cannot_be_understood_end_with_exit_code_2_and_a_hint() {
    for arguments in [
        &["train"][..],
        &["train", "Chain-4"],
        &["nothing"],
        &["ire"],
        &["train", "Chain-4", "--agent", "duvn", "--episodes", "many"],
        &["train", "Chain-4", "--agent", "duvn", "--episodes", "1", "--steps", "1"],
        &["envs", "--jsn"],
        &[],
    ] {
        let ran = duvn(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("--help"), "{arguments:?}: {}", ran.stderr);
    }
}
