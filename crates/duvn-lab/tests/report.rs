//! Reports, from records that no run has made.

mod common;

use common::{Folder, outcome};
use duvn_lab::calibration::Calibration;
use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::figures::{Mark, Marker, Panel, Point};
use duvn_lab::record::Record;
use duvn_lab::report::{Cell, Data, Table, differences, improvement, pictures, report, summary};
use duvn_lab::run::Outcome;
use duvn_lab::store::{EvaluationRow, RunRow, Store};

/// Agents believe 1, with a sigma if their seed is odd, and earn half of their return after the discount.
fn believed(seed: u64, ret: f64) -> Option<Calibration> {
    let sigma = if seed % 2 == 1 { 0.25 } else { 0.0 };
    let covered = (sigma > 0.0).then_some(0.6);
    Some(Calibration { believed: 1.0, sigma, earned: ret / 2.0, covered })
}

/// The records of an experiment whose runs are done: `returns` gives the returns of each, and where it was solved.
fn done(folder: &Folder, text: &str, returns: impl Fn(&RunRow) -> (Vec<f64>, Option<u64>)) -> Store {
    let experiment = Experiment::parse(text, &Variant::default()).unwrap();
    let store = Store::open_for(&folder.0, &experiment).unwrap();
    for run in store.runs().unwrap() {
        let (returns, solved) = returns(&run);
        let last = &returns[returns.len().saturating_sub(100)..];
        let mean_return_last_100 = Some(last.iter().sum::<f64>() / last.len() as f64);
        let record = |(at, &ret): (usize, &f64)| {
            let episode = at as u64 + 1;
            Record { episode, ret, denoised: None, length: 2, steps: 2 * episode, loss: 0.0, start: None }
        };
        let records: Vec<_> = returns.iter().enumerate().map(record).collect();
        let episodes = records.len() as u64;
        // Every hundredth episode is evaluated, and the last.
        let moments = records.iter().filter(|row| row.episode % 100 == 0 || row.episode == episodes);
        let evaluation = |row: &Record| {
            let Record { episode, steps, ret, .. } = *row;
            EvaluationRow { episode, steps, mean_return: ret, calibration: believed(run.spec.seed, ret) }
        };
        let evaluations: Vec<_> = moments.map(evaluation).collect();
        store.append(run.number, &records, &evaluations, &[], 2 * episodes, 1.0).unwrap();
        let outcome = Outcome { mean_return_last_100, ..outcome(&run.spec, episodes, solved) };
        store.finish(&run, &outcome).unwrap();
    }
    store
}

const TWO_SEEDS: &str = "name = 'a'\nseeds = '0..2'\nepisodes = 1000\nuntil_solved = true\nevaluations = 10\n\
                         [[environments]]\nid = 'Chain-5'\n[[agents]]\npreset = 'egreedy'";

/// Seed 0 ends at episode 350, where its last hundred returns are 1; the others go on with 0.
fn one_solved(run: &RunRow) -> (Vec<f64>, Option<u64>) {
    match run.spec.seed {
        0 => ((0..350).map(|at| f64::from(u8::from(at >= 250))).collect(), Some(350)),
        _ => (vec![0.0; 1000], None),
    }
}

#[test]
fn a_run_that_ended_solved_counts_with_what_it_ended_with() {
    let folder = Folder::new("carried");
    let data = Data::read(&done(&folder, TWO_SEEDS, one_solved)).unwrap();
    let agent = &data.tasks[0].agents[0];
    // 200 parts of five episodes: part 69 is the last of seed 0.
    let points = agent.returns();
    assert_eq!((&points[49], &points[59]), (&vec![0.0, 0.0], &vec![0.5, 0.0]));
    assert!(points[69..].iter().all(|point| *point == [1.0, 0.0]), "{:?}", &points[69..]);
    assert_eq!(agent.evaluated(2), Some(vec![1.0, 0.0]));
    assert_eq!((agent.evaluated(3), agent.evaluated(9)), (Some(vec![1.0, 0.0]), Some(vec![1.0, 0.0])));
    assert_eq!(agent.evaluated(10), None, "seed 1 has ten evaluations");
    for picture in pictures(&data) {
        assert!(picture.caption.contains("counts with what it ended with"), "{}", picture.name);
    }
}

/// Both runs believe 1 all along. In the third evaluation seed 0 has a return of 1 and earns 0.5, which it keeps when it
/// has ended; seed 1 earns nothing. Only seed 1 has a sigma.
#[test]
fn what_is_believed_stands_beside_what_is_earned() {
    let folder = Folder::new("believed");
    let store = done(&folder, TWO_SEEDS, one_solved);
    let data = Data::read(&store).unwrap();
    let all = pictures(&data);
    let picture = all.iter().find(|picture| picture.name == "believed").expect("a figure");
    let line = |panel: &Panel, name: &str| {
        let named = |mark: &&Mark| matches!(mark, Mark::Curve(curve) if curve.series.name == name);
        match panel.marks.iter().find(named) {
            Some(Mark::Curve(curve)) => curve.points.iter().map(|point| point.1).collect::<Vec<_>>(),
            _ => panic!("no {name}"),
        }
    };
    let [values, shares] = &picture.figure.panels[..] else { panic!("two panels") };
    assert_eq!(line(values, "ε-greedy: believed"), [1.0; 10]);
    let earned: Vec<_> = (0..10).map(|at| if at < 2 { 0.0 } else { 0.25 }).collect();
    assert_eq!(line(values, "ε-greedy: earned"), earned);
    assert_eq!(line(shares, "ε-greedy: believed"), [0.6; 10]);
    // The table has the last evaluation of each: 1 - (0.5 + 0) / 2.
    report(&store).unwrap();
    let page = std::fs::read_to_string(folder.0.join("report.html")).unwrap();
    let section = page.split("<h2>Believed against earned</h2>").nth(1).expect("a section");
    let section = section.split("</table>").next().unwrap();
    for cell in ["0.250", "0.750", "0.600"] {
        assert!(section.contains(cell), "{cell}: {section}");
    }
}

#[test]
fn a_run_that_was_to_use_up_its_budget_is_not_carried_on() {
    let folder = Folder::new("not-carried");
    let data =
        Data::read(&done(&folder, &TWO_SEEDS.replace("until_solved = true\n", ""), one_solved)).unwrap();
    let agent = &data.tasks[0].agents[0];
    assert!(agent.evaluated(3).is_some() && agent.evaluated(4).is_none());
    assert!(pictures(&data).iter().all(|picture| !picture.caption.contains("ended with")));
}

/// Two families of three sizes; the median run of `duvn` is solved at 20 N, `egreedy` is never on the largest.
const SIZES: &str = "name = 'sizes'\nseeds = '0..5'\nepisodes = 3000\nevaluations = 0\n\
                     [[environments]]\nid = 'Chain-40'\n[[environments]]\nid = 'Chain-10'\n\
                     [[environments]]\nid = 'ChainOrdered-10'\n[[environments]]\nid = 'Chain-20'\n\
                     [[environments]]\nid = 'ChainOrdered-20'\n[[environments]]\nid = 'ChainOrdered-40'\n\
                     [[agents]]\npreset = 'egreedy'\n[[agents]]\npreset = 'duvn'";

fn solved_at_20_n(run: &RunRow) -> (Vec<f64>, Option<u64>) {
    let size: u64 = run.spec.env.rsplit_once('-').unwrap().1.parse().unwrap();
    let solved = 20 * size + run.spec.seed - 2;
    let solved = (run.spec.agent == "duvn" || size < 40).then_some(solved);
    (vec![0.0; 3000], solved)
}

/// The points of the agent `name` in a panel.
fn points<'a>(panel: &'a Panel, name: &str) -> &'a [Point] {
    let found = panel.marks.iter().find_map(|mark| match mark {
        Mark::Points(points) if points.series.name == name => Some(&points.points[..]),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn the_figure_of_scaling_has_a_row_a_family_and_no_point_where_half_of_the_runs_failed() {
    let folder = Folder::new("scaling");
    let data = Data::read(&done(&folder, SIZES, solved_at_20_n)).unwrap();
    let pictures = pictures(&data);
    let picture = pictures.iter().find(|picture| picture.name == "scaling").unwrap();
    let titles: Vec<_> = picture.figure.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Chain: episodes to the first reward",
            "Chain: episodes until solved",
            "ChainOrdered: episodes to the first reward",
            "ChainOrdered: episodes until solved"
        ]
    );
    let panel = &picture.figure.panels[1];
    let medians = |name| points(panel, name).iter().map(|point| point.y).collect::<Vec<_>>();
    assert_eq!(medians("DUVN"), [200.0, 400.0, 800.0]);
    let greedy = medians("ε-greedy");
    assert_eq!(greedy[..2], [200.0, 400.0]);
    assert!(greedy[2].is_nan(), "{greedy:?}");
    // Where it would have been, an open triangle stands at the budget.
    let beyond = panel.marks.iter().find_map(|mark| match mark {
        Mark::Points(points) if points.series.style.marker == Marker::OpenTriangle => Some(&points.points),
        _ => None,
    });
    assert_eq!(beyond.unwrap().iter().map(|point| point.y).collect::<Vec<_>>(), [3000.0]);
    // The shares have a panel a family.
    let solved = pictures.iter().find(|picture| picture.name == "solved").unwrap();
    assert_eq!(solved.figure.panels.len(), 2);
    let shares: Vec<f64> = points(&solved.figure.panels[0], "ε-greedy").iter().map(|point| point.y).collect();
    assert_eq!(shares, [1.0, 1.0, 0.0]);
}

#[test]
fn bsuite_judges_the_deep_seas_of_an_experiment() {
    let folder = Folder::new("bsuite");
    let text = "name = 'sea'\nseeds = '0..2'\nepisodes = 2000\nevaluations = 0\n\
                [[environments]]\nid = 'DeepSea-20'\n[[environments]]\nid = 'DeepSea-10'\n\
                [[environments]]\nid = 'DeepSea-10?reward_scale=2'\n[[environments]]\nid = 'Chain-5'\n\
                [[agents]]\npreset = 'egreedy'\n[[agents]]\npreset = 'duvn'";
    let store = done(&folder, text, |run| {
        // After 90 bad episodes and 11 good ones, 90 / 101 is below 0.9; the other agent is too short for size 20.
        let good_from = if run.spec.agent == "duvn" && run.spec.seed == 0 { 90 } else { 2000 };
        ((0..2000).map(|at| if at < good_from { -0.01 } else { 0.99 }).collect(), None)
    });
    let table = report(&store).unwrap().deep_sea.unwrap();
    let columns: Vec<usize> = (0..table.head.len()).collect();
    let expected =
        ["agent     score           N = 10    N = 20", "ε-greedy  0 to 0.500      0/2, –    0/2, –"];
    let text = table.to_text(&columns);
    assert_eq!(text.lines().take(2).collect::<Vec<_>>(), expected);
    assert_eq!(text.lines().nth(2), Some("DUVN      0.500 to 0.750  1/2, 101  1/2, 101"));
    let page = std::fs::read_to_string(folder.0.join("report.html")).unwrap();
    assert!(page.contains("score of deep_sea") && page.contains("0.500 to 0.750"));
}

#[test]
fn bsuite_says_nothing_where_there_is_no_deep_sea() {
    let folder = Folder::new("no-bsuite");
    let store = done(&folder, TWO_SEEDS, one_solved);
    assert_eq!(report(&store).unwrap().deep_sea, None);
    assert!(!std::fs::read_to_string(folder.0.join("report.html")).unwrap().contains("deep_sea"));
}

const TWO_AGENTS: &str = "name = 'd'\nseeds = '0..6'\nepisodes = 200\nevaluations = 0\n\
                          [[environments]]\nid = 'Chain-5'\n[[environments]]\nid = 'Toy'\n\
                          [[agents]]\npreset = 'egreedy'\n[[agents]]\npreset = 'duvn'";

/// On Chain-5 the second agent is above by 1/4, on Toy below by 1/2, in all of its runs.
fn apart(run: &RunRow) -> (Vec<f64>, Option<u64>) {
    let ret = match (run.spec.env.as_str(), run.spec.agent.as_str()) {
        (_, "egreedy") => 0.5,
        ("Chain-5", _) => 0.75,
        _ => 0.0,
    };
    (vec![ret; 200], None)
}

/// The rows of a table in words.
fn rows(table: &Table) -> Vec<Vec<String>> {
    table.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect()
}

#[test]
fn agents_are_compared_with_the_first_on_every_task() {
    let folder = Folder::new("differences");
    let store = done(&folder, TWO_AGENTS, apart);
    let results = Data::read(&store).unwrap().results();
    let rows = rows(&differences(&results).unwrap());
    assert_eq!(rows.len(), 2, "the first agent is not compared with itself: {rows:?}");
    assert_eq!(rows[0][..2], ["Chain-5", "DUVN"]);
    // Chain-5 has bounds, and so an interval; of Toy nothing is known but that all runs agree.
    assert!(rows[0][2].starts_with("0.250 [-"), "{rows:?}");
    assert_eq!(rows[1][..3], ["Toy", "DUVN", "-0.500"]);
    assert!(rows[0][3].starts_with("1 [0.") && rows[0][3].ends_with(", 1]"), "{rows:?}");
    assert!(rows[1][3].starts_with("0 [0, 0."), "{rows:?}");
    report(&store).unwrap();
    let page = std::fs::read_to_string(folder.0.join("report.html")).unwrap();
    assert!(page.contains("difference of mean return to ε-greedy</th>"));
    for method in
        ["Clopper", "bootstrap-t (9999 draws", "stratified by task", "beta product", "MOVER", "Newcombe"]
    {
        assert!(page.contains(method), "{method} is not explained");
    }
}

#[test]
fn a_run_that_failed_counts_with_the_worst_return_or_takes_the_mean_away() {
    let folder = Folder::new("failed");
    let store = done(&folder, TWO_AGENTS, |_| (vec![1.0; 200], None));
    let mean = |store: &Store, at: usize| {
        let rows = rows(&summary(&Data::read(store).unwrap().results()));
        (rows[at][2].clone(), rows[at][7].clone())
    };
    assert_eq!(mean(&store, 0).0, "6");
    assert!(mean(&store, 0).1.starts_with("1 [0.5"), "{:?}", mean(&store, 0));
    for run in store.runs().unwrap().iter().filter(|run| run.spec.agent == "egreedy" && run.spec.seed < 3) {
        store.fail(run.number, "the loss became NaN", false).unwrap();
    }
    // The worst return of a Chain is 0; that of Toy is not known.
    assert_eq!(mean(&store, 0).0, "3 of 6, 3 failed");
    assert!(mean(&store, 0).1.starts_with("0.500 ["), "{:?}", mean(&store, 0));
    assert_eq!(mean(&store, 2), ("3 of 6, 3 failed".into(), "none: 3 failed".into()));
    let data = Data::read(&store).unwrap();
    let differences = rows(&differences(&data.results()).unwrap());
    // All pairs with a failed run are won, the others tied.
    assert!(differences[1][2] == "–" && differences[1][3].starts_with("0.750 ["), "{differences:?}");
}

#[test]
fn a_run_that_failed_half_way_has_the_worst_return_from_there_on() {
    let folder = Folder::new("half-way");
    let text = TWO_AGENTS.replace("0..6", "0..1").replace("episodes = 200", "episodes = 400");
    let store = done(&folder, &text, |_| (vec![1.0; 200], None));
    for run in store.runs().unwrap() {
        store.fail(run.number, "the loss became NaN", false).unwrap();
    }
    let data = Data::read(&store).unwrap();
    let (chain, toy) = (data.tasks[0].agents[0].returns(), data.tasks[1].agents[0].returns());
    assert_eq!((&chain[99], &chain[100], &chain[199]), (&vec![1.0], &vec![0.0], &vec![0.0]));
    assert_eq!((&toy[99], &toy[100]), (&vec![1.0], &vec![]));
}

#[test]
fn runs_that_end_when_solved_are_not_compared_by_their_returns() {
    let folder = Folder::new("stopped");
    let text = TWO_AGENTS.replace("evaluations = 0", "evaluations = 0\nuntil_solved = true");
    let store = done(&folder, &text, |run| match run.spec.agent.as_str() {
        "duvn" if run.spec.env == "Toy" => (vec![3.0; 100], Some(100)),
        "duvn" => (vec![1.0; 100], Some(100)),
        _ => (vec![0.5; 200], None),
    });
    let data = Data::read(&store).unwrap();
    let results = data.results();
    let summary = rows(&summary(&results));
    assert_eq!((summary[1][5].as_str(), summary[1][7].as_str()), ("6/6 [0.54, 1.00]", "ends when solved"));
    assert_eq!(differences(&results), None);
    assert_eq!(improvement(&results), None);
    // The profile of those that solved both tasks stays at 1 up to 1.
    let pictures = pictures(&data);
    let profile = pictures.iter().find(|picture| picture.name == "profile").unwrap();
    let Some(Mark::Curve(curve)) = profile.figure.panels[0].marks.get(1) else { panic!("no curve") };
    assert_eq!(curve.points.last(), Some(&(1.0, 1.0)));
}

#[test]
fn a_curve_ends_at_the_number_in_the_table() {
    let folder = Folder::new("ends");
    // Episodes of ten steps and a budget of steps: a twentieth of it is ten episodes.
    let text = TWO_AGENTS.replace("episodes = 200", "steps = 400");
    let store = done(&folder, &text, |run| ((0..200).map(|at| (at + run.spec.seed) as f64).collect(), None));
    let data = Data::read(&store).unwrap();
    let agent = &data.tasks[0].agents[0];
    let last = agent.returns().pop().unwrap();
    assert_eq!(last, agent.results.returns());
    // The mean of 100 to 199.
    assert_eq!(last[0], 149.5);
}

#[test]
fn runs_whose_beliefs_cannot_be_true_are_marked() {
    let folder = Folder::new("warned");
    let store = done(&folder, TWO_AGENTS, apart);
    let run = &store.runs().unwrap()[1];
    let mut outcome = run.outcome.clone().unwrap();
    outcome.judgement.warnings = vec!["its values have <run away>".into()];
    store.finish(run, &outcome).unwrap();
    assert_eq!(rows(&summary(&Data::read(&store).unwrap().results()))[0][2], "6, 1 warned");
    report(&store).unwrap();
    let page = std::fs::read_to_string(folder.0.join("report.html")).unwrap();
    assert!(page.contains("Chain-5 egreedy seed 1: its values have &lt;run away&gt;"));
    assert_eq!(page.matches("done, warned").count(), 1);
}
