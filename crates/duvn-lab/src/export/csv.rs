use super::{ExportError, at};
use crate::disk::WholeFile;
use crate::spec::Budget;
use crate::store::{RunRow, Store};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes `runs.csv`, `episodes.csv` and `evaluations.csv` into the folder `csv` of the experiment, which is
/// given back. Numbers read back to the same bits; what is not known is empty.
pub fn csv(store: &Store) -> Result<PathBuf, ExportError> {
    let folder = store.folder().join("csv");
    std::fs::create_dir_all(&folder).map_err(at(&folder))?;
    runs(store, &folder.join("runs.csv"))?;
    episodes(store, &folder.join("episodes.csv"))?;
    evaluations(store, &folder.join("evaluations.csv"))?;
    Ok(folder)
}

fn create(path: &Path, head: &str) -> Result<WholeFile, ExportError> {
    let mut file = WholeFile::create(path).map_err(at(path))?;
    writeln!(file, "{head}").map_err(at(path))?;
    Ok(file)
}

fn runs(store: &Store, path: &Path) -> Result<(), ExportError> {
    let head = "run,env,agent,seed,unit,budget,until_solved,status,error,episodes,steps,updates,first_reward_episode,\
                solved_episode,mean_return_last_100,seconds,weights_sha256,isa,mean_policy";
    let mut file = create(path, head)?;
    for run in store.runs()? {
        let (unit, budget) = match run.spec.budget {
            Budget::Episodes(amount) => ("episodes", amount),
            Budget::Steps(amount) => ("steps", amount),
        };
        let status = format!("{:?}", run.status).to_lowercase();
        let known = run.outcome.as_ref();
        let columns = [
            run.id.clone(),
            quote(&run.spec.env),
            quote(&run.spec.agent),
            run.spec.seed.to_string(),
            unit.into(),
            budget.to_string(),
            run.spec.until_solved.to_string(),
            status,
            quote(run.error.as_deref().unwrap_or("")),
            show(known.map(|outcome| outcome.episodes)),
            show(known.map(|outcome| outcome.steps)),
            show(known.map(|outcome| outcome.updates)),
            show(known.and_then(|outcome| outcome.first_reward_episode)),
            show(known.and_then(|outcome| outcome.solved_episode)),
            show(known.and_then(|outcome| outcome.mean_return_last_100)),
            show(known.map(|outcome| outcome.seconds)),
            show(known.map(|outcome| outcome.weights_sha256.clone())),
            show(run.isa),
            show(store.evaluations(run.number)?.last().map(|row| row.mean_return)),
        ];
        writeln!(file, "{}", columns.join(",")).map_err(at(path))?;
    }
    file.finish().map_err(at(path))
}

fn episodes(store: &Store, path: &Path) -> Result<(), ExportError> {
    let mut file =
        create(path, "run,env,agent,seed,episode,return,length,steps,loss,value,sigma,spread,denoised")?;
    for run in store.runs()? {
        let whose = whose(&run);
        store.each_episode(run.number, |row| {
            let start = row.start;
            writeln!(
                file,
                "{whose},{},{},{},{},{},{},{},{},{}",
                row.episode,
                row.ret,
                row.length,
                row.steps,
                show(Some(row.loss).filter(|loss| loss.is_finite())),
                show(start.map(|start| start.value)),
                show(start.map(|start| start.sigma)),
                show(start.map(|start| start.spread)),
                show(row.denoised),
            )
            .map_err(at(path))
        })?;
    }
    file.finish().map_err(at(path))
}

fn evaluations(store: &Store, path: &Path) -> Result<(), ExportError> {
    let mut file = create(
        path,
        "run,env,agent,seed,episode,steps,mean_return,believed,sigma,discounted_return,bias,within_2_sigma",
    )?;
    for run in store.runs()? {
        for row in store.evaluations(run.number)? {
            let known = row.calibration;
            writeln!(
                file,
                "{},{},{},{},{},{},{},{},{}",
                whose(&run),
                row.episode,
                row.steps,
                row.mean_return,
                show(known.map(|known| known.believed)),
                show(known.map(|known| known.sigma)),
                show(known.map(|known| known.earned)),
                show(known.map(|known| known.bias())),
                show(known.and_then(|known| known.covered)),
            )
            .map_err(at(path))?;
        }
    }
    file.finish().map_err(at(path))
}

/// The columns that say whose a row is: run, env, agent, seed.
fn whose(run: &RunRow) -> String {
    format!("{},{},{},{}", run.id, quote(&run.spec.env), quote(&run.spec.agent), run.spec.seed)
}

fn show<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Text as one field: in quotes where it has a character that would end it.
fn quote(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_what_would_end_them() {
        assert_eq!(quote("duvn, keep 0.8"), "\"duvn, keep 0.8\"");
        assert_eq!(quote("say \"so\""), "\"say \"\"so\"\"\"");
        assert_eq!(quote("plain"), "plain");
    }
}
