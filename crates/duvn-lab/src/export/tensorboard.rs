use super::event::{Ended, Events, Setting};
use super::{ExportError, at};
use crate::disk::WholeFile;
use crate::store::{RunRow, Status, Store};
use std::path::{Path, PathBuf};

/// Writes one event file a run under the folder `tensorboard` of the experiment, which is given back. Steps
/// are environment steps; the names are those that users of CleanRL know.
pub fn tensorboard(store: &Store) -> Result<PathBuf, ExportError> {
    let folder = store.folder().join("tensorboard");
    for run in store.runs()? {
        if run.started.is_some() {
            export(store, &run, &folder)?;
        }
    }
    Ok(folder)
}

fn export(store: &Store, run: &RunRow, folder: &Path) -> Result<(), ExportError> {
    let name = format!("{}__{}__{}", run.spec.env, run.spec.agent, run.spec.seed);
    let folder = folder.join(name.replace(['/', '\\', '\0'], "-"));
    // One file a run, under the same name each time: exporting again replaces it.
    let path = folder.join(format!("events.out.tfevents.{:010}.duvn", run.started.unwrap_or(0)));
    std::fs::create_dir_all(&folder).map_err(at(&folder))?;
    let file = WholeFile::create(&path).map_err(at(&path))?;
    let clock = Clock { started: run.started.unwrap_or(0) as f64, timing: store.timing(run.number)? };
    let mut events = Events::new(file, clock.started).map_err(at(&path))?;

    hyper_parameters(&mut events, run).map_err(at(&path))?;
    store.each_episode(run.number, |row| {
        let (time, step) = (clock.at(row.steps), row.steps);
        let mut scalar = |tag: &str, value: f64| events.scalar(time, step, tag, value).map_err(at(&path));
        scalar("charts/episodic_return", row.ret)?;
        scalar("charts/episodic_length", row.length as f64)?;
        if row.loss.is_finite() {
            scalar("losses/loss", row.loss)?;
        }
        if let Some(start) = row.start {
            scalar("losses/q_values", start.value)?;
            scalar("uncertainty/sigma", start.sigma)?;
            scalar("uncertainty/spread", start.spread)?;
        }
        Ok::<_, ExportError>(())
    })?;
    for row in store.evaluations(run.number)? {
        let (time, step) = (clock.at(row.steps), row.steps);
        let mut scalar = |tag: &str, value: f64| events.scalar(time, step, tag, value).map_err(at(&path));
        scalar("eval/episodic_return", row.mean_return)?;
        if let Some(known) = row.calibration {
            scalar("calibration/believed", known.believed)?;
            scalar("calibration/sigma", known.sigma)?;
            scalar("calibration/discounted_return", known.earned)?;
            scalar("calibration/bias", known.bias())?;
        }
        if let Some(covered) = row.calibration.and_then(|known| known.covered) {
            scalar("calibration/within_2_sigma", covered)?;
        }
    }
    for &(steps, seconds) in &clock.timing {
        let rate = steps as f64 / seconds.max(1e-9);
        events.scalar(clock.started + seconds, steps, "charts/SPS", rate).map_err(at(&path))?;
    }
    events.finish().and_then(WholeFile::finish).map_err(at(&path))
}

/// The environment, the agent and its settings, for the table and the parallel coordinates of TensorBoard's HPARAMS.
fn hyper_parameters(events: &mut Events<WholeFile>, run: &RunRow) -> std::io::Result<()> {
    let entries = run.spec.config.entries();
    let mut settings = vec![
        ("env", Setting::Text(&run.spec.env)),
        ("agent", Setting::Text(&run.spec.agent)),
        ("seed", Setting::Number(run.spec.seed as f64)),
    ];
    settings.extend(entries.iter().map(|(key, text)| (*key, setting(text))));
    let ended = match run.status {
        Status::Done => Ended::Success,
        Status::Failed => Ended::Failure,
        Status::Pending | Status::Running => Ended::Running,
    };
    let started = run.started.unwrap_or(0);
    let times = (started as f64, run.finished.unwrap_or(started) as f64);
    events.hyper_parameters(times, &settings, ended)
}

fn setting(text: &str) -> Setting<'_> {
    match (text.parse(), text.parse()) {
        (Ok(flag), _) => Setting::Flag(flag),
        (_, Ok(number)) => Setting::Number(number),
        _ => Setting::Text(text),
    }
}

/// When a step was made, from the few times that are recorded.
struct Clock {
    started: f64,
    timing: Vec<(u64, f64)>,
}

impl Clock {
    fn at(&self, steps: u64) -> f64 {
        let after = self.timing.partition_point(|&(at, _)| at < steps);
        let (from, since) = if after == 0 { (0, 0.0) } else { self.timing[after - 1] };
        let seconds = match self.timing.get(after) {
            Some(&(to, until)) if to > from => {
                since + (until - since) * (steps - from) as f64 / (to - from) as f64
            }
            _ => since,
        };
        self.started + seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_between_records_lie_between() {
        let clock = Clock { started: 100.0, timing: vec![(10, 1.0), (20, 5.0)] };
        let times: Vec<f64> = [5, 10, 15, 20, 99].iter().map(|&steps| clock.at(steps)).collect();
        assert_eq!(times, [100.5, 101.0, 103.0, 105.0, 105.0]);
    }
}
