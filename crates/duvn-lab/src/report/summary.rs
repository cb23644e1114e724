//! The tables of results: every agent on every task, and who beats whom.

use super::table::{Cell, Table};
use crate::figures::Series;
use crate::results::{Ended, Results};
use crate::stats::{
    Bootstrap, KaplanMeier, difference_interval, improvement_interval, iqm, iqm_interval, mean,
    mean_interval, median, median_interval, probability_of_improvement, share_interval,
};

/// The results of every agent on every task.
pub fn summary(results: &[Results]) -> Table {
    let head = [
        "task",
        "agent",
        "runs",
        "found a reward",
        "episodes to first reward",
        "solved",
        "episodes to solve",
        "return, mean",
        "median",
        "IQM",
        "mean policy",
    ];
    Table { head: head.map(String::from).to_vec(), rows: results.iter().map(row).collect() }
}

fn row(results: &Results) -> Vec<Cell> {
    let share = |some: usize, all: usize| Cell::Share(some, all, share_interval(some, all));
    let time = |when: fn(&Ended) -> Option<u64>| {
        let curve = KaplanMeier::new(&results.times(when));
        curve.map_or(Cell::Nothing, |curve| match (curve.median(), curve.median_interval()) {
            (Some(median), None) => Cell::Number(median),
            (median, interval) => Cell::Time(median, interval.unwrap_or((None, None))),
        })
    };
    let (solved, over) = results.solved();
    let rewarded = results.times(|run| run.first_reward_episode).iter().filter(|time| time.solved).count();
    let solvable = results.threshold.is_some() && over > 0;
    let [mean_cell, median_cell, iqm_cell] = returns(results);
    let evaluated = results.evaluated();
    vec![
        Cell::Text(results.env.clone()),
        Cell::Text(Series::method(&results.agent).name),
        Cell::Text(runs(results)),
        if over > 0 { share(rewarded, over) } else { Cell::Nothing },
        time(|run| run.first_reward_episode),
        if solvable { share(solved, over) } else { Cell::Nothing },
        if solvable { time(|run| run.solved_episode) } else { Cell::Nothing },
        mean_cell,
        median_cell,
        iqm_cell,
        Cell::with(mean(&evaluated), mean_interval(&evaluated, results.bounds, &Bootstrap::default())),
    ]
}

/// How many runs are done, how many of all failed, and how many ended with beliefs that cannot be true.
fn runs(results: &Results) -> String {
    let (failed, done) = (results.failed(), results.runs.len() - results.failed());
    let warned = results.runs.iter().filter(|run| run.warned).count();
    let mut text = done.to_string();
    if done < results.planned {
        text += &format!(" of {}", results.planned);
    }
    for (count, what) in [(failed, "failed"), (warned, "warned")] {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    text
}

/// Mean, median and interquartile mean of the returns, or why there are none.
fn returns(results: &Results) -> [Cell; 3] {
    let returns = results.returns();
    if results.stopped() {
        return [Cell::Text("ends when solved".into()), Cell::Nothing, Cell::Nothing];
    }
    if results.failed() > 0 && results.bounds.is_none() {
        let why = format!("none: {} failed", results.failed());
        return [Cell::Text(why), Cell::Nothing, Cell::Nothing];
    }
    let bootstrap = Bootstrap::default();
    [
        Cell::with(mean(&returns), mean_interval(&returns, results.bounds, &bootstrap)),
        Cell::with(median(&returns), median_interval(&returns)),
        Cell::with(iqm(&returns), iqm_interval(&returns, &bootstrap)),
    ]
}

/// The results of two agents on the same task whose returns can be compared: several runs each, none of which
/// ended because it was solved.
fn pairs<'a>(results: &'a [Results], one: &str, other: &str) -> Vec<(&'a Results, &'a Results)> {
    let compares = |results: &&Results| results.runs.len() > 1 && !results.stopped();
    let of = |agent: &str, env: &str| {
        results.iter().filter(compares).find(|known| known.agent == agent && known.env == env)
    };
    let ones = results.iter().filter(|known| known.agent == one);
    ones.filter_map(|known| Some((of(one, &known.env)?, of(other, &known.env)?))).collect()
}

/// The agents, in order.
fn agents(results: &[Results]) -> Vec<&str> {
    let mut agents: Vec<&str> = Vec::new();
    for known in results {
        if !agents.contains(&known.agent.as_str()) {
            agents.push(&known.agent);
        }
    }
    agents
}

/// How probably a run of the first ends above one of the second, over all pairs of results.
fn improvement_of(pairs: &[(&Results, &Results)]) -> Cell {
    let (x, y): (Vec<_>, Vec<_>) = pairs.iter().map(|(one, other)| (one.returns(), other.returns())).unzip();
    Cell::with(probability_of_improvement(&x, &y), improvement_interval(&x, &y))
}

/// How every other agent differs from the first: see [`differences_to`].
pub fn differences(results: &[Results]) -> Option<Table> {
    differences_to(results, agents(results).first()?)
}

/// How the mean return of every other agent differs from that of `base`, task by task, with how probably one of its
/// runs ends higher, and how their mean policies differ where all runs were evaluated. `None` where there is nothing to
/// compare.
pub fn differences_to(results: &[Results], base: &str) -> Option<Table> {
    let difference = |x: &Results, y: &Results, of: fn(&Results) -> Vec<f64>| {
        let (xs, ys) = (of(x), of(y));
        let interval =
            |values: &[f64], whose: &Results| mean_interval(values, whose.bounds, &Bootstrap::default());
        let both = interval(&xs, x).zip(interval(&ys, y)).map(|(x, y)| difference_interval(&x, &y));
        Cell::with(mean(&xs).zip(mean(&ys)).map(|(x, y)| x - y), both)
    };
    let evaluated = results.iter().any(|known| !known.evaluated().is_empty());
    let row = |(one, other): (&Results, &Results)| {
        let (task, agent) = (Cell::Text(one.env.clone()), Cell::Text(Series::method(&one.agent).name));
        let returns = difference(one, other, Results::returns);
        let mut cells = vec![task, agent, returns, improvement_of(&[(one, other)])];
        cells.extend(evaluated.then(|| difference(one, other, Results::evaluated)));
        cells
    };
    let others = agents(results).into_iter().filter(|agent| *agent != base);
    let mut found: Vec<_> = others.flat_map(|agent| pairs(results, agent, base)).collect();
    let place = |env: &str| results.iter().position(|known| known.env == env);
    found.sort_by_key(|(one, _)| place(&one.env));
    let rows: Vec<_> = found.into_iter().map(row).collect();
    let base = Series::method(base).name;
    let mut head = vec!["task".to_string(), "agent".into()];
    head.extend([format!("difference of mean return to {base}"), format!("P(above {base})")]);
    head.extend(evaluated.then(|| format!("difference of mean policy to {base}")));
    (!rows.is_empty()).then_some(Table { head, rows })
}

/// How probably a run of the agent of a row ends with a higher return than one of the agent of a column, on a
/// task drawn at random from those on which both can be compared. `None` where there are no such tasks.
pub fn improvement(results: &[Results]) -> Option<Table> {
    let agents = agents(results);
    let name = |agent: &&str| Series::method(agent).name;
    let mut head = vec!["P(row above column)".to_string()];
    head.extend(agents.iter().map(name));
    let cell = |row: &str, column: &str| match row == column {
        true => Cell::Nothing,
        false => improvement_of(&pairs(results, row, column)),
    };
    let row = |agent: &&str| {
        let cells = agents.iter().map(|column| cell(agent, column));
        std::iter::once(Cell::Text(name(agent))).chain(cells).collect()
    };
    let rows: Vec<Vec<Cell>> = agents.iter().map(row).collect();
    let says = rows.iter().flatten().any(|cell| matches!(cell, Cell::Number(_) | Cell::Interval(_)));
    says.then_some(Table { head, rows })
}
