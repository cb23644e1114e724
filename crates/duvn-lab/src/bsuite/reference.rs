//! Scores that other programs' agents have reached, to stand beside ours.

use super::{Plan, Report, Scored};
use duvn_envs::registry::bsuite::EXPERIMENTS;

/// The columns of a file of scores.
const HEAD: &str = "agent,experiment,score,runs,episodes";

/// Why scores cannot stand beside those of a plan. Lines are counted from 1.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The first line that is no remark is not the expected one.
    #[error("line {line} should be '{HEAD}'")]
    Head {
        /// The line.
        line: usize,
    },
    /// A line does not have these five columns.
    #[error("line {line} should have {HEAD}, for example: bsuite's dqn,bandit,0.78,1,1000")]
    Row {
        /// The line.
        line: usize,
    },
    /// There is no such experiment.
    #[error("line {line}: bsuite has no experiment '{name}' here")]
    Experiment {
        /// The line.
        line: usize,
        /// What it says.
        name: String,
    },
    /// A score is given twice.
    #[error("line {line}: '{agent}' has a score of {name} before: leave one out")]
    Twice {
        /// The line.
        line: usize,
        /// The agent.
        agent: String,
        /// The experiment.
        name: &'static str,
    },
    /// The score is of other runs than those of the plan.
    #[error(
        "line {line}: the score of {name} is of {runs} runs of {episodes} episodes, here are {own_runs} of \
         {own_episodes}: scores of different lengths do not compare; leave --reference out, or run what it is of"
    )]
    Other {
        /// The line.
        line: usize,
        /// The experiment.
        name: &'static str,
        /// Runs and episodes of the score.
        runs: usize,
        /// Episodes of each.
        episodes: u64,
        /// Runs of an agent in the plan.
        own_runs: usize,
        /// Episodes of each.
        own_episodes: u64,
    },
}

/// Reads the scores of other agents: lines of `agent,experiment,score,runs,episodes` under that head; lines that begin with
/// `#` are remarks. Experiments that the plan does not have are passed over; those that a file does not have stay empty.
pub fn reference(text: &str, plan: &Plan) -> Result<Vec<Report>, ReferenceError> {
    let mut lines =
        (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    match lines.next() {
        Some((_, HEAD)) => {}
        other => return Err(ReferenceError::Head { line: other.map_or(1, |(line, _)| line) }),
    }
    let planned = |name: &str| {
        let own = plan.experiment.runs.iter().zip(&plan.parts);
        let first = plan.agents.first();
        let own = own.filter(|(run, part)| part.experiment == name && Some(&run.spec.agent) == first);
        own.fold((0, 0), |(runs, _), (_, part)| (runs + 1, part.episodes))
    };
    let mut reports: Vec<Report> = Vec::new();
    for (line, row) in lines {
        let (agent, name, score, runs, episodes) = cells(row).ok_or(ReferenceError::Row { line })?;
        let Some(known) = EXPERIMENTS.iter().find(|experiment| experiment.name == name) else {
            return Err(ReferenceError::Experiment { line, name: name.into() });
        };
        let name = known.name;
        let (own_runs, own_episodes) = planned(name);
        if own_runs == 0 {
            continue;
        }
        if (runs, episodes) != (own_runs, own_episodes) {
            return Err(ReferenceError::Other { line, name, runs, episodes, own_runs, own_episodes });
        }
        let at = reports.iter().position(|report| report.agent == agent).unwrap_or_else(|| {
            let empty = |experiment: &duvn_envs::registry::bsuite::Experiment| Scored {
                name: experiment.name,
                tags: experiment.tags,
                score: None,
                runs: 0,
                over: 0,
            };
            let experiments = EXPERIMENTS.iter().filter(|one| planned(one.name).0 > 0).map(empty).collect();
            reports.push(Report { agent: agent.into(), experiments });
            reports.len() - 1
        });
        let scored = reports[at].experiments.iter_mut().find(|scored| scored.name == name);
        let Some(scored) = scored else { continue };
        if scored.score.is_some() {
            return Err(ReferenceError::Twice { line, agent: agent.into(), name });
        }
        *scored = Scored { score: Some(score), runs, over: runs, ..*scored };
    }
    Ok(reports)
}

/// The five columns of a line.
fn cells(row: &str) -> Option<(&str, &str, f64, usize, u64)> {
    let [agent, name, score, runs, episodes] = row.split(',').map(str::trim).collect::<Vec<_>>()[..] else {
        return None;
    };
    let score: f64 = score.parse().ok().filter(|score| (0.0..=1.0).contains(score))?;
    let whole = !agent.is_empty();
    whole.then_some((agent, name, score, runs.parse().ok()?, episodes.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::Choice;
    use super::*;
    use duvn_envs::registry::bsuite::Tag;

    fn read(rows: &str) -> Result<Vec<Report>, ReferenceError> {
        let only = ["bandit", "catch", "catch_noise"].map(String::from).to_vec();
        let choice = Choice { only, most_episodes: Some(50), ..Choice::default() };
        let plan = Plan::new(&["dqn".into(), "egreedy".into()], &choice).unwrap();
        reference(rows, &plan)
    }

    #[test]
    fn scores_stand_at_their_experiments_and_a_tag_needs_all_of_its_own() {
        let text = "# of bsuite 0.3.5\nagent,experiment,score,runs,episodes\n\
                    theirs,catch,0.5,1,50\ntheirs,cartpole,0.9,1,100\ntheirs,catch_noise,0.25,3,50\n";
        let reports = read(text).unwrap();
        assert_eq!((reports.len(), reports[0].agent.as_str()), (1, "theirs"));
        let scores: Vec<_> =
            reports[0].experiments.iter().map(|scored| (scored.name, scored.score)).collect();
        assert_eq!(scores, [("bandit", None), ("catch", Some(0.5)), ("catch_noise", Some(0.25))]);
        // Of the tag "basic" bandit is missing.
        assert_eq!((reports[0].tag(Tag::Basic), reports[0].tag(Tag::Noise)), (None, Some(0.25)));
        assert_eq!(reports[0].tag(Tag::CreditAssignment), Some(0.375));
    }

    #[test]
    fn what_cannot_be_compared_is_refused_with_its_line() {
        let with = |row: &str| read(&format!("{HEAD}\n{row}\n")).unwrap_err();
        assert_eq!(read("").unwrap_err(), ReferenceError::Head { line: 1 });
        assert_eq!(read("# x\nagent,score\n").unwrap_err(), ReferenceError::Head { line: 2 });
        for row in [
            "a,bandit,0.5,1",
            "a,bandit,1.5,1,50",
            "a,bandit,NaN,1,50",
            ",bandit,0.5,1,50",
            "a,bandit,0.5,-1,50",
        ] {
            assert_eq!(with(row), ReferenceError::Row { line: 2 }, "{row}");
        }
        assert_eq!(
            with("a,memory_len,0,1,50"),
            ReferenceError::Experiment { line: 2, name: "memory_len".into() }
        );
        let longer = with("a,bandit,0.5,1,1000").to_string();
        assert!(longer.contains("1 runs of 1000 episodes, here are 1 of 50"), "{longer}");
        let twice = with("a,bandit,0.5,1,50\na,bandit,0.6,1,50");
        assert_eq!(twice, ReferenceError::Twice { line: 3, agent: "a".into(), name: "bandit" });
    }
}
