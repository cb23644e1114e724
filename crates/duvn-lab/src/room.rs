//! How many runs may be under way at a time, so that together they fit into memory.

use crate::experiment::Planned;
use crate::run::Run;
use std::collections::HashMap;

/// How many of `planned` may be under way at a time: no more than `jobs`, and, whichever they are, no more than fit into `most`
/// bytes together; at least one. A system that runs out of memory ends whole programs.
pub fn jobs_that_fit(planned: &[Planned], jobs: usize, most: u64) -> usize {
    let mut known: HashMap<(&str, &str), u64> = HashMap::new();
    let mut bytes: Vec<u64> = planned
        .iter()
        .map(|run| {
            let key = (run.spec.env.as_str(), run.spec.agent.as_str());
            // A run that cannot be made takes nothing.
            *known.entry(key).or_insert_with(|| Run::memory(&run.spec).unwrap_or(0))
        })
        .collect();
    bytes.sort_unstable_by(|a, b| b.cmp(a));
    let together = bytes.iter().scan(0u64, |sum, &bytes| {
        *sum = sum.saturating_add(bytes);
        Some(*sum)
    });
    let fit = together.take_while(|&sum| sum <= most).count();
    if fit == planned.len() { jobs } else { jobs.min(fit.max(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::toy;

    #[test]
    fn as_many_as_fit_and_at_least_one() {
        let runs = toy("0..3");
        let one = Run::memory(&runs[0].spec).unwrap();
        for (jobs, most, expected) in [
            (8, 3 * one, 8),
            (8, 3 * one - 1, 2),
            (8, one, 1),
            (8, one - 1, 1),
            (1, 2 * one, 1),
            (2, u64::MAX, 2),
        ] {
            assert_eq!(jobs_that_fit(&runs, jobs, most), expected, "{jobs} jobs in {most}");
        }
    }
}
