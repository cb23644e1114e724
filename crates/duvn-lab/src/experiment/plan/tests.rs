use super::*;

const GOOD: &str = r#"name = "test"
seeds = "0..3"
episodes = 50

[settings]
hidden = [8]

[[environments]]
id = "Chain-5"
group = "short"

[[environments]]
id = "Toy"
steps = 70
settings = { gamma = 0.5, keep = 0.7 }

[[agents]]
preset = "egreedy"

[[agents]]
name = "mine"
preset = "duvn"
settings = { keep = 0.8 }

[quick]
seeds = [7]
episodes = 5
environments = ["Toy"]

[[watch]]
environment = "Chain-5"
agent = "mine"
episodes = [0, 20]
"#;

fn parse(text: &str) -> Result<Experiment, ExperimentError> {
    Experiment::parse(text, &Variant::default())
}

#[test]
fn a_file_is_the_product_of_its_lists() {
    let experiment = parse(GOOD).unwrap();
    assert_eq!(experiment.runs.len(), 2 * 2 * 3);
    let run = &experiment.runs[4];
    assert_eq!((run.spec.env.as_str(), run.spec.agent.as_str(), run.spec.seed), ("Chain-5", "mine", 1));
    assert_eq!((run.spec.budget, run.group.as_str()), (Budget::Episodes(50), "short"));
    let toy = &experiment.runs[9].spec;
    assert_eq!((toy.budget, toy.config.gamma), (Budget::Steps(70), 0.5));
    // The agent's own setting comes after the environment's, and that after the file's.
    assert_eq!((toy.config.keep, toy.config.hidden.clone()), (0.8, vec![8]));
    let watched: Vec<_> = experiment.runs.iter().filter(|run| !run.watch.is_empty()).collect();
    assert_eq!((watched.len(), &watched[0].spec.agent[..], watched[0].spec.seed), (1, "mine", 0));
    let mut ids: Vec<_> = experiment.runs.iter().map(|run| &run.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 12);
}

#[test]
fn the_shortened_version_says_so() {
    let variant = Variant { quick: true, seeds: None };
    let experiment = Experiment::parse(GOOD, &variant).unwrap();
    let specs: Vec<_> = experiment.runs.iter().map(|run| (run.spec.env.as_str(), run.spec.seed)).collect();
    assert_eq!(specs, [("Toy", 7), ("Toy", 7)]);
    assert_eq!(experiment.runs[0].spec.budget, Budget::Episodes(5));
    assert!(experiment.show.note.contains("Shortened"));
    let seeds = Variant { seeds: Some(vec![1, 2]), ..variant };
    assert_eq!(Experiment::parse(GOOD, &seeds).unwrap().runs.len(), 4);
    let without = GOOD.split("[quick]").next().unwrap();
    assert!(Experiment::parse(without, &seeds).unwrap_err().to_string().contains("[quick]"));
}

#[test]
fn a_grid_is_the_product_of_its_values() {
    let own = "settings = { keep = { grid = [0.8, 0.9] }, gamma = { grid = [0.5, 0.6, 0.7] } }";
    let text =
        GOOD.replace("settings = { keep = 0.8 }", own).replace("agent = \"mine\"", "agent = \"egreedy\"");
    let experiment = parse(&text).unwrap();
    assert_eq!(experiment.runs.len(), 2 * (1 + 6) * 3);
    let names: Vec<_> = experiment.runs.iter().map(|run| run.spec.agent.as_str()).collect();
    assert_eq!(
        names[3..7],
        ["mine, gamma 0.5, keep 0.8"; 3].into_iter().chain(["mine, gamma 0.5, keep 0.9"]).collect::<Vec<_>>()
            [..]
    );
    let run = &experiment.runs[3 + 5 * 3];
    assert_eq!((run.spec.config.gamma, run.spec.config.keep), (0.7, 0.9));
    // Of two grids, the one with fewer values makes the facets.
    assert_eq!((run.panel.as_str(), experiment.runs[0].panel.as_str()), ("Chain-5, keep 0.9", "Chain-5"));
    let facet = format!("{text}[figure]\nfacet = \"gamma\"\n");
    assert_eq!(parse(&facet).unwrap().runs[3 + 5 * 3].panel, "Chain-5, gamma 0.7");
}

#[test]
fn a_grid_that_agents_share_multiplies_those_that_look_at_it() {
    let text = GOOD.replace("hidden = [8]", "hidden = [8]\nepsilon = { grid = [0.1, 0.2] }");
    let experiment = parse(&text).unwrap();
    let mut names: Vec<_> = experiment.runs.iter().map(|run| run.spec.agent.as_str()).collect();
    names.dedup();
    assert_eq!(names[..3], ["egreedy, epsilon 0.1", "egreedy, epsilon 0.2", "mine"]);
    assert_eq!(experiment.runs[6].spec.config.epsilon, 0.05, "it is not set where it has no effect");
    assert!(experiment.runs.iter().all(|run| !run.panel.contains("epsilon")), "one grid needs no facets");
}

#[test]
fn counts_are_written_as_people_do() {
    for (written, episodes) in [("1e3", 1_000), ("\"10k\"", 10_000), ("1_000", 1_000)] {
        let experiment = parse(&GOOD.replace("episodes = 50", &format!("episodes = {written}"))).unwrap();
        assert_eq!(experiment.runs[0].spec.budget, Budget::Episodes(episodes), "{written}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (from, to, line, part) in [
        ("name = \"test\"", "nam = \"test\"", 1, "did you mean name?"),
        ("name = \"test\"", "name = \" \"", 1, "name is empty"),
        ("name = \"test\"", "name = \"..\"", 1, "names a folder"),
        ("name = \"test\"", "name = \"../x/y\"", 1, "names a folder"),
        ("name = \"test\"", "name = \"a/b\"", 1, "names a folder"),
        ("name = \"test\"", "name = '\\\\x'", 1, "names a folder"),
        ("name = \"test\"", "name = \"---\"", 1, "names a folder"),
        ("\"0..3\"", "\"3..0\"", 2, "0..5"),
        ("\"0..3\"", "[]", 2, "no seeds"),
        ("\"0..3\"", "[1, 1]", 2, "twice"),
        ("\"0..3\"", "true", 2, "seeds such as"),
        ("episodes = 50", "episodes = 0", 3, "1 or more"),
        ("episodes = 50", "episodes = 50\nsteps = 4", 4, "leave one"),
        ("episodes = 50", "episodes = 50\nuntil_solved = 1", 4, "write true or false"),
        (
            "id = \"Toy\"",
            "id = \"CliffWalking-v1\"\nuntil_solved = true",
            14,
            "there is no key 'until_solved' in [[environments]]",
        ),
        ("hidden = [8]", "hiden = [8]", 6, "hidden"),
        ("hidden = [8]", "hidden = \"wide\"", 6, "list"),
        ("Chain-5", "Chan-5", 9, "Chain"),
        ("group", "grup", 10, "did you mean group?"),
        ("preset = \"egreedy\"", "preset = \"greedy\"", 18, "egreedy"),
        ("name = \"mine\"", "name = \"egreedy\"", 21, "another name"),
        ("keep = 0.8", "keep = 8.0", 22, "keep"),
        ("keep = 0.8", "members = 3", 23, "has no effect here"),
        ("keep = 0.8", "keep = { a = 1 }", 23, "flat"),
        ("id = \"Toy\"", "id = \"Chain-5\"", 13, "twice"),
        ("agent = \"mine\"", "agent = \"yours\"", 31, "names from above"),
        ("[0, 20]", "[20, 0]", 33, "rising order"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let error = parse(&GOOD.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(part), "{to}: {error}");
        assert!(error.contains(&format!("line {line}")), "{to}: {error}");
    }
    let text = GOOD.replace("episodes = 50", "episodes = 50\nuntil_solved = true");
    assert!(parse(&text).unwrap().runs.iter().all(|run| run.spec.until_solved));
    let endless = parse(&text.replace("\"Toy\"", "\"CliffWalking-v1\"")).unwrap_err().to_string();
    assert!(endless.starts_with("line 14: CliffWalking-v1 has no threshold"), "{endless}");
    let nothing = parse("name = \"a\"\nseeds = \"0\"\nenvironments = []\nagents = []").unwrap_err();
    assert!(nothing.to_string().contains("[[environments]]"), "{nothing}");
    assert!(parse("").is_err());
}
