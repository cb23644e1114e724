//! The page of a report: what the dashboard would show, embedded in one file that needs no server.

use super::beliefs::recorded;
use super::{Axis, Board, Centre, Comparison, CurveQuery, Metric, assets};
use crate::escape::escape;
use crate::store::{Store, StoreError};
use serde_json::{Map, Value, json};

/// Numbers of single runs, and of beliefs, that a report carries at most: a page is to open at once.
const MOST_NUMBERS: usize = 160_000;

/// Episodes that are read for what the kept curves do not have; a larger experiment is left to `duvn serve`.
const MOST_EPISODES: u64 = 2_000_000;

/// Agents among which every pair is compared.
const MOST_AGENTS: usize = 12;

/// The whole page: `report` is what stands in it for those who print it or run no scripts.
pub fn frozen(store: &Store, report: &str) -> Result<String, StoreError> {
    let mut board = Board::open(store.folder())?;
    let answers = answers(&mut board)?;
    // Nothing in the data can end the element that holds them.
    let data = json!({ "answers": answers }).to_string().replace('<', "\\u003c");
    let head = format!("<style>{}{}</style>", assets::UPLOT_STYLE, assets::STYLE);
    let tail = format!(
        "<script type=\"application/json\" id=\"duvn-data\">{data}</script>\n<script>{}</script>\n<script>{}</script>",
        assets::UPLOT.trim_end(),
        assets::SCRIPT
    );
    let report = format!("<section id=\"report\" class=\"view\">\n{report}</section>");
    let title = escape(&board.show.title);
    Ok(assets::PAGE
        .replace("<!--title-->", &title)
        .replace("<!--head-->", &head)
        .replace("<!--report-->", &report)
        .replace("<!--tail-->", &tail))
}

/// Every question that the page may ask, with its answer.
fn answers(board: &mut Board) -> Result<Map<String, Value>, StoreError> {
    let mut answers = Map::new();
    let hello = json!({
        "live": false, "control": false, "program": crate::machine::version(),
        "experiments": [{ "e": 0, "title": board.show.title, "name": board.name }],
    });
    answers.insert("hello".into(), hello);
    answers.insert("overview?e=0".into(), board.overview());
    curves(board, &mut answers)?;
    let mut left = MOST_NUMBERS;
    for row in board.rows().filter(|row| !row.watch.is_empty()) {
        let moments = recorded(&board.store, row, left);
        if moments.is_empty() {
            continue;
        }
        let list: Vec<Value> =
            moments.iter().map(|(episode, _)| json!({ "episode": episode, "source": "recorded" })).collect();
        let index = json!({
            "run": row.id, "env": row.spec.env, "agent": row.spec.agent, "seed": row.spec.seed.to_string(),
            "kind": "states", "dimensions": [], "checkpoint": false, "moments": list,
        });
        answers.insert(format!("beliefs?e=0&run={}", row.id), index);
        for (episode, map) in moments {
            left = left.saturating_sub(map["mean"].as_array().map_or(0, |list| 4 * list.len()));
            answers.insert(format!("belief?e=0&run={}&episode={episode}", row.id), map);
        }
    }
    let mut comparison = Comparison::new(board);
    let mut agents: Vec<String> = Vec::new();
    for row in board.rows() {
        if !agents.contains(&row.spec.agent) && agents.len() < MOST_AGENTS {
            agents.push(row.spec.agent.clone());
        }
    }
    for a in &agents {
        for b in agents.iter().filter(|b| *b != a) {
            let key = format!("compare?e=0&a={}&b={}", encoded(a), encoded(b));
            answers.insert(key, comparison.of(a, b));
        }
    }
    Ok(answers)
}

fn curves(board: &mut Board, answers: &mut Map<String, Value>) -> Result<(), StoreError> {
    let runs = board.runs.len();
    let episodes: u64 = board.runs.iter().map(|run| run.row.outcome.as_ref().map_or(0, |o| o.episodes)).sum();
    // Half of the points at first, and fewer where runs are many.
    let mut every = 2;
    while runs * 200 / every * 2 > MOST_NUMBERS && every < 10 {
        every += 1;
    }
    for task in 0..board.tasks.len() {
        let Some(first) = board.runs.iter().find(|run| run.task == task) else { continue };
        let axis = Axis::of(first.row.spec.budget);
        for metric in Metric::ALL {
            let kept = matches!(metric, Metric::Return | Metric::Length | Metric::Sigma | Metric::Spread);
            if !kept && episodes > MOST_EPISODES {
                continue;
            }
            for centre in [Centre::Mean, Centre::Iqm] {
                let seeds = centre == Centre::Mean && matches!(metric, Metric::Return | Metric::Length);
                let bands = metric == Metric::Return || (metric == Metric::Length && centre == Centre::Mean);
                let query = CurveQuery { task, metric, axis, centre, seeds, every, bands };
                let Some(answer) = board.curves(&query)? else { continue };
                let (metric, x, centre) = (metric.name(), axis.name(), centre.name());
                let seeds = u8::from(seeds);
                let key =
                    format!("curves?e=0&task={task}&metric={metric}&x={x}&centre={centre}&seeds={seeds}");
                answers.insert(key, answer);
            }
        }
    }
    Ok(())
}

/// A text as JavaScript's encodeURIComponent writes it.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => out.push(char::from(byte)),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn names_are_written_as_the_page_writes_them() {
        assert_eq!(encoded("duvn, keep 0.8"), "duvn%2C%20keep%200.8");
        assert_eq!(encoded("ε/b"), "%CE%B5%2Fb");
    }
}
