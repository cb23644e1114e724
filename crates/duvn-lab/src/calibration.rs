//! Believed beside earned: whether what an agent believes at the start of an episode is what the episode then brings.

/// One episode of an evaluation: what was believed of the first action before it was taken, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// The mean return of the action.
    pub believed: f64,
    /// Its return uncertainty; 0 for agents that have none.
    pub sigma: f64,
    /// The discounted sum of the rewards that followed.
    pub earned: f64,
}

/// What the episodes of an evaluation say about what was believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// The mean over episodes of the mean return that was believed at their start.
    pub believed: f64,
    /// The mean over episodes of sigma at their start.
    pub sigma: f64,
    /// The mean over episodes of the discounted return.
    pub earned: f64,
    /// The share of episodes whose discounted return lay within mean ± 2 sigma. Nothing where an agent has no sigma:
    /// it says nothing about how far a return may lie from its mean.
    pub covered: Option<f64>,
}

/// So many sigma to each side of the mean.
const WITHIN: f64 = 2.0;

impl Calibration {
    /// Over the episodes of an evaluation; nothing where there are none, or where their numbers are not finite.
    pub fn of(trials: &[Trial]) -> Option<Self> {
        let count = trials.len() as f64;
        let mean = |value: fn(&Trial) -> f64| trials.iter().map(value).sum::<f64>() / count;
        let within = |trial: &&Trial| (trial.earned - trial.believed).abs() <= WITHIN * trial.sigma;
        let says = trials.iter().all(|trial| trial.sigma > 0.0);
        let (believed, sigma, earned) =
            (mean(|trial| trial.believed), mean(|trial| trial.sigma), mean(|trial| trial.earned));
        let covered = says.then(|| trials.iter().filter(within).count() as f64 / count);
        let finite = [believed, sigma, earned].iter().all(|number| number.is_finite());
        finite.then_some(Calibration { believed, sigma, earned, covered })
    }

    /// How much more was believed than earned.
    pub fn bias(&self) -> f64 {
        self.believed - self.earned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(believed: f64, sigma: f64, earned: f64) -> Trial {
        Trial { believed, sigma, earned }
    }

    /// Intervals 3 ± 1, 4 ± 4, 5 ± 2 and 8 ± 1; returns 4 (on the edge), 0 (on the edge), 7.5 (above) and 6.5 (below).
    #[test]
    fn bias_and_coverage_are_those_worked_by_hand() {
        let trials = [trial(3.0, 0.5, 4.0), trial(4.0, 2.0, 0.0), trial(5.0, 1.0, 7.5), trial(8.0, 0.5, 6.5)];
        let found = Calibration::of(&trials).unwrap();
        let expected = Calibration { believed: 5.0, sigma: 1.0, earned: 4.5, covered: Some(0.5) };
        assert_eq!((found, found.bias()), (expected, 0.5));
    }

    #[test]
    fn without_sigma_nothing_is_covered_or_missed() {
        let found = Calibration::of(&[trial(1.0, 0.0, 1.0), trial(2.0, 0.0, 4.0)]).unwrap();
        assert_eq!((found.bias(), found.covered), (-1.0, None));
        assert_eq!(Calibration::of(&[]), None);
        assert_eq!(Calibration::of(&[trial(f64::INFINITY, 1.0, 0.0)]), None);
    }
}
