//! What the dashboard answers to those who may ask.

mod common;

use common::{Folder, SMALL, ask, experiment, question, serve};
use serde_json::Value;
use std::time::{Duration, Instant};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_finished_experiment_is_shown_with_curves_beliefs_and_play() {
    let folder = Folder::new("answers");
    drop(experiment(&folder, SMALL, true));
    let server = serve(&folder, false);

    let page = ask(&server, "GET", "/", &[], "");
    assert_eq!(page.status, 200);
    assert!(!page.body.contains("<script>") && !page.body.contains("<style"), "nothing is inline");
    for header in [
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "x-frame-options: DENY",
    ] {
        assert!(page.head.to_lowercase().contains(&header.to_lowercase()), "{header}: {}", page.head);
    }
    for (path, word) in
        [("/board.js", "uPlot"), ("/board.css", "--paper"), ("/uplot.js", "uPlot"), ("/uplot.css", ".uplot")]
    {
        let part = ask(&server, "GET", path, &[], "");
        assert!(part.status == 200 && part.body.contains(word), "{path}");
    }

    let overview = json(&question(&server, "/api/overview?e=0").body);
    assert_eq!(overview["standing"]["done"], 4);
    assert_eq!(overview["agents"][1]["colour"], "#d55e00");
    assert_eq!(overview["runs"].as_array().unwrap().len(), 4);
    assert_eq!(overview["control"]["can_stop"], false);
    let settings = &overview["settings"][overview["runs"][3]["settings"].as_u64().unwrap() as usize];
    assert_eq!(settings["hidden"], "[8]");

    let curves =
        json(&question(&server, "/api/curves?e=0&task=0&metric=return&x=episodes&centre=mean&seeds=1").body);
    assert_eq!(curves["x"].as_array().unwrap().len(), 200);
    assert_eq!(curves["x"][199], 30);
    assert_eq!(curves["agents"].as_array().unwrap().len(), 2);
    assert_eq!(curves["agents"][1]["n"][199], 2);
    // Two seeds are too few for an interval.
    assert!(curves["agents"][0]["low"].as_array().unwrap().iter().all(Value::is_null));
    let seeds = curves["agents"][0]["seeds"].as_array().unwrap();
    let ends: f64 = seeds.iter().map(|seed| seed["y"][199].as_f64().unwrap()).sum();
    assert!((ends / 2.0 - curves["agents"][0]["y"][199].as_f64().unwrap()).abs() < 1e-4);
    for metric in ["length", "loss", "value", "bias", "sigma", "spread"] {
        for x in ["episodes", "steps"] {
            let path = format!("/api/curves?e=0&task=0&metric={metric}&x={x}&centre=iqm&seeds=0");
            let curves = json(&question(&server, &path).body);
            let agents = curves["agents"].as_array().unwrap().len();
            // Only one of the two has a sigma or a spread.
            let expected = if matches!(metric, "sigma" | "spread") { 1 } else { 2 };
            assert_eq!(agents, expected, "{metric} over {x}");
        }
    }

    // The first seed of the second agent was watched.
    let run = overview["runs"][2]["id"].as_str().unwrap();
    let index = json(&question(&server, &format!("/api/beliefs?e=0&run={run}")).body);
    assert_eq!((index["kind"].as_str(), index["moments"].as_array().unwrap().len()), (Some("states"), 3));
    for episode in ["0", "30", "now"] {
        let map = json(&question(&server, &format!("/api/belief?e=0&run={run}&episode={episode}")).body);
        assert_eq!(map["mean"].as_array().unwrap().len(), 12, "six states, two actions");
        assert_eq!(map["visits"].is_array(), episode == "now");
    }
    let played = json(&question(&server, &format!("/api/episode?e=0&run={run}&policy=mean&n=0")).body);
    assert_eq!(played["pictures"], true);
    assert_eq!(played["steps"][0]["values"].as_array().unwrap().len(), 2);
    let frame = question(&server, &format!("/api/frame?id={}&t=0", played["id"]));
    assert!(frame.status == 200 && frame.head.contains("image/png") && frame.body.contains("PNG"));

    let compared = json(&question(&server, "/api/compare?e=0&a=duvn&b=egreedy").body);
    assert_eq!(compared["rows"][0]["env"], "Chain-5");
    assert!(compared["rows"][0]["few"].as_bool().unwrap());
    assert_eq!(compared["profile"]["agents"].as_array().unwrap().len(), 2);
    server.stop();
}

#[test]
fn a_box_is_shown_in_slices() {
    let folder = Folder::new("slices");
    let text = "name = 'car'\nseeds = '0'\nsteps = 400\nevaluations = 0\n[[environments]]\nid = 'MountainCar-v0'\n\
                [[agents]]\npreset = 'duvn-deep'\nsettings = { hidden = [8] }\n";
    drop(experiment(&folder, text, true));
    let server = serve(&folder, false);
    let overview = json(&question(&server, "/api/overview?e=0").body);
    let run = overview["runs"][0]["id"].as_str().unwrap();
    let index = json(&question(&server, &format!("/api/beliefs?e=0&run={run}")).body);
    assert_eq!((index["kind"].as_str(), index["dimensions"][1].as_str()), (Some("box"), Some("velocity")));
    let slice = json(&question(&server, &format!("/api/slice?e=0&run={run}&i=0&j=1")).body);
    let visits: f64 = slice["visits"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).sum();
    assert_eq!(visits, 400.0, "every remembered state lies in the box");
    assert_eq!(slice["mean"].as_array().unwrap().len(), 32 * 32 * 3);
    assert_eq!(question(&server, &format!("/api/slice?e=0&run={run}&i=1&j=1")).status, 404);
    server.stop();
}

#[test]
fn a_sweep_is_resumed_and_stopped_from_the_page_and_shown_while_it_runs() {
    let folder = Folder::new("resumed");
    let text = SMALL
        .replace("episodes = 30", "episodes = 2000000")
        .replace("episodes = [0, 10, 30]", "episodes = [0]");
    drop(experiment(&folder, &text, false));
    let server = serve(&folder, true);
    let origin = format!("http://{}", server.address());
    let bearer = format!("Bearer {}", server.token());
    let tell = |what: &str| {
        let headers =
            [("Authorization", bearer.as_str()), ("Origin", &origin), ("Content-Type", "application/json")];
        ask(&server, "POST", &format!("/api/{what}"), &headers, "{\"e\":0}").status
    };
    let until = |what: &str, holds: &dyn Fn(&Value) -> bool| {
        let began = Instant::now();
        loop {
            let overview = json(&question(&server, "/api/overview?e=0").body);
            if holds(&overview) {
                return began.elapsed();
            }
            assert!(began.elapsed() < Duration::from_secs(120), "{what}: {overview}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    until("it can be resumed", &|overview| overview["control"]["can_resume"] == true);
    assert_eq!(tell("resume"), 200);
    until("an episode is shown", &|overview| overview["runs"][0]["episodes"].as_u64().unwrap() > 0);
    assert_eq!(tell("resume"), 409, "it is under way");
    until("it can be stopped", &|overview| overview["control"]["can_stop"] == true);
    assert_eq!(tell("stop"), 200);
    until("it has stopped", &|overview| overview["control"]["can_resume"] == true);
    let stopped = json(&question(&server, "/api/overview?e=0").body);
    assert_eq!(stopped["runs"][0]["status"], "stopped");
    server.stop();
}
