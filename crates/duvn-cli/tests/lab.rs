//! What can be done with an experiment's folder once runs are in it.
#![cfg(unix)]

mod common;

use common::{Folder, duvn, recorded, small, stderr, stdout, succeed, sweep, train};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str], path: &Path, more: &[&str]) -> Command {
    let mut command = duvn();
    command.args(arguments).arg(path).args(more);
    command
}

fn json(output: &Output) -> Vec<Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_report_is_one_page_with_everything_in_it() {
    let folder = Folder::new("report");
    let mut text = small(150);
    text += "\n[[environments]]\nid = \"Toy?reward_scale=1e25\"\n";
    let (file, out) = (folder.file("small.toml", &text), folder.path("out"));
    let _ = sweep(&file, &out, &[]).output().unwrap();
    let output = succeed(run(&["report"], &out, &[]));
    let named = |line: &str| line.starts_with("Chain-6 ") && line.contains(" DUVN ");
    assert!(stdout(&output).lines().any(named), "{}", stdout(&output));
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    for part in
        ["<svg", "learning curves", "prefers-color-scheme", "viewport", "duvn sweep", "hidden = [16,16]"]
    {
        assert!(page.contains(part), "{part}");
    }
    // The data stand in the page, and nothing in them ends their element.
    let data = page.split_once("id=\"duvn-data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let answers = data["answers"].as_object().unwrap();
    for question in ["hello", "overview?e=0", "compare?e=0&a=duvn&b=egreedy"] {
        assert!(answers.contains_key(question), "{question}");
    }
    let curves = &answers["curves?e=0&task=0&metric=return&x=episodes&centre=mean&seeds=1"];
    assert_eq!(curves["x"].as_array().unwrap().len(), 100);
    // Failed runs are named with their reason, and settings of a name with angle brackets cannot break out.
    assert!(page.contains("Failed runs") && page.contains("max_gradient_norm=10"));
    for outside in ["http://", "https://", "<script src", "<link", "<img", "@import", "url(\"", "fonts."] {
        // A namespace, and a remark of the vendored script on where it comes from.
        let inside = page.replace("http://www.w3.org/", "").replace("https://github.com/leeoniya/uPlot", "");
        assert!(!inside.contains(outside), "{outside}: the page needs something from elsewhere");
    }
    for name in
        ["learning-curves", "evaluations", "uncertainty", "believed", "profile", "beliefs-Chain-6-duvn"]
    {
        assert!(
            std::fs::read(out.join(format!("figures/{name}.png"))).unwrap().starts_with(b"\x89PNG"),
            "{name}"
        );
    }
    // An unfinished experiment has a report too, which says so.
    let longer = folder.file("longer.toml", &text.replace("0..2", "0..3"));
    let store = duvn_lab::store::Store::open_for(
        &out,
        &duvn_lab::experiment::Experiment::parse(
            &std::fs::read_to_string(longer).unwrap(),
            &Default::default(),
        )
        .unwrap(),
    );
    drop(store.unwrap());
    succeed(run(&["report"], &out, &[]));
    assert!(std::fs::read_to_string(out.join("report.html")).unwrap().contains("not finished"));
}

#[test]
fn exports_hold_every_episode() {
    let folder = Folder::new("export");
    let text = small(120).replacen("name", "until_solved = true\nname", 1);
    let (file, out) = (folder.file("small.toml", &text), folder.path("out"));
    succeed(sweep(&file, &out, &[]));
    succeed(run(&["export"], &out, &["--csv", "--tensorboard"]));
    let runs = std::fs::read_to_string(out.join("csv/runs.csv")).unwrap();
    let expected = recorded(&out);
    assert_eq!(runs.lines().count(), 1 + expected.len());
    let columns = |line: &str| line.split(',').map(str::to_string).collect::<Vec<_>>();
    let names = columns(runs.lines().next().unwrap());
    for line in runs.lines().skip(1) {
        let run: std::collections::BTreeMap<_, _> = names.iter().cloned().zip(columns(line)).collect();
        assert_eq!(run.len(), names.len());
        assert_eq!(run["status"], "done");
        assert_eq!(run["until_solved"], "true");
        assert_eq!(run["weights_sha256"].len(), 64);
    }
    let table = std::fs::read_to_string(out.join("csv/episodes.csv")).unwrap();
    let episodes: Vec<_> =
        expected.iter().flat_map(|run| run.episodes.iter().map(move |row| (run, row))).collect();
    assert_eq!(table.lines().count(), 1 + episodes.len());
    for (line, (run, row)) in table.lines().skip(1).zip(episodes) {
        let of_row = format!("{},{},{},{},", row.episode, row.ret, row.length, row.steps);
        let whose = line.strip_prefix(&format!("{},", run.id)).and_then(|rest| rest.split_once(&of_row));
        let (whose, _) = whose.unwrap_or_else(|| panic!("{line} {of_row}"));
        assert_eq!(whose.split(',').count(), 4, "environment, agent, seed and the end: {line}");
    }
    assert_eq!(std::fs::read_dir(out.join("tensorboard")).unwrap().count(), 8);
    let output = run(&["export"], &out, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn training_into_a_folder_goes_on_and_can_be_looked_at() {
    let folder = Folder::new("train");
    let out = folder.path("out");
    let knobs = ["--agent", "duvn", "--set", "hidden=[16]", "--episodes", "300", "--json"];
    let of =
        |seeds: &str| json(&succeed(train("Chain-5", &out, &[&knobs[..], &["--seeds", seeds]].concat())));
    let first = of("0");
    let both = of("0..2");
    assert_eq!(both.len(), 2);
    assert_eq!(both[0]["seconds"], first[0]["seconds"], "a run that is done is not done again");
    assert_eq!(recorded(&out).len(), 2);
    // Without records the same weights come out.
    let mut bare = duvn();
    bare.args(["train", "Chain-5"]).args(knobs);
    assert_eq!(json(&succeed(bare))[0]["weights_sha256"], first[0]["weights_sha256"]);

    let one = out.join("runs").join(&recorded(&out)[0].id);
    for (path, policy) in
        [(one.clone(), "mean"), (one.clone(), "explore"), (one.join("checkpoint.safetensors"), "mean")]
    {
        let look =
            || json(&succeed(run(&["eval"], &path, &["--episodes", "20", "--policy", policy, "--json"])));
        let found = look();
        assert_eq!(found[0]["episodes"], 20);
        assert_eq!(found[0]["trained_episodes"], 300);
        assert_eq!(found, look(), "looking changes nothing");
    }
    for (path, part) in
        [(out.as_path(), "name one"), (folder.0.as_path(), "is no run"), (Path::new("/none"), "is no run")]
    {
        let output = run(&["eval"], path, &[]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
    let shown = stdout(&succeed(run(&["play"], &one, &[])));
    assert!(shown.contains("episode 1: return"), "{shown}");
    assert!(!shown.contains('\x1b'), "nothing that a terminal alone understands: {shown}");
}

#[test]
fn an_agent_can_be_filmed() {
    let folder = Folder::new("film");
    let out = folder.path("out");
    let mut train = duvn();
    train.args(["train", "CartPole-v1", "--agent", "egreedy", "--episodes", "2", "--out"]).arg(&out);
    succeed(train);
    let film = folder.path("film.gif");
    succeed(run(&["play"], &out, &["--gif", film.to_str().unwrap()]));
    assert!(std::fs::read(&film).unwrap().starts_with(b"GIF89a"));
    // Without a terminal: numbers and actions by their names, and no number for an uncertainty that the agent has not.
    let shown = stdout(&succeed(run(&["play"], &out, &["--values"])));
    let line = |word: &str| shown.lines().find(|line| line.contains(word)).map(str::to_string);
    assert!(line("position ").is_some_and(|line| line.contains("angular velocity ")), "{shown}");
    assert!(line("t 1 ").is_some_and(|line| line.contains("left") || line.contains("right")), "{shown}");
    assert!(line("left ").is_some_and(|line| line.contains("sigma        –  spread        –")), "{shown}");
}

#[test]
fn the_illustration_is_reproduced() {
    let folder = Folder::new("illustration");
    let output = succeed(run(&["reproduce", "illustration", "--out"], &folder.0, &[]));
    assert!(stdout(&output).contains("0.0786") && stdout(&output).contains("0.3474"));
    assert!(folder.path("illustration/report.html").exists());
}
