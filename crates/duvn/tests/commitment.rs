//! What an agent is committed to stays for the episode, and changes from one to the next.

use duvn::{Agent, Config, preset};
use duvn_envs::{Observation, Space, Step};

const STEPS: usize = 40;
const EPISODES: usize = 40;

/// An agent that never learns stays in one state: the actions it takes, by episode.
fn actions(name: &str, settings: &[(&str, &str)]) -> Vec<Vec<usize>> {
    let mut config: Config = preset(name).unwrap();
    for (key, value) in [("learning_starts", "10000"), ("hidden", "[32]")].iter().chain(settings) {
        config.set(key, value).unwrap();
    }
    let mut agent =
        Agent::new(&config.check().unwrap(), &Space::Discrete(2), &Space::Discrete(4), 3).unwrap();
    let (here, step) = (Observation::Index(0), Step { reward: 0.0, terminated: false, truncated: false });
    let mut episodes = Vec::new();
    for _ in 0..EPISODES {
        let mut taken = vec![agent.begin(here).unwrap()];
        for _ in 1..STEPS {
            taken.extend(agent.observe(&step, here).unwrap());
        }
        agent.observe(&Step { truncated: true, ..step }, here).unwrap();
        episodes.push(taken);
    }
    episodes
}

fn changes(taken: &[usize]) -> usize {
    taken.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The index of return uncertainty, a dropout mask, and the member of an ensemble.
const SOURCES: [(&str, &[(&str, &str)]); 3] = [
    ("return", &[("scope", "episode")]),
    ("parametric", &[("parameter_scope", "episode")]),
    ("bootdqn", &[("parameter_scope", "episode")]),
];

#[test]
fn a_committed_agent_decides_alike_for_an_episode() {
    for (name, settings) in SOURCES {
        let episodes = actions(name, settings);
        assert!(episodes.iter().all(|taken| changes(taken) == 0), "{name}: {episodes:?}");
        let first: Vec<usize> = episodes.iter().map(|taken| taken[0]).collect();
        assert!(changes(&first) > 0, "{name}: episodes do not differ");
    }
}

#[test]
fn one_that_draws_by_step_does_not() {
    for (name, settings) in SOURCES {
        let by_step: Vec<_> = settings.iter().map(|(key, _)| (*key, "step")).collect();
        let episodes = actions(name, &by_step);
        assert!(episodes.iter().all(|taken| changes(taken) > 0), "{name}: {episodes:?}");
    }
}

#[test]
fn redraw_says_how_often_a_guess_is_given_up() {
    for (name, settings) in SOURCES {
        let total = |redraw| {
            let settings = [settings, &[("redraw", redraw)]].concat();
            actions(name, &settings).iter().map(|taken| changes(taken)).sum::<usize>()
        };
        let (never, seldom, always) = (total("0"), total("0.1"), total("1"));
        assert_eq!(never, 0, "{name}");
        // A tenth of the draws makes a tenth of the changes; a quarter leaves room for chance.
        assert!(seldom > 0 && seldom < always / 4, "{name}: {seldom} and {always} changes");
    }
}
