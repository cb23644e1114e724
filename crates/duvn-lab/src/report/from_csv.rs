//! Results from a file of runs, as `duvn export --csv` writes it.

use super::ReportError;
use crate::results::{Ended, Results, Task};
use std::path::Path;

/// The results in a file of runs: a line a run, with the columns `env`, `agent`, `episodes`, `first_reward_episode`,
/// `solved_episode` and `mean_return_last_100`. With `status`, runs that failed are known, and others that are not
/// done are left out; without `until_solved`, a run whose last episode solved its task counts as ended by that. With
/// `mean_policy`, the return of the last evaluation is known.
pub fn from_csv(path: &Path) -> Result<Vec<Results>, ReportError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| ReportError::Read { path: path.into(), error })?;
    parse(&text).map_err(|what| ReportError::Runs { path: path.into(), what })
}

fn parse(text: &str) -> Result<Vec<Results>, String> {
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let head = fields(lines.next().unwrap_or_default());
    let place = |name: &str| head.iter().position(|known| known == name);
    let needed = |name: &str| place(name).ok_or(format!("there is no column `{name}`"));
    let (env, agent, episodes) = (needed("env")?, needed("agent")?, needed("episodes")?);
    let (first, solved) = (needed("first_reward_episode")?, needed("solved_episode")?);
    let (last, status, until) = (needed("mean_return_last_100")?, place("status"), place("until_solved"));
    let policy = place("mean_policy");
    let mut all: Vec<Results> = Vec::new();
    for line in lines {
        let fields = fields(line);
        if fields.len() != head.len() {
            return Err(format!("`{line}` has {} fields, not {}", fields.len(), head.len()));
        }
        let whole = |at: usize| number::<u64>(&fields[at]);
        let status = status.map_or("done", |at| fields[at].as_str());
        let known = all.iter().position(|known| known.env == fields[env] && known.agent == fields[agent]);
        let at = known.unwrap_or_else(|| {
            all.push(Task::new(&fields[env], &fields[env], "").results(&fields[agent]));
            all.len() - 1
        });
        all[at].planned += 1;
        if !matches!(status, "done" | "failed") {
            continue;
        }
        let (episodes, solved_episode) = (whole(episodes)?.unwrap_or(0), whole(solved)?);
        all[at].runs.push(Ended {
            failed: status == "failed",
            stopped: match until {
                Some(at) => fields[at] == "true" && solved_episode.is_some(),
                None => solved_episode == Some(episodes),
            },
            episodes,
            first_reward_episode: whole(first)?,
            solved_episode,
            last_return: number(&fields[last])?,
            evaluated: policy.map_or(Ok(None), |at| number(&fields[at]))?,
            ..Ended::default()
        });
    }
    // Agents of one task side by side, tasks and agents in the order in which they come first.
    let mut envs: Vec<String> = Vec::new();
    for known in &all {
        if !envs.contains(&known.env) {
            envs.push(known.env.clone());
        }
    }
    all.sort_by_key(|known| envs.iter().position(|env| *env == known.env));
    Ok(all)
}

fn number<T: std::str::FromStr>(field: &str) -> Result<Option<T>, String> {
    if field.is_empty() {
        return Ok(None);
    }
    field.parse().map(Some).map_err(|_| format!("`{field}` is not a number"))
}

/// The fields of a line; in quotes a comma belongs to the field, and two quotes are one.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields.last_mut().expect("there is one").push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => fields.last_mut().expect("there is one").push(letter),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "env,agent,seed,episodes,first_reward_episode,solved_episode,mean_return_last_100";

    #[test]
    fn a_file_of_runs_gives_the_results_of_its_agents() {
        let text = format!(
            "{HEAD}\nChain-5,\"a, \"\"b\"\"\",0,120,3,120,0.95\nToy,duvn,0,200,,,1.5\nChain-5,duvn,0,200,9,130,1\n"
        );
        let found = parse(&text).unwrap();
        let names: Vec<_> = found.iter().map(|known| (known.env.as_str(), known.agent.as_str())).collect();
        assert_eq!(names, [("Chain-5", "a, \"b\""), ("Chain-5", "duvn"), ("Toy", "duvn")]);
        assert!(found[0].stopped() && !found[1].stopped());
        assert_eq!((found[0].threshold, found[2].returns()), (Some(0.95), vec![1.5]));
    }

    #[test]
    fn what_is_said_of_a_run_counts() {
        let head = format!("{HEAD},status,until_solved");
        let text = format!(
            "{head}\nChain-5,a,0,200,9,200,1,done,false\nChain-5,a,1,,,,,failed,false\nChain-5,a,2,,,,,pending,false\n"
        );
        let found = parse(&text).unwrap();
        assert_eq!((found[0].planned, found[0].failed(), found[0].solved()), (3, 1, (1, 2)));
        assert!(!found[0].stopped(), "it was to use up its budget");
    }

    #[test]
    fn the_mean_policy_is_read_where_it_is_known() {
        let text = format!("{HEAD},mean_policy\nToy,a,0,200,,,1.5,2.25\nToy,a,1,200,,,1.5,\n");
        let evaluated: Vec<_> = parse(&text).unwrap()[0].runs.iter().map(|run| run.evaluated).collect();
        assert_eq!(evaluated, [Some(2.25), None]);
    }

    #[test]
    fn a_file_that_is_none_is_refused_with_what_is_missing() {
        assert!(parse("a,b\n1,2\n").unwrap_err().contains("`env`"));
        assert!(parse(&format!("{HEAD}\nChain-5,a\n")).unwrap_err().contains("2 fields, not 7"));
        assert!(parse(&format!("{HEAD}\nToy,a,0,many,,,\n")).unwrap_err().contains("`many`"));
    }
}
