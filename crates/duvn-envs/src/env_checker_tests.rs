use super::*;
use crate::wrappers::Episodes;
use crate::{freeze, thaw};

/// A walk on a line of five places that has at most one fault.
#[derive(Clone, Default)]
struct Walk {
    at: usize,
    /// Not part of the state that is saved.
    hidden: usize,
    fault: Fault,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Fault {
    #[default]
    None,
    LeavesItsSpace,
    PaysNan,
    KeepsOldSteps,
    SavesTooLittle,
    RefusesStates,
    AcceptsAnyState,
    GrowsItsSpace,
    RefusesActions,
    NeverEnds,
}

impl Environment for Walk {
    fn observation_space(&self) -> Space {
        let grown = self.fault == Fault::GrowsItsSpace && self.hidden > 3;
        Space::Discrete(if grown { 6 } else { 5 })
    }

    fn action_space(&self) -> Space {
        Space::Discrete(2)
    }

    fn reset(&mut self, _seed: Option<u64>) {
        self.at = 1;
        if self.fault != Fault::KeepsOldSteps && self.fault != Fault::GrowsItsSpace {
            self.hidden = 0;
        }
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Index(if self.fault == Fault::LeavesItsSpace { self.at + 3 } else { self.at })
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        if self.fault == Fault::RefusesActions {
            return Err(StepError::action(action, &self.action_space()));
        }
        self.hidden += 1;
        self.at = if action == Action::Index(1) { self.at + 1 } else { self.at.saturating_sub(1) };
        let reward = match self.fault {
            Fault::PaysNan => f64::NAN,
            Fault::KeepsOldSteps | Fault::SavesTooLittle => self.hidden as f64,
            _ => 1.0,
        };
        if self.fault == Fault::NeverEnds {
            self.at = 2;
        }
        Ok(Step { reward, terminated: self.at == 0 || self.at == 4, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        let little = self.fault == Fault::SavesTooLittle;
        Some(if little { freeze(&self.at) } else { freeze(&(self.at, self.hidden)) })
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        match self.fault {
            Fault::RefusesStates => return Err(StateError::Misfit("no".into())),
            Fault::SavesTooLittle => self.at = thaw(state)?,
            Fault::AcceptsAnyState => (self.at, self.hidden) = thaw(state).unwrap_or_default(),
            _ => (self.at, self.hidden) = thaw(state)?,
        }
        Ok(())
    }
}

fn findings_of(fault: Fault) -> Vec<Finding> {
    check(|| Episodes::new(Walk { fault, ..Walk::default() }, None))
}

#[test]
fn a_sound_environment_has_no_findings() {
    assert_eq!(findings_of(Fault::None), []);
}

#[test]
fn every_fault_is_found() {
    use Finding as F;
    type Test = fn(&Finding) -> bool;
    let cases: [(Fault, Test); 8] = [
        (Fault::LeavesItsSpace, |f| matches!(f, F::ObservationOutside { .. })),
        (Fault::PaysNan, |f| matches!(f, F::RewardNotFinite { .. })),
        (Fault::KeepsOldSteps, |f| matches!(f, F::NotDeterministic { .. })),
        (Fault::SavesTooLittle, |f| matches!(f, F::StateIncomplete { .. })),
        (Fault::RefusesStates, |f| matches!(f, F::RestoreFails { .. })),
        (Fault::GrowsItsSpace, |f| matches!(f, F::SpaceChanges)),
        (Fault::RefusesActions, |f| matches!(f, F::ActionRefused { .. })),
        (Fault::NeverEnds, |f| matches!(f, F::NeverEnds { .. })),
    ];
    for (fault, expected) in cases {
        let findings = findings_of(fault);
        assert!(findings.iter().any(expected), "fault {} gave {findings:?}", fault as u8);
    }
}

#[test]
fn what_episodes_guards_against_is_found_without_it() {
    let findings = check(Walk::default);
    assert!(findings.iter().any(|f| matches!(f, Finding::BadActionAccepted { .. })), "{findings:?}");
    assert!(findings.iter().any(|f| matches!(f, Finding::StepWithoutEpisode { .. })), "{findings:?}");
    let findings = check(|| Walk { fault: Fault::AcceptsAnyState, ..Walk::default() });
    assert!(findings.contains(&Finding::CutStateAccepted), "{findings:?}");
}

#[test]
fn each_kind_of_fault_is_summed_up_once_with_what_to_do() {
    let findings = findings_of(Fault::PaysNan);
    let lines = sum_up(&findings);
    let kinds: Vec<_> = findings.iter().filter(|f| matches!(f, Finding::RewardNotFinite { .. })).collect();
    let of_kind: Vec<_> = lines.iter().filter(|line| line.contains("the reward is NaN")).collect();
    assert_eq!(of_kind.len(), 1, "{lines:?}");
    let more =
        format!("{} (and {} more like it). To do: let step() return a number", kinds[0], kinds.len() - 1);
    assert!(of_kind[0].starts_with(&more), "{lines:?}");
    assert_eq!(sum_up(&[]), Vec::<String>::new());
}
