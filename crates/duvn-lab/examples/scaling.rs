//! Draws the figure "scaling" again from a file of runs, such as those in docs/results:
//!
//! ```sh
//! cargo run --release -p duvn-lab --example scaling -- docs/results/chain-sizes-runs.csv docs/results \
//!     chain-sizes-scaling "Chains of all lengths"
//! ```

use duvn::config::PRESETS;
use duvn_lab::experiment::Show;
use duvn_lab::report::{AgentRuns, Data, Task, TaskRuns, from_csv, pictures};
use duvn_lab::spec::Budget;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runs, folder, name, title] = arguments.as_slice() else {
        return Err("write: scaling RUNS.csv FOLDER NAME TITLE".into());
    };
    let mut tasks: Vec<TaskRuns> = Vec::new();
    let mut agents: Vec<String> = Vec::new();
    for results in from_csv(Path::new(runs))? {
        if !agents.contains(&results.agent) {
            agents.push(results.agent.clone());
        }
        if tasks.last().is_none_or(|task| task.about.env != results.env) {
            let episodes = results.runs.iter().map(|run| run.episodes).max().unwrap_or(0);
            let about = Task::new(&results.env, &results.env, "");
            tasks.push(TaskRuns { about, budget: Budget::Episodes(episodes), agents: Vec::new() });
        }
        let (agent, label) = (results.agent.clone(), results.agent.clone());
        let (runs, curves, evaluations) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(task) = tasks.last_mut() {
            task.agents.push(AgentRuns { agent, label, runs, curves, evaluations, results });
        }
    }
    // In the order of the list of presets, as experiments have them.
    let place = |agent: &String| PRESETS.iter().position(|preset| preset.name == agent);
    agents.sort_by_key(|agent| place(agent).unwrap_or(PRESETS.len()));
    let (about, note, rerun) = (String::new(), String::new(), String::new());
    let show = Show { title: title.clone(), about, columns: 2, note, rerun };
    let data = Data { name: name.clone(), show, tasks, runs: Vec::new(), agents, watched: Vec::new() };
    for mut picture in pictures(&data).into_iter().filter(|picture| picture.name == "scaling") {
        picture.name.clone_from(name);
        picture.write(Path::new(folder))?;
    }
    Ok(())
}
