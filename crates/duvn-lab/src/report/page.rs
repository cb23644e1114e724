//! What a report says without scripts: readable on paper, on a phone, in the dark. The same page is interactive where
//! scripts run ([`crate::board`]).

use super::data::{AgentRuns, Data};
use super::html::table;
use super::pictures::Picture;
use super::summary::{differences, improvement};
use super::table::{Cell, Table};
use crate::escape::escape;
use crate::machine;
use crate::results::Results;
use crate::settings;
use crate::stats::{Bootstrap, FEWEST_RUNS};
use crate::store::{RunRow, Status};

/// What stands on the page for those who print it or run no scripts.
pub fn page(data: &Data, pictures: &[Picture], summary: &Table, deep_sea: Option<&Table>) -> String {
    let sections = [
        heading(data),
        results(data, summary),
        deep_sea.map_or_else(String::new, bsuite),
        believed(data),
        figures(pictures),
        failures(data),
        warnings(data),
        runs(data),
        statistics(),
        settings_of(data),
        provenance(data),
    ];
    sections.concat()
}

fn heading(data: &Data) -> String {
    let show = &data.show;
    let mut text = String::new();
    if !show.about.is_empty() {
        text += &format!("<p class=\"repeated\">{}</p>\n", escape(&show.about));
    }
    if !show.note.is_empty() {
        text += &format!("<p class=\"note repeated\">{}</p>\n", escape(&show.note));
    }
    let (all, done) = (data.runs.len(), data.count(Status::Done));
    let failed = data.count(Status::Failed);
    text += &format!("<p class=\"faint repeated\">{done} of {all} runs are done");
    if failed > 0 {
        text += &format!(", {failed} failed");
    }
    text += ".</p>\n";
    let few = |agent: &AgentRuns| (1..FEWEST_RUNS).contains(&agent.results.planned);
    if data.tasks.iter().flat_map(|task| &task.agents).any(few) {
        text += &format!(
            "<p class=\"note\">Caution: some agents have fewer than {FEWEST_RUNS} seeds. No interval is claimed for \
             them, and a difference between them may be chance.</p>\n"
        );
    }
    if done + failed < all {
        let left = all - done - failed;
        text += &format!(
            "<p class=\"bad\">This is not the end: {left} runs are not finished and not shown.</p>\n"
        );
    }
    text
}

pub fn figures(pictures: &[Picture]) -> String {
    let figure = |picture: &Picture| {
        let (svg, caption) = (picture.figure.to_svg(), escape(&picture.caption));
        let name = escape(&picture.name);
        let class = if picture.figure.panels.len() == 1 { "picture single" } else { "picture" };
        format!(
            "<figure id=\"{name}\">\n<div class=\"{class}\" tabindex=\"0\" role=\"region\" aria-label=\"Figure {name}\">{}</div>\n<figcaption>{caption} <a href=\"figures/{name}.svg\">SVG</a> \
             <a href=\"figures/{name}.png\">PNG</a></figcaption>\n</figure>\n",
            inline(&svg, &picture.name),
        )
    };
    let figures: String = pictures.iter().map(figure).collect();
    if figures.is_empty() { figures } else { format!("<h2>Figures</h2>\n{figures}") }
}

/// How much larger a figure is on a page than on paper.
const ON_SCREEN: f64 = 1.5;

/// An SVG document as part of a page: without the XML declaration, larger, and with ids of its own, since ids are
/// shared by a whole page.
fn inline(svg: &str, name: &str) -> String {
    let start = svg.find("<svg").unwrap_or(0);
    enlarged(&svg[start..])
        .replace("id=\"", &format!("id=\"{name}-"))
        .replace("url(#", &format!("url(#{name}-"))
        .replace("href=\"#", &format!("href=\"#{name}-"))
}

/// The same document with a width for screens; its height follows from it.
fn enlarged(svg: &str) -> String {
    let Some((before, rest)) = svg.split_once(" width=\"") else { return svg.into() };
    let parts = rest.split_once('"').and_then(|(width, rest)| {
        let (_, rest) = rest.strip_prefix(" height=\"")?.split_once('"')?;
        Some((width.parse::<f64>().ok()?, rest))
    });
    let Some((width, rest)) = parts else { return svg.into() };
    format!("{before} width=\"{:.0}\"{rest}", width * ON_SCREEN)
}

fn results(data: &Data, summary: &Table) -> String {
    let results = data.results();
    let mut text = format!(
        "<h2>Results</h2>\n{}<p class=\"faint\">Statistics are over runs (seeds), never over episodes. In brackets: \
         95 % intervals, as said under “Statistics” below; none with fewer than 5 runs. Returns are means of a run’s last \
         100 episodes in training; “mean policy” is the last evaluation without exploration. A run counts as solved when the \
         mean of 100 returns reaches the task’s threshold. Episodes: the first by which half of the runs had got there.{}</p>\n",
        table(summary),
        exceptions(&results)
    );
    if let Some(improvement) = improvement(&results) {
        text += &format!(
            "<h2>Who beats whom</h2>\n{}<p class=\"faint\">The probability that a run of the agent on the left ends \
             with a higher return than a run of the agent above, averaged over tasks.</p>\n",
            table(&improvement)
        );
    }
    if let Some(differences) = differences(&results) {
        text += &format!(
            "<h2>Task by task</h2>\n{}<p class=\"faint\">What an agent’s mean return is above that of the first \
             agent, and the probability that one of its runs ends above one of the first agent’s.</p>\n",
            table(&differences)
        );
    }
    text
}

/// What the reader of the table has to know of runs that ended otherwise.
fn exceptions(results: &[Results]) -> String {
    let mut text = String::new();
    if results.iter().any(Results::stopped) {
        text += " Where runs end when they are solved, their last returns are at the threshold whatever the agent is \
                 worth: no return is given, and none is compared.";
    }
    let failed = |known: &&Results| known.failed() > 0;
    if results.iter().any(|known| failed(&known) && known.bounds.is_some()) {
        text += " A run that failed did not solve the task and counts with the worst return there is.";
    }
    if results.iter().any(|known| failed(&known) && known.bounds.is_none()) {
        text += " Where the worst return of a task is not known, an agent with runs that failed has no mean; in \
                 probabilities its failed runs are below all others.";
    }
    text
}

/// How the numbers are made.
fn statistics() -> String {
    let draws = Bootstrap::default().resamples;
    let items = [
        "Shares of runs: exact interval of Clopper and Pearson.".to_string(),
        format!(
            "Means of returns: where an episode succeeds or fails and the bounds of its return are known, the exact \
             interval of Gaffke for bounded values ({draws} draws of weights); elsewhere bootstrap-t ({draws} draws of the \
             runs of one agent on one task, with replacement), cut off at the bounds where they are known."
        ),
        format!("Interquartile means: bootstrap-t ({draws} draws). Medians: the runs that the sign test (mid-p) names."),
        "Episodes until something happened: Kaplan-Meier; runs in which it did not happen are censored at their last \
         episode, and runs that failed at the last of any run. The median is the first episode by which at least half have \
         got there; its interval is that of the beta product of Fay, Brittain and Proschan (mid-p)."
            .into(),
        "Differences of means: from the intervals of the two means (MOVER). Runs of two agents are independent of each \
         other, also where they share seeds."
            .into(),
        "Probabilities that a run ends above another: Newcombe’s method 5, with the variance that the runs show where \
         that is larger; tasks count alike (stratified by task)."
            .into(),
        "No interval is given with fewer than 5 runs, or where the runs cannot tell an end (all alike, bounds unknown). \
         How many of these intervals hold the truth was measured by simulation: see the table of coverage in duvn’s \
         documentation."
            .into(),
    ];
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    format!(
        "<h2>Statistics</h2>\n<details><summary>How the numbers are made</summary>\n<ul>\n{items}</ul></details>\n"
    )
}

fn bsuite(score: &Table) -> String {
    format!(
        "<h2>bsuite’s score of deep_sea</h2>\n{}<p class=\"faint\">A run is solved at the first episode by which fewer \
         than 90 % of its episodes were without the treasure, within 10,000 episodes; the score is the share \
         of runs that are solved before episode 2<sup>N</sup> + 100, averaged over runs, then over sizes. By size: runs \
         solved, and the median of that episode (Kaplan-Meier; – where fewer than half came to it). A score with two ends has runs \
         that ended before this could be told, by their budget or because the task counted as solved: the lower end \
         counts them as failures, the upper as successes.</p>\n",
        table(score)
    )
}

/// What agents believed at the end beside what they then earned.
fn believed(data: &Data) -> String {
    let Some(found) = super::believed::table(data) else { return String::new() };
    format!(
        "<h2>Believed against earned</h2>\n{}<p class=\"faint\">The last evaluation, the mean over runs: the mean \
         return believed at the starts of its episodes, the discounted return that the policy of the mean then earned, and \
         the first less the second (bias: above 0, too much was believed). Within mean ± 2 sigma: the share of episodes whose \
         return lay there; 0.954 for a Gaussian that is true, nothing for agents without a sigma.</p>\n",
        table(&found)
    )
}

/// The runs whose beliefs could not be true, with the sentences that say why.
fn warnings(data: &Data) -> String {
    let item = |run: &RunRow| {
        let warnings = &run.outcome.as_ref()?.judgement.warnings;
        let (env, agent) = (escape(&run.spec.env), escape(&run.spec.agent));
        let text = escape(&warnings.join("; "));
        (!warnings.is_empty()).then(|| format!("<li>{env} {agent} seed {}: {text}</li>\n", run.spec.seed))
    };
    let items: Vec<String> = data.runs.iter().filter_map(item).collect();
    if items.is_empty() {
        return String::new();
    }
    format!(
        "<h2>Warnings</h2>\n<p class=\"bad\">The values of {} cannot be true: what was believed at the start is more \
         than rewards allow, or than was ever earned. The returns are shown all the same.</p>\n\
         <details><summary>Which, and what to do</summary>\n<ul>\n{}</ul></details>\n",
        if items.len() == 1 { "one run".to_string() } else { format!("{} runs", items.len()) },
        items.concat()
    )
}

fn failures(data: &Data) -> String {
    let failed: Vec<&RunRow> = data.runs.iter().filter(|run| run.status == Status::Failed).collect();
    if failed.is_empty() {
        return String::new();
    }
    let item = |run: &&RunRow| {
        let error = escape(run.error.as_deref().unwrap_or("no reason is recorded"));
        format!(
            "<li>{} {} seed {}: {error}</li>\n",
            escape(&run.spec.env),
            escape(&run.spec.agent),
            run.spec.seed
        )
    };
    let items: String = failed.iter().map(item).collect();
    format!("<h2>Failed runs</h2>\n<div class=\"bad\"><ul>\n{items}</ul></div>\n")
}

fn runs(data: &Data) -> String {
    let head = [
        "run",
        "task",
        "agent",
        "seed",
        "status",
        "episodes",
        "steps",
        "first reward",
        "solved",
        "last 100",
        "seconds",
        "weights",
    ];
    let row = |run: &RunRow| {
        let text = |text: String| Cell::Text(text);
        let warned = run.outcome.as_ref().is_some_and(|outcome| !outcome.judgement.warnings.is_empty());
        let status = format!("{:?}{}", run.status, if warned { ", warned" } else { "" }).to_lowercase();
        let mut cells = vec![
            text(run.id.clone()),
            text(run.spec.env.clone()),
            text(run.spec.agent.clone()),
            text(run.spec.seed.to_string()),
            text(status),
        ];
        let count = |count: Option<u64>| text(count.map_or_else(|| "–".into(), |count| count.to_string()));
        if let Some(outcome) = &run.outcome {
            cells.extend([
                count(Some(outcome.episodes)),
                count(Some(outcome.steps)),
                count(outcome.first_reward_episode),
                count(outcome.solved_episode),
                text(outcome.mean_return_last_100.map_or_else(|| "–".into(), super::table::short)),
                text(format!("{:.1}", outcome.seconds)),
                text(outcome.weights_sha256.chars().take(12).collect()),
            ]);
        }
        cells
    };
    let runs = Table { head: head.map(String::from).to_vec(), rows: data.runs.iter().map(row).collect() };
    format!(
        "<h2>Runs</h2>\n<details><summary>All {} runs</summary>\n{}</details>\n",
        data.runs.len(),
        table(&runs)
    )
}

/// The resolved settings of every agent, once for each set of tasks on which they are the same.
fn settings_of(data: &Data) -> String {
    let mut sets: Vec<(String, String, Vec<&str>)> = Vec::new();
    for task in &data.tasks {
        for agent in &task.agents {
            let Some(run) = agent.runs.first() else { continue };
            let text = settings::to_toml(&run.spec.config);
            match sets.iter_mut().find(|(name, known, _)| *name == agent.agent && *known == text) {
                Some((_, _, tasks)) => tasks.push(&task.about.env),
                None => sets.push((agent.agent.clone(), text, vec![&task.about.env])),
            }
        }
    }
    let details = |(agent, text, tasks): &(String, String, Vec<&str>)| {
        let (agent, tasks) = (escape(agent), escape(&tasks.join(", ")));
        format!("<details><summary>{agent} on {tasks}</summary>\n<pre>{}</pre>\n</details>\n", escape(text))
    };
    format!("<h2>Settings</h2>\n{}", sets.iter().map(details).collect::<String>())
}

fn provenance(data: &Data) -> String {
    let list = |values: Vec<String>| {
        let mut distinct: Vec<String> = Vec::new();
        for value in values {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        distinct.join("; ")
    };
    let of_runs = |value: fn(&RunRow) -> Option<String>| list(data.runs.iter().filter_map(value).collect());
    let seconds: f64 =
        data.runs.iter().filter_map(|run| run.outcome.as_ref()).map(|outcome| outcome.seconds).sum();
    let facts = [
        ("Experiment", data.name.clone()),
        ("Seeds", seeds(data)),
        ("Run with duvn", of_runs(|run| run.version.clone())),
        ("Machine", of_runs(|run| run.machine.clone())),
        ("Time of all runs together", format!("{:.1} minutes", seconds / 60.0)),
        ("Report made with duvn", machine::version()),
    ];
    let fact = |(name, value): &(&str, String)| format!("<dt>{name}</dt><dd>{}</dd>\n", escape(value));
    let facts: String = facts.iter().filter(|(_, value)| !value.is_empty()).map(fact).collect();
    let rerun = if data.show.rerun.is_empty() {
        String::new()
    } else {
        format!("<h2>How to run it again</h2>\n<pre>{}</pre>\n", escape(&data.show.rerun))
    };
    format!("{rerun}<h2>Provenance</h2>\n<dl>\n{facts}</dl>\n")
}

/// The seeds as ranges.
fn seeds(data: &Data) -> String {
    let mut seeds: Vec<u64> = data.runs.iter().map(|run| run.spec.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for seed in seeds {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(seed) => *last = seed,
            _ => ranges.push((seed, seed)),
        }
    }
    let range = |&(first, last): &(u64, u64)| {
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(", ")
}
