//! Tables of results, as numbers with their intervals.

use crate::stats::Interval;

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
    /// A number with nothing to tell how far it can be trusted.
    Number(f64),
    /// A number with its interval.
    Interval(Interval),
    /// Successes out of trials, with the interval of their share, where it can be had.
    Share(usize, usize, Option<Interval>),
    /// A time by which half have got there, with its interval, of which either end may be unknown.
    Time(Option<f64>, (Option<f64>, Option<f64>)),
    /// Nothing can be said.
    Nothing,
}

impl Cell {
    /// A statistic with its interval, alone where no interval can be had.
    pub fn with(statistic: Option<f64>, interval: Option<Interval>) -> Self {
        match (statistic, interval) {
            (_, Some(interval)) => Cell::Interval(interval),
            (Some(number), None) => Cell::Number(number),
            (None, None) => Cell::Nothing,
        }
    }
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
            Cell::Share(some, all, None) => format!("{some}/{all}"),
            Cell::Share(some, all, Some(Interval { low, high, .. })) => {
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
        let mut lines: Vec<Vec<String>> =
            vec![columns.iter().map(|&column| self.head[column].clone()).collect()];
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

    /// The table with these columns alone, in this order. A heading may hold a comma, so neighbours are also tried
    /// together. The sentence says which headings there are.
    pub fn only(&self, columns: &[&str]) -> Result<Table, String> {
        let place = |name: &str| self.head.iter().position(|head| head == name);
        let (mut places, mut at) = (Vec::new(), 0);
        while at < columns.len() {
            let pair = columns[at..].iter().take(2).copied().collect::<Vec<_>>().join(", ");
            let (found, taken) = match (place(columns[at]), place(&pair)) {
                (_, Some(found)) => (found, columns[at..].len().min(2)),
                (Some(found), None) => (found, 1),
                (None, None) => {
                    let known = self.head.join("; ");
                    return Err(format!("there is no column `{}`: the columns are {known}", columns[at]));
                }
            };
            places.push(found);
            at += taken;
        }
        let head = places.iter().map(|&place| self.head[place].clone()).collect();
        let rows = self.rows.iter().map(|row| places.iter().map(|&place| row[place].clone()).collect());
        Ok(Table { head, rows: rows.collect() })
    }

    /// The table in Markdown, without the columns in which nothing is said. A first cell that is that of the row
    /// above stays empty.
    pub fn to_markdown(&self) -> String {
        let says = |column: &usize| {
            self.rows.iter().any(|row| row.get(*column).is_some_and(|cell| *cell != Cell::Nothing))
        };
        let columns: Vec<usize> = (0..self.head.len()).filter(says).collect();
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(columns.iter().map(|&column| self.head[column].clone()).collect());
        text += &line(vec!["---".into(); columns.len()]);
        let mut above = None;
        for row in &self.rows {
            let words = |&column: &usize| {
                let again = column == 0 && above == row.first();
                row.get(column).filter(|_| !again).map_or_else(String::new, Cell::text).replace('|', "\\|")
            };
            text += &line(columns.iter().map(words).collect());
            above = row.first();
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
                    Cell::Interval(i) => (Some(i.estimate), Some(i.low), Some(i.high)),
                    Cell::Share(some, all, interval) => {
                        let share = *some as f64 / (*all).max(1) as f64;
                        (Some(share), interval.map(|i| i.low), interval.map(|i| i.high))
                    }
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
        assert_eq!(Cell::Share(3, 5, Some(share)).text(), "3/5 [0.23, 0.88]");
        assert_eq!(Cell::Share(3, 4, None).text(), "3/4");
        assert_eq!(Cell::with(Some(57.35), None).text(), "57.35");
        assert_eq!(Cell::with(None, None), Cell::Nothing);
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

    #[test]
    fn markdown_leaves_out_what_says_nothing_and_repeats_no_task() {
        let cell = |text: &str| Cell::Text(text.into());
        let table = Table {
            head: vec!["task".into(), "agent".into(), "empty".into(), "return".into()],
            rows: vec![
                vec![cell("Toy"), cell("a|b"), Cell::Nothing, Cell::Number(2.0)],
                vec![cell("Toy"), cell("c"), Cell::Nothing, Cell::Nothing],
            ],
        };
        let expected = "| task | agent | return |\n| --- | --- | --- |\n| Toy | a\\|b | 2 |\n|  | c | – |\n";
        assert_eq!(table.to_markdown(), expected);
    }
}
