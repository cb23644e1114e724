//! Tables of results, as numbers with their intervals.

use super::data::{AgentRuns, Data, Task};
use crate::figures::Series;
use crate::stats::{
    Bootstrap, Interval, KaplanMeier, difference_interval, improvement_interval, iqm, mean, median, wilson,
};

/// A table with a heading over each column.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The headings.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// What stands in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number with nothing to tell how far it can be trusted: that of a single run.
    Number(f64),
    /// A number with its interval.
    Interval(Interval),
    /// Successes out of trials, with the interval of their share.
    Share(usize, usize, Interval),
    /// A time by which half have got there, with its interval, of which either end may be unknown.
    Time(Option<f64>, (Option<f64>, Option<f64>)),
    /// Nothing can be said.
    Nothing,
}

impl Cell {
    fn of(interval: Option<Interval>) -> Self {
        interval.map_or(Cell::Nothing, Cell::Interval)
    }

    /// A statistic of runs: with its interval, where there is more than one of them.
    fn over(runs: &[f64], statistic: fn(&[f64]) -> Option<f64>) -> Self {
        match runs {
            [_] => statistic(runs).map_or(Cell::Nothing, Cell::Number),
            _ => Cell::of(Bootstrap::default().of_runs(runs, statistic)),
        }
    }
}

/// The results of every agent on every task.
pub fn summary(data: &Data) -> Table {
    let head = [
        "task",
        "agent",
        "runs",
        "solved",
        "episodes to solve",
        "episodes to first reward",
        "return, mean",
        "median",
        "IQM",
        "mean policy",
    ];
    let mut rows = Vec::new();
    for task in &data.tasks {
        for agent in &task.agents {
            rows.push(row(task, agent));
        }
    }
    Table { head: head.map(String::from).to_vec(), rows }
}

fn row(task: &Task, agent: &AgentRuns) -> Vec<Cell> {
    let returns = agent.last_returns();
    let (solved, over) = agent.solved();
    let done = agent.runs.iter().filter(|run| run.outcome.is_some()).count();
    let time = |when: fn(&crate::run::Outcome) -> Option<u64>| {
        let times = agent.times(when);
        KaplanMeier::new(&times).map_or(Cell::Nothing, |curve| match (curve.median(), &times[..]) {
            (Some(median), [_]) => Cell::Number(median),
            (median, _) => Cell::Time(median, curve.median_interval()),
        })
    };
    let evaluated: Vec<f64> =
        agent.evaluations.iter().filter_map(|rows| Some(rows.last()?.mean_return)).collect();
    let share = wilson(solved, over).filter(|_| task.threshold.is_some());
    vec![
        Cell::Text(task.env.clone()),
        Cell::Text(Series::method(&agent.agent).name),
        Cell::Text(if done == agent.runs.len() {
            done.to_string()
        } else {
            format!("{done} of {}", agent.runs.len())
        }),
        share.map_or(Cell::Nothing, |interval| Cell::Share(solved, over, interval)),
        if task.threshold.is_some() { time(|outcome| outcome.solved_episode) } else { Cell::Nothing },
        time(|outcome| outcome.first_reward_episode),
        Cell::over(&returns, mean),
        Cell::over(&returns, median),
        Cell::over(&returns, iqm),
        Cell::over(&evaluated, mean),
    ]
}

/// Fewer draws than for a single mean: each looks at every pair of runs.
const PAIRS: Bootstrap = Bootstrap { resamples: 2000, confidence: 0.95, seed: 0 };

/// The returns of two agents on a task, where both have several runs: one alone cannot tell how far it is by chance.
fn pair(task: &Task, one: &str, other: &str) -> Option<(Vec<f64>, Vec<f64>)> {
    let pair = (task.agent(one)?.last_returns(), task.agent(other)?.last_returns());
    (pair.0.len() > 1 && pair.1.len() > 1).then_some(pair)
}

/// How the mean return of every other agent differs from that of the first, task by task, with how probably one of
/// its runs ends higher. `None` where there is nothing to compare.
pub fn differences(data: &Data) -> Option<Table> {
    let (first, others) = data.agents.split_first()?;
    let name = |agent: &String| Series::method(agent).name;
    let row = |task: &Task, agent: &String| {
        let (x, y) = pair(task, agent, first)?;
        let difference = difference_interval(&x, &y, &Bootstrap::default())?;
        let improvement = improvement_interval(&[x], &[y], &PAIRS);
        let (task, agent) = (Cell::Text(task.env.clone()), Cell::Text(name(agent)));
        Some(vec![task, agent, Cell::Interval(difference), Cell::of(improvement)])
    };
    let rows: Vec<_> =
        data.tasks.iter().flat_map(|task| others.iter().filter_map(move |agent| row(task, agent))).collect();
    let first = name(first);
    let difference = format!("difference of mean return to {first}");
    let head = vec!["task".into(), "agent".into(), difference, format!("P(above {first})")];
    (!rows.is_empty()).then_some(Table { head, rows })
}

/// How probably a run of the agent of a row ends with a higher return than one of the agent of a column, on a
/// task drawn at random from those that both have done.
pub fn improvement(data: &Data) -> Table {
    let name = |agent: &String| Series::method(agent).name;
    let mut head = vec!["P(row above column)".to_string()];
    head.extend(data.agents.iter().map(name));
    let cell = |row: &String, column: &String| {
        if row == column {
            return Cell::Nothing;
        }
        let both = data.tasks.iter().filter_map(|task| pair(task, row, column));
        let (x, y): (Vec<_>, Vec<_>) = both.unzip();
        Cell::of(improvement_interval(&x, &y, &PAIRS))
    };
    let row = |agent: &String| {
        let cells = data.agents.iter().map(|column| cell(agent, column));
        std::iter::once(Cell::Text(name(agent))).chain(cells).collect()
    };
    Table { head, rows: data.agents.iter().map(row).collect() }
}

impl Cell {
    /// The cell in words.
    pub fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => short(*number),
            Cell::Interval(Interval { estimate, low, high }) => {
                format!("{} [{}, {}]", short(*estimate), short(*low), short(*high))
            }
            Cell::Share(some, all, Interval { low, high, .. }) => {
                format!("{some}/{all} [{low:.2}, {high:.2}]")
            }
            Cell::Time(median, (low, high)) => {
                let end = |time: &Option<f64>| time.map_or_else(|| "∞".into(), short);
                match median {
                    Some(median) => format!("{} [{}, {}]", short(*median), end(low), end(high)),
                    None => "not reached".into(),
                }
            }
            Cell::Nothing => "–".into(),
        }
    }
}

/// A number with about four digits.
pub fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 1000.0 || number == number.trunc() => format!("{number:.0}"),
        size if size >= 100.0 => format!("{number:.1}"),
        size if size >= 10.0 => format!("{number:.2}"),
        // Nearly nothing has no sign.
        size if size < 0.0005 => "0.000".into(),
        _ => format!("{number:.3}"),
    }
}

impl Table {
    /// The table in plain text with only some of its columns, each as wide as it needs.
    pub fn to_text(&self, columns: &[usize]) -> String {
        let line = |cells: Vec<String>| cells;
        let mut lines = vec![line(columns.iter().map(|&column| self.head[column].clone()).collect())];
        lines.extend(self.rows.iter().map(|row| columns.iter().map(|&column| row[column].text()).collect()));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..columns.len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let padded = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            text += padded.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    /// The table as comma-separated values: an interval has three columns.
    pub fn to_csv(&self) -> String {
        let mut text = String::from("task,agent,quantity,estimate,low,high\n");
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for row in &self.rows {
            for (head, cell) in self.head.iter().zip(row).skip(3) {
                let (estimate, low, high) = match cell {
                    Cell::Number(number) => (Some(*number), None, None),
                    Cell::Interval(i) | Cell::Share(_, _, i) => (Some(i.estimate), Some(i.low), Some(i.high)),
                    Cell::Time(median, (low, high)) => (*median, *low, *high),
                    Cell::Text(_) | Cell::Nothing => continue,
                };
                let quoted = |text: String| format!("\"{}\"", text.replace('"', "\"\""));
                let columns = [
                    quoted(row[0].text()),
                    quoted(row[1].text()),
                    quoted(head.clone()),
                    number(estimate),
                    number(low),
                    number(high),
                ];
                text += &columns.join(",");
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_say_what_they_know() {
        let interval = Interval { estimate: 0.5, low: 0.25, high: 12.345 };
        assert_eq!(Cell::Interval(interval).text(), "0.500 [0.250, 12.35]");
        let hardly = Interval { estimate: -0.0001, low: -0.0006, high: 0.0 };
        assert_eq!(Cell::Interval(hardly).text(), "0.000 [-0.001, 0]");
        assert_eq!(Cell::Time(Some(120.0), (Some(99.5), None)).text(), "120 [99.50, ∞]");
        assert_eq!(Cell::Time(None, (None, None)).text(), "not reached");
        let share = Interval { estimate: 0.6, low: 0.231, high: 0.882 };
        assert_eq!(Cell::Share(3, 5, share).text(), "3/5 [0.23, 0.88]");
    }

    #[test]
    fn a_single_run_has_no_interval() {
        assert_eq!(Cell::over(&[57.35], mean).text(), "57.35");
        assert_eq!(Cell::over(&[57.35, 57.35], mean).text(), "57.35 [57.35, 57.35]");
        assert_eq!(Cell::over(&[], mean), Cell::Nothing);
    }

    #[test]
    fn columns_line_up() {
        let cell = |text: &str| Cell::Text(text.into());
        let table = Table {
            head: vec!["a".into(), "b".into(), "c".into()],
            rows: vec![vec![cell("ε-greedy"), cell("x"), cell("1")], vec![cell("d"), cell("y"), cell("2")]],
        };
        assert_eq!(table.to_text(&[0, 2]), "a         c\nε-greedy  1\nd         2\n");
    }
}
