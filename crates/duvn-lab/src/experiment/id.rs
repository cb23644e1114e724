use super::Evaluation;
use crate::run::{Budget, RunSpec};
use sha2::{Digest, Sha256};

/// Changes whenever the same description would give another run or other records.
const FORMAT: u32 = 1;

/// The id of a run: the first 16 hexadecimal digits of the SHA-256 of everything that decides it.
pub fn run_id(spec: &RunSpec, evaluation: Evaluation) -> String {
    let text = description(spec, evaluation);
    Sha256::digest(text.as_bytes())[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Everything that decides a run, as text.
fn description(spec: &RunSpec, evaluation: Evaluation) -> String {
    let RunSpec { env, agent, config, seed, budget, until_solved } = spec;
    let (unit, amount) = match budget {
        Budget::Episodes(episodes) => ("episodes", episodes),
        Budget::Steps(steps) => ("steps", steps),
    };
    let Evaluation { times, episodes } = evaluation;
    let mut text = format!(
        "format={FORMAT}\nenv={env}\nagent={agent}\nseed={seed}\n{unit}={amount}\nevaluation={times}x{episodes}\n"
    );
    // Said only where it is so: runs that use up their budget keep the ids they had before it could be asked for.
    if *until_solved {
        text += "until_solved=true\n";
    }
    // A knob that came later is said only where it is not at its default, so that runs keep the ids they had.
    for ((key, value), knob) in config.entries().into_iter().zip(duvn::Config::knobs()) {
        if knob.since.is_none() || value != knob.default {
            text += &format!("{key}={value}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use duvn::preset;

    fn spec() -> RunSpec {
        RunSpec {
            env: "Chain-10".into(),
            agent: "duvn".into(),
            config: preset("duvn").unwrap(),
            seed: 0,
            budget: Budget::Episodes(100),
            until_solved: false,
        }
    }

    #[test]
    fn a_run_that_asks_for_nothing_new_is_described_as_ever() {
        let mut spec = spec();
        let entries = spec.config.entries().into_iter().zip(duvn::Config::knobs());
        let first = entries.filter(|(_, knob)| knob.since.is_none());
        let knobs: String = first.map(|((key, value), _)| format!("{key}={value}\n")).collect();
        let head = "format=1\nenv=Chain-10\nagent=duvn\nseed=0\nepisodes=100\nevaluation=20x5\n";
        assert_eq!(description(&spec, Evaluation::default()), format!("{head}{knobs}"));
        spec.config.set("sigma_link", "abs").unwrap();
        assert!(description(&spec, Evaluation::default()).contains("\nsigma_link=abs\n"));
    }

    #[test]
    fn ids_of_earlier_experiments_are_kept() {
        assert_eq!(run_id(&spec(), Evaluation::default()), "84cec8925c3a3da8");
    }

    #[test]
    fn whatever_decides_a_run_changes_its_id() {
        let spec = spec();
        let evaluation = Evaluation::default();
        let id = run_id(&spec, evaluation);
        assert_eq!(id, run_id(&spec.clone(), evaluation));
        assert_eq!(id.len(), 16);
        let mut config = spec.config.clone();
        config.gamma = 0.99;
        let others = [
            RunSpec { env: "Chain-11".into(), ..spec.clone() },
            RunSpec { agent: "mine".into(), ..spec.clone() },
            RunSpec { seed: 1, ..spec.clone() },
            RunSpec { budget: Budget::Steps(100), ..spec.clone() },
            RunSpec { budget: Budget::Episodes(101), ..spec.clone() },
            RunSpec { until_solved: true, ..spec.clone() },
            RunSpec { config, ..spec.clone() },
        ];
        for other in &others {
            assert_ne!(run_id(other, evaluation), id, "{other:?}");
        }
        assert_ne!(run_id(&spec, Evaluation { times: 1, episodes: 5 }), id);
    }
}
