//! bsuite's score of deep_sea, where an experiment has such tasks.

use super::data::{AgentRuns, Data, TaskRuns};
use super::scaling::family_and_size;
use super::table::{Cell, Table, short};
use crate::figures::Series;
use crate::stats::{DeepSeaRun, KaplanMeier, Outcome, deep_sea_score};
use crate::store::{RunRow, Status, Store, StoreError};

/// The score of every agent, with the share of runs and the median episode by size.
pub fn score(store: &Store, data: &Data) -> Result<Option<Table>, StoreError> {
    let mut tasks: Vec<(u32, &TaskRuns)> =
        data.tasks.iter().filter_map(|task| Some((size(&task.about.env)?, task))).collect();
    tasks.sort_by_key(|(size, _)| *size);
    let mut rows = Vec::new();
    for agent in &data.agents {
        let mut sizes = Vec::new();
        for (size, task) in &tasks {
            let runs = task.agent(agent).map_or(Ok(Vec::new()), |runs| judge(store, runs))?;
            sizes.push((*size, runs));
        }
        let cells: Vec<Cell> = sizes.iter().map(|(_, runs)| by_size(runs)).collect();
        sizes.retain(|(_, runs)| !runs.is_empty());
        let Some((low, high)) = deep_sea_score(&sizes) else { continue };
        let score = if low == high { short(low) } else { format!("{} to {}", short(low), short(high)) };
        let head = [Cell::Text(Series::method(agent).name), Cell::Text(score)];
        rows.push(head.into_iter().chain(cells).collect());
    }
    let names = tasks.iter().map(|(size, _)| format!("N = {size}"));
    let head = ["agent".into(), "score".into()].into_iter().chain(names).collect();
    Ok((!rows.is_empty()).then_some(Table { head, rows }))
}

/// The size of bsuite's own deep_sea: with parameters it is another task.
fn size(env: &str) -> Option<u32> {
    family_and_size(env).filter(|(family, _)| family == "DeepSea").map(|(_, size)| size)
}

/// The judgements of the runs that are over; one that failed solves nothing any more.
fn judge(store: &Store, agent: &AgentRuns) -> Result<Vec<DeepSeaRun>, StoreError> {
    let judge = |run: &RunRow| {
        let mut judged = DeepSeaRun::default();
        store.each_return(run.number, |ret| judged.add(ret))?;
        if run.status == Status::Failed {
            judged.give_up();
        }
        Ok(judged)
    };
    agent.over().map(judge).collect()
}

/// How many of the runs are solved, and by which episode half of them are.
fn by_size(runs: &[DeepSeaRun]) -> Cell {
    let outcome = |run: &DeepSeaRun| match run.solved() {
        Some(episode) => Outcome { time: episode as f64, solved: true },
        None => Outcome { time: run.episodes() as f64, solved: false },
    };
    let outcomes: Vec<_> = runs.iter().map(outcome).collect();
    let Some(curve) = KaplanMeier::new(&outcomes) else { return Cell::Nothing };
    let solved = outcomes.iter().filter(|outcome| outcome.solved).count();
    let median = curve.median().map_or_else(|| "–".into(), short);
    Cell::Text(format!("{solved}/{}, {median}", runs.len()))
}
